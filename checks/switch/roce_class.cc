// SPDX-License-Identifier: Apache-2.0
// switch.roce-class, switch.cnp-class: where the switch's maps lead RoCE data and CNPs.
#include <algorithm>

#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {
namespace {

// What is wrong with a chain that leads all the way.
std::vector<std::string> ProblemsOf(const v1::FabricIntent& intent, const PacketClass& packet,
                                    const Chain& chain) {
  std::vector<std::string> problems;
  if (intent.has_roce_priority() && *chain.priority != intent.roce_priority()) {
    problems.push_back(fmt::format("{} -> {}: PFC would be sent for priority {}{}", packet.words,
                                   chain.Words(), *chain.priority,
                                   chain.lossless.value_or(true) ? "" : ", which is lossy"));
  } else if (!intent.has_roce_priority() && !chain.lossless.value_or(true)) {
    problems.push_back(fmt::format("{} -> {}: priority {} is lossy", packet.words, chain.Words(),
                                   *chain.priority));
  }
  if (chain.paused_queue && *chain.paused_queue != *chain.queue) {
    problems.push_back(fmt::format("{} waits in queue {}, and PFC for priority {} stops queue {}",
                                   packet.words, *chain.queue, *chain.priority,
                                   *chain.paused_queue));
  }
  return problems;
}

std::string ExpectedOf(const v1::FabricIntent& intent, const PacketClass& packet) {
  if (!intent.has_roce_priority()) return packet.words + " in a lossless class";
  return fmt::format("{} -> priority {}, also its queue and priority group", packet.words,
                     intent.roce_priority());
}

std::string DscpCommand(const SwitchView& view, const v1::SwitchPort& port,
                        const PacketClass& packet) {
  const auto& uses = port.qos().maps();
  const auto use = std::ranges::find(uses, packet.map, &v1::SwitchMapUse::kind);
  if (use == uses.end() || !view.intent().has_roce_priority()) return {};
  const std::string_view table =
      packet.map == v1::SWITCH_MAP_KIND_DSCP_TO_TC ? "DSCP_TO_TC_MAP" : "DOT1P_TO_TC_MAP";
  return ShellCommand("sonic-db-cli CONFIG_DB hset {} {} {}",
                      fmt::format("{}|{}", table, use->map_name()), packet.value,
                      view.intent().roce_priority());
}

// The other way to agree: what the port holds lossless already.
std::string FixText(LosslessDscps& lossless_dscps, const v1::SwitchPort& port,
                    const PacketClass& packet) {
  std::string text = "Map it in the switch";
  if (packet.map == v1::SWITCH_MAP_KIND_DSCP_TO_TC) {
    const std::vector<uint32_t>& lossless = lossless_dscps.At(port);
    if (!lossless.empty()) {
      text += fmt::format(", or let the hosts mark a DSCP that is lossless there ({})",
                          JoinWords(lossless, " or "));
    }
  }
  return text + ".";
}

void JudgeRoce(const SwitchView& view, Judge& judge) {
  const auto packet = RoceClass(view.intent());
  LosslessDscps lossless_dscps(view);
  for (const v1::SwitchPort* port : view.ports()) {
    // A fabric that is lossy on purpose has no class to lead to.
    if (!packet || view.intent().lossless_priorities().empty()) {
      judge.NotApplicable();
      continue;
    }
    const Chain chain = ChainOf(view, *port, *packet);
    const std::string expected = ExpectedOf(view.intent(), *packet);
    std::vector<std::string> problems;
    if (chain.paused_queue) {
      problems = ProblemsOf(view.intent(), *packet, chain);
    } else if (!chain.problem.empty()) {
      problems.push_back(chain.problem);
    }
    if (!problems.empty()) {
      Draft& draft = judge.Fail(view.SubjectOf(*port))
                         .Expected(expected, packet->policy_path)
                         .Actual(JoinWords(problems, "; "));
      RestOnAll(draft, chain.evidence);
      MendedOnSwitch(draft, view, FixText(lossless_dscps, *port, *packet),
                     DscpCommand(view, *port, *packet));
    } else if (!chain.paused_queue || (!view.intent().has_roce_priority() && !chain.lossless)) {
      Draft& draft = judge
                         .Unknown(view.SubjectOf(*port),
                                  chain.unknown.empty() ? "which priorities have PFC is not known"
                                                        : chain.unknown)
                         .Expected(expected, packet->policy_path);
      RestOnAll(draft, chain.evidence);
    } else {
      judge.Pass();
    }
  }
}

void JudgeCnp(const SwitchView& view, Judge& judge) {
  const auto cnp = CnpClass(view.intent());
  const auto data = RoceClass(view.intent());
  for (const v1::SwitchPort* port : view.ports()) {
    if (!cnp || !data || view.intent().congestion_control() == "none" ||
        cnp->value == data->value) {
      judge.NotApplicable();
      continue;
    }
    const std::string expected =
        fmt::format("{} (CNP) in a queue with neither RoCE data nor best effort", cnp->words);
    const Chain of_cnp = ChainOf(view, *port, *cnp);
    const Chain of_data = ChainOf(view, *port, *data);
    const Chain of_rest = ChainOf(view, *port, DscpClass(0));
    if (!of_cnp.queue) {
      const std::string& why = of_cnp.problem.empty() ? of_cnp.unknown : of_cnp.problem;
      Draft& draft = of_cnp.problem.empty() ? judge.Unknown(view.SubjectOf(*port), why)
                                            : judge.Fail(view.SubjectOf(*port)).Actual(why);
      draft.Expected(expected, cnp->policy_path)
          .MendedBy("Map the CNP's DSCP to a class of its own, with strict priority.");
      RestOnAll(draft, of_cnp.evidence);
      continue;
    }
    std::string_view shared;
    if (of_cnp.queue == of_data.queue) {
      shared = "RoCE data";
    } else if (of_cnp.queue == of_rest.queue) {
      shared = "best effort (DSCP 0)";
    }
    if (shared.empty()) {
      judge.Pass();
      continue;
    }
    Draft& draft = judge.Fail(view.SubjectOf(*port))
                       .Expected(expected, cnp->policy_path)
                       .Actual(fmt::format("{} (CNP) waits in queue {} with {}", cnp->words,
                                           *of_cnp.queue, shared))
                       .MendedBy("Map the CNP's DSCP to a class of its own, with strict priority.");
    RestOnAll(draft, of_cnp.evidence);
  }
}

}  // namespace

