// SPDX-License-Identifier: Apache-2.0
// probe.roce-version, probe.traffic-class, probe.ecn-bits and probe.congestion-marks: how a probe's
// own packets look on the wire, as the kernel of either end saw their headers.
#include "checks/probe/wire.h"

#include <algorithm>
#include <map>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/probe_view.h"
#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Bits of a traffic class (RFC 2474, RFC 3168).
constexpr uint32_t kEcnMask = 3;
constexpr uint32_t kCongestionExperienced = 3;
uint32_t DscpOf(uint32_t traffic_class) { return traffic_class >> 2; }

constexpr const char* kRocev1 = "RoCEv1 (EtherType 0x8915)";
constexpr const char* kRocev2 = "RoCEv2 (UDP port 4791)";

using Packets = std::vector<const v1::WirePackets*>;

// Packets that travel on one path.
struct Travel {
  const ProbedPair& pair;
  Path path;
  // As the sending end saw them leave, and as the receiving end saw them arrive.
  Packets left, arrived;
  // Why nothing is known of their arrival, or of that of others than datagrams.
  std::string unknown;
  // They are datagrams, whose headers the receiving device showed: of no others is anything known.
  bool only_datagrams = false;

  const std::string& from() const { return pair.From(path).host(); }
  const std::string& to() const { return pair.To(path).host(); }
};

const v1::EndReport& ReportOf(const ProbedPair& pair, bool at_a) {
  return at_a ? pair.result->a() : pair.result->b();
}

Packets Take(const v1::EndReport& report, bool received) {
  Packets packets;
  if (!IsOk(report.wire().reading())) return packets;
  for (const v1::WirePackets& one : report.wire().packets()) {
    if (one.received() == received) packets.push_back(&one);
  }
  return packets;
}

// With the headers that the device put before them.
Packets TakeDatagrams(const v1::EndReport& report) {
  Packets packets;
  for (const v1::PhaseResult& phase : report.phases()) {
    for (const v1::WirePackets& one : phase.arrived()) packets.push_back(&one);
  }
  return packets;
}

Travel TravelOn(const ProbedPair& pair, Path path) {
  const bool from_a = path == Path::kAToB;
  const v1::EndReport& receiver = ReportOf(pair, !from_a);
  Travel travel{.pair = pair,
                .path = path,
                .left = Take(ReportOf(pair, from_a), /*received=*/false),
                .arrived = Take(receiver, /*received=*/true),
                .unknown = {}};
  const v1::Reading reading = ReadingOf(receiver.has_wire(), receiver.wire());
  if (!IsOk(reading)) {
    travel.arrived = TakeDatagrams(receiver);
    travel.only_datagrams = !travel.arrived.empty();
  }
  if (!IsOk(reading)) {
    // No names: what holds of all pairs is told once.
    travel.unknown = "the receiving end does not see packets: " + ReasonOf(reading);
  } else if (travel.arrived.empty()) {
    travel.unknown = "no packet was seen to arrive";
  }
  return travel;
}

// Data moved at all: else the checks of WRITE and READ have their say, and this one has none.
bool WasConnected(const ProbedPair& pair) {
  return pair.result != nullptr && pair.result->refusal() == v1::REFUSAL_REASON_UNSPECIFIED &&
         pair.result->has_a() && pair.result->has_b() && pair.result->a().phases_size() > 0;
}

uint64_t Count(const Packets& packets) {
  uint64_t count = 0;
  for (const v1::WirePackets* one : packets) count += one->packets();
  return count;
}

template <typename Wanted>
Packets Where(const Packets& packets, Wanted wanted) {
  Packets found;
  std::ranges::copy_if(packets, std::back_inserter(found), wanted);
  return found;
}

bool IsRocev2(const v1::WirePackets* one) { return one->protocol() == v1::WIRE_PROTOCOL_ROCE_V2; }

bool WantsRocev2(const ProbedPair& pair) {
  return pair.result->spec().a().gid_type() != v1::GID_TYPE_ROCE_V1;
}

