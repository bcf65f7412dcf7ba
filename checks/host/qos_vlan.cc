// SPDX-License-Identifier: Apache-2.0
// qos.vlan-priority: tagged RoCE frames leave with the policy's PCP.
#include <algorithm>

#include "checks/check.h"
#include "checks/fact_path.h"
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
  // Without a DSCP in the policy the application's socket priority is the RoCE priority.
  const uint32_t from =
      intent.has_roce_dscp() ? SkbPriorityOfDscp(intent.roce_dscp()) : intent.roce_priority();
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
          "port must have one of them.",
      .fix = "ip link set dev VLAN type vlan egress-qos-map FROM:PCP",
      .sources = {"rtnetlink IFLA_VLAN_EGRESS_QOS", "net/ipv4/route.c, ip_tos2prio",
                  "drivers/infiniband/core/cma.c, iboe_tos_to_sl()"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
