// SPDX-License-Identifier: Apache-2.0
// The part of the API about verdicts.
#include <algorithm>
#include <utility>

#include "controller/api/fleet_api.h"
#include "controller/api/require.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

constexpr Duration kDefaultMaxProbeAge = std::chrono::hours(24);
// A caller with more patience wants an audit.
constexpr Duration kMaxWait = std::chrono::seconds(60);
// An answer is given again for so long; younger facts than that nobody can ask for.
constexpr Duration kLeastMaxAge = VerdictBook::kAnswerGoodFor;

absl::StatusOr<Duration> DurationOr(bool given, const google::protobuf::Duration& duration,
                                    std::string_view field, Duration otherwise) {
  if (!given) return otherwise;
  if (FromProto(duration) < Duration::zero()) return InvalidArgument("{} is negative", field);
  return FromProto(duration);
}

}  // namespace

// Who asks for a yes or no takes this as no answer, and not as a set that is not ready.
absl::Status FleetApi::CheckStartIsOver(const std::string& asked,
                                        const std::vector<std::string>& hosts,
                                        Duration max_age) const {
  const Duration up = Up();
  if (up >= kStartTakes) return absl::OkStatus();
  if (asked == "*" && !tools_.fleet->took_up()) {
    return Unavailable("the controller started {} ago and does not know yet which hosts there are",
                       InWords(up));
  }
  for (const std::string& host : hosts) {
    const HostRecord* record = tools_.fleet->Find(host);
    if (tools_.fleet->IsInMaintenance(host)) continue;
    if (record == nullptr || !record->HasFacts()) {
      return Unavailable("the controller started {} ago and has no facts of {} yet: ask again",
                         InWords(up), host);
    }
    if (record->kept_of && record->OldestFact(tools_.clock->Now()) > max_age) {
      return Unavailable(
          "the controller started {} ago and has only facts of {} yet that it kept from before, of "
          "{}: ask again, or for such old ones",
          InWords(up), host, MomentInWords(*record->kept_of));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<VerdictBook::Question> FleetApi::QuestionOf(
    const Caller& caller, const v1::GetVerdictRequest& request) const {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  VerdictBook::Question question;
  ASSIGN_OR_RETURN(question.hosts, HostsOf(request.hosts()));
  if (question.hosts.empty() && request.hosts() != "*") {
    return InvalidArgument("hosts: no host is named");
  }
  ASSIGN_OR_RETURN(question.policy, FindPolicy(request.policy()));
  ASSIGN_OR_RETURN(question.max_age,
                   DurationOr(request.has_max_age(), request.max_age(), "max_age", kFactsGoodFor));
  question.max_age = std::max(question.max_age, kLeastMaxAge);
  RETURN_IF_ERROR(CheckStartIsOver(request.hosts(), question.hosts, question.max_age));
  if (question.hosts.empty()) return InvalidArgument("hosts: no host is named");
  ASSIGN_OR_RETURN(question.max_probe_age,
                   DurationOr(request.has_max_probe_age(), request.max_probe_age(), "max_probe_age",
                              kDefaultMaxProbeAge));
  ASSIGN_OR_RETURN(question.wait,
                   DurationOr(request.has_wait(), request.wait(), "wait", Duration::zero()));
  if (question.wait > kMaxWait) {
    return InvalidArgument("wait is at most {}; an audit waits longer", InWords(kMaxWait));
  }
  return question;
}

void FleetApi::GetVerdict(const Caller& caller, const v1::GetVerdictRequest& request,
                          VerdictDone done) {
  VerdictDone counted = [this, asked = tools_.clock->Now(),
                         done = std::move(done)](absl::StatusOr<v1::GetVerdictResponse> answer) {
    if (answer.ok()) {
      ++verdict_counters_.answered[answer->verdict().readiness()];
      verdict_counters_.took.Add(tools_.clock->Now() - asked);
    } else {
      ++verdict_counters_.refused[answer.status().code()];
    }
    done(std::move(answer));
  };
  absl::StatusOr<VerdictBook::Question> question = QuestionOf(caller, request);
  if (!question.ok()) return counted(question.status());
  tools_.verdicts->Ask(*std::move(question), std::move(counted));
}

}  // namespace roceready