// "DSCP 26" or "DSCP 0 and 26", with the values of `packets`.
std::string DscpsOf(const Packets& packets) {
  std::map<uint32_t, uint64_t> counts;
  for (const v1::WirePackets* one : packets) {
    counts[DscpOf(one->traffic_class())] += one->packets();
  }
  std::vector<std::string> words;
  words.reserve(counts.size());
  for (const auto& [dscp, count] : counts) words.push_back(std::to_string(dscp));
  return "DSCP " + JoinWords(words, " and ");
}

// What each end saw, for the evidence: "request RoCEv2 DSCP 26 ECN 2: 40".
std::string TextOf(const Packets& packets) {
  std::vector<std::string> words;
  words.reserve(packets.size());
  for (const v1::WirePackets* one : packets) {
    const bool v2 = IsRocev2(one);
    const std::string_view role = one->role() == v1::WIRE_ROLE_REQUEST ? "request"
                                  : one->role() == v1::WIRE_ROLE_REPLY ? "reply"
                                                                       : "CNP";
    words.push_back(fmt::format("{} RoCEv{} DSCP {} ECN {}: {}", role, v2 ? 2 : 1,
                                DscpOf(one->traffic_class()), one->traffic_class() & kEcnMask,
                                one->packets()));
  }
  return JoinWords(words);
}

v1::Evidence EvidenceOf(const Travel& travel, const std::string& host, std::string_view how,
                        const Packets& packets, const v1::Reading& reading) {
  v1::Evidence evidence;
  evidence.set_host(host);
  evidence.set_probe_id(travel.pair.result->spec().probe_id());
  *evidence.mutable_reading() = reading;
  evidence.set_value(packets.empty() ? fmt::format("{}: none", how)
                                     : fmt::format("{}: {}", how, TextOf(packets)));
  return evidence;
}

Draft& Add(Draft& draft, const Travel& travel) {
  const bool from_a = travel.path == Path::kAToB;
  const v1::EndReport& sender = ReportOf(travel.pair, from_a);
  const v1::EndReport& receiver = ReportOf(travel.pair, !from_a);
  draft.touches = travel.pair.Touches();
  v1::Reading arrival = ReadingOf(receiver.has_wire(), receiver.wire());
  if (travel.only_datagrams) {
    arrival.Clear();
    arrival.set_outcome(v1::OUTCOME_OK);
    arrival.set_source(v1::SOURCE_VERBS);
  }
  return draft
      .RestsOn(EvidenceOf(travel, travel.from(), "sent", travel.left,
                          ReadingOf(sender.has_wire(), sender.wire())))
      .RestsOn(EvidenceOf(travel, travel.to(),
                          travel.only_datagrams ? "datagrams received" : "received", travel.arrived,
                          arrival));
}

Draft& Fail(const Travel& travel, Judge& judge) {
  return Add(judge.Fail(travel.pair.SubjectOf(travel.path)), travel);
}

// UNKNOWN for a reason that probe.roce-version has told of this way, with its evidence.
Draft& Unknown(const Travel& travel, std::string reason, Judge& judge) {
  const v1::Subject subject = travel.pair.SubjectOf(travel.path);
  Draft& draft = judge.Unknown(subject, std::move(reason));
  draft.touches = travel.pair.Touches();
  draft.follows = {FindingKey("probe.roce-version", subject)};
  return draft;
}

