// SPDX-License-Identifier: Apache-2.0
// Neighbours, switches that are heard, cables, counters of links, and who else uses the host.
#include "proto/contract/ids.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

// A counter of the second host: of a net device, a link or a PCI function.
v1::CounterSample& SampleOf(FullFleet& fleet, std::string_view owner, v1::CounterId id) {
  for (v1::PortCounters& counters : *fleet.host2().counters().mutable_ports()) {
    if (counters.owner_id() != owner) continue;
    for (v1::CounterSample& sample : *counters.mutable_samples()) {
      if (sample.id() == id) return sample;
    }
  }
  ADD_FAILURE() << "no such counter of " << owner;
  static v1::CounterSample none;
  return none;
}

v1::Neighbour& NeighbourOf(HostBuilder& host) {
  return *host.facts().mutable_neighbours()->mutable_neighbours(0);
}

v1::RdmaDeviceUse& UseOf(FullFleet& fleet) {
  return *fleet.host2().facts().mutable_rdma_use()->mutable_devices(0);
}

std::vector<Case> NeighbourCases() {
  return {
      {"neighbour.mac",
       "a static entry is out of date, so that probes fail",
       [](FullFleet& fleet) {
         NeighbourOf(fleet.audit.host(0)).set_mac("02:de:ad:00:00:01");
         NeighbourOf(fleet.audit.host(0)).set_state("permanent");
         fleet.probes[0].DropsFromAToB();
       },
       {"FAIL neighbour.mac host1>host2"},
       {"FAIL probe.write host1>host2 <- neighbour.mac",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"neighbour.answered",
       "the peer does not answer",
       [](FullFleet& fleet) {
         NeighbourOf(fleet.host2()).clear_mac();
         NeighbourOf(fleet.host2()).set_state("failed");
       },
       {"FAIL neighbour.answered host2>host1"},
       {}},
      {"neighbour.answered",
       "neither end answers the other, so that they cannot be connected",
       [](FullFleet& fleet) {
         for (size_t host : {0, 1}) {
           NeighbourOf(fleet.audit.host(host)).clear_mac();
           NeighbourOf(fleet.audit.host(host)).set_state("failed");
         }
         v1::ProbeResult& result = fleet.probes[0].result();
         result.set_failed_step("connect");
         result.set_refusal(v1::REFUSAL_REASON_RESOURCES);
         result.set_detail("host1: no answer to ARP (errno 110)");
         result.mutable_a()->clear_phases();
         result.mutable_b()->clear_phases();
       },
       {"FAIL neighbour.answered host1>host2"},
       {"FAIL neighbour.answered host2>host1 <- neighbour.answered",
        "FAIL probe.write host1>host2 <- neighbour.answered",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write"}},
      {"neighbour.answered",
       "the peer does not answer, and what is sent to it is lost",
       [](FullFleet& fleet) {
         NeighbourOf(fleet.audit.host(0)).clear_mac();
         NeighbourOf(fleet.audit.host(0)).set_state("failed");
         fleet.probes[0].DropsFromAToB();
       },
       {"FAIL neighbour.answered host1>host2"},
       {"FAIL probe.write host1>host2 <- neighbour.answered",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"lldp.rail-leaf",
       "two cables of a host are swapped",
       [](FullFleet& fleet) {
         HostBuilder& host = fleet.host2();
         host.net(0).mutable_lldp()->Swap(host.net(1).mutable_lldp());
       },
       // Of the first rail's leaf only host3 is left: host1 hears the known one.
       {"FAIL lldp.rail-leaf spare1"},
       {},
       Nic::kMlx5,
       2},
      {"lldp.frame-size",
       "the switch port announces frames of 1522 bytes",
       [](FullFleet& fleet) {
         fleet.host2().net().mutable_lldp()->mutable_neighbours(0)->set_max_frame_bytes(1522);
       },
       {"FAIL lldp.frame-size host2"},
       {},
       Nic::kMlx5,
       2},
      {"lldp.one-speaker",
       "two agents run",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_lldp_daemons()->add_running("lldpad");
         fleet.host2().facts().mutable_lldp_daemons()->add_running("lldpd");
       },
       {"FAIL lldp.one-speaker host2"},
       {}},
      {"address.reverse-path",
       "the filter is strict, and another rail is in the subnet",
       [](FullFleet& fleet) {
         HostBuilder& host = fleet.host2();
         host.WithAddress("10.77.0.102", 1);
         host.facts().mutable_ip_stack()->mutable_routes(1)->set_destination("10.77.0.0/24");
         for (const int rail : {0, 1}) {
           host.net(rail).mutable_sysctl()->set_arp_ignore(1);
           host.net(rail).mutable_sysctl()->set_arp_announce(2);
         }
         host.net(1).mutable_sysctl()->set_rp_filter(1);
       },
       {"FAIL address.reverse-path host2"},
       {},
       Nic::kMlx5,
       2},
      {"address.ipv6-enabled",
       "IPv6 is off, so that there is no GID",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.set_ip_family("ipv6");
         for (HostBuilder& host : fleet.audit.hosts) {
           host.WithIpv6("fd00:77::" + host.facts().identity().host().substr(4));
         }
         for (v1::NetDevice& net : *fleet.host2().facts().mutable_net_devices()) {
           net.mutable_sysctl()->set_ipv6_disabled(net.id() == fleet.host2().net().id());
         }
         fleet.host2().WithoutGids();
       },
       {"FAIL address.ipv6-enabled host2"},
       {"FAIL gid.rocev2-ipv4 host2 <- address.ipv6-enabled"}},
  };
}

std::vector<Case> LinkCases() {
  return {
      {"link.bit-errors",
       "FEC could not repair a block",
       [](FullFleet& fleet) {
         SampleOf(fleet, LinkOwnerId(fleet.host2().net().id()),
                  v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS)
             .set_delta(1);
       },
       {"FAIL link.bit-errors host2"},
       {},
       Nic::kMlx5},
      {"link.bit-errors",
       "more symbol errors than a sound cable has",
       [](FullFleet& fleet) {
         SampleOf(fleet, fleet.host2().net().id(), v1::COUNTER_ID_SYMBOL_ERRORS).set_delta(7);
       },
       {"FAIL link.bit-errors host2"},
       {},
       Nic::kMlx5},
      {"link.module-alarms",
       "the module is hot",
       [](FullFleet& fleet) {
         fleet.host2().net().mutable_transceiver()->add_alarms("temperature-high");
       },
       {"FAIL link.module-alarms host2"},
       {},
       Nic::kMlx5},
      {"link.flaps",
       "the kernel saw the carrier go, and the NIC counts nothing",
       [](FullFleet& fleet) {
         SampleOf(fleet, LinkOwnerId(fleet.host2().net().id()), v1::COUNTER_ID_CARRIER_DOWN)
             .set_delta(1);
       },
       {"FAIL link.flaps host2"},
       {}},
      {"pause.storm",
       "the host keeps its port paused",
       [](FullFleet& fleet) {
         SampleOf(fleet, fleet.host2().net().id(), v1::COUNTER_ID_TX_PAUSE_FRAMES)
             .set_delta(60 * 3'000);
       },
       {"FAIL pause.storm host2"},
       {}},
      {"pcie.errors",
       "PCIe lost a transaction",
       [](FullFleet& fleet) {
         SampleOf(fleet, fleet.host2().pci().id(), v1::COUNTER_ID_PCI_NONFATAL_ERRORS).set_delta(1);
       },
       {"FAIL pcie.errors host2"},
       {},
       Nic::kMlx5},
      {"pcie.errors",
       "PCIe repairs without end",
       [](FullFleet& fleet) {
         SampleOf(fleet, fleet.host2().pci().id(), v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS)
             .set_delta(900);
       },
       {"FAIL pcie.errors host2"},
       {},
       Nic::kMlx5},
      {"pcie.power-state",
       "the NIC sleeps",
       [](FullFleet& fleet) { fleet.host2().pci().set_power_state("D3hot"); },
       {"FAIL pcie.power-state host2"},
       {},
       Nic::kMlx5},
  };
}

std::vector<Case> UseCases() {
  return {
      {"cm.default-tos",
       "connections go unmarked, and storage uses them",
       [](FullFleet& fleet) { fleet.host2().port().mutable_cm_defaults()->set_tos(0); },
       {"FAIL cm.default-tos host2"},
       {}},
      {"cm.default-tos",
       "the vendor's driver forces another class on all packets",
       [](FullFleet& fleet) {
         fleet.host2().port().mutable_cm_defaults()->set_global_traffic_class(96);
       },
       {"FAIL cm.default-tos host2"},
       {}},
      {"cm.roce-mode",
       "connections take RoCE v1",
       [](FullFleet& fleet) {
         fleet.host2().port().mutable_cm_defaults()->set_roce_mode("IB/RoCE v1");
       },
       {"FAIL cm.roce-mode host2"},
       {}},
      {"use.foreign-programs",
       "yesterday's job still holds queue pairs",
       [](FullFleet& fleet) {
         UseOf(fleet).set_user_qps(2);
         v1::RdmaUser& user = *UseOf(fleet).add_users();
         user.set_name("ib_send_bw");
         user.set_qps(2);
         user.set_qps_in_error(0);
       },
       {"FAIL use.foreign-programs host2"},
       {}},
      {"use.broken-queue-pairs",
       "the kernel's storage has a broken queue pair",
       [](FullFleet& fleet) { UseOf(fleet).mutable_users(0)->set_qps_in_error(1); },
       {"FAIL use.broken-queue-pairs host2"},
       {}},
      {"use.queue-pairs-left",
       "half of the queue pairs are gone",
       [](FullFleet& fleet) { UseOf(fleet).set_kernel_qps(131'072); },
       {"FAIL use.queue-pairs-left host2"},
       {}},
      {"use.storage-live",
       "a block device has lost its target",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_kernel_users()->mutable_users(0)->set_state("connecting");
       },
       {"FAIL use.storage-live host2"},
       {}},
      {"netns.odd-one-out",
       "one host gives devices to one namespace alone",
       [](FullFleet& fleet) {
         fleet.host2().facts().mutable_rdma_stack()->set_netns_mode("exclusive");
       },
       {"FAIL netns.odd-one-out host2"},
       {}},
      {"nic-count.odd-one-out",
       "one NIC of a host has left the bus",
       [](FullFleet& fleet) {
         HostBuilder& host = fleet.host2();
         host.facts().mutable_pci_functions()->RemoveLast();
         host.facts().mutable_rdma_devices()->RemoveLast();
         // Its net device and VLAN-free rail went with it.
         host.facts().mutable_net_devices()->DeleteSubrange(1, 1);
         host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
       },
       {"FAIL nic-count.odd-one-out host2"},
       {},
       Nic::kMlx5,
       2},
      {"nic-count.missing",
       "one NIC of a host has left the bus, and three hosts built like it have theirs",
       [](FullFleet& fleet) {
         fleet.audit.hosts.emplace_back("host4", 4, Nic::kMlx5, 2);
         fleet.audit.With({.host = "host4"});
         HostBuilder& host = fleet.host2();
         host.facts().mutable_pci_functions()->RemoveLast();
         host.facts().mutable_rdma_devices()->RemoveLast();
         host.facts().mutable_net_devices()->DeleteSubrange(1, 1);
         host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
       },
       {"FAIL nic-count.missing host2"},
       {"FAIL nic-count.odd-one-out host2 <- nic-count.missing"},
       Nic::kMlx5,
       2},
      {"receiver.ready",
       "receivers of one host are late, and its peers are told to wait",
       [](FullFleet& fleet) {
         fleet.host2().WithCounter(v1::COUNTER_ID_OUT_OF_BUFFER, 5000);
         fleet.audit.host(0).WithCounter(v1::COUNTER_ID_RNR_NAKS, 4800);
       },
       {"FAIL receiver.ready host2"},
       {"FAIL receiver.ready host1 <- receiver.ready"}},
      {"receiver.ready",
       "what a late receiver refuses is sent again, and what came behind it is out of sequence",
       [](FullFleet& fleet) {
         fleet.host2().WithCounter(v1::COUNTER_ID_OUT_OF_BUFFER, 5000);
         fleet.host2().WithCounter(v1::COUNTER_ID_OUT_OF_SEQUENCE, 5200);
         fleet.audit.host(0).WithCounter(v1::COUNTER_ID_RNR_NAKS, 4800);
         fleet.audit.host(0).WithCounter(v1::COUNTER_ID_RETRANSMITS, 4700);
       },
       {"FAIL receiver.ready host2"},
       {"FAIL receiver.ready host1 <- receiver.ready",
        "FAIL loss.counters-moving host1 <- receiver.ready",
        "FAIL loss.counters-moving host2 <- receiver.ready"}},
      {"receiver.ready",
       "a sender is told to wait, and no driver counts what receivers miss",
       [](FullFleet& fleet) { fleet.host2().WithCounter(v1::COUNTER_ID_RNR_NAKS, 4800); },
       {"FAIL receiver.ready host2"},
       {}},
      {"job.queue-pairs",
       "one for each connection, and hosts that are not known to be below one leaf",
       [](FullFleet& fleet) { fleet.audit.policy.job.set_queue_pairs(1); },
       {"FAIL job.queue-pairs host1", "FAIL job.queue-pairs host2", "FAIL job.queue-pairs host3"},
       {}},
      {"queue-pairs.odd-one-out",
       "one driver was loaded with a small profile",
       [](FullFleet& fleet) { fleet.host2().rdma().mutable_attributes()->set_max_qp(124); },
       {"FAIL queue-pairs.odd-one-out host2"},
       {},
       Nic::kMlx5},
      {"device.taken-away",
       "one NIC of a host is bound to vfio-pci",
       [](FullFleet& fleet) {
         HostBuilder& host = fleet.host2();
         host.pci(1).set_driver("vfio-pci");
         host.facts().mutable_rdma_devices()->RemoveLast();
         host.facts().mutable_net_devices()->DeleteSubrange(1, 1);
         host.facts().mutable_ip_stack()->mutable_routes()->RemoveLast();
       },
       {"FAIL device.taken-away host2"},
       {"FAIL nic-count.odd-one-out host2 <- device.taken-away"},
       Nic::kMlx5,
       2},
      {"ecn.odd-one-out",
       "one host answers congestion with other parameters, and the policy names none",
       [](FullFleet& fleet) {
         v1::CongestionParameter& raw =
             *fleet.host2().port().mutable_congestion()->mutable_parameters()->add_raw();
         raw.set_name("rp_ai_rate");
         raw.set_value(7);
       },
       {"FAIL ecn.odd-one-out host2"},
       {},
       Nic::kMlx5},
  };
}

}  // namespace

std::vector<Case> SurroundingsCases() {
  std::vector<Case> cases = NeighbourCases();
  for (auto* more : {LinkCases, UseCases}) {
    for (Case& one : more()) cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace roceready::checks
