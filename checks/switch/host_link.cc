// SPDX-License-Identifier: Apache-2.0
// switch.host-pfc, switch.host-dscp, switch.host-mtu, switch.host-cabling: a host and the switch
// port it is plugged into agree, whatever the policy wants of either.
#include "checks/switch/host_link.h"

#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host/dcb.h"
#include "checks/switch/planned_end.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {

v1::Subject HostLink::Subject() const {
  v1::Subject subject = host.SubjectOfCarrier(carrier);
  subject.set_switch_name(view().name());
  subject.set_switch_port(port().name());
  subject.set_label(fmt::format("{} at {} {}", subject.label(), view().name(), port().name()));
  return subject;
}

namespace {

using Priorities = std::set<uint32_t>;

// Priorities with PFC on the host; empty with a draft made where they are not known.
std::optional<Priorities> HostPfc(const HostLink& link, std::string_view expected, Judge& judge) {
  const v1::Pfc& pfc = link.net_device().dcb().pfc();
  const v1::Reading reading = ReadingOf(link.net_device().dcb().has_pfc(), pfc);
  const std::string path = NetPath(link.net_device().id(), "dcb.pfc.enabled_priorities");
  if (!IsOk(reading)) {
    judge.Unread(link.Subject(), link.host.EvidenceAt(path, {}, reading))
        .Expected(std::string(expected));
    return std::nullopt;
  }
  if (ShowsOnlyAnEmptyCache(link.carrier)) {
    judge
        .Unknown(link.Subject(),
                 "bnxt_en shows only what was set through the kernel, and nothing was")
        .Expected(std::string(expected))
        .RestsOn(link.host.EvidenceAt(path, "none", reading));
    return std::nullopt;
  }
  return Priorities(pfc.enabled_priorities().begin(), pfc.enabled_priorities().end());
}

v1::Evidence HostPfcEvidence(const HostLink& link, const Priorities& priorities) {
  return link.host.EvidenceAt(NetPath(link.net_device().id(), "dcb.pfc.enabled_priorities"),
                              priorities.empty() ? "none" : JoinWords(priorities, ", "),
                              link.net_device().dcb().pfc().reading());
}

// What one end has and the other lacks, of what matters.
std::vector<std::string> PfcProblems(const HostLink& link, const Priorities& host,
                                     const Priorities& at_switch) {
  std::vector<std::string> problems;
  Priorities lacking, one_sided;
  for (const uint32_t priority : host) {
    if (!at_switch.contains(priority)) lacking.insert(priority);
  }
  // A switch is often lossless for more than a host uses. It matters for RoCE's own priority, and
  // for a host that has none at all; but not in a fabric that is lossy on purpose.
  const v1::FabricIntent& intent = link.host.intent();
  for (const uint32_t priority : at_switch) {
    const bool matters =
        !intent.lossless_priorities().empty() &&
        (intent.has_roce_priority() ? priority == intent.roce_priority() : host.empty());
    if (matters && !host.contains(priority)) one_sided.insert(priority);
  }
  if (!lacking.empty()) {
    problems.push_back(
        fmt::format("PFC on {} of the host, not of the switch port", PriorityWords(lacking)));
  }
  if (!one_sided.empty()) {
    problems.push_back(
        fmt::format("PFC on {} of the switch port, not of the host", PriorityWords(one_sided)));
  }
  return problems;
}

void JudgePfc(const HostLink& link, Judge& judge) {
  constexpr std::string_view kExpected = "PFC on the same priorities at both ends";
  const PortPfc port = PfcOf(link.view(), link.port());
  if (!port.known) {
    judge.Unknown(link.Subject(), port.reason)
        .Expected(std::string(kExpected))
        .RestsOn(port.evidence);
    return;
  }
  const auto host = HostPfc(link, kExpected, judge);
  if (!host) return;
  const std::vector<std::string> problems =
      PfcProblems(link, *host, Priorities(port.priorities.begin(), port.priorities.end()));
  if (problems.empty()) return judge.Pass();
  judge.Fail(link.Subject())
      .Expected(std::string(kExpected))
      .Actual(JoinWords(problems, "; "))
      .RestsOn(HostPfcEvidence(link, *host))
      .RestsOn(port.evidence)
      .MendedBy("Set host and switch port to the policy's lossless priorities.");
}

// DSCPs that the host itself sends to a priority with PFC, with that priority. Where the policy
// names RoCE's, the others do not matter: mlx5 has all 64 in its map, eight of them for each
// priority.
std::vector<std::pair<uint32_t, uint32_t>> LosslessOnHost(const HostLink& link,
                                                          const Priorities& lossless) {
  const v1::FabricIntent& intent = link.host.intent();
  std::vector<std::pair<uint32_t, uint32_t>> dscps;
  for (const auto& [dscp, priorities] : DscpMapOf(link.net_device().dcb().app())) {
    if (intent.has_roce_dscp() && dscp != intent.roce_dscp()) continue;
    if (priorities.size() == 1 && lossless.contains(*priorities.begin())) {
      dscps.emplace_back(dscp, *priorities.begin());
    }
  }
  return dscps;
}

void JudgeDscp(const HostLink& link, Judge& judge) {
  constexpr std::string_view kExpected =
      "DSCPs that are lossless on the host are so in the switch, by the same priority";
  const v1::AppTable& app = link.net_device().dcb().app();
  const v1::Reading reading = ReadingOf(link.net_device().dcb().has_app(), app);
  const std::string path = NetPath(link.net_device().id(), "dcb.app.entries");
  if (!IsOk(reading)) {
    judge.Unread(link.Subject(), link.host.EvidenceAt(path, {}, reading))
        .Expected(std::string(kExpected));
    return;
  }
  // Entries that name traffic classes do not name priorities; a port that trusts PCP has no say.
  if (DscpEntriesNameClasses(link.carrier) || TrustOf(link.carrier) == Trust::kPcp) {
    return judge.NotApplicable();
  }
  const auto lossless = HostPfc(link, kExpected, judge);
  if (!lossless) return;
  std::vector<std::string> problems, unknowns;
  std::vector<v1::Evidence> evidence;
  const auto dscps = LosslessOnHost(link, *lossless);
  for (const auto& [dscp, priority] : dscps) {
    const Chain chain = ChainOf(link.view(), link.port(), DscpClass(dscp));
    std::string problem = chain.problem;
    if (problem.empty() && chain.priority && *chain.priority != priority) {
      problem = fmt::format("DSCP {} is priority {} on the host, {} in the switch ({})", dscp,
                            priority, *chain.priority, chain.Words());
    } else if (problem.empty() && !chain.priority) {
      unknowns.push_back(chain.unknown);
    }
    if (problem.empty()) continue;
    problems.push_back(std::move(problem));
    evidence.insert(evidence.end(), chain.evidence.begin(), chain.evidence.end());
  }
  v1::Evidence of_host = link.host.EvidenceAt(path, "dscp " + TextOf(DscpMapOf(app)), reading);
  if (!problems.empty()) {
    Draft& draft = judge.Fail(link.Subject())
                       .Expected(std::string(kExpected))
                       .Actual(JoinWords(problems, "; "))
                       .RestsOn(std::move(of_host))
                       .MendedBy("Map the DSCP alike at both ends, as the policy has it.");
    RestOnAll(draft, evidence);
  } else if (!unknowns.empty()) {
    judge.Unknown(link.Subject(), unknowns.front())
        .Expected(std::string(kExpected))
        .RestsOn(std::move(of_host));
  } else if (dscps.empty()) {
    judge.NotApplicable();
  } else {
    judge.Pass();
  }
}

void JudgeMtu(const HostLink& link, Judge& judge) {
  const v1::NetMtu& mtu = link.net_device().mtu();
  const v1::Reading reading = ReadingOf(link.net_device().has_mtu(), mtu);
  const std::string path = NetPath(link.net_device().id(), "mtu.mtu_bytes");
  const std::string expected = "a switch port's MTU at least the host's";
  if (!IsOk(reading) || !mtu.has_mtu_bytes()) {
    judge.Unread(link.Subject(), link.host.EvidenceAt(path, {}, reading)).Expected(expected);
    return;
  }
  v1::Evidence of_host = link.host.EvidenceAt(path, std::to_string(mtu.mtu_bytes()), reading);
  v1::Evidence of_port = link.view().EvidenceAt(
      SwitchPortPath(link.port(), "mtu_bytes"),
      link.port().has_mtu_bytes() ? std::to_string(link.port().mtu_bytes()) : "",
      link.port().reading());
  if (!link.port().has_mtu_bytes()) {
    judge.Unknown(link.Subject(), "the configuration gives the switch port no MTU")
        .Expected(expected)
        .RestsOn(std::move(of_host))
        .RestsOn(std::move(of_port));
  } else if (link.port().mtu_bytes() < mtu.mtu_bytes()) {
    judge.Fail(link.Subject())
        .Expected(expected)
        .Actual(fmt::format("MTU {} on the host, {} in the switch", mtu.mtu_bytes(),
                            link.port().mtu_bytes()))
        .RestsOn(std::move(of_host))
        .RestsOn(std::move(of_port))
        .MendedBy("Raise the switch port's MTU, or lower the host's.");
  } else {
    judge.Pass();
  }
}

void JudgeCabling(const HostLink& link, Judge& judge) {
  const v1::PlannedNeighbour& planned = link.port().planned_neighbour();
  // Nothing to compare: nobody heard the switch, or nobody wrote down who should be there.
  if (!link.end.heard || !planned.has_name()) return judge.NotApplicable();
  const bool same_host = ShortName(planned.name()) == ShortName(link.host.host());
  const bool same_port = !planned.has_port() || planned.port() == link.net_device().name();
  if (same_host && same_port) return judge.Pass();
  const std::string wanted =
      fmt::format("{}{}{}", planned.name(), planned.has_port() ? " " : "", planned.port());
  const bool is_name_here = std::ranges::any_of(
      link.host.facts().net_devices(),
      [&](const v1::NetDevice& net_device) { return net_device.name() == planned.port(); });
  // Plans often say "eth0" or "NIC1" of a port that Linux calls otherwise: of the host's ports it
  // could be any.
  if (same_host && !is_name_here) {
    judge
        .Unknown(link.Subject(), fmt::format("the plan has {}, and the host no net device named {}",
                                             wanted, planned.port()))
        .Expected(fmt::format("{} at {} {}", wanted, link.view().name(), link.port().name()))
        .RestsOn(link.view().EvidenceAt(SwitchPortPath(link.port(), "planned_neighbour.port"),
                                        planned.port(), planned.reading()));
    return;
  }
  judge.Fail(link.Subject())
      .Expected(fmt::format("{} at {} {}", wanted, link.view().name(), link.port().name()))
      .Actual(fmt::format("another port than planned is plugged in: {} {}", link.host.host(),
                          link.net_device().name()))
      .RestsOn(link.host.EvidenceAt(NetPath(link.net_device().id(), "lldp.neighbours"),
                                    fmt::format("{} {}", link.view().name(), link.port().name()),
                                    link.net_device().lldp().reading()))
      .RestsOn(link.view().EvidenceAt(SwitchPortPath(link.port(), "planned_neighbour.name"), wanted,
                                      planned.reading()))
      .MendedBy("Swap the cable, or correct DEVICE_NEIGHBOR in the switch's configuration.");
}

}  // namespace

