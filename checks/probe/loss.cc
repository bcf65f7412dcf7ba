// SPDX-License-Identifier: Apache-2.0
// probe.loss: how many packets a probe lost on each way.
#include <cmath>

#include "checks/check.h"
#include "checks/datagrams.h"
#include "checks/judge.h"
#include "checks/probe_loss.h"
#include "checks/probe_view.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Wilson score interval of `events` in `packets`, 95 %.
std::pair<double, double> Interval(uint64_t events, uint64_t packets) {
  constexpr double kZ = 1.96;
  const double n = static_cast<double>(std::max(packets, events));
  const double p = static_cast<double>(events) / n;
  const double middle = p + kZ * kZ / (2 * n);
  const double spread = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  const double scale = 1 + kZ * kZ / n;
  return {std::max(0.0, (middle - spread) / scale), std::min(1.0, (middle + spread) / scale)};
}

std::string OtherWay(const PathLoss& other) {
  if (!other.counted) return "the other way was not counted";
  if (other.events > 0) return "the other way loses packets too";
  return fmt::format("the other way < {} (95 %)", Percent(other.UpperBound()));
}

// Empty: enough packets moved to see the loss that the policy wants to see.
std::string TooFew(const PathLoss& loss, const Judge& judge) {
  const v1::ProbeSettings& probes = judge.policy().probes;
  if (!probes.has_loss_to_see_ppm()) return {};
  const double wanted = probes.loss_to_see_ppm() / 1e6;
  if (loss.UpperBound() <= wanted) return {};
  return fmt::format(
      "{} packets were counted: a loss below {} could not be seen, and the policy asks for {}",
      Grouped(loss.packets), Percent(loss.UpperBound()), Percent(wanted));
}

void JudgePath(const ProbedPair& pair, Path path, Judge& judge) {
  const PathLoss& loss = pair.losses[static_cast<size_t>(path)];
  const PathLoss& other = pair.losses[static_cast<size_t>(Reverse(path))];
  const std::string expected = "no packet is lost";
  const LossVerdict verdict = JudgeLoss(pair, path);
  switch (verdict.status) {
    case v1::CHECK_STATUS_PASS:
      if (const std::string why = TooFew(loss, judge); !why.empty()) {
        judge.Unknown(pair.SubjectOf(path), why)
            .Expected(expected, "probes.loss_to_see_ppm")
            .touches = pair.Touches();
        return;
      }
      return judge.Pass();
    case v1::CHECK_STATUS_FAIL:
      break;
    case v1::CHECK_STATUS_UNKNOWN:
      judge.Unknown(pair.SubjectOf(path), loss.unknown).Expected(expected).touches = pair.Touches();
      return;
    default:
      return judge.NotApplicable();
  }
  const auto [low, high] = Interval(verdict.events, verdict.packets);
  const std::string& from = pair.From(path).host();
  const std::string& to = pair.To(path).host();
  std::string actual =
      verdict.ambiguous
          ? fmt::format("{} of requests from {} to {}, or of their replies, lost: cannot be told",
                        Percent(verdict.Rate()), from, to)
          : fmt::format("{} of packets lost from {} to {}", Percent(verdict.Rate()), from, to);
  actual += fmt::format(" ({} of {}; 95 %: {} to {}); {}", Grouped(verdict.events),
                        Grouped(verdict.packets), Percent(low), Percent(high), OtherWay(other));
  Draft& draft = judge.Fail(pair.SubjectOf(path))
                     .Expected(expected)
                     .Actual(std::move(actual))
                     .MendedBy(fmt::format("Check optics, cables and drops of the ports on the way "
                                           "from {} to {}.",
                                           from, to));
  for (const v1::Evidence& evidence : loss.evidence) draft.RestsOn(evidence);
  draft.touches = pair.Touches();
  // On this way: another one that shares a port with it may lose packets for a reason of its own.
  draft.follows = {FindingKey("probe.traffic-class", pair.SubjectOf(path)),
                   FindingKey("probe.flow-loss", pair.SubjectOf(path))};
  if (DatagramsOn(pair, path).OutOfTurnExplains(verdict.Rate())) {
    draft.follows.push_back(FindingKey("probe.delivery", pair.SubjectOf(path)));
  }
}

void JudgeBothPaths(const ProbedPair& pair, Judge& judge) {
  if (pair.result == nullptr || pair.result->refusal() != v1::REFUSAL_REASON_UNSPECIFIED) return;
  for (const Path path : kPaths) JudgePath(pair, path, judge);
}

}  // namespace

Check ProbeLoss() {
  return {
      .id = "probe.loss",
      .title = "Probes lose no packets",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RDMA repeats everything from the lost packet on: 1 % of loss more than halves the "
          "bandwidth, and nothing reports an error.",
      .how =
          "Gaps, duplicates and repeats that both ends count during the probe are charged to "
          "the way that lost the packet. The rate is given with its 95 % interval; where "
          "nothing was lost, the report gives the rate that would have been noticed. Datagrams, "
          "which nobody repeats, are counted as well. Where the policy names the loss to see "
          "(probes.loss_to_see_ppm), fewer packets than that takes are UNKNOWN.",
      .fix = "Check optics, cables and drop counters of the ports on the named way.",
      .sources = {"RDMA hardware counters of both ends: out of sequence, duplicates, retransmits",
                  "Numbered datagrams (UD queue pairs), counted by the end that receives them"},
      .explained_by = {"probe.large-only", "probe.write", "probe.read", "switch.pfc-lossless",
                       "switch.roce-class"},
      .probe = JudgeBothPaths,
  };
}

}  // namespace roceready::checks
