// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/probe_of_truth.h"

#include "tests/support/builders/probe_faults.h"

namespace roceready::scale {
namespace {

using builders::ProbeBuilder;

// Of hardware with links of 100 Gb/s.
constexpr double kUsualBps = 92e9;
// How much bandwidths differ where nothing is wrong.
constexpr double kSpread = 0.12;
// A late acknowledgement, of which nobody can say what was lost.
constexpr double kOddRepeats = 0.02;
// What the phases of a probe send each way, WRITE and answers to READ: 1,600 packets each.
constexpr double kPackets = 1600;

class PairAudit {
 public:
  PairAudit(const PairTruth& truth, bool blind, std::mt19937_64& random, ProbeBuilder& probe)
      : truth_(truth), blind_(blind), random_(random), probe_(probe) {}

  void Fill() {
    if (truth_.busy) {
      probe_.result().set_refusal(v1::REFUSAL_REASON_BUSY);
      probe_.result().set_refused_by(v1::PROBE_SIDE_A);
      return;
    }
    const WayTruth &there = truth_.a_to_b, &back = truth_.b_to_a;
    if (there.dead && back.dead) {
      builders::DropBothWays(probe_);
    } else if (there.dead || back.dead) {
      builders::DropFrom(probe_, there.dead ? v1::PROBE_SIDE_A : v1::PROBE_SIDE_B);
    } else if (there.large || back.large) {
      if (there.large) builders::SwallowLargeFrom(probe_, v1::PROBE_SIDE_A);
      if (back.large) builders::SwallowLargeFrom(probe_, v1::PROBE_SIDE_B);
    } else {
      Lose(there, v1::PROBE_SIDE_A);
      Lose(back, v1::PROBE_SIDE_B);
      builders::MeasureEach(probe_, Bps(there), Bps(back));
    }
    if (blind_) builders::HideCounters(probe_);
  }

 private:
  bool Happens(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  double Bps(const WayTruth& way) {
    return kUsualBps * way.share *
           std::uniform_real_distribution<double>(1 - kSpread, 1 + kSpread)(random_);
  }

  uint64_t Lost(const WayTruth& way) {
    if (way.loss <= 0) return 0;
    return std::poisson_distribution<uint64_t>(way.loss * kPackets)(random_);
  }

  void Lose(const WayTruth& way, v1::ProbeSide side) {
    const uint64_t of_writes = Lost(way), of_reads = Lost(way);
    if (of_writes + of_reads > 0) {
      builders::LoseFrom(probe_, side, of_writes, of_reads);
    } else if (Happens(kOddRepeats)) {
      probe_.Counts(v1::PROBE_OPERATION_WRITE, side, builders::kLargeBytes,
                    {.sent = 1616, .received = 200, .repeats = 1},
                    {.sent = 200, .received = 1616, .duplicates = 1});
    }
  }

  const PairTruth& truth_;
  bool blind_;
  std::mt19937_64& random_;
  ProbeBuilder& probe_;
};

}  // namespace

void ShowTruth(const PairTruth& truth, bool blind, std::mt19937_64& random, ProbeBuilder& probe) {
  PairAudit(truth, blind, random, probe).Fill();
}

}  // namespace roceready::scale
