// SPDX-License-Identifier: Apache-2.0
// probe.delivery and probe.flow-loss: what becomes of datagrams that are numbered and never
// repeated.
#include "checks/datagrams.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

void Add(Draft& draft, const DatagramsSeen& seen, const ProbedPair& pair) {
  for (const v1::Evidence& evidence : seen.evidence) draft.RestsOn(evidence);
  draft.touches = pair.Touches();
}

void JudgeDelivery(const DatagramsSeen& seen, const ProbedPair& pair, Path path, Judge& judge) {
  const std::string expected = "each datagram arrives once, in its order and intact";
  if (!seen.unknown.empty()) {
    Draft& draft = judge.Unknown(pair.SubjectOf(path), seen.unknown).Expected(expected);
    return Add(draft, seen, pair);
  }
  std::vector<std::string> faults;
  if (seen.out_of_order > 0) faults.push_back(fmt::format("{} late", Grouped(seen.out_of_order)));
  if (seen.duplicates > 0) faults.push_back(fmt::format("{} twice", Grouped(seen.duplicates)));
  if (seen.corrupt > 0) faults.push_back(fmt::format("{} damaged", Grouped(seen.corrupt)));
  if (faults.empty()) return judge.Pass();
  Draft& draft =
      judge.Fail(pair.SubjectOf(path))
          .Expected(expected)
          .Actual(fmt::format("of {} datagrams from {} to {} arrive: {}", Grouped(seen.sent),
                              pair.From(path).host(), pair.To(path).host(), JoinWords(faults)))
          .MendedBy(
              "Late: look for per-packet load balancing (adaptive routing, packet spraying, a bond "
              "in round-robin mode) on the way, and limit it to flows. Twice: look for a loop or a "
              "mirror port. Damaged: look at the adapters and their memory, for the network's own "
              "checks did not notice.");
  Add(draft, seen, pair);
}

double LogChoose(uint64_t n, uint64_t k) {
  const auto log_factorial = [](uint64_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// How likely it is that chance gives this flow so many of all losses, or more (hypergeometric).
double ByChance(const DatagramFlowSeen& flow, const DatagramsSeen& seen) {
  double probability = 0;
  const uint64_t others = seen.sent - flow.sent;
  for (uint64_t lost = flow.lost(); lost <= std::min(flow.sent, seen.lost()); ++lost) {
    if (seen.lost() - lost > others) continue;
    probability += std::exp(LogChoose(flow.sent, lost) + LogChoose(others, seen.lost() - lost) -
                            LogChoose(seen.sent, seen.lost()));
  }
  return probability;
}

// Whether flows differ in what they lose, as unlikely by chance as one in ten thousand: Pearson's
// chi-square over all of them, made normal after Wilson and Hilferty. It sees that half of many
// flows are bad, where each alone is not far from the mean.
bool DifferTogether(const DatagramsSeen& seen) {
  constexpr double kEnoughExpected = 5;  // below it is no chi-square
  constexpr double kUnlikelySigmas = 3.72;
  const double rate = static_cast<double>(seen.lost()) / static_cast<double>(seen.sent);
  double sum = 0;
  for (const DatagramFlowSeen& flow : seen.flows) {
    const double expected = rate * static_cast<double>(flow.sent);
    if (expected < kEnoughExpected) return false;
    const double difference = static_cast<double>(flow.lost()) - expected;
    sum += difference * difference / (expected * (1 - rate));
  }
  const double freedom = static_cast<double>(seen.flows.size() - 1);
  const double width = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - width)) / std::sqrt(width) > kUnlikelySigmas;
}

// Flows that lose more than others: each by itself, whichever of them it would have been, or all
// those above the mean where they differ together.
std::vector<DatagramFlowSeen> BadFlows(const DatagramsSeen& seen) {
  std::vector<DatagramFlowSeen> bad;
  if (seen.flows.size() < 2 || seen.lost() == 0 || seen.received == 0) return bad;
  const bool together = DifferTogether(seen);
  const double unlikely = 1e-4 / static_cast<double>(seen.flows.size());
  std::ranges::copy_if(seen.flows, std::back_inserter(bad), [&](const DatagramFlowSeen& flow) {
    return together ? flow.lost() * seen.sent > seen.lost() * flow.sent
                    : ByChance(flow, seen) < unlikely;
  });
  return bad;
}

