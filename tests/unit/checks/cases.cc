// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"

#include <fmt/core.h>

#include "tests/support/builders/probe_faults.h"
#include "tests/unit/checks/cases_blame.h"

namespace roceready::checks {

using builders::EndOf, builders::HostBuilder, builders::kLargeBytes, builders::kSmallBytes,
    builders::ProbeBuilder;

namespace {

using builders::Nic;

v1::NetDevice& VlanOf(HostBuilder& host) { return *host.facts().mutable_net_devices()->rbegin(); }

void MapVlan(v1::NetDevice& vlan, uint32_t from, uint32_t to) {
  vlan.mutable_vlan()->clear_egress();
  v1::QosMapping& mapping = *vlan.mutable_vlan()->add_egress();
  mapping.set_from(from);
  mapping.set_to(to);
}

// A switch whose configuration nobody has.
void HearSwitch(v1::NetDevice& net, std::string name) {
  v1::LldpNeighbour& neighbour = *net.mutable_lldp()->add_neighbours();
  neighbour.set_system_name(std::move(name));
  neighbour.set_max_frame_bytes(9216);
}

// `host` has `peer` in its neighbour table.
void Meet(HostBuilder& host, HostBuilder& peer) {
  v1::Neighbour& neighbour = *host.facts().mutable_neighbours()->add_neighbours();
  neighbour.set_net_device_id(host.net().id());
  neighbour.set_address(peer.net().addresses().addresses(0).address());
  neighbour.set_mac(peer.net().link().mac());
  neighbour.set_state("resolved");
}

std::vector<Case> HostCases() {
  return {
      {"device.rdma-present",
       "no RDMA device",
       [](FullFleet& fleet) {
         fleet.host2().facts().clear_rdma_devices();
         fleet.audit.fleet.probes = {};
       },
       {"FAIL device.rdma-present host2"},
       {}},
      {"device.rdma-present",
       "no verbs node",
       [](FullFleet& fleet) {
         *fleet.host2().rdma().mutable_uverbs()->mutable_reading() =
             builders::Unanswered(v1::OUTCOME_ABSENT, v1::SOURCE_FILE);
       },
       {"FAIL device.rdma-present host2"},
       {"UNKNOWN device.verbs-access host2 <- device.rdma-present"}},
      {"device.rdma-present",
       "a verbs node that may not be opened",
       [](FullFleet& fleet) {
         *fleet.host2().rdma().mutable_uverbs()->mutable_reading() =
             builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_FILE, "mode 0666");
         *fleet.host2().port().mutable_attributes()->mutable_reading() =
             builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_VERBS, "mode 0666");
       },
       {"UNKNOWN device.rdma-present host2"},
       {"UNKNOWN device.verbs-access host2 <- device.rdma-present",
        "UNKNOWN port.lid host2 <- device.rdma-present",
        "UNKNOWN mtu.rdma-active host2 <- device.rdma-present",
        "UNKNOWN mtu.peer-mismatch host1>host2 <- device.rdma-present",
        "UNKNOWN mtu.peer-mismatch host2>host3 <- device.rdma-present"}},
      {"device.rdma-present",
       "an interface of the job is missing",
       [](FullFleet& fleet) {
         fleet.audit.policy.job.add_interfaces("rxe0");
         fleet.host2().rdma().set_name("rxe7");
       },
       {"FAIL device.rdma-present host2"},
       {}},
      {"port.active",
       "the port is down, and all that follows from it",
       [](FullFleet& fleet) {
         fleet.host2().WithPortDown().WithoutGids().WithMtu(9000, 1024).WithPfc({});
         fleet.host2().net().mutable_ethernet()->clear_speed_mbps();
         fleet.probes[0].DropsFromAToB();
       },
       {"FAIL port.active host2", "FAIL pfc.lossless-priority host2"},
       {"FAIL gid.rocev2-ipv4 host2 <- port.active", "FAIL mtu.rdma-active host2 <- port.active",
        "FAIL mtu.peer-mismatch host1>host2 <- port.active",
        "FAIL mtu.peer-mismatch host2>host3 <- port.active",
        "UNKNOWN speed.as-planned host2 <- port.active",
        "UNKNOWN speed.odd-one-out host2 <- port.active",
        "FAIL probe.write host1>host2 <- port.active",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"gid.rocev2-ipv4",
       "only a link-local GID",
       [](FullFleet& fleet) {
         fleet.host2().port().mutable_gid_table()->mutable_gids()->RemoveLast();
       },
       {"FAIL gid.rocev2-ipv4 host2"},
       {}},
      {"mtu.netdev",
       "the net device is left at 1500, and all that follows from it",
       [](FullFleet& fleet) {
         fleet.host2().WithMtu(1500, 1024);
         fleet.probes[0].result().set_refusal(v1::REFUSAL_REASON_MTU);
         fleet.probes[0].result().set_refused_by(v1::PROBE_SIDE_B);
         fleet.probes[1].Fails(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes, {}, {});
       },
       {"FAIL mtu.netdev host2"},
       {"FAIL mtu.rdma-active host2 <- mtu.netdev",
        "FAIL mtu.peer-mismatch host1>host2 <- mtu.netdev",
        "FAIL mtu.peer-mismatch host2>host3 <- mtu.netdev",
        "UNKNOWN probe.write host1>host2 <- mtu.netdev",
        "UNKNOWN probe.write host2>host1 <- probe.write",
        "UNKNOWN probe.read host1>host2 <- probe.write",
        "UNKNOWN probe.read host2>host1 <- probe.write",
        "FAIL probe.large-only host2>host3 <- mtu.netdev",
        "FAIL probe.write host2>host3 <- probe.large-only"}},
      {"mtu.rdma-active",
       "the RDMA MTU alone is small",
       [](FullFleet& fleet) { fleet.host2().WithMtu(9000, 2048); },
       {"FAIL mtu.rdma-active host2"},
       {"FAIL mtu.peer-mismatch host1>host2 <- mtu.rdma-active",
        "FAIL mtu.peer-mismatch host2>host3 <- mtu.rdma-active"}},
      {"mtu.peer-mismatch",
       "peers differ, and the policy names no MTU",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.clear_mtu_bytes();
         fleet.audit.policy.intent.clear_rdma_mtu_bytes();
         fleet.audit.host(2).WithMtu(1500, 1024);
         fleet.host2().WithMtu(1500, 1024);
       },
       {"FAIL mtu.peer-mismatch host1>host2", "FAIL mtu.peer-mismatch host1>host3"},
       {}},
      {"pfc.lossless-priority",
       "PFC is off",
       [](FullFleet& fleet) { fleet.host2().WithPfc({}); },
       {"FAIL pfc.lossless-priority host2"},
       {}},
      {"pfc.lossless-priority",
       "PFC is on for one priority more",
       [](FullFleet& fleet) { fleet.host2().WithPfc({3, 4}); },
       {"FAIL pfc.lossless-priority host2"},
       {}},
      {"qos.dscp-priority",
       "the entry is missing",
       [](FullFleet& fleet) { fleet.host2().WithDscp({{48, 6}}); },
       {"FAIL qos.dscp-priority host2"},
       {}},
      {"qos.dscp-priority",
       "the CNP entry leads elsewhere",
       [](FullFleet& fleet) { fleet.host2().WithDscp({{26, 3}, {48, 3}}); },
       {"FAIL qos.dscp-priority host2"},
       {}},
      {"qos.dscp-priority",
       "one host differs, and the policy names no map",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.clear_roce_dscp();
         fleet.audit.policy.intent.clear_cnp_dscp();
         for (HostBuilder& host : fleet.audit.hosts) MapVlan(VlanOf(host), 3, 3);
         fleet.host2().WithDscp({{26, 4}, {48, 6}});
       },
       {"FAIL qos.dscp-priority host2"},
       {}},
      {"qos.vlan-priority",
       "the egress map has the DSCP's priority 3 instead of 2",
       [](FullFleet& fleet) { MapVlan(VlanOf(fleet.host2()), 3, 3); },
       {"FAIL qos.vlan-priority host2"},
       {}},
      {"qos.vlan-priority",
       "the VLAN is missing",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.add_vlan_ids(100);
         fleet.audit.policy.intent.clear_roce_pcp();
         fleet.host2().facts().mutable_net_devices()->RemoveLast();
       },
       {"FAIL qos.vlan-priority host2"},
       {}},
      {"ecn.dcqcn-enabled",
       "the reaction point is off on the RoCE priority",
       [](FullFleet& fleet) {
         fleet.host2()
             .port()
             .mutable_congestion()
             ->mutable_reaction_point()
             ->clear_enabled_priorities();
       },
       {"FAIL ecn.dcqcn-enabled host2"},
       {}},
      {"ecn.dcqcn-enabled",
       "it is on where the site wants none",
       [](FullFleet& fleet) {
         fleet.audit.policy.intent.set_congestion_control("none");
         for (size_t index : {0, 2}) {
           v1::CongestionControl& congestion = *fleet.audit.host(index).port().mutable_congestion();
           congestion.mutable_notification_point()->clear_enabled_priorities();
           congestion.mutable_reaction_point()->clear_enabled_priorities();
         }
       },
       {"FAIL ecn.dcqcn-enabled host2"},
       {}},
      {"ecn.dcqcn-parameters",
       "CNPs have another DSCP",
       [](FullFleet& fleet) {
         fleet.host2().port().mutable_congestion()->mutable_parameters()->set_cnp_dscp(40);
       },
       {"FAIL ecn.dcqcn-parameters host2"},
       {}},
      {"ecn.dcqcn-parameters",
       "a raw parameter differs, named as mainline names it",
       [](FullFleet& fleet) {
         v1::CongestionParameter& wanted = *fleet.audit.policy.intent.add_congestion_parameters();
         wanted.set_name("rpg_ai_rate");
         wanted.set_value(5);
         uint64_t value = 5;
         for (HostBuilder& host : fleet.audit.hosts) {
           v1::CongestionParameter& raw =
               *host.port().mutable_congestion()->mutable_parameters()->add_raw();
           raw.set_name("rp_ai_rate");
           raw.set_value(value);
           value = value == 5 ? 7 : 5;
         }
       },
       {"FAIL ecn.dcqcn-parameters host2"},
       {}},
      {"firmware.minimum",
       "older than the rule allows, and so another than its peers",
       [](FullFleet& fleet) { fleet.host2().WithFirmware("22.31.1014"); },
       {"FAIL firmware.minimum host2"},
       {"FAIL firmware.odd-one-out host2 <- firmware.minimum"}},
      {"firmware.minimum",
       "known to be bad",
       [](FullFleet& fleet) {
         fleet.audit.policy.hardware[0].rule.add_bad_firmware("28.40.1000");
         for (HostBuilder& host : fleet.audit.hosts) host.WithFirmware("28.40.1000");
         fleet.host2().WithFirmware("28.40.1001");
       },
       {"FAIL firmware.minimum host1", "FAIL firmware.minimum host3",
        "FAIL firmware.odd-one-out host2"},
       {}},
      {"firmware.odd-one-out",
       "newer than its peers",
       [](FullFleet& fleet) { fleet.host2().WithFirmware("28.44.1036"); },
       {"FAIL firmware.odd-one-out host2"},
       {}},
      {"speed.as-planned",
       "trained down",
       [](FullFleet& fleet) { fleet.host2().net().mutable_ethernet()->set_speed_mbps(25'000); },
       {"FAIL speed.as-planned host2"},
       {"FAIL speed.odd-one-out host2 <- speed.as-planned"}},
      {"loss.counters-moving",
       "sequence errors move",
       [](FullFleet& fleet) { fleet.host2().WithCounter(v1::COUNTER_ID_OUT_OF_SEQUENCE, 41); },
       {"FAIL loss.counters-moving host2"},
       {}},
      {"host.heard-from",
       "the host is silent",
       [](FullFleet& fleet) {
         fleet.audit.input(1).state = v1::HOST_STATE_MISSING;
         fleet.audit.fleet.probes.results.clear();
         for (PlannedProbe& planned : fleet.audit.fleet.probes.planned) {
           if (planned.b.host() == "host2" || planned.a.host() == "host2") {
             planned.missing_reason = "host2 is silent";
           }
         }
         fleet.audit.fleet.probes.results.push_back(&fleet.probes[2].result());
       },
       {"UNKNOWN host.heard-from host2"},
       {"UNKNOWN probe.incast host2 <- host.heard-from",
        "UNKNOWN probe.write host1>host2 <- host.heard-from",
        "UNKNOWN probe.write host2>host1 <- probe.write",
        "UNKNOWN probe.read host1>host2 <- probe.write",
        "UNKNOWN probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.write host2>host3 <- host.heard-from",
        "UNKNOWN probe.write host3>host2 <- probe.write",
        "UNKNOWN probe.read host2>host3 <- probe.write",
        "UNKNOWN probe.read host3>host2 <- probe.write"}},
      {"fleet.duplicate-host",
       "the controller met two machines of one name",
       [](FullFleet& fleet) {
         v1::Finding& twin = fleet.audit.fleet.given.emplace_back();
         twin.set_check_id("fleet.duplicate-host");
         twin.mutable_subject()->set_host("host2");
         twin.mutable_subject()->set_label("host2");
         twin.set_status(v1::CHECK_STATUS_FAIL);
         twin.set_expected("one machine");
         twin.set_actual("a second machine id");
         twin.mutable_fix()->set_text("Give it a certificate of its own.");
         twin.add_evidence()->set_host("host2");
       },
       {"FAIL fleet.duplicate-host host2"},
       {}},
  };
}

