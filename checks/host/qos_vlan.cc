// SPDX-License-Identifier: Apache-2.0
// qos.vlan-priority: tagged RoCE frames leave with the policy's PCP.
#include <algorithm>
#include <optional>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host/job_gids.h"
#include "checks/host/question.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// The kernel's priority for a ToS byte (net/ipv4/route.c, ip_tos2prio): rdma_cm looks it up in the
// VLAN's egress map to get the PCP. Indexed by (tos & 0x1e) >> 1.
constexpr uint32_t kTosToPriority[16] = {0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4};

uint32_t SkbPriorityOfDscp(uint32_t dscp) { return kTosToPriority[((dscp << 2) & 0x1e) >> 1]; }

// Without a DSCP in the policy the application's socket priority is the RoCE priority.
uint32_t SkbPriorityOf(const v1::FabricIntent& intent) {
  return intent.has_roce_dscp() ? SkbPriorityOfDscp(intent.roce_dscp()) : intent.roce_priority();
}

// Entries with value 0 are left out by the kernel: no entry means PCP 0.
uint32_t PcpOf(const v1::Vlan& vlan, uint32_t skb_priority) {
  for (const v1::QosMapping& mapping : vlan.egress()) {
    if (mapping.from() == skb_priority) return mapping.to();
  }
  return 0;
}

std::string EgressText(const v1::Vlan& vlan) {
  std::vector<std::string> entries;
  for (const v1::QosMapping& mapping : vlan.egress()) {
    entries.push_back(fmt::format("{}:{}", mapping.from(), mapping.to()));
  }
  return entries.empty() ? "no egress map (PCP 0)" : "egress map " + JoinWords(entries, " ");
}

void JudgeVlan(const HostView& host, const PortView& port, const v1::NetDevice& net_device,
               Judge& judge) {
  const v1::FabricIntent& intent = host.intent();
  const v1::Subject subject = host.SubjectOfNetDevice(port, net_device);
  const v1::Reading reading = ReadingOf(net_device.has_vlan(), net_device.vlan());
  const uint32_t from = SkbPriorityOf(intent);
  const std::string expected =
      fmt::format("kernel priority {} -> PCP {}{}", from, intent.roce_pcp(),
                  intent.has_roce_dscp() ? fmt::format(" (DSCP {})", intent.roce_dscp()) : "");
  const std::string path = NetPath(net_device.id(), "vlan.egress");
  if (!IsOk(reading)) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading)).Expected(expected, "intent.roce_pcp");
    return;
  }
  const uint32_t pcp = PcpOf(net_device.vlan(), from);
  if (pcp == intent.roce_pcp()) return judge.Pass();
  judge.Fail(subject)
      .Expected(expected, "intent.roce_pcp")
      .Actual(fmt::format("{} -> PCP {}: {}", from, pcp, EgressText(net_device.vlan())))
      .RestsOn(host.EvidenceAt(path, EgressText(net_device.vlan()), reading))
      .MendedBy("Map the kernel priority that rdma_cm derives from the DSCP to the RoCE PCP.",
                ShellCommand("ip link set dev {} type vlan egress-qos-map {}:{}", net_device.name(),
                             from, intent.roce_pcp()),
                false);
}

bool IsWantedVlan(const v1::FabricIntent& intent, const v1::NetDevice& vlan) {
  return intent.vlan_ids().empty() ||
         std::ranges::find(intent.vlan_ids(), vlan.vlan().vlan_id()) != intent.vlan_ids().end();
}

// Frames must be tagged: where the port's class is the tag's priority, or where the site says which
// priority its VLANs carry.
bool WantsTags(const v1::FabricIntent& intent) {
  return intent.trust() == "pcp" || (intent.has_roce_pcp() && !intent.vlan_ids().empty());
}