Check SwitchRoceClass() {
  return {
      .id = "switch.roce-class",
      .title = "Switch maps lead RoCE to its class",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A switch protects the priority it derives, not the one the host means. SONiC's stock "
          "maps are lossless for DSCP 3 and 4 alone: data marked 26 is dropped there under load.",
      .how =
          "On every port in service the policy's roce_dscp (roce_pcp where it trusts PCP) is "
          "followed through the port's maps: traffic class, queue, priority group, and the "
          "priority that PFC is sent for. That must be roce_priority, and PFC received for it "
          "must stop the queue the packets wait in.",
      .fix =
          "sonic-db-cli CONFIG_DB hset 'DSCP_TO_TC_MAP|NAME' DSCP TC; config save - or another "
          "DSCP on the hosts.",
      .sources = {"SONiC CONFIG_DB PORT_QOS_MAP, DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP, "
                  "TC_TO_PRIORITY_GROUP_MAP, MAP_PFC_PRIORITY_TO_QUEUE (sonic-yang-models)",
                  "sonic-swss orchagent/qosorch.cpp"},
      .explained_by = {"switch.pfc-lossless"},
      .at_switch = JudgeRoce,
  };
}

Check SwitchCnpClass() {
  return {
      .id = "switch.cnp-class",
      .title = "CNPs have a queue of their own",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A congestion notification that waits behind the congestion it tells about, or behind "
          "bulk traffic, slows senders down too late.",
      .how =
          "On every port in service the policy's cnp_dscp must lead to another queue than the "
          "RoCE data's and than DSCP 0's.",
      .fix = "sonic-db-cli CONFIG_DB hset 'DSCP_TO_TC_MAP|NAME' DSCP TC; config save",
      .sources = {"SONiC CONFIG_DB DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP (sonic-yang-models)",
                  "NVIDIA Cumulus `nv set qos roce`, Cisco and Arista RoCE guides: CNP in a strict "
                  "queue"},
      .explained_by = {"switch.pfc-lossless", "switch.roce-class"},
      .at_switch = JudgeCnp,
  };
}

}  // namespace roceready::checks
