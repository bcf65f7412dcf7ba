// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/places.h"

#include <fmt/core.h>

#include "proto/contract/host_name.h"

namespace roceready::whois {
namespace {

// The RDMA port whose GIDs are of this net device, or that sits on it.
void AddRdmaPort(const v1::HostFacts& facts, const v1::NetDevice& net, v1::Place* place) {
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    for (const v1::RdmaPort& port : device.ports()) {
      for (const v1::Gid& gid : port.gid_table().gids()) {
        if (gid.net_device_id() == net.id()) *place->add_gids() = gid;
      }
      if (place->gids().empty() && port.net_device_id() != net.id()) continue;
      place->set_rdma_device(device.name());
      place->set_port(port.number());
      return;
    }
  }
}

std::string_view TypeWord(v1::GidType type) {
  switch (type) {
    case v1::GID_TYPE_ROCE_V2:
      return "RoCEv2";
    case v1::GID_TYPE_ROCE_V1:
      return "RoCEv1";
    default:
      return "InfiniBand";
  }
}

void Add(std::string* words, std::string_view one) {
  if (!words->empty()) *words += ", ";
  *words += one;
}

std::string MatchOfAddress(const v1::Place& place, const AddressBytes& address) {
  std::string words;
  for (const std::string& one : place.addresses()) {
    const std::string bare = one.substr(0, one.find('/'));
    if (AddressOf(bare) != address) continue;
    Add(&words, bare.find(':') == std::string::npos ? "IPv4 address" : "IPv6 address");
  }
  for (const v1::Gid& gid : place.gids()) {
    if (AddressOf(gid.gid()) != address) continue;
    Add(&words, fmt::format("GID {} ({})", gid.index(), TypeWord(gid.type())));
  }
  return words;
}

}  // namespace

std::vector<v1::Place> PlacesOf(const v1::HostFacts& facts) {
  std::vector<v1::Place> places;
  for (const v1::NetDevice& net : facts.net_devices()) {
    v1::Place& place = places.emplace_back();
    place.set_host(facts.identity().host());
    place.set_net_device(net.name());
    place.set_mac(net.link().mac());
    for (const v1::IpAddress& address : net.addresses().addresses()) {
      place.add_addresses(fmt::format("{}/{}", address.address(), address.prefix_bits()));
    }
    AddRdmaPort(facts, net, &place);
  }
  return places;
}

std::string MatchOf(const v1::Place& place, const What& what) {
  if (what.address) return MatchOfAddress(place, *what.address);
  if (what.mac) return MacOf(place.mac()) == what.mac ? "MAC" : "";
  if (!MayBeSameHost(place.host(), what.host)) return "";
  if (what.device.empty()) return "host";
  if (place.net_device() == what.device) return "net device";
  // As perftest and NCCL write a port.
  const bool is_rdma = !place.rdma_device().empty() &&
                       (place.rdma_device() == what.device ||
                        fmt::format("{}:{}", place.rdma_device(), place.port()) == what.device);
  return is_rdma ? "RDMA device" : "";
}

}  // namespace roceready::whois