void JudgeVersion(const Travel& travel, Judge& judge) {
  const bool wants_v2 = WantsRocev2(travel.pair);
  const std::string expected = wants_v2 ? kRocev2 : kRocev1;
  const Packets& seen = travel.arrived.empty() ? travel.left : travel.arrived;
  const Packets wrong =
      Where(seen, [wants_v2](const auto* one) { return IsRocev2(one) != wants_v2; });
  if (!wrong.empty()) {
    Fail(travel, judge)
        .Expected(expected, "intent.roce_version")
        .Actual(fmt::format("{} of {} from {} {} {} are {}", Count(wrong),
                            Counted(Count(seen), "packet"), travel.from(),
                            travel.arrived.empty() ? "on the way to" : "that arrive at",
                            travel.to(), wants_v2 ? kRocev1 : kRocev2))
        .MendedBy(
            "Use a GID of the wanted type at both ends; where the driver chooses by itself, "
            "set its default RoCE mode.");
  } else if (travel.arrived.empty()) {
    Add(judge.Unknown(travel.pair.SubjectOf(travel.path), travel.unknown), travel)
        .Expected(expected);
  } else {
    judge.Pass();
  }
}

// Whose fault a wrong mark is, as far as the sending end saw its packets leave.
template <typename Right>
std::string HowSent(const Travel& travel, v1::WireRole role, Right right,
                    std::string_view as_wanted) {
  const Packets sent =
      Where(travel.left, [role](const auto* one) { return IsRocev2(one) && one->role() == role; });
  if (sent.empty()) return fmt::format("how {} sends them was not seen", travel.from());
  const Packets wrong = Where(sent, [&](const auto* one) { return !right(one); });
  if (wrong.empty()) {
    return fmt::format("{} sends them {}: they are changed on the way", travel.from(), as_wanted);
  }
  return fmt::format("{} sends them so", travel.from());
}

std::string_view WordOf(v1::WireRole role) {
  return role == v1::WIRE_ROLE_REQUEST ? "requests" : "replies";
}

void JudgeClass(const Travel& travel, Judge& judge) {
  // With RoCEv1 no switch sees a DSCP, and a policy may be of PCP alone.
  if (!WantsRocev2(travel.pair) || !judge.intent().has_roce_dscp()) return judge.NotApplicable();
  const uint32_t ordered = DscpOf(travel.pair.result->spec().transport().traffic_class());
  const std::string expected = fmt::format("DSCP {}", ordered);
  const auto right = [ordered](const auto* one) { return DscpOf(one->traffic_class()) == ordered; };
  std::vector<std::string> faults, unseen;
  for (const v1::WireRole role : {v1::WIRE_ROLE_REQUEST, v1::WIRE_ROLE_REPLY}) {
    const Packets seen = Where(
        travel.arrived, [role](const auto* one) { return IsRocev2(one) && one->role() == role; });
    const Packets wrong = Where(seen, [&](const auto* one) { return !right(one); });
    if (seen.empty()) {
      unseen.push_back(fmt::format("no {} were seen to arrive", WordOf(role)));
    } else if (!wrong.empty()) {
      faults.push_back(fmt::format("{} of {} {} arrive with {}: {}", Count(wrong), Count(seen),
                                   WordOf(role), DscpsOf(wrong),
                                   HowSent(travel, role, right, "with " + expected)));
    }
  }
  if (!faults.empty()) {
    Fail(travel, judge)
        .Expected(expected, "intent.roce_dscp")
        .Actual(JoinWords(faults, "; "))
        .MendedBy(fmt::format(
            "Where they are changed on the way: make the switch ports trust DSCP and remove rules "
            "that set it. Where {} sends them so: look for a traffic class that its driver or RDMA "
            "CM sets for all queue pairs.",
            travel.from()));
  } else if (!unseen.empty() && travel.only_datagrams) {
    Add(judge.Unknown(travel.pair.SubjectOf(travel.path),
                      fmt::format("datagrams arrive with {}, and replies are not seen: {}",
                                  expected, travel.unknown)),
        travel)
        .Expected(expected, "intent.roce_dscp");
  } else if (!unseen.empty()) {
    Unknown(travel, travel.unknown.empty() ? JoinWords(unseen, "; ") : travel.unknown, judge)
        .Expected(expected);
  } else {
    judge.Pass();
  }
}

// Requests alone: acknowledgements may be sent without, and hardware does so.
Packets RequestsOf(const Packets& packets) {
  return Where(packets, [](const auto* one) {
    return IsRocev2(one) && one->role() == v1::WIRE_ROLE_REQUEST;
  });
}

