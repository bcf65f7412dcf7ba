// SPDX-License-Identifier: Apache-2.0
// link.flaps, ecn.cnp-ignored and ecn.cnp-answered: what link and congestion counters tell.
#include "checks/check.h"
#include "checks/host/counters_of.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

v1::Evidence CounterEvidence(const HostView& host, const PortView& port,
                             const CountersOfPort& counters) {
  if (counters.own != nullptr) return host.CounterEvidence(*counters.own);
  v1::PortCounters none;
  none.set_owner_id(RdmaPortOwnerId(port.device->id(), port.port->number()));
  none.mutable_reading()->set_outcome(v1::OUTCOME_NOT_COLLECTED);
  return host.CounterEvidence(none);
}

// UNKNOWN because a counter has nothing to say.
void SayUncounted(const HostView& host, const PortView& port, const CountersOfPort& counters,
                  std::string_view expected, Judge& judge) {
  v1::Evidence evidence = CounterEvidence(host, port, counters);
  const v1::Subject subject = host.SubjectOfPort(port);
  Draft& draft = !IsOk(evidence.reading())
                     ? judge.Unread(subject, std::move(evidence))
                     : judge
                           .Unknown(subject, IsTooShort(*counters.own) ? std::string(kTooShort)
                                             : counters.own->has_window()
                                                 ? "no such counter is read here"
                                                 : "a first look: nothing to compare with yet")
                           .RestsOn(std::move(evidence));
  draft.Expected(std::string(expected));
}

Draft& FailOnCounter(const HostView& host, const PortView& port, const CountersOfPort& counters,
                     const v1::CounterSample& sample, std::string actual, Judge& judge) {
  v1::Evidence evidence = CounterEvidence(host, port, counters);
  *evidence.add_counters() = sample;
  return judge.Fail(host.SubjectOfPort(port)).Actual(std::move(actual)).RestsOn(evidence);
}

void JudgeFlaps(const HostView& host, const PortView& port, Judge& judge) {
  const std::string_view expected = "a link that stays up";
  const CountersOfPort counters = CountersOf(host, port);
  const v1::CounterSample* downs = counters.WithDelta(v1::COUNTER_ID_LINK_DOWN);
  // What the kernel saw, where the NIC does not count it.
  const v1::CounterSample* carrier = counters.WithDelta(v1::COUNTER_ID_CARRIER_DOWN);
  if (downs == nullptr || (carrier != nullptr && carrier->delta() > downs->delta())) {
    downs = carrier;
  }
  if (downs == nullptr) return SayUncounted(host, port, counters, expected, judge);
  if (downs->delta() == 0) return judge.Pass();
  FailOnCounter(
      host, port, counters, *downs,
      fmt::format("the link went down {} since the last look", Counted(downs->delta(), "time")),
      judge)
      .Expected(std::string(expected))
      .MendedBy("Look at optic and cable, and at who sets DCB or the link: some NICs reset it.");
}

void JudgeHostFlaps(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgeFlaps(host, port, judge);
}

void JudgeIgnored(const HostView& host, const PortView& port, Judge& judge) {
  const std::string_view expected = "no congestion notification is ignored";
  const CountersOfPort counters = CountersOf(host, port);
  const v1::CounterSample* ignored = counters.WithDelta(v1::COUNTER_ID_CNP_IGNORED);
  if (ignored == nullptr) return SayUncounted(host, port, counters, expected, judge);
  if (ignored->delta() == 0) return judge.Pass();
  FailOnCounter(host, port, counters, *ignored,
                fmt::format("{} CNPs ignored since the last look", Grouped(ignored->delta())),
                judge)
      .Expected(std::string(expected), "intent.congestion_control")
      .MendedBy("Switch the reaction point on for the priority of RoCE.");
}

// Marked packets must be answered; notifications without marks do occur and are no fault.
void JudgeAnswered(const HostView& host, const PortView& port, Judge& judge) {
  const std::string_view expected = "marked packets are answered with CNPs";
  const CountersOfPort counters = CountersOf(host, port);
  const v1::CounterSample* marked = counters.WithDelta(v1::COUNTER_ID_ECN_MARKED);
  const v1::CounterSample* sent = counters.WithDelta(v1::COUNTER_ID_CNP_SENT);
  if (marked == nullptr || sent == nullptr) {
    return SayUncounted(host, port, counters, expected, judge);
  }
  if (marked->delta() == 0 || sent->delta() > 0) return judge.Pass();
  FailOnCounter(host, port, counters, *marked,
                fmt::format("{} marked packets, no CNP sent", Grouped(marked->delta())), judge)
      .Expected(std::string(expected), "intent.congestion_control")
      .MendedBy("Switch the notification point on for the priority of RoCE.");
}

template <typename Each>
void ForDcqcn(const HostView& host, Judge& judge, Each each) {
  for (const PortView& port : host.ports()) {
    if (host.intent().congestion_control() == "dcqcn") {
      each(host, port, judge);
    } else {
      judge.NotApplicable();
    }
  }
}

void JudgeHostIgnored(const HostView& host, Judge& judge) { ForDcqcn(host, judge, JudgeIgnored); }
void JudgeHostAnswered(const HostView& host, Judge& judge) { ForDcqcn(host, judge, JudgeAnswered); }

}  // namespace

Check LinkFlaps() {
  return {
      .id = "link.flaps",
      .title = "Links stay up",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A link that comes back within seconds looks active whenever somebody looks, and still "
          "kills a job whose timers are shorter.",
      .how =
          "The counter of link-downs of each RoCE port, or of the physical port below, must not "
          "move between two looks. Totals since boot are not judged: every port starts with one.",
      .fix = "Look at optic, cable and switch port.",
      .sources = {"RDMA netlink STAT_GET (link_downed)",
                  "ethtool statistics (link_down_events_phy)",
                  "/sys/class/net/NAME/carrier_down_count"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHostFlaps,
  };
}

Check EcnCnpIgnored() {
  return {
      .id = "ecn.cnp-ignored",
      .title = "Senders react to CNPs",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A sender that ignores CNPs keeps line rate into a congested port: PFC is the only brake "
          "left, and it stops others too.",
      .how =
          "Where the policy wants dcqcn, the counter of ignored CNPs must not move between two "
          "looks. A NIC that does not count them is UNKNOWN.",
      .fix = "Switch the reaction point on.",
      .sources = {"RDMA netlink STAT_GET (rp_cnp_ignored, cnpIgnored)"},
      .explained_by = {"device.rdma-present", "port.active", "ecn.dcqcn-enabled"},
      .host = JudgeHostIgnored,
  };
}

Check EcnCnpAnswered() {
  return {
      .id = "ecn.cnp-answered",
      .title = "Receivers answer marked packets",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "The switch marks, the receiver says nothing, the sender does not slow down: ECN is "
          "configured along the path and has no effect.",
      .how =
          "Where the policy wants dcqcn, a port that counts ECN-marked RoCE packets between two "
          "looks must have sent CNPs. CNPs without marks are no fault. A NIC that does not count "
          "both is UNKNOWN.",
      .fix = "Switch the notification point on.",
      .sources = {"RDMA netlink STAT_GET (np_ecn_marked_roce_packets, np_cnp_sent)"},
      .explained_by = {"device.rdma-present", "port.active", "ecn.dcqcn-enabled"},
      .host = JudgeHostAnswered,
  };
}

}  // namespace roceready::checks
