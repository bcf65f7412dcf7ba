// SPDX-License-Identifier: Apache-2.0
#include "checks/host/job_gids.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "checks/host/gid.h"

namespace roceready::checks {
namespace {

// In the form of a GID: 16 octets, an IPv4 address mapped (RoCEv2 annex).
using Octets = std::array<uint8_t, 16>;

std::optional<Octets> OctetsOf(const std::string& text) {
  Octets octets{};
  if (inet_pton(AF_INET6, text.c_str(), octets.data()) == 1) return octets;
  in_addr ipv4{};
  if (inet_pton(AF_INET, text.c_str(), &ipv4) != 1) return std::nullopt;
  octets[10] = octets[11] = 0xff;
  std::memcpy(&octets[12], &ipv4, sizeof ipv4);
  return octets;
}

const v1::IpAddress* FindAddress(const v1::NetDevice& net_device, const Octets& wanted) {
  for (const v1::IpAddress& address : net_device.addresses().addresses()) {
    if (OctetsOf(address.address()) == wanted) return &address;
  }
  return nullptr;
}

bool IsOnVlanOf(const v1::HostFacts& facts, const v1::Gid& gid, const v1::FabricIntent& intent) {
  const v1::NetDevice* net_device = FindNetDevice(facts, gid.net_device_id());
  return net_device != nullptr && net_device->link().kind() == "vlan" &&
         std::ranges::find(intent.vlan_ids(), net_device->vlan().vlan_id()) !=
             intent.vlan_ids().end();
}

// Drops the others, where any is left.
template <typename Keeps>
void Narrow(std::vector<const v1::Gid*>& gids, Keeps keeps) {
  if (std::ranges::any_of(gids, keeps)) std::erase_if(gids, std::not_fn(keeps));
}

}  // namespace

bool HasWantedForm(const v1::Gid& gid, const v1::FabricIntent& intent) {
  const bool want_v1 = intent.roce_version() == "v1", want_ipv6 = intent.ip_family() == "ipv6";
  if (gid.type() != (want_v1 ? v1::GID_TYPE_ROCE_V1 : v1::GID_TYPE_ROCE_V2)) return false;
  return want_ipv6 ? !IsIpv4Gid(gid.gid()) && !IsLinkLocalGid(gid.gid()) : IsIpv4Gid(gid.gid());
}

std::vector<const v1::Gid*> JobGidsOf(const HostView& host, const PortView& port) {
  std::vector<const v1::Gid*> gids;
  for (const v1::Gid& gid : port.port->gid_table().gids()) {
    if (HasWantedForm(gid, host.intent()) && IsOnPort(gid, port)) gids.push_back(&gid);
  }
  Narrow(gids, [&](const v1::Gid* gid) { return IsOnVlanOf(host.facts(), *gid, host.intent()); });
  const v1::JobSettings& job = host.policy().job;
  Narrow(gids, [&](const v1::Gid* gid) {
    return job.has_gid_index() && gid->index() == job.gid_index();
  });
  return gids;
}

const v1::NetDevice* UnreadHolderOf(const HostView& host, const PortView& port) {
  for (const v1::Gid& gid : port.port->gid_table().gids()) {
    if (!HasWantedForm(gid, host.intent()) || IsOnPort(gid, port)) continue;
    const v1::NetDevice* holder = FindNetDevice(host.facts(), gid.net_device_id());
    if (holder != nullptr && !IsOk(ReadingOf(holder->has_link(), holder->link()))) return holder;
  }
  return nullptr;
}

GidAddress AddressOf(const v1::HostFacts& facts, const v1::Gid& gid) {
  const std::optional<Octets> wanted = OctetsOf(gid.gid());
  const v1::NetDevice* net_device = FindNetDevice(facts, gid.net_device_id());
  if (!wanted || net_device == nullptr || IsLinkLocalGid(gid.gid())) return GidAddress::kNotMissed;
  const v1::NetDevice* master = FindNetDevice(facts, net_device->link().master_id());
  for (const v1::NetDevice* holder : {net_device, master}) {
    // A bond's member may be given for the bond, which has the address.
    if (holder == nullptr) continue;
    const v1::IpAddress* address = FindAddress(*holder, *wanted);
    if (address != nullptr) {
      return address->tentative() ? GidAddress::kTentative : GidAddress::kNotMissed;
    }
    if (!IsOk(ReadingOf(holder->has_addresses(), holder->addresses()))) {
      return GidAddress::kNotMissed;
    }
  }
  return GidAddress::kGone;
}

}  // namespace roceready::checks
