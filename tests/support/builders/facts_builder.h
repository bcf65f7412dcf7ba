// SPDX-License-Identifier: Apache-2.0
// Facts of hosts for tests of checks, reports and plans. A builder starts from a host that is right
// in every respect under HealthyPolicy(); a test says what is different.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/effective_policy.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::builders {

inline v1::Reading Answered(v1::Source source) {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_OK);
  reading.set_source(source);
  return reading;
}

inline v1::Reading Unanswered(v1::Outcome outcome, v1::Source source, std::string_view needs = {},
                              std::string_view detail = {}) {
  v1::Reading reading;
  reading.set_outcome(outcome);
  reading.set_source(source);
  reading.set_needs(std::string(needs));
  reading.set_detail(std::string(detail));
  return reading;
}

// What makes the NICs of a host: as our lab has it, or one of the hardware families.
enum class Nic { kLab, kMlx5, kBnxt, kIce };

class HostBuilder {
 public:
  // Rails 0 to rails-1, named eth0.. (ens0.. on hardware), with addresses 10.77.RAIL.NUMBER/24.
  HostBuilder(std::string_view host, uint32_t number, Nic nic = Nic::kLab, int rails = 1);

  v1::HostFacts& facts() { return facts_; }
  v1::HostCounters& counters() { return counters_; }
  v1::NetDevice& net(int rail = 0) { return *facts_.mutable_net_devices(rail); }
  v1::RdmaDevice& rdma(int rail = 0) { return *facts_.mutable_rdma_devices(rail); }
  v1::RdmaPort& port(int rail = 0) { return *rdma(rail).mutable_ports(0); }
  v1::PciFunction& pci(int rail = 0) { return *facts_.mutable_pci_functions(rail); }
  v1::PortCounters& port_counters(int rail = 0) { return *counters_.mutable_ports(rail); }

  HostBuilder& WithPfc(std::vector<uint32_t> priorities, int rail = 0);
  // Replaces the DSCP entries: {dscp, priority}.
  HostBuilder& WithDscp(std::vector<std::pair<uint32_t, uint32_t>> entries, int rail = 0);
  HostBuilder& WithMtu(uint32_t net_device, uint32_t rdma, int rail = 0);
  HostBuilder& WithFirmware(std::string_view version, int rail = 0);
  HostBuilder& WithoutGids(int rail = 0);
  // Another IPv4 address, and its GID with it.
  HostBuilder& WithAddress(std::string_view ipv4, int rail = 0);
  // A global IPv6 address more, whose GID takes the place of the IPv4 one.
  HostBuilder& WithIpv6(std::string_view address, int rail = 0);
  // Port DOWN, no carrier, switched off.
  HostBuilder& WithPortDown(int rail = 0);
  HostBuilder& WithCounter(v1::CounterId id, uint64_t delta, int rail = 0);
  // A VLAN device on the rail's net device; gets no address.
  v1::NetDevice& AddVlan(uint32_t vlan_id, int rail = 0);
  // Puts a bond over the net devices of two rails; the first rail's RDMA device then is the bond's.
  void BondRails(int first, int second);
  // Makes the rail's function a virtual one of a physical function that carries the DCB settings.
  v1::NetDevice& MakeVirtual(int rail = 0);

 private:
  void AddRail(std::string_view host, uint32_t number, Nic nic, int rail);

  v1::HostFacts facts_;
  v1::HostCounters counters_;
};

// Every expectation given: lossless 3, DSCP 26 -> 3, CNP 48 -> 6, MTU 9000/4096, trust DSCP, v2
// over IPv4, DCQCN, 100 Gb/s, firmware 28.39.1002 for the lab's and mlx5 NICs.
EffectivePolicy HealthyPolicy();

}  // namespace roceready::builders