// Whether a NIC tags what this virtual function sends; empty: its physical function is not here.
std::optional<bool> IsTaggedByNic(const PortView& port) {
  if (!port.is_virtual_function) return false;
  for (const Carrier& carrier : port.carriers) {
    const v1::NetDevice& physical = *carrier.net_device;
    if (!IsOk(ReadingOf(physical.has_virtual_functions(), physical.virtual_functions()))) continue;
    for (const v1::VirtualFunction& vf : physical.virtual_functions().functions()) {
      const bool is_it =
          port.net_device != nullptr && vf.has_mac() && vf.mac() == port.net_device->link().mac();
      if (is_it) return vf.vlan_id() != 0 || vf.vlan_priority() != 0;
    }
  }
  return std::nullopt;
}

std::string AddVlanCommand(const v1::FabricIntent& intent, const v1::NetDevice& net_device) {
  const std::string& name = net_device.name();
  const uint32_t from = SkbPriorityOf(intent);
  const uint32_t pcp = intent.has_roce_pcp() ? intent.roce_pcp() : intent.roce_priority();
  if (intent.vlan_ids().empty()) {
    return ShellCommand(
        "ip link add link {0} name {0}.<VLAN> type vlan id <VLAN> egress-qos-map {1}:{2}", name,
        from, pcp);
  }
  return ShellCommand("ip link add link {0} name {0}.{1} type vlan id {1} egress-qos-map {2}:{3}",
                      name, intent.vlan_ids(0), from, pcp);
}

// All GIDs that a job may use are on devices without a tag. True when that was said.
bool JudgeUntagged(const HostView& host, const PortView& port, Judge& judge) {
  const v1::FabricIntent& intent = host.intent();
  if (!WantsTags(intent)) return false;
  const Question question{
      .subject = host.SubjectOfPort(port),
      .path = PortPath(port.device->id(), port.port->number(), "gid_table.gids"),
      .reading = ReadingOf(port.port->has_gid_table(), port.port->gid_table()),
      .expected = "RoCE in tagged frames",
      .policy_path = intent.trust() == "pcp" ? "intent.trust" : "intent.roce_pcp"};
  if (IsUnanswered(host, judge, question)) return true;
  const v1::NetDevice* unread = UnreadHolderOf(host, port);
  const v1::NetDevice* untagged = nullptr;
  for (const v1::Gid* gid : JobGidsOf(host, port)) {
    const v1::NetDevice* holder = FindNetDevice(host.facts(), gid->net_device_id());
    if (!IsOk(ReadingOf(holder->has_link(), holder->link()))) {
      unread = holder;
    } else if (holder->link().kind() == "vlan") {
      return false;
    } else {
      untagged = holder;
    }
  }
  if (unread != nullptr) {
    judge
        .Unread(host.SubjectOfPort(port),
                host.EvidenceAt(NetPath(unread->id(), "link.kind"), {},
                                ReadingOf(unread->has_link(), unread->link())))
        .Expected(question.expected, question.policy_path);
    return true;
  }
  if (untagged == nullptr) return false;
  const std::string expected =
      intent.has_roce_pcp()
          ? fmt::format("RoCE in tagged frames, with PCP {}", intent.roce_pcp())
          : std::string("RoCE in tagged frames, as the port's class is their PCP");
  const std::string_view source = question.policy_path;
  const v1::Subject subject = host.SubjectOfNetDevice(port, *untagged);
  const std::string path = NetPath(untagged->id(), "link.kind");
  const std::optional<bool> tagged_by_nic = IsTaggedByNic(port);
  if (!tagged_by_nic) {
    judge.Unknown(subject, "whether the NIC tags what this virtual function sends is not seen here")
        .Expected(expected, source)
        .RestsOn(host.EvidenceAt(path, "no VLAN device", untagged->link().reading()));
    return true;
  }
  // What tag that is, sriov.vf-settings judges.
  if (*tagged_by_nic) return false;
  judge.Fail(subject)
      .Expected(expected, source)
      .Actual(fmt::format("the GIDs of {} are untagged: no PCP, so the switch's default priority",
                          untagged->name()))
      .RestsOn(host.EvidenceAt(path, "no VLAN device", untagged->link().reading()))
      .MendedBy(
          "Move the address to a VLAN device of the port whose egress map leads to the PCP, also "
          "in "
          "the network configuration; the GID follows the address.",
          port.vlans.empty() ? AddVlanCommand(intent, *untagged) : std::string(), false);
  return true;
}