void JudgeFlows(const DatagramsSeen& seen, const ProbedPair& pair, Path path, Judge& judge) {
  const std::string expected = "all flows arrive alike";
  if (!seen.unknown.empty()) {
    Draft& draft = judge.Unknown(pair.SubjectOf(path), seen.unknown).Expected(expected);
    draft.follows = {FindingKey("probe.delivery", pair.SubjectOf(path))};
    return Add(draft, seen, pair);
  }
  const v1::ProbeSettings& wanted = judge.policy().probes;
  const std::vector<DatagramFlowSeen> bad = BadFlows(seen);
  if (bad.empty() && wanted.datagram_flows() > seen.flows.size()) {
    Draft& draft =
        judge
            .Unknown(pair.SubjectOf(path),
                     fmt::format("{} carried datagrams, the policy asks for {}: an agent "
                                 "allows no more queue pairs or memory",
                                 Counted(seen.flows.size(), "flow"), wanted.datagram_flows()))
            .Expected(expected, "probes.datagram_flows");
    return Add(draft, seen, pair);
  }
  // One flow cannot differ from others.
  if (seen.flows.size() < 2) return judge.NotApplicable();
  if (bad.empty()) return judge.Pass();
  std::vector<std::string> words;
  uint64_t of_bad = 0, sent_of_bad = 0;
  for (const DatagramFlowSeen& flow : bad) {
    words.push_back(fmt::format("{} of {}", flow.lost(), flow.sent));
    of_bad += flow.lost();
    sent_of_bad += flow.sent;
  }
  Draft& draft =
      judge.Fail(pair.SubjectOf(path))
          .Expected(expected)
          .Actual(fmt::format(
              "{} of {} flows from {} to {} lose datagrams ({}), the others {} of {}: one of "
              "several paths between them is bad, and neither host",
              bad.size(), seen.flows.size(), pair.From(path).host(), pair.To(path).host(),
              JoinWords(words), seen.lost() - of_bad, seen.sent - sent_of_bad))
          .MendedBy(
              "Look at the errors and drops of each member link that the switches on the way "
              "balance flows over (ECMP, link aggregation).");
  Add(draft, seen, pair);
}

// Which were not ordered: of a probe that came to nothing other checks speak, and an incast has
// none.
bool WantsDatagrams(const ProbedPair& pair, const Judge& judge) {
  return judge.policy().probes.datagram_flows() > 0 && pair.result != nullptr &&
         pair.result->refusal() == v1::REFUSAL_REASON_UNSPECIFIED && pair.result->has_a() &&
         pair.result->has_b() && pair.incast_group.empty();
}

template <void (*judge_way)(const DatagramsSeen&, const ProbedPair&, Path, Judge&)>
void BothWays(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) {
    const DatagramsSeen seen = DatagramsOn(pair, path);
    if (seen.ordered) {
      judge_way(seen, pair, path, judge);
    } else if (WantsDatagrams(pair, judge)) {
      judge
          .Unknown(
              pair.SubjectOf(path),
              "the policy asks for datagrams, and none were sent: an agent is older, or allows "
              "no queue pairs or memory for them")
          .Expected("datagrams arrive", "probes.datagram_flows")
          .touches = pair.Touches();
    }
  }
}

constexpr std::string_view kSource =
    "Numbered datagrams (UD queue pairs), counted by the end that receives them";
// Where nothing passes, nothing arrives.
const std::vector<std::string_view> kExplainedBy = {"host.heard-from", "probe.write", "probe.read",
                                                    "probe.large-only"};

}  // namespace

Check ProbeDelivery() {
  return {
      .id = "probe.delivery",
      .title = "Packets arrive once and in order",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RDMA takes a packet that comes out of turn for a lost one and repeats everything from "
          "there on, so that reordering costs as much as loss, and looks like it.",
      .how =
          "Each flow of a probe carries numbered datagrams, which nobody repeats. The receiving "
          "end counts those that come after a later one, twice, or with another payload. It is "
          "UNKNOWN where datagrams could not be sent or received, and not judged where agents or "
          "the policy (probes.datagram_flows: 0) have none.",
      .fix = "Find what balances packets instead of flows on the way, or sends them twice.",
      .sources = {kSource},
      .explained_by = kExplainedBy,
      .probe = BothWays<JudgeDelivery>,
  };
}

Check ProbeFlowLoss() {
  return {
      .id = "probe.flow-loss",
      .title = "No flow loses more than others",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Switches send each flow over one of several equal paths. A bad link among them harms "
          "only the flows that it carries: a job meets it now and then, and no test of one "
          "connection finds it.",
      .how =
          "A probe's datagrams go over several flows (probes.datagram_flows), each with a flow "
          "label "
          "of its own, from which NICs make the UDP source port. A flow that loses so many more "
          "than "
          "the others that it is as unlikely as 1 in 10,000 by chance has a bad path, and no bad "
          "host; with 64 datagrams a flow that is a path that loses one in eight. With N flows, a "
          "bad "
          "one of M equal paths is met with a probability of 1 - (1 - 1/M)^N. It is UNKNOWN where "
          "fewer flows were sent than the policy asks for.",
      .fix = "Look at the member links that the switches between the two balance flows over.",
      .sources = {kSource},
      .explained_by = kExplainedBy,
      .probe = BothWays<JudgeFlows>,
  };
}

}  // namespace roceready::checks
