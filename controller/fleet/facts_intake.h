// SPDX-License-Identifier: Apache-2.0
// Gathers the chunks of one facts message and applies them to a host's record as a whole, or not at
// all. No I/O: chunks in, a verdict on them out.
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/fleet/host_record.h"

namespace roceready {

class FactsIntake {
 public:
  // An 8-port host is 18 KB; a host that sends a thousand times as much is not well.
  static constexpr std::size_t kMaxBytes = 16u << 20;
  static constexpr std::size_t kMaxParts = 100'000;

  enum class Step {
    kMore,       // not the last chunk
    kApplied,    // the record now holds this generation
    kStartOver,  // base or digest do not agree: everything must be sent again
  };

  // kInvalidArgument or kResourceExhausted: this stream breaks the protocol and should be closed.
  // The record is changed only with kApplied.
  absl::StatusOr<Step> Add(v1::FactsChunk chunk, MonotonicTime now, HostRecord* record);

  // A message has begun and its last chunk has not come.
  bool open() const { return open_; }

 private:
  absl::Status Gather(v1::FactsChunk* chunk, MonotonicTime now, const std::string& host);
  Step Apply(const v1::FactsChunk& last, HostRecord* record);
  void Forget();

  bool open_ = false;
  std::string instance_;
  std::uint64_t generation_ = 0;
  std::uint64_t since_ = 0;
  std::size_t bytes_ = 0;
  FactParts parts_;
  ReadTimes read_at_;
  std::vector<std::string> removed_;
};

// The agent read everything again `age` ago and found it unchanged, but for `except_keys`.
void ConfirmFacts(const v1::FactsConfirmed& confirmed, MonotonicTime now, HostRecord* record);

}  // namespace roceready
