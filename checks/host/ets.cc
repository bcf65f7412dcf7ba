// SPDX-License-Identifier: Apache-2.0
// ets.roce-bandwidth and ets.roce-class: the traffic class of RoCE gets bandwidth, and holds no
// priority of another kind.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/dcb.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

Question AskEts(const CarrierView& carrier, const v1::Subject& subject, std::string expected,
                std::string_view policy_path) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  return {.subject = subject,
          .path = NetPath(carrier.net_device->id(), "dcb.ets"),
          .reading = ReadingOf(dcb.has_ets(), dcb.ets()),
          .expected = std::move(expected),
          .policy_path = policy_path};
}

// bnxt_en shows only what was set through the kernel: all zero is no answer. True when said.
bool IsEmptyCache(const HostView& host, const CarrierView& carrier, const Question& question,
                  Judge& judge) {
  if (!ShowsOnlyAnEmptyCache(carrier)) return false;
  judge
      .Unknown(question.subject,
               "bnxt_en shows only what was set through the kernel, and nothing was")
      .Expected(question.expected, question.policy_path)
      .RestsOn(host.EvidenceAt(question.path, "all zero", question.reading));
  return true;
}

void JudgeBandwidth(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                    Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::Ets& ets = net_device.dcb().ets();
  const uint32_t priority = host.intent().roce_priority();
  const Question question =
      AskEts(carrier, subject, fmt::format("bandwidth for the class of priority {}", priority),
             "intent.roce_priority");
  const std::optional<uint32_t> traffic_class = ClassOfPriority(net_device, priority);
  const int index = static_cast<int>(traffic_class.value_or(0));
  const bool known = traffic_class && index < ets.selection_algorithm_size();
  if (IsUnanswered(host, judge, question, known) || IsEmptyCache(host, carrier, question, judge)) {
    return;
  }
  // Strict classes are served first, and what a vendor does is not a share of bandwidth.
  if (ets.selection_algorithm(index) != "ets") return judge.Pass();
  if (IsUnanswered(host, judge, question, index < ets.tx_bandwidth_percent_size())) return;
  if (ets.tx_bandwidth_percent(index) > 0) return judge.Pass();
  Draft& draft = FailOn(
      host, judge, question,
      fmt::format("class {} of priority {} is by ETS and has 0 %", *traffic_class, priority));
  draft.goes_with_port = FirmwareRunsDcbx(net_device);
  draft.MendedBy(
      "Give the class its share; the shares of all classes by ETS make 100.",
      ShellCommand("dcb ets set dev {} tc-bw {}:<PERCENT>", net_device.name(), *traffic_class),
      false);
}

void JudgeClass(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::Ets& ets = net_device.dcb().ets();
  const uint32_t priority = host.intent().roce_priority();
  const Question question =
      AskEts(carrier, subject,
             fmt::format("a traffic class for priority {} without priorities that may lose packets",
                         priority),
             "intent.roce_priority");
  const std::optional<uint32_t> traffic_class = ClassOfPriority(net_device, priority);
  if (IsUnanswered(host, judge, question, traffic_class.has_value()) ||
      IsEmptyCache(host, carrier, question, judge)) {
    return;
  }
  const auto& lossless = host.intent().lossless_priorities();
  std::vector<uint32_t> strangers;
  for (int other = 0; other < ets.priority_to_class_size(); ++other) {
    const auto number = static_cast<uint32_t>(other);
    if (number == priority || ets.priority_to_class(other) != *traffic_class) continue;
    if (std::ranges::find(lossless, number) == lossless.end()) strangers.push_back(number);
  }
  if (strangers.empty()) return judge.Pass();
  Draft& draft =
      FailOn(host, judge, question,
             fmt::format("class {} also holds {}", *traffic_class, PriorityWords(strangers)));
  draft.goes_with_port = FirmwareRunsDcbx(net_device);
  draft.MendedBy("Give RoCE a traffic class of its own.",
                 ShellCommand("dcb ets set dev {} prio-tc {}:<CLASS>", net_device.name(), priority),
                 false);
}

void JudgeHostBandwidth(const HostView& host, Judge& judge) {
  if (!host.intent().has_roce_priority()) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeBandwidth(host, carrier, subject, judge);
  });
}

void JudgeHostClass(const HostView& host, Judge& judge) {
  const bool asked =
      host.intent().has_roce_priority() && !host.intent().lossless_priorities().empty();
  if (!asked) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeClass(host, carrier, subject, judge);
  });
}

}  // namespace

Check EtsRoceBandwidth() {
  return {
      .id = "ets.roce-bandwidth",
      .title = "The traffic class of RoCE has bandwidth",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A class that ETS gives 0 % sends only what all others leave over: RoCE crawls as soon "
          "as anything else is sent.",
      .how =
          "The ETS class of the policy's roce_priority must be strict, the vendor's own, or have "
          "more than 0 % of the sending bandwidth, on every physical port below a RoCE port. An "
          "untouched table of bnxt_en is UNKNOWN: the NIC's own is not shown.",
      .fix = "dcb ets set dev DEVICE tc-bw CLASS:PERCENT",
      .sources = {"dcb IEEE_GET, struct ieee_ets (include/uapi/linux/dcbnl.h)", "IEEE 802.1Qaz"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHostBandwidth,
  };
}

Check EtsRoceClass() {
  return {
      .id = "ets.roce-class",
      .title = "RoCE has a traffic class of its own",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "In one class, TCP and RoCE share a queue: a pause meant for RoCE stops both, and "
          "bursts of one delay the other.",
      .how =
          "In the ETS table, no priority outside the policy's lossless_priorities may be in the "
          "class of roce_priority. Which number the class has does not matter: mlx5 swaps 0 and 1.",
      .fix = "dcb ets set dev DEVICE prio-tc PRIORITY:CLASS",
      .sources = {"dcb IEEE_GET, struct ieee_ets, prio_tc", "IEEE 802.1Qaz"},
      .explained_by = {"device.rdma-present", "port.active", "ets.roce-bandwidth"},
      .is_setting = true,
      .host = JudgeHostClass,
  };
}

}  // namespace roceready::checks
