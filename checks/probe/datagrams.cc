// SPDX-License-Identifier: Apache-2.0
// probe.delivery and probe.flow-loss: what becomes of datagrams that are numbered and never
// repeated.
#include "checks/datagrams.h"

#include <cmath>

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

// Whether flows without any loss are too many for loss that strikes all alike: as unlikely as one
// in ten thousand.
bool DiffersByFlow(const DatagramsSeen& seen) {
  constexpr double kUnlikely = 1e-4;
  const double rate = static_cast<double>(seen.lost()) / static_cast<double>(seen.sent);
  double all_well = 1;
  size_t without = 0;
  for (const DatagramFlowSeen& flow : seen.flows) {
    if (flow.lost() > 0) continue;
    ++without;
    all_well *= std::pow(1 - rate, static_cast<double>(flow.sent));
  }
  if (without == 0 || without == seen.flows.size()) return false;
  // Any `without` of the flows could have been those.
  double choices = 1;
  for (size_t i = 0; i < without; ++i) {
    choices *= static_cast<double>(seen.flows.size() - i) / static_cast<double>(i + 1);
  }
  return all_well * choices < kUnlikely;
}

void JudgeFlows(const DatagramsSeen& seen, const ProbedPair& pair, Path path, Judge& judge) {
  const std::string expected = "all flows arrive alike";
  if (!seen.unknown.empty()) {
    Draft& draft = judge.Unknown(pair.SubjectOf(path), seen.unknown).Expected(expected);
    draft.follows = {FindingKey("probe.delivery", pair.SubjectOf(path))};
    return Add(draft, seen, pair);
  }
  // One flow cannot differ from others.
  if (seen.flows.size() < 2) return judge.NotApplicable();
  if (!DiffersByFlow(seen)) return judge.Pass();
  std::vector<std::string> lossy;
  for (const DatagramFlowSeen& flow : seen.flows) {
    if (flow.lost() > 0) lossy.push_back(fmt::format("{} of {}", flow.lost(), flow.sent));
  }
  Draft& draft =
      judge.Fail(pair.SubjectOf(path))
          .Expected(expected)
          .Actual(fmt::format(
              "{} of {} flows from {} to {} lose datagrams ({}), the others none: one of several "
              "paths between them is bad, and neither host",
              lossy.size(), seen.flows.size(), pair.From(path).host(), pair.To(path).host(),
              JoinWords(lossy)))
          .MendedBy(
              "Look at the errors and drops of each member link that the switches on the way "
              "balance flows over (ECMP, link aggregation).");
  Add(draft, seen, pair);
}

template <void (*judge_way)(const DatagramsSeen&, const ProbedPair&, Path, Judge&)>
void BothWays(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) {
    const DatagramsSeen seen = DatagramsOn(pair, path);
    if (seen.ordered) judge_way(seen, pair, path, judge);
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
          "A probe's datagrams go over several flows (probes.datagram_flows), each with a source "
          "port of its own. Where some lose datagrams and others none, and that is as unlikely as "
          "1 in 10,000 by chance, the loss is of a path and not of a host. With N flows, a bad one "
          "of M equal paths is met with a probability of 1 - (1 - 1/M)^N.",
      .fix = "Look at the member links that the switches between the two balance flows over.",
      .sources = {kSource},
      .explained_by = kExplainedBy,
      .probe = BothWays<JudgeFlows>,
  };
}

}  // namespace roceready::checks
