// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/virtual_functions.h"

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {

v1::VirtualFunctions VirtualFunctionsOf(const absl::StatusOr<netlink::LinkVfs>& answer) {
  v1::VirtualFunctions result;
  *result.mutable_reading() = ReadingOf(answer.status(), v1::SOURCE_RTNETLINK);
  if (!answer.ok()) return result;
  // Also a representor, whose PCI function is the physical one.
  if (!answer->has_value()) {
    *result.mutable_reading() =
        MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_RTNETLINK,
                       "the device does not show its function's virtual functions");
    return result;
  }
  for (const netlink::LinkVf& vf : **answer) {
    v1::VirtualFunction* row = result.add_functions();
    row->set_index(vf.index);
    if (vf.mac) row->set_mac(netlink::MacText(*vf.mac));
    if (vf.vlan_id) row->set_vlan_id(*vf.vlan_id);
    if (vf.vlan_priority) row->set_vlan_priority(*vf.vlan_priority);
    const bool is_tagged = vf.vlan_id.value_or(0) != 0 || vf.vlan_priority.value_or(0) != 0;
    if (is_tagged && vf.vlan_protocol) {
      row->set_vlan_protocol(netlink::VlanProtocolWord(*vf.vlan_protocol));
    }
    if (vf.min_rate) row->set_min_rate_mbps(*vf.min_rate);
    if (vf.max_rate) row->set_max_rate_mbps(*vf.max_rate);
    if (vf.spoof_check) row->set_spoof_check(*vf.spoof_check);
    if (vf.link_state) row->set_link_state(netlink::VfLinkStateWord(*vf.link_state));
    if (vf.trust) row->set_trust(*vf.trust);
  }
  return result;
}

v1::VirtualFunctions ReadVirtualFunctions(const Sources& sources, const NetDeviceEntry& entry) {
  const absl::StatusOr<int64_t> enabled = sources.root().ReadNumber(
      fmt::format("/sys/bus/pci/devices/{}/sriov_numvfs", entry.pci_address));
  const bool none = enabled.ok() ? *enabled == 0 : absl::IsNotFound(enabled.status());
  if (none) {
    v1::VirtualFunctions result;
    *result.mutable_reading() = MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS,
                                               "the function has no virtual functions");
    return result;
  }
  const auto route = sources.OpenNetlink(netlink::Protocol::kRoute);
  return VirtualFunctionsOf(route.ok() ? netlink::ReadLinkVfs(**route, entry.index)
                                       : route.status());
}

}  // namespace roceready::facts
