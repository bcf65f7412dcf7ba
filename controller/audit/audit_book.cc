// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_book.h"

#include <algorithm>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

absl::Status Stopping() { return Unavailable("the controller stops"); }

}  // namespace

void AuditBook::Restore(std::vector<KeptAudit> kept) {
  std::ranges::sort(kept, {}, &KeptAudit::id);
  for (KeptAudit& one : kept) {
    const bool had_ended = one.ended;
    const AuditId id = one.id;
    auto audit = std::make_shared<AuditRun>(std::move(one), tools_);
    const v1::Audit& about = audit->audit();
    if (!about.request().request_id().empty()) {
      by_request_[{about.requested_by(), about.request().request_id()}] = id;
    }
    audits_[id] = audit;
    ended_.push_back(id);
    if (!had_ended) archive_->End(std::move(audit));
  }
  // As they would stand without a restart.
  std::ranges::stable_sort(ended_, {}, [this](const AuditId& id) {
    const google::protobuf::Timestamp& at = audits_.at(id)->audit().ended_at();
    return std::pair(at.seconds(), at.nanos());
  });
  ForgetOldest();
}

void AuditBook::Close() {
  closed_ = true;
  for (auto& [id, storing] : storing_) {
    for (Created& done : std::exchange(storing.waiting, {})) done(Stopping());
  }
}

void AuditBook::Create(v1::CreateAuditRequest request, std::vector<std::string> hosts,
                       std::shared_ptr<const LoadedPolicy> policy, const std::string& caller,
                       Created done) {
  if (closed_) return done(Stopping());
  const std::pair key(caller, request.request_id());
  if (auto known = by_request_.find(key);
      !request.request_id().empty() && known != by_request_.end()) {
    const auto storing = storing_.find(known->second);
    const std::shared_ptr<AuditRun> audit =
        storing == storing_.end() ? audits_.at(known->second) : storing->second.audit;
    if (audit->audit().request().SerializeAsString() != request.SerializeAsString()) {
      return done(MakeError(absl::StatusCode::kAlreadyExists,
                            fmt::format("request id '{}' was used for another audit ({})",
                                        request.request_id(), audit->audit().audit_id())));
    }
    if (storing == storing_.end()) return done(audit);
    storing->second.waiting.push_back(std::move(done));
    return;
  }
  if (running_.size() + waiting_.size() + storing_.size() >= options_.at_once + options_.waiting) {
    ++counters_.refused;
    return done(MakeError(absl::StatusCode::kResourceExhausted,
                          fmt::format("{} audits run and {} wait: try again later", running_.size(),
                                      waiting_.size() + storing_.size())));
  }
  const AuditId id{options_.epoch, ++last_number_};
  if (!request.request_id().empty()) by_request_[key] = id;
  AuditRun::Order order;
  order.id = id;
  order.request = std::move(request);
  order.hosts = std::move(hosts);
  order.policy = std::move(policy);
  order.requested_by = caller;
  order.on_end = [this, id] { OnEnd(id); };
  auto audit = std::make_shared<AuditRun>(std::move(order), tools_);
  Storing& storing = storing_[id];
  storing.audit = audit;
  storing.waiting.push_back(std::move(done));
  archive_->Begin(*audit, [this, id](const absl::Status& status) { Stored(id, status); });
}

void AuditBook::Stored(const AuditId& id, const absl::Status& status) {
  Storing stored = std::move(storing_.extract(id).mapped());
  if (closed_) return;
  if (!status.ok()) {
    ForgetRequest(id);
    const absl::Status refused =
        Unavailable("the audit was not begun, for it could not be kept: {}", Message(status));
    for (Created& done : stored.waiting) done(refused);
    return;
  }
  audits_[id] = stored.audit;
  waiting_.push_back(id);
  if (!stored.stopped.empty()) stored.audit->StopProbes(stored.stopped, [] {});
  BeginWaiting();
  for (Created& done : stored.waiting) done(stored.audit);
}

