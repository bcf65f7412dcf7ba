// SPDX-License-Identifier: Apache-2.0
// Readings of net devices.
#include "agent/facts/dcb.h"
#include "agent/facts/ethernet.h"
#include "agent/facts/file_counters.h"
#include "agent/facts/ip_stack.h"
#include "agent/facts/links.h"
#include "agent/facts/lldp.h"
#include "agent/facts/neighbours.h"
#include "agent/facts/planner.h"
#include "agent/facts/readings.h"
#include "agent/facts/transceiver.h"
#include "agent/facts/virtual_functions.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

using netlink::Protocol;

v1::NetDevice* AddRow(const NetDeviceEntry& entry, v1::HostFacts* facts) {
  v1::NetDevice* row = facts->add_net_devices();
  row->set_id(entry.id);
  row->set_index(entry.index);
  row->set_name(entry.name);
  return row;
}

PortTotals TotalsMissing(const std::string& owner, const v1::Reading& reading) {
  PortTotals totals;
  totals.counters.set_owner_id(owner);
  *totals.counters.mutable_reading() = reading;
  return totals;
}

}  // namespace

void Planner::PlanNetFiles(const NetDeviceEntry& entry) {
  Add({"net files " + entry.id, std::string(kHostLane), "sysfs of " + entry.name, v1::SOURCE_SYSFS,
       [sources = sources_, entry] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         *row->mutable_mtu() = ReadMtuFromSysfs(sources->root(), entry.name);
         *row->mutable_sysctl() = ReadNetSysctl(sources->root(), entry.name);
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         *row->mutable_mtu()->mutable_reading() = reading;
         *row->mutable_sysctl()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanLldp() {
  Add({"lldp", std::string(kHostLane), "LLDP", v1::SOURCE_LLDP_FRAME,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment = ReadLldp(sources->ears(), sources->root(), *inventory);
         *fragment.facts.mutable_lldp_daemons() = ReadLldpDaemons(sources->root());
         return fragment;
       },
       [inventory = inventory_](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_lldp_daemons()->mutable_reading() = reading;
         for (const NetDeviceEntry& entry : inventory->net_devices) {
           *AddRow(entry, &fragment.facts)->mutable_lldp()->mutable_reading() = reading;
         }
         return fragment;
       }});
}

void Planner::PlanLinks() {
  Add({"links", std::string(kRtnlLane), "rtnetlink", v1::SOURCE_RTNETLINK,
       [sources = sources_, inventory = inventory_] {
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         if (route.ok()) return Fragment{ReadLinks(**route, *inventory), {}, {}};
         return Fragment{
             LinksMissing(ReadingOf(route.status(), v1::SOURCE_RTNETLINK), *inventory), {}, {}};
       },
       [inventory = inventory_](const v1::Reading& reading) {
         return Fragment{LinksMissing(reading, *inventory), {}, {}};
       }});
}

void Planner::PlanVirtualFunctions(const NetDeviceEntry& entry) {
  Add({"virtual functions " + entry.id, std::string(kRtnlLane),
       "virtual functions of " + entry.name, v1::SOURCE_RTNETLINK,
       [sources = sources_, entry] {
         Fragment fragment;
         *AddRow(entry, &fragment.facts)->mutable_virtual_functions() =
             ReadVirtualFunctions(*sources, entry);
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         *AddRow(entry, &fragment.facts)->mutable_virtual_functions()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanIpStack() {
  Add({"ip_stack", std::string(kRtnlLane), "routes by rtnetlink", v1::SOURCE_RTNETLINK,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment;
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         if (route.ok()) {
           *fragment.facts.mutable_ip_stack() = ReadIpStack(**route, *inventory);
         } else {
           *fragment.facts.mutable_ip_stack()->mutable_reading() =
               ReadingOf(route.status(), v1::SOURCE_RTNETLINK);
         }
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_ip_stack()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanNeighbours() {
  Add({"neighbours", std::string(kRtnlLane), "neighbours by rtnetlink", v1::SOURCE_RTNETLINK,
       [sources = sources_, inventory = inventory_] {
         Fragment fragment;
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         if (route.ok()) {
           *fragment.facts.mutable_neighbours() = ReadNeighbours(**route, *inventory);
         } else {
           *fragment.facts.mutable_neighbours()->mutable_reading() =
               ReadingOf(route.status(), v1::SOURCE_RTNETLINK);
         }
         return fragment;
       },
       [](const v1::Reading& reading) {
         Fragment fragment;
         *fragment.facts.mutable_neighbours()->mutable_reading() = reading;
         return fragment;
       }});
}

void Planner::PlanEthtool(const NetDeviceEntry& entry) {
  Add({"ethtool " + entry.id, std::string(kRtnlLane), "ethtool of " + entry.name,
       v1::SOURCE_ETHTOOL_NETLINK,
       [sources = sources_, entry, with_raw = with_raw_] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         PortTotals link = ReadLinkTotals(sources->root(), entry);
         v1::PortCounters pause;
         const auto ethtool = OpenGeneric(*sources, netlink::kEthtoolFamily);
         if (ethtool.ok()) {
           *row->mutable_ethernet() =
               ReadEthernet(*ethtool->transport, ethtool->family, entry.name, &link.counters);
           *row->mutable_pause() =
               ReadGlobalPause(*ethtool->transport, ethtool->family, entry.name, &pause);
         } else {
           FillEthernetMissing(ReadingOf(ethtool.status(), v1::SOURCE_ETHTOOL_NETLINK), row);
         }
         fragment.ports.push_back(std::move(link));
         const auto control = sources->OpenEthtool();
         if (control.ok()) {
           *row->mutable_driver() = ReadNetDriver(**control, entry.name);
           fragment.ports.push_back(ReadEthernetTotals(**control, entry, with_raw));
           AddStandardPause(pause, &fragment.ports.back().counters);
         } else {
           const v1::Reading closed = ReadingOf(control.status(), v1::SOURCE_ETHTOOL_IOCTL);
           *row->mutable_driver()->mutable_reading() = closed;
           fragment.ports.push_back(TotalsMissing(entry.id, closed));
         }
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         FillEthernetMissing(reading, AddRow(entry, &fragment.facts));
         fragment.ports.push_back(TotalsMissing(entry.id, reading));
         fragment.ports.push_back(TotalsMissing(LinkOwnerId(entry.id), reading));
         return fragment;
       }});
}

void Planner::PlanDcb(const NetDeviceEntry& entry) {
  Add({"dcb " + entry.id, std::string(kRtnlLane), "DCB of " + entry.name, v1::SOURCE_DCBNL,
       [sources = sources_, entry] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         const auto route = sources->OpenNetlink(Protocol::kRoute);
         *row->mutable_dcb() = route.ok() ? ReadDcbFacts(**route, entry.name)
                                          : DcbMissing(ReadingOf(route.status(), v1::SOURCE_DCBNL));
         ReadVendorDcb(sources->root(), entry.name, row->mutable_dcb());
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         *AddRow(entry, &fragment.facts)->mutable_dcb() = DcbMissing(reading);
         return fragment;
       }});
}

void Planner::PlanTransceiver(const NetDeviceEntry& entry) {
  Add({"transceiver " + entry.id, std::string(kRtnlLane), "module of " + entry.name,
       v1::SOURCE_ETHTOOL_NETLINK,
       [sources = sources_, entry] {
         Fragment fragment;
         v1::NetDevice* row = AddRow(entry, &fragment.facts);
         const auto ethtool = OpenGeneric(*sources, netlink::kEthtoolFamily);
         if (ethtool.ok()) {
           *row->mutable_transceiver() =
               ReadTransceiver(*ethtool->transport, ethtool->family, entry.name);
         } else {
           *row->mutable_transceiver()->mutable_reading() =
               ReadingOf(ethtool.status(), v1::SOURCE_ETHTOOL_NETLINK);
         }
         return fragment;
       },
       [entry](const v1::Reading& reading) {
         Fragment fragment;
         *AddRow(entry, &fragment.facts)->mutable_transceiver()->mutable_reading() = reading;
         return fragment;
       }});
}

}  // namespace roceready::facts
