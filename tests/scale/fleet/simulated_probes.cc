// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/fleet/simulated_probes.h"

#include <fmt/core.h>

namespace roceready::scale {

void SimulatedProbes::BeginSession(uint64_t epoch, std::string_view session) {
  epoch_ = epoch;
  session_ = session;
}

void SimulatedProbes::Execute(const v1::ConnectResponse& order) {
  switch (order.body_case()) {
    case v1::ConnectResponse::kPrepareProbe:
      return Prepare(order.prepare_probe());
    case v1::ConnectResponse::kConnectProbe: {
      const v1::Order& of = order.connect_probe().order();
      if (Find(of, "connect") == nullptr) return;
      v1::ConnectRequest answer;
      answer.mutable_probe_connected()->set_probe_id(of.probe_id());
      answer.mutable_probe_connected()->set_attempt(of.attempt());
      return AnswerAfter(times_.order, std::move(answer));
    }
    case v1::ConnectResponse::kArmPhase:
      return EndPhase(order.arm_phase().order(), order.arm_phase().phase(), true, "arm");
    case v1::ConnectResponse::kRunPhase:
      return EndPhase(order.run_phase().order(), order.run_phase().phase(), false, "run");
    case v1::ConnectResponse::kClosePhase:
      return EndPhase(order.close_phase().order(), order.close_phase().phase(), false, "close");
    case v1::ConnectResponse::kReleaseProbe: {
      const v1::Order& of = order.release_probe().order();
      if (Find(of, "release") != nullptr) End(KeyOf(of), "released");
      return;
    }
    default:
      return;
  }
}

void SimulatedProbes::Prepare(const v1::PrepareProbe& order) {
  if (order.order().session() != session_ || order.order().epoch() < epoch_) {
    return Refuse(order.order(), v1::REFUSAL_REASON_STALE_EPOCH, "prepare");
  }
  const v1::ProbeResult result = fabric_->ResultOf(order.spec());
  Probe probe;
  probe.side = order.side();
  probe.report = order.side() == v1::PROBE_SIDE_A ? result.a() : result.b();
  probe.report.set_probe_id(order.order().probe_id());
  probe.report.set_attempt(order.order().attempt());
  probe.report.set_side(order.side());
  live_[KeyOf(order.order())] = std::move(probe);
  v1::ConnectRequest answer;
  v1::ProbePrepared* prepared = answer.mutable_probe_prepared();
  prepared->set_probe_id(order.order().probe_id());
  prepared->set_attempt(order.order().attempt());
  prepared->mutable_endpoint()->set_gid("::ffff:10.100.0.1");
  AnswerAfter(times_.order, std::move(answer));
}

SimulatedProbes::Probe* SimulatedProbes::Find(const v1::Order& order, std::string_view step) {
  const auto probe = live_.find(KeyOf(order));
  if (probe != live_.end() && order.session() == session_) return &probe->second;
  Refuse(order, v1::REFUSAL_REASON_INVALID, step);
  return nullptr;
}

void SimulatedProbes::EndPhase(const v1::Order& order, uint32_t phase, bool armed_only,
                               std::string_view step) {
  Probe* probe = Find(order, step);
  if (probe == nullptr) return;
  v1::ConnectRequest answer;
  v1::PhaseDone* done = answer.mutable_phase_done();
  done->set_probe_id(order.probe_id());
  done->set_attempt(order.attempt());
  done->set_side(probe->side);
  done->set_armed_only(armed_only);
  if (armed_only) {
    done->mutable_result()->set_index(phase);
    done->mutable_result()->set_outcome(v1::PHASE_OUTCOME_DONE);
    return AnswerAfter(times_.order, std::move(answer));
  }
  for (const v1::PhaseResult& result : probe->report.phases()) {
    if (result.index() == phase) *done->mutable_result() = result;
  }
  probe->begun = std::max<size_t>(probe->begun, phase + 1);
  AnswerAfter(step == "run" ? times_.phase : times_.order, std::move(answer));
}

void SimulatedProbes::End(const ProbeKey& key, std::string_view detail) {
  const auto probe = live_.extract(key);
  v1::EndReport report = std::move(probe.mapped().report);
  while (static_cast<size_t>(report.phases_size()) > probe.mapped().begun) {
    report.mutable_phases()->RemoveLast();
  }
  report.set_detail(std::string(detail));
  unaccepted_[key] = report;
  v1::ConnectRequest answer;
  *answer.mutable_end_report() = std::move(report);
  AnswerAfter(times_.order, std::move(answer));
}

void SimulatedProbes::EndAll(std::string_view reason) {
  while (!live_.empty()) End(ProbeKey(live_.begin()->first), reason);
}

std::vector<v1::EndReport> SimulatedProbes::UnacceptedReports() const {
  std::vector<v1::EndReport> reports;
  for (const auto& [key, report] : unaccepted_) reports.push_back(report);
  return reports;
}

void SimulatedProbes::Accepted(const v1::EndReportAccepted& accepted) {
  unaccepted_.erase({accepted.probe_id(), accepted.attempt()});
}

std::vector<std::string> SimulatedProbes::OpenProbes() const {
  std::vector<std::string> open;
  for (const auto& [key, probe] : live_) open.push_back(key.first);
  return open;
}

void SimulatedProbes::Refuse(const v1::Order& order, v1::RefusalReason reason,
                             std::string_view step) {
  v1::ConnectRequest answer;
  v1::ProbeRefused* refused = answer.mutable_probe_refused();
  refused->set_probe_id(order.probe_id());
  refused->set_attempt(order.attempt());
  refused->set_reason(reason);
  refused->set_step(std::string(step));
  AnswerAfter(times_.order, std::move(answer));
}

void SimulatedProbes::AnswerAfter(Duration time, v1::ConnectRequest answer) {
  loop_->RunAfter(time, [this, alive = std::weak_ptr<const bool>(alive_),
                         answer = std::move(answer)]() mutable {
    if (!alive.expired()) answer_(std::move(answer));
  });
}

}  // namespace roceready::scale