bool HasEcnBits(const v1::WirePackets* one) { return (one->traffic_class() & kEcnMask) != 0; }

// RoCEv2 packets that say they can be marked.
bool OrdersEcn(const ProbedPair& pair) {
  return WantsRocev2(pair) && (pair.result->spec().transport().traffic_class() & kEcnMask) != 0;
}

void JudgeEcnBits(const Travel& travel, Judge& judge) {
  if (!OrdersEcn(travel.pair)) return judge.NotApplicable();
  constexpr std::string_view kExpected = "requests arrive as able to be marked (ECT)";
  const Packets seen = RequestsOf(travel.arrived);
  const Packets wrong = Where(seen, [](const auto* one) { return !HasEcnBits(one); });
  if (travel.only_datagrams && !seen.empty() && wrong.size() == seen.size()) {
    Add(judge.Unknown(travel.pair.SubjectOf(travel.path),
                      "all datagrams arrive without ECN bits: cleared on the way, or never set by "
                      "the NIC that sends them"),
        travel)
        .Expected(std::string(kExpected));
    return;
  }
  if (!wrong.empty()) {
    Fail(travel, judge)
        .Expected(std::string(kExpected))
        .Actual(fmt::format("{} of {} requests arrive without ECN bits: {}", Count(wrong),
                            Count(seen),
                            HowSent(travel, v1::WIRE_ROLE_REQUEST, HasEcnBits, "with them")))
        .MendedBy(
            "Find what rewrites the whole ToS byte on the way: remarking must leave its last "
            "two bits alone.");
  } else if (seen.empty()) {
    Unknown(travel, travel.unknown.empty() ? "no requests were seen to arrive" : travel.unknown,
            judge)
        .Expected(std::string(kExpected));
  } else {
    judge.Pass();
  }
}

void JudgeMarks(const Travel& travel, Judge& judge) {
  // No switch marks what does not say that it can be marked: it drops it, or pauses.
  if (!OrdersEcn(travel.pair)) return judge.NotApplicable();
  constexpr std::string_view kExpected = "no packet is marked";
  const Packets seen = RequestsOf(travel.arrived);
  const Packets able = Where(seen, HasEcnBits);
  const Packets marked = Where(able, [](const auto* one) {
    return (one->traffic_class() & kEcnMask) == kCongestionExperienced;
  });
  if (!marked.empty()) {
    Fail(travel, judge)
        .Expected(std::string(kExpected))
        .Actual(fmt::format("{} of {} requests from {} arrive marked (ECN 3) at {}: a port on the "
                            "way is congested, or marks too early",
                            Count(marked), Count(able), travel.from(), travel.to()))
        .MendedBy(
            "Look at the queue depths of the switch ports on the way, and at what else they "
            "carry; compare their ECN thresholds with the policy's.");
  } else if (seen.empty()) {
    Unknown(travel, travel.unknown.empty() ? "no requests were seen to arrive" : travel.unknown,
            judge)
        .Expected(std::string(kExpected));
  } else if (able.empty()) {
    Unknown(travel, "requests arrive without ECN bits: nothing could mark them", judge)
        .Expected(std::string(kExpected))
        .follows = {FindingKey("probe.ecn-bits", travel.pair.SubjectOf(travel.path))};
  } else {
    judge.Pass();
  }
}

template <void (*judge_travel)(const Travel&, Judge&)>
void BothWays(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) {
    WasConnected(pair) ? judge_travel(TravelOn(pair, path), judge) : judge.NotApplicable();
  }
}

constexpr std::string_view kHow =
    "The kernel of each end shows the headers of the probe's own packets (known by their queue "
    "pairs) to a packet socket: with Soft-RoCE, and where a driver lets RDMA pass the kernel. "
    "Where it does not, the NIC shows the network header that each of the probe's datagrams "
    "arrived with. ";