Check SwitchHostPfc() {
  return {
      .id = "switch.host-pfc",
      .title = "Host and switch port have the same PFC",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "PFC works only where both ends mean the same priority: else the one that fills up asks "
          "in vain, and packets are dropped.",
      .how =
          "Where a host's port is joined to a switch port (by LLDP, else by DEVICE_NEIGHBOR or the "
          "port's description), every priority with PFC on the host must have it in the switch; "
          "RoCE's priority, where the policy names it and wants lossless ones, must have it at "
          "both "
          "ends or neither.",
      .fix = "Set both ends to the policy's lossless priorities.",
      .sources = {"dcb IEEE_GET, struct ieee_pfc (include/uapi/linux/dcbnl.h)",
                  "SONiC CONFIG_DB PORT_QOS_MAP pfc_enable", "IEEE 802.1Qbb"},
      .explained_by = {"device.rdma-present", "port.active", "pfc.lossless-priority",
                       "switch.pfc-lossless"},
      .link = JudgePfc,
  };
}

Check SwitchHostDscp() {
  return {
      .id = "switch.host-dscp",
      .title = "Host and switch port map DSCP alike",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A DSCP that is lossless on the host and another class in the switch is dropped there "
          "under load, although each end looks right by itself.",
      .how =
          "Each DSCP that the host maps to a priority with PFC (where the policy names roce_dscp, "
          "that one alone) is followed through the maps of the switch port, and must come out at "
          "the same priority. A host that trusts PCP, or whose driver maps DSCP to classes (ice), "
          "is not compared.",
      .fix = "Map the DSCP alike at both ends.",
      .sources = {"dcb IEEE_GET, APP table selector 5 (include/uapi/linux/dcbnl.h)",
                  "SONiC CONFIG_DB DSCP_TO_TC_MAP"},
      .explained_by = {"device.rdma-present", "port.active", "qos.dscp-priority",
                       "pfc.lossless-priority", "switch.pfc-lossless", "switch.roce-class"},
      .link = JudgeDscp,
  };
}