v1::PhaseResult& SenderOf(ProbeBuilder& probe) {
  return probe.Active(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes);
}

std::vector<Case> IncastCases() {
  return {
      {"probe.incast",
       "packets are lost while two send at once",
       [](FullFleet& fleet) {
         fleet.incast[1].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                                {.sent = 210'000, .repeats = 90},
                                {.received = 400'000, .gaps = 90});
       },
       {"FAIL probe.incast host2"},
       {}},
      {"probe.incast",
       "one of two that send at once fails",
       [](FullFleet& fleet) {
         fleet.incast[0].Fails(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                               {.sent = 5000, .repeats = 7}, {.received = 4000, .gaps = 7});
         SenderOf(fleet.incast[0]).set_bytes_moved(4096);
       },
       {"FAIL probe.incast host2"},
       {}},
      {"probe.incast",
       "two at once fill a tenth of the port",
       [](FullFleet& fleet) {
         for (ProbeBuilder& probe : fleet.incast) SenderOf(probe).set_bandwidth_bps(10e9);
       },
       {"FAIL probe.incast host2"},
       {},
       Nic::kMlx5},
      {"probe.incast",
       "nothing shows that the port was full",
       [](FullFleet& fleet) {
         for (ProbeBuilder& probe : fleet.incast) {
           SenderOf(probe).set_bandwidth_bps(30e9);
           SenderOf(probe).mutable_counters(0)->mutable_samples()->RemoveLast();
         }
       },
       {"UNKNOWN probe.incast host2"},
       {},
       Nic::kMlx5},
      {"probe.incast",
       "one of two can send nothing at all",
       [](FullFleet& fleet) {
         fleet.incast[0].Fails(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                               {.sent = 700, .repeats = 7}, {});
       },
       {"UNKNOWN probe.incast host2"},
       {}},
      {"probe.incast",
       "together they are faster than the port",
       [](FullFleet& fleet) {
         for (ProbeBuilder& probe : fleet.incast) SenderOf(probe).set_bandwidth_bps(97e9);
       },
       {"UNKNOWN probe.incast host2"},
       {},
       Nic::kMlx5},
      {"probe.incast",
       "an agent does not allow it",
       [](FullFleet& fleet) {
         fleet.incast[0].result().set_refusal(v1::REFUSAL_REASON_DENIED);
         fleet.incast[0].result().set_refused_by(v1::PROBE_SIDE_B);
       },
       {"UNKNOWN probe.incast host2"},
       {}},
      {"probe.incast",
       "PFC is off at the receiver, and packets are lost",
       [](FullFleet& fleet) {
         fleet.host2().WithPfc({});
         fleet.incast[0].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                                {.sent = 210'000, .repeats = 90},
                                {.received = 400'000, .gaps = 90});
       },
       {"FAIL pfc.lossless-priority host2"},
       {"FAIL probe.incast host2 <- pfc.lossless-priority"}},
  };
}

std::vector<Case> ProbeCases() {
  return {
      {"probe.write",
       "packets from host1 to host2 are dropped",
       [](FullFleet& fleet) {
         fleet.probes[0].DropsFromAToB();
         fleet.host2().WithCounter(v1::COUNTER_ID_RETRIES_EXCEEDED, 4);
       },
       {"FAIL probe.write host1>host2"},
       {"FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "UNKNOWN probe.roce-version host1>host2 <- probe.write",
        "UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.traffic-class host2>host1 <- probe.write",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery",
        "FAIL loss.counters-moving host2 <- probe.write"}},
      {"probe.write",
       "the payload is wrong",
       [](FullFleet& fleet) {
         v1::PhaseResult& side =
             fleet.probes[0].Active(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes);
         side.set_outcome(v1::PHASE_OUTCOME_MISMATCH);
         side.set_first_mismatch_offset(512);
       },
       {"FAIL probe.write host1>host2"},
       {}},
      {"probe.write",
       "the ends cannot be connected",
       [](FullFleet& fleet) {
         v1::ProbeResult& result = fleet.probes[0].result();
         result.set_failed_step("connect");
         result.set_refusal(v1::REFUSAL_REASON_RESOURCES);
         result.set_detail("host1: no answer to ARP (errno 110)");
         result.mutable_a()->clear_phases();
         result.mutable_b()->clear_phases();
       },
       {"FAIL probe.write host1>host2"},
       {"FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write"}},
      {"probe.write",
       "an agent dies",
       [](FullFleet& fleet) { fleet.probes[0].result().clear_b(); },
       {"UNKNOWN probe.write host1>host2"},
       {"UNKNOWN probe.write host2>host1 <- probe.write",
        "UNKNOWN probe.read host1>host2 <- probe.write",
        "UNKNOWN probe.read host2>host1 <- probe.write"}},
      {"probe.write",
       "an adapter is busy",
       [](FullFleet& fleet) {
         fleet.probes[0].result().set_refusal(v1::REFUSAL_REASON_BUSY);
         fleet.probes[0].result().set_refused_by(v1::PROBE_SIDE_B);
       },
       {"UNKNOWN probe.write host1>host2"},
       {"UNKNOWN probe.write host2>host1 <- probe.write",
        "UNKNOWN probe.read host1>host2 <- probe.write",
        "UNKNOWN probe.read host2>host1 <- probe.write"}},
      {"probe.read",
       "the responder cannot answer READs, and nothing is lost",
       [](FullFleet& fleet) {
         v1::PhaseResult& side =
             fleet.probes[0]
                 .Fails(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_A, kSmallBytes, {}, {})
                 .Active(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_A, kSmallBytes);
         side.mutable_completion_error()->set_status(13);
         side.mutable_completion_error()->set_status_name("IBV_WC_RNR_RETRY_EXC_ERR");
       },
       {"FAIL probe.read host1>host2"},
       {}},
      {"probe.large-only",
       "a switch on the way has a smaller MTU",
       [](FullFleet& fleet) { fleet.probes[0].SwallowsLargeFromAToB(); },
       {"FAIL probe.large-only host1>host2"},
       {"FAIL probe.write host1>host2 <- probe.large-only",
        "FAIL probe.read host2>host1 <- probe.large-only",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"probe.delivery",
       "packets of a flow overtake each other: a connection takes it for loss",
       [](FullFleet& fleet) {
         builders::LoseFrom(fleet.probes[0], v1::PROBE_SIDE_A, 16, 0);
         fleet.probes[0].DatagramsFrom(v1::PROBE_SIDE_A, 2).set_out_of_order(9);
       },
       {"FAIL probe.delivery host1>host2"},
       {"FAIL probe.loss host1>host2 <- probe.delivery"}},
      {"probe.delivery",
       "packets come twice",
       [](FullFleet& fleet) {
         fleet.probes[0].DatagramsFrom(v1::PROBE_SIDE_B, 0).set_duplicates(2);
       },
       {"FAIL probe.delivery host2>host1"},
       {}},
      {"probe.delivery",
       "a device has no datagram queue pairs",
       [](FullFleet& fleet) {
         v1::PhaseResult& side = fleet.probes[0].Passive(
             v1::PROBE_OPERATION_UD_PING, v1::PROBE_SIDE_A, builders::kDatagramBytes);
         side.set_outcome(v1::PHASE_OUTCOME_NOT_RUN);
         side.set_detail("no queue pairs for datagrams on mlx5_0");
       },
       {"UNKNOWN probe.delivery host1>host2"},
       {"UNKNOWN probe.flow-loss host1>host2 <- probe.delivery"}},
      {"probe.flow-loss",
       "one of several paths is bad",
       [](FullFleet& fleet) {
         fleet.probes[0].DatagramsFrom(v1::PROBE_SIDE_A, 3).set_received(40);
       },
       {"FAIL probe.flow-loss host1>host2"},
       {"FAIL probe.loss host1>host2 <- probe.flow-loss"}},
      {"probe.latency",
       "a queue on the way between two hosts is full",
       [](FullFleet& fleet) {
         for (const v1::ProbeSide active : {v1::PROBE_SIDE_A, v1::PROBE_SIDE_B}) {
           fleet.probes[0].Takes(active, 30'000'000);
         }
       },
       {"FAIL probe.latency host1>host2"},
       {}},
      {"probe.roce-version",
       "host1 sends RoCEv1",
       [](FullFleet& fleet) {
         for (const v1::WireRole role : {v1::WIRE_ROLE_REQUEST, v1::WIRE_ROLE_REPLY}) {
           for (v1::WirePackets* packets :
                {&fleet.probes[0].Packets(v1::PROBE_SIDE_A, /*received=*/false, role),
                 &fleet.probes[0].Packets(v1::PROBE_SIDE_B, /*received=*/true, role)}) {
             packets->set_protocol(v1::WIRE_PROTOCOL_ROCE_V1);
           }
         }
       },
       {"FAIL probe.roce-version host1>host2"},
       {"UNKNOWN probe.traffic-class host1>host2 <- probe.roce-version",
        "UNKNOWN probe.ecn-bits host1>host2 <- probe.roce-version",
        "UNKNOWN probe.congestion-marks host1>host2 <- probe.roce-version"}},
      {"probe.traffic-class",
       "a switch sets the DSCP of what host1 sends to host2 to 0",
       [](FullFleet& fleet) {
         for (const v1::WireRole role : {v1::WIRE_ROLE_REQUEST, v1::WIRE_ROLE_REPLY}) {
           fleet.probes[0].Packets(v1::PROBE_SIDE_B, /*received=*/true, role).set_traffic_class(2);
         }
       },
       {"FAIL probe.traffic-class host1>host2"},
       {}},
      {"probe.traffic-class",
       "host2 does not mark its replies",
       [](FullFleet& fleet) {
         const v1::WireRole role = v1::WIRE_ROLE_REPLY;
         fleet.probes[0].Packets(v1::PROBE_SIDE_A, /*received=*/true, role).set_traffic_class(0);
         fleet.probes[0].Packets(v1::PROBE_SIDE_B, /*received=*/false, role).set_traffic_class(0);
       },
       {"FAIL probe.traffic-class host2>host1"},
       {}},
      {"probe.ecn-bits",
       "a switch clears the last two bits of the ToS on the way to host2",
       [](FullFleet& fleet) {
         fleet.probes[0]
             .Packets(v1::PROBE_SIDE_B, /*received=*/true, v1::WIRE_ROLE_REQUEST)
             .set_traffic_class(26 << 2);
       },
       {"FAIL probe.ecn-bits host1>host2"},
       {"UNKNOWN probe.congestion-marks host1>host2 <- probe.ecn-bits"}},
      {"probe.congestion-marks",
       "a port on the way to host2 is congested",
       [](FullFleet& fleet) {
         fleet.probes[0]
             .Packets(v1::PROBE_SIDE_B, /*received=*/true, v1::WIRE_ROLE_REQUEST)
             .set_traffic_class(26 << 2 | 3);
       },
       {"FAIL probe.congestion-marks host1>host2"},
       {}},
      {"probe.loss",
       "1 % of the packets to host2 is lost",
       [](FullFleet& fleet) {
         fleet.probes[0].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                                {.sent = 2600, .received = 200, .gaps = 15, .repeats = 16},
                                {.sent = 200, .received = 2580, .gaps = 15, .duplicates = 9});
         // Acknowledgements of host2's own WRITEs are lost on the same way.
         fleet.probes[0].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_B, kLargeBytes,
                                {.sent = 1700, .received = 90, .repeats = 1},
                                {.sent = 100, .received = 1700, .duplicates = 16});
         fleet.probes[0].Counts(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_B, kLargeBytes,
                                {.sent = 130, .received = 1600, .repeats = 14},
                                {.sent = 2200, .received = 130, .duplicates = 20});
         fleet.probes[0].Counts(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_A, kLargeBytes,
                                {.sent = 102, .received = 1600, .repeats = 1},
                                {.sent = 1600, .received = 101});
         fleet.host2().WithCounter(v1::COUNTER_ID_OUT_OF_SEQUENCE, 15);
       },
       {"FAIL probe.loss host1>host2"},
       {"FAIL loss.counters-moving host2 <- probe.loss"}},
  };
}

}  // namespace

FullFleet::FullFleet(builders::Nic nic, int rails)
    : audit({HostBuilder("host1", 1, nic, rails), HostBuilder("host2", 2, nic, rails),
             HostBuilder("host3", 3, nic, rails)}) {
  audit.policy.intent.set_roce_pcp(3);
  for (HostBuilder& host : audit.hosts) {
    // ToS 104 (DSCP 26) is kernel priority 2.
    MapVlan(host.AddVlan(100), 2, 3);
    v1::CongestionControl& congestion = *host.port().mutable_congestion();
    congestion = HostBuilder("x", 1, builders::Nic::kMlx5).port().congestion();
    v1::JobSettings& job = audit.policy.job;
    job.set_traffic_class(104);
    job.set_ack_timeout_exponent(18);
    job.set_retry_count(7);
    job.set_queue_pairs(4);
  }
  // host1 hears the leaf it is plugged into; the others' switches are not known.
  audit.policy.switches.set_pfc_watchdog(true);
  v1::EcnBand& band = *audit.policy.switches.add_ecn_bands();
  band.set_up_to_mbps(100'000);
  band.set_min_threshold_from_bytes(100'000);
  band.set_max_threshold_to_bytes(2'000'000);
  builders::SwitchBuilder& leaf =
      audit.switches.emplace_back("leaf1", 2).Plan("host1", audit.host(0).net().name());
  // Leaves without a known configuration, where there are cables to swap.
  for (int rail = 0; rail < rails && rails > 1; ++rail) {
    for (HostBuilder& host : audit.hosts) HearSwitch(host.net(rail), fmt::format("spare{}", rail));
  }
  *audit.host(0).net().mutable_lldp() = leaf.HeardAt();
  Meet(audit.host(0), audit.host(1));
  Meet(audit.host(1), audit.host(0));
  for (size_t first = 0; first < 3; ++first) {
    probes
        .emplace_back(EndOf(audit.host(first).facts()), EndOf(audit.host((first + 1) % 3).facts()))
        .SendsDatagrams()
        .MeasuresLatency(900'000);
  }
  for (ProbeBuilder& probe : probes) audit.Probed(probe);
  for (const size_t sender : {0, 2}) {
    incast.emplace_back(EndOf(audit.host(sender).facts()), EndOf(audit.host(1).facts()));
  }
  for (ProbeBuilder& probe : incast) audit.Probed(probe.SendsInIncast("to-host2", 48e9));
}

v1::AuditReport FullFleet::Report() { return audit.Report(); }

const std::vector<Case>& Cases() {
  static const std::vector<Case>* cases = [] {
    auto* all = new std::vector<Case>(HostCases());
    for (auto* more : {ProbeCases, IncastCases, BlameCases, SwitchCases, NetworkCases,
                       HardwareCases, PlatformCases, SurroundingsCases}) {
      for (Case& one : more()) all->push_back(std::move(one));
    }
    return all;
  }();
  return *cases;
}

}  // namespace roceready::checks
