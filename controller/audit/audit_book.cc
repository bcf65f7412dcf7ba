// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_book.h"

#include <algorithm>

#include "proto/contract/errors.h"

namespace roceready {

absl::StatusOr<std::shared_ptr<AuditRun>> AuditBook::Create(
    v1::CreateAuditRequest request, std::vector<std::string> hosts,
    std::shared_ptr<const LoadedPolicy> policy, const std::string& caller) {
  const std::pair key(caller, request.request_id());
  if (auto known = by_request_.find(key);
      !request.request_id().empty() && known != by_request_.end()) {
    const std::shared_ptr<AuditRun>& audit = audits_.at(known->second);
    if (audit->audit().request().SerializeAsString() != request.SerializeAsString()) {
      return MakeError(absl::StatusCode::kAlreadyExists,
                       fmt::format("request id '{}' was used for another audit ({})",
                                   request.request_id(), audit->audit().audit_id()));
    }
    return audit;
  }
  if (running_ >= options_.at_once && waiting_.size() >= options_.waiting) {
    ++counters_.refused;
    return MakeError(
        absl::StatusCode::kResourceExhausted,
        fmt::format("{} audits run and {} wait: try again later", running_, waiting_.size()));
  }
  const std::uint64_t number = ++last_number_;
  if (!request.request_id().empty()) by_request_[key] = number;
  AuditRun::Order order;
  order.id = {options_.epoch, number};
  order.request = std::move(request);
  order.hosts = std::move(hosts);
  order.policy = std::move(policy);
  order.requested_by = caller;
  auto audit = std::make_shared<AuditRun>(std::move(order), tools_);
  audits_[number] = audit;
  waiting_.push_back(number);
  BeginWaiting();
  return audit;
}

void AuditBook::BeginWaiting() {
  while (running_ < options_.at_once && !waiting_.empty()) {
    const std::uint64_t number = waiting_.front();
    waiting_.pop_front();
    const std::shared_ptr<AuditRun> audit = audits_.at(number);
    if (audit->ended()) {  // cancelled while it waited
      Count(*audit);
      ended_.push_back(number);
      continue;
    }
    ++running_;
    audit->Begin([this, number] { OnEnd(number); });
  }
}

void AuditBook::OnEnd(std::uint64_t number) {
  --running_;
  const AuditRun& audit = *audits_.at(number);
  Count(audit);
  const Duration took = tools_.loop->clock()->Now() - audit.begun();
  (audit.ProbesAsked() ? counters_.took_with_probes : counters_.took_without_probes).Add(took);
  last_verdicts_.Note(audit.hosts(), audit.audit(), *tools_.fleet);
  ended_.push_back(number);
  while (ended_.size() > options_.kept) {
    const std::uint64_t oldest = ended_.front();
    ended_.pop_front();
    audits_.erase(oldest);
    std::erase_if(by_request_, [&](const auto& entry) { return entry.second == oldest; });
  }
  // From the loop, not from within the end of another audit.
  tools_.loop->PostControl([this] { BeginWaiting(); });
}

void AuditBook::Count(const AuditRun& audit) {
  ++counters_.ended[{audit.audit().state(), audit.audit().verdict().readiness()}];
}

std::size_t AuditBook::waiting() const {
  // One that was cancelled while it waited leaves the queue only when its turn comes.
  return static_cast<std::size_t>(std::ranges::count_if(
      waiting_, [this](std::uint64_t number) { return !audits_.at(number)->ended(); }));
}

std::shared_ptr<const AuditRun> AuditBook::NewestJudged() const {
  for (auto number = ended_.rbegin(); number != ended_.rend(); ++number) {
    const std::shared_ptr<AuditRun>& audit = audits_.at(*number);
    if (audit->audit().has_verdict()) return audit;
  }
  return nullptr;
}

absl::StatusOr<std::shared_ptr<AuditRun>> AuditBook::Find(std::string_view audit_id) const {
  const auto id = ParseAuditId(audit_id);
  if (!id) {
    return InvalidArgument("'{}' is no audit id; one looks like {}", audit_id,
                           AuditId{options_.epoch, 1}.Text());
  }
  if (id->epoch == options_.epoch) {
    auto found = audits_.find(id->number);
    if (found != audits_.end()) return found->second;
    if (id->number <= last_number_) {
      return NotFound("audit {} is no longer kept: only the last {} are", audit_id, options_.kept);
    }
  }
  return NotFound("there is no audit {}", audit_id);
}

std::optional<v1::Audit> AuditBook::LostAudit(std::string_view audit_id) const {
  const auto id = ParseAuditId(audit_id);
  if (!id || id->epoch >= options_.epoch) return std::nullopt;
  v1::Audit audit;
  audit.set_audit_id(std::string(audit_id));
  audit.set_state(v1::AUDIT_STATE_ABORTED);
  audit.set_abort_reason("lost: controller restarted");
  return audit;
}

std::vector<std::shared_ptr<AuditRun>> AuditBook::All() const {
  std::vector<std::shared_ptr<AuditRun>> all;
  all.reserve(audits_.size());
  for (auto audit = audits_.rbegin(); audit != audits_.rend(); ++audit) {
    all.push_back(audit->second);
  }
  return all;
}

}  // namespace roceready