Check SwitchHostMtu() {
  return {
      .id = "switch.host-mtu",
      .title = "The switch port takes the host's MTU",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "What is larger than the switch port's MTU is dropped without a word.",
      .how =
          "Where a host's port is joined to a switch port, the switch port's MTU must be at least "
          "that of the host's net device; both are of the IP packet.",
      .fix = "config interface mtu PORT 9216; config save",
      .sources = {"rtnetlink IFLA_MTU", "SONiC CONFIG_DB PORT mtu"},
      .explained_by = {"device.rdma-present", "switch.mtu"},
      .link = JudgeMtu,
  };
}

Check SwitchHostCabling() {
  return {
      .id = "switch.host-cabling",
      .title = "Hosts are plugged in where planned",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Swapped cables put a rail on another leaf: traffic that should stay on one switch "
          "crosses "
          "the spine, and settings made for one host's port hold for another's.",
      .how =
          "Where a host's port hears a switch by LLDP and that switch's DEVICE_NEIGHBOR names who "
          "is at the port, host and net device must be those. A net device by a name that the host "
          "does not have is UNKNOWN.",
      .fix = "Swap the cable, or correct DEVICE_NEIGHBOR.",
      .sources = {"LLDP (IEEE 802.1AB), system name and port id",
                  "SONiC CONFIG_DB DEVICE_NEIGHBOR, PORT alias"},
      .link = JudgeCabling,
  };
}

}  // namespace roceready::checks