const std::vector<std::string_view> kSources = {
    "AF_PACKET socket on the net device of either end: UDP port 4791, EtherType 0x8915",
    "Header before a received datagram (GRH area of a UD receive)"};
// Where nothing passes, nothing arrives.
const std::vector<std::string_view> kExplainedBy = {"host.heard-from", "probe.write", "probe.read",
                                                    "probe.large-only"};

}  // namespace

bool ArrivedAsRocev2(const ProbedPair& pair, Path path) {
  if (!WasConnected(pair)) return false;
  const Packets arrived = TravelOn(pair, path).arrived;
  return !arrived.empty() && std::ranges::all_of(arrived, IsRocev2);
}

Check ProbeRoceVersion() {
  static const std::string how =
      fmt::format("{}{}", kHow,
                  "A packet of the probe with EtherType 0x8915 is RoCEv1, one to UDP port "
                  "4791 is RoCEv2. Where none is shown it is UNKNOWN: the GID's type "
                  "(gid.rocev2-ipv4) is then all that is known.");
  return {
      .id = "probe.roce-version",
      .title = "Packets are RoCEv2",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RoCEv1 has no IP header: no router forwards it and no switch sees its DSCP, so that "
          "it gets neither its own class nor ECN.",
      .how = how,
      .fix = "Use GIDs of type RoCE v2 at both ends.",
      .sources = kSources,
      .explained_by = kExplainedBy,
      .probe = BothWays<JudgeVersion>,
  };
}

Check ProbeTrafficClass() {
  static const std::string how =
      fmt::format("{}{}", kHow,
                  "Requests and replies (READ responses and acknowledgements) are told "
                  "apart, and must arrive with the DSCP that was ordered. The sending end "
                  "tells whether they left with it. CNPs are not looked at.");
  return {
      .id = "probe.traffic-class",
      .title = "Packets arrive in the class they were sent in",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "The class decides whether a packet is lossless. One switch that sets DSCP anew, or "
          "a responder that marks its replies otherwise, puts half of the job's packets into "
          "the class where they are dropped.",
      .how = how,
      .fix = "Find what sets DSCP on the named way, or in the named host.",
      .sources = kSources,
      .explained_by = {"host.heard-from", "probe.write", "probe.read", "probe.large-only",
                       "probe.roce-version"},
      .probe = BothWays<JudgeClass>,
  };
}

Check ProbeEcnBits() {
  static const std::string how = fmt::format(
      "{}{}", kHow,
      "Requests that were ordered with ECN bits must arrive with them; where the policy orders "
      "none it does not apply. Replies are left out: a NIC may send them without.");
  return {
      .id = "probe.ecn-bits",
      .title = "ECN bits survive the way",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A switch marks only packets that say they can be marked. Without the bits it drops "
          "them or pauses the port, and DCQCN never slows a sender down.",
      .how = how,
      .fix = "Find what rewrites the ToS byte on the named way.",
      .sources = kSources,
      .explained_by = {"host.heard-from", "probe.write", "probe.read", "probe.large-only",
                       "probe.roce-version"},
      .probe = BothWays<JudgeEcnBits>,
  };
}

Check ProbeCongestionMarks() {
  static const std::string how =
      fmt::format("{}{}", kHow,
                  "Requests that arrive with ECN 3 were marked on the way. Those without ECN bits "
                  "cannot be marked and are not counted: where all arrive so it is UNKNOWN, and "
                  "where the policy orders none it does not apply.");
  return {
      .id = "probe.congestion-marks",
      .title = "Probes meet no congestion",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A probe sends little; marks on its packets mean that somebody else fills a queue on "
          "the way, or that a port marks what it need not.",
      .how = how,
      .fix = "Look at the switch ports on the named way.",
      .sources = kSources,
      .explained_by = {"host.heard-from", "probe.write", "probe.read", "probe.large-only",
                       "probe.roce-version"},
      .probe = BothWays<JudgeMarks>,
  };
}

}  // namespace roceready::checks
