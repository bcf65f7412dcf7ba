// SPDX-License-Identifier: Apache-2.0
// All audits of one controller: made once per request id, run a few at a time, kept for a while
// after their end. Runs on the event loop.
#pragma once

#include <absl/status/statusor.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/audit/audit_run.h"

namespace roceready {

class AuditBook {
 public:
  struct Options {
    std::uint64_t epoch = 0;
    std::size_t at_once = 4;
    std::size_t waiting = 64;
    // Ended audits that are kept.
    std::size_t kept = 100;
  };

  AuditBook(AuditTools tools, Options options) : tools_(tools), options_(options) {}

  // `hosts` and `policy` are what the request's words stand for. kAlreadyExists: the same caller
  // used this request id for something else. kResourceExhausted: too many audits wait.
  absl::StatusOr<std::shared_ptr<AuditRun>> Create(v1::CreateAuditRequest request,
                                                   std::vector<std::string> hosts,
                                                   std::shared_ptr<const LoadedPolicy> policy,
                                                   const std::string& caller);

  // kNotFound, in words that say whether there ever was one. An audit of an earlier epoch has no
  // run, see LostAudit.
  absl::StatusOr<std::shared_ptr<AuditRun>> Find(std::string_view audit_id) const;

  // What is to be said of an audit that an earlier start of this controller made.
  std::optional<v1::Audit> LostAudit(std::string_view audit_id) const;

  // Newest first.
  std::vector<std::shared_ptr<AuditRun>> All() const;

 private:
  void BeginWaiting();
  void OnEnd(std::uint64_t number);

  AuditTools tools_;
  Options options_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<AuditRun>> audits_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> by_request_;  // caller, request id
  std::deque<std::uint64_t> waiting_;
  std::size_t running_ = 0;
  std::deque<std::uint64_t> ended_;
};

}  // namespace roceready