void AuditBook::StopProbes(const std::vector<std::shared_ptr<AuditRun>>& audits,
                           const std::string& reason, StopDone done) {
  struct Stop {
    ProbesStopped so_far;
    std::size_t awaited = 0;
    StopDone done;
  };
  // One more is awaited than there are audits, so that it is not done before all were told.
  auto stop = std::make_shared<Stop>();
  stop->awaited = audits.size() + 1;
  stop->done = std::move(done);
  const auto one_is_over = [stop] {
    if (--stop->awaited == 0) stop->done(stop->so_far);
  };
  for (const std::shared_ptr<AuditRun>& audit : audits) {
    const AuditRun::ProbeStop of_audit = audit->StopProbes(reason, one_is_over);
    if (!of_audit.stopped) continue;
    stop->so_far.audit_ids.push_back(audit->audit().audit_id());
    stop->so_far.pairs.ended += of_audit.pairs.ended;
    stop->so_far.pairs.not_begun += of_audit.pairs.not_begun;
  }
  one_is_over();
}

void AuditBook::StopAllProbes(const std::string& reason, StopDone done) {
  for (auto& [id, storing] : storing_) storing.stopped = reason;
  StopProbes(All(), reason, std::move(done));
}

void AuditBook::BeginWaiting() {
  if (closed_) return;
  while (running_.size() < options_.at_once && !waiting_.empty()) {
    const AuditId id = waiting_.front();
    waiting_.pop_front();
    running_.insert(id);
    audits_.at(id)->Begin();
  }
}

void AuditBook::OnEnd(const AuditId& id) {
  if (closed_) return;
  const AuditRun& audit = *audits_.at(id);
  Count(audit);
  // Cancelled while it waited, it never ran.
  if (running_.erase(id) == 0) {
    std::erase(waiting_, id);
  } else {
    const Duration took = tools_.loop->clock()->Now() - audit.begun();
    (audit.ProbesAsked() ? counters_.took_with_probes : counters_.took_without_probes).Add(took);
    last_verdicts_.Note(audit.hosts(), audit.audit(), *tools_.fleet);
  }
  ended_.push_back(id);
  archive_->End(audits_.at(id));
  ForgetOldest();
  // From the loop, not from within the end of another audit.
  tools_.loop->PostControl([this] { BeginWaiting(); });
}

void AuditBook::Count(const AuditRun& audit) {
  ++counters_.ended[{audit.audit().state(), audit.audit().verdict().readiness()}];
}

std::shared_ptr<const AuditRun> AuditBook::NewestJudged() const {
  for (auto id = ended_.rbegin(); id != ended_.rend(); ++id) {
    const std::shared_ptr<AuditRun>& audit = audits_.at(*id);
    if (audit->audit().has_verdict()) return audit;
  }
  return nullptr;
}

void AuditBook::ForgetOldest() {
  while (ended_.size() > options_.kept) {
    const AuditId oldest = ended_.front();
    ended_.pop_front();
    audits_.erase(oldest);
    ForgetRequest(oldest);
  }
}

void AuditBook::ForgetRequest(const AuditId& id) {
  std::erase_if(by_request_, [&](const auto& entry) { return entry.second == id; });
}

absl::StatusOr<std::shared_ptr<AuditRun>> AuditBook::Find(std::string_view audit_id) const {
  const auto id = ParseAuditId(audit_id);
  if (!id) {
    return InvalidArgument("'{}' is no audit id; one looks like {}", audit_id,
                           AuditId{options_.epoch, 1}.Text());
  }
  if (const auto found = audits_.find(*id); found != audits_.end()) return found->second;
  if (NotAtHand(audit_id)) {
    return NotFound(
        "audit {} is no longer kept at hand, only the last {} are: if the history has it, it can "
        "be "
        "read, and not watched or cancelled",
        audit_id, options_.kept);
  }
  return NotFound("there is no audit {}", audit_id);
}

std::optional<AuditId> AuditBook::NotAtHand(std::string_view audit_id) const {
  const std::optional<AuditId> id = ParseAuditId(audit_id);
  const bool was_made = id && *id <= AuditId{options_.epoch, last_number_};
  if (!was_made || audits_.contains(*id) || storing_.contains(*id)) return std::nullopt;
  return id;
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
