// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/answers.h"

#include <utility>

namespace roceready::probe {

v1::ConnectRequest Refused(const ProbeKey& key, std::string_view step, const Refusal& refusal) {
  v1::ConnectRequest answer;
  v1::ProbeRefused& refused = *answer.mutable_probe_refused();
  refused.set_probe_id(key.probe_id);
  refused.set_attempt(key.attempt);
  refused.set_reason(refusal.reason);
  refused.set_step(std::string(step));
  refused.set_error(refusal.error);
  refused.set_detail(refusal.detail);
  return answer;
}

v1::ConnectRequest Reported(v1::EndReport report) {
  v1::ConnectRequest answer;
  *answer.mutable_end_report() = std::move(report);
  return answer;
}

v1::EndReport NothingHeld(const ProbeKey& key, v1::ProbeSide side, std::string_view detail) {
  v1::EndReport report;
  report.set_probe_id(key.probe_id);
  report.set_attempt(key.attempt);
  report.set_side(side);
  report.set_detail(std::string(detail));
  return report;
}

}  // namespace roceready::probe