void JudgePort(const HostView& host, const PortView& port, Judge& judge) {
  const v1::FabricIntent& intent = host.intent();
  const bool is_vlan = port.net_device != nullptr && port.net_device->link().kind() == "vlan";
  std::vector<const v1::NetDevice*> vlans = port.vlans;
  if (is_vlan) vlans.push_back(port.net_device);
  const bool unread = std::ranges::any_of(vlans, [](const v1::NetDevice* vlan) {
    return !IsOk(ReadingOf(vlan->has_vlan(), vlan->vlan()));
  });
  std::erase_if(vlans, [&](const v1::NetDevice* vlan) {
    return IsOk(ReadingOf(vlan->has_vlan(), vlan->vlan())) && !IsWantedVlan(intent, *vlan);
  });
  if (vlans.empty() && !intent.vlan_ids().empty() && !unread) {
    if (port.net_device == nullptr || !IsOk(port.net_device->link().reading())) {
      const v1::Reading reading =
          port.net_device == nullptr
              ? host.NetDeviceReading(port)
              : ReadingOf(port.net_device->has_link(), port.net_device->link());
      judge.Unread(host.SubjectOfPort(port), host.EvidenceAt("net_devices", {}, reading))
          .Expected("VLAN " + JoinWords(intent.vlan_ids(), " or "), "intent.vlan_ids");
      return;
    }
    judge.Fail(host.SubjectOfPort(port))
        .Expected("VLAN " + JoinWords(intent.vlan_ids(), " or "), "intent.vlan_ids")
        .Actual("no such VLAN device on the port")
        .RestsOn(host.EvidenceAt("net_devices", {}, port.net_device->link().reading()))
        .MendedBy("Make the VLAN device, also in the network configuration.",
                  ShellCommand("ip link add link {0} name {0}.{1} type vlan id {1}",
                               port.net_device->name(), intent.vlan_ids(0)),
                  false);
    return;
  }
  if (JudgeUntagged(host, port, judge)) return;
  if (vlans.empty() || !intent.has_roce_pcp()) return judge.NotApplicable();
  for (const v1::NetDevice* vlan : vlans) JudgeVlan(host, port, *vlan, judge);
}

void JudgeHost(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgePort(host, port, judge);
}

}  // namespace

Check QosVlanPriority() {
  return {
      .id = "qos.vlan-priority",
      .title = "Tagged RoCE frames carry the right PCP",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "Where switches trust the VLAN tag, a frame with PCP 0 is not protected by PFC.",
      .how =
          "On each VLAN device of a RoCE port (the policy's vlan_ids, or all) the egress map "
          "must lead to the policy's roce_pcp. rdma_cm looks up the kernel priority of the ToS "
          "byte, which for DSCP 26 is 2 and not 3. Where the policy names vlan_ids, each RoCE "
          "port must have one of them. Where it trusts PCP, or names vlan_ids together with "
          "roce_pcp, a port must have a GID for the job on a VLAN device: untagged frames carry "
          "no PCP. Of a virtual function whose physical one is not seen that is UNKNOWN, as the "
          "NIC may tag for it.",
      .fix = "ip link set dev VLAN type vlan egress-qos-map FROM:PCP",
      .sources = {"rtnetlink IFLA_VLAN_EGRESS_QOS", "net/ipv4/route.c, ip_tos2prio",
                  "drivers/infiniband/core/cma.c, iboe_tos_to_sl()"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
