// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/pair_run.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "controller/probing/gathered_wire.h"

namespace roceready {
namespace {

bool WasRun(const v1::EndReport& report, std::uint32_t index) {
  return std::any_of(report.phases().begin(), report.phases().end(),
                     [&](const v1::PhaseResult& result) { return result.index() == index; });
}

const v1::PhaseResult* FindPhase(const v1::EndReport& report, std::uint32_t index) {
  for (const v1::PhaseResult& result : report.phases()) {
    if (result.index() == index) return &result;
  }
  return nullptr;
}

void SortPhases(v1::EndReport* report) {
  std::sort(report->mutable_phases()->begin(), report->mutable_phases()->end(),
            [](const auto& x, const auto& y) { return x.index() < y.index(); });
}

}  // namespace

PairRun::PairRun(const ProbeLink* link, PlannedPair pair, std::function<void()> on_end)
    : link_(link),
      pair_(std::move(pair)),
      on_end_(std::move(on_end)),
      remaining_(pair_.spec.phases_size()) {
  std::iota(remaining_.begin(), remaining_.end(), 0);
}

PairRun::~PairRun() {
  if (retry_timer_ != 0) link_->loop->Cancel(retry_timer_);
}

void PairRun::StartAttempt() {
  v1::ProbeSpec spec = pair_.spec;
  spec.set_attempt(++attempts_);
  attempt_ = std::make_unique<ProbeAttempt>(link_, std::move(spec), remaining_, pair_.gates,
                                            [weak = std::weak_ptr(self_)] {
                                              if (auto self = weak.lock()) (*self)->AttemptEnded();
                                            });
  attempt_->Begin();
}

void PairRun::OnMessage(const std::string& host, std::uint32_t attempt,
                        const v1::ConnectRequest& message) {
  if (attempt_ != nullptr && attempt == attempts_) attempt_->OnMessage(host, message);
}

void PairRun::OnAgentGone(const std::string& host, const std::string& why) {
  if (attempt_ != nullptr) attempt_->OnAgentGone(host, why);
}

void PairRun::Stop(const std::string& reason) {
  stop_reason_ = reason;
  if (attempt_ != nullptr) {
    attempt_->Stop(reason);
  } else if (retry_timer_ != 0) {
    link_->loop->Cancel(retry_timer_);
    retry_timer_ = 0;
    End({.ending = ProbeAttempt::Ending::kStopped, .failed_step = kStoppedStep, .detail = reason});
  }
}

void PairRun::Gather(const ProbeAttempt::Side& side, v1::EndReport* report) {
  for (const auto& [index, result] : side.phases) {
    if (!WasRun(*report, index)) *report->add_phases() = result;
  }
  if (!side.report) return;
  report->set_attempt(side.report->attempt());
  report->set_side(side.side);
  *report->mutable_used() = side.report->used();
  report->set_resources_left(report->resources_left() + side.report->resources_left());
  report->set_detail(side.report->detail());
  if (side.report->has_wire()) AddWireView(side.report->wire(), report->mutable_wire());
}

void PairRun::AttemptEnded() {
  const std::unique_ptr<ProbeAttempt> attempt = std::move(attempt_);
  const ProbeAttempt::Outcome& outcome = attempt->outcome();
  for (const ProbeAttempt::Side* side : {&attempt->a(), &attempt->b()}) {
    const bool is_a = side->side == v1::PROBE_SIDE_A;
    Gather(*side, is_a ? &report_a_ : &report_b_);
    bool& heard = is_a ? heard_a_ : heard_b_;
    // What an end that is lost did before says nothing about the fabric either.
    heard = !side->lost && (heard || side->report.has_value());
    if (side->holds) {
      left_behind_.push_back({side->host, is_a ? pair_.adapter_a : pair_.adapter_b, side->instance,
                              attempt->surely_over()});
    }
  }
  std::erase_if(remaining_, [&](int place) {
    const v1::ProbePhase& phase = pair_.spec.phases(place);
    return WasRun(phase.active_side() == v1::PROBE_SIDE_B ? report_b_ : report_a_, phase.index());
  });
  if (stop_reason_.empty() && Continues(outcome)) {
    StartAttempt();
  } else if (stop_reason_.empty() && Retries(outcome)) {
    ++retries_;
    const Duration wait = std::clamp<Duration>(outcome.retry_after, kRetryAfter, kMaxRetryAfter);
    retry_timer_ = link_->loop->RunAfter(wait, [this] {
      retry_timer_ = 0;
      StartAttempt();
    });
  } else {
    End(outcome);
  }
}

// A phase failed as lost packets make it fail, both ends have let go: what is left can be tried.
bool PairRun::Continues(const ProbeAttempt::Outcome& outcome) {
  if (outcome.ending != ProbeAttempt::Ending::kPhaseFailed || !heard_a_ || !heard_b_) return false;
  for (const v1::EndReport* report : {&report_a_, &report_b_}) {
    const v1::PhaseResult* result = FindPhase(*report, outcome.failed_phase);
    if (result == nullptr) continue;
    if (result->outcome() == v1::PHASE_OUTCOME_NOT_RUN ||
        result->outcome() == v1::PHASE_OUTCOME_LOCAL_ERROR) {
      return false;
    }
  }
  DropImplied(static_cast<int>(outcome.failed_phase));
  return !remaining_.empty();
}

bool PairRun::Retries(const ProbeAttempt::Outcome& outcome) const {
  if (outcome.ending != ProbeAttempt::Ending::kRefused || retries_ >= kMaxRetries) return false;
  return outcome.refusal == v1::REFUSAL_REASON_STALE_EPOCH ||
         outcome.refusal == v1::REFUSAL_REASON_BUSY ||
         outcome.refusal == v1::REFUSAL_REASON_LIMIT ||
         outcome.refusal == v1::REFUSAL_REASON_RESOURCES;
}

// What failed with a message of one packet need not be tried again the same way, and what failed
// with a larger one not with one as large. Where a large WRITE fails, a READ that brings as much
// the same way fails as well; the reverse is not so (a peer may answer READs too large).
void PairRun::DropImplied(int failed) {
  const v1::ProbePhase& smaller = pair_.spec.phases(failed);
  const bool one_packet = smaller.message_bytes() <= pair_.spec.transport().path_mtu_bytes();
  std::erase_if(remaining_, [&](int place) {
    const v1::ProbePhase& phase = pair_.spec.phases(place);
    const bool same =
        phase.operation() == smaller.operation() && phase.active_side() == smaller.active_side();
    const bool read_after_write = smaller.operation() == v1::PROBE_OPERATION_WRITE &&
                                  phase.operation() == v1::PROBE_OPERATION_READ &&
                                  phase.active_side() != smaller.active_side();
    const bool as_large = phase.message_bytes() >= smaller.message_bytes();
    const bool implied = one_packet ? same : as_large && (same || read_after_write);
    if (implied) {
      NotRun(place, fmt::format("{} bytes have failed the same way", smaller.message_bytes()));
    }
    return implied;
  });
}

void PairRun::NotRun(int place, const std::string& why) {
  const std::uint32_t index = pair_.spec.phases(place).index();
  for (v1::EndReport* report : {&report_a_, &report_b_}) {
    if (WasRun(*report, index)) continue;
    v1::PhaseResult* result = report->add_phases();
    result->set_index(index);
    result->set_outcome(v1::PHASE_OUTCOME_NOT_RUN);
    result->set_detail(why);
  }
}

void PairRun::End(const ProbeAttempt::Outcome& outcome) {
  using Ending = ProbeAttempt::Ending;
  if (pair_.gates != nullptr) pair_.gates->Leave(pair_.spec.probe_id());
  // Once phases have been measured, a later attempt that came to nothing leaves only its own phases
  // unknown.
  const bool measured = report_a_.phases_size() > 0 || report_b_.phases_size() > 0;
  if (measured && outcome.ending != Ending::kDone) {
    for (int place : remaining_) {
      NotRun(place, outcome.detail.empty() ? outcome.failed_step : outcome.detail);
    }
  }
  v1::ProbeResult result;
  *result.mutable_spec() = pair_.spec;
  result.mutable_spec()->set_attempt(attempts_);
  for (auto [report, heard, into] : {std::tuple(&report_a_, heard_a_, result.mutable_a()),
                                     std::tuple(&report_b_, heard_b_, result.mutable_b())}) {
    if (!heard) continue;
    report->set_probe_id(pair_.spec.probe_id());
    SortPhases(report);
    *into = std::move(*report);
  }
  if (!heard_a_) result.clear_a();
  if (!heard_b_) result.clear_b();
  const bool lost = outcome.ending == Ending::kAgentLost;
  if (outcome.ending != Ending::kDone && (!measured || lost)) {
    result.set_refusal(outcome.refusal);
    result.set_refused_by(outcome.refused_by);
    result.set_failed_step(outcome.failed_step);
  }
  result.set_detail(outcome.detail);
  result_ = std::make_shared<const v1::ProbeResult>(std::move(result));
  std::exchange(on_end_, nullptr)();
}

}  // namespace roceready
