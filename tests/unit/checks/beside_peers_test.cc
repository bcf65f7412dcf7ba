// SPDX-License-Identifier: Apache-2.0
// Checks of hosts beside their peers: what is no fault, what is told once, and what is not known.
#include <fmt/core.h>

#include "tests/unit/checks/audit.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder, builders::Nic;

v1::AuditReport Judge(const HostBuilder& host) { return AuditOf({host}).Report(); }

TEST(OneQueuePair, IsEnoughBelowOneLeafAndNotOverABond) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5, 2), HostBuilder("gpu2", 2, Nic::kMlx5, 2)});
  audit.policy.job.set_queue_pairs(1);
  EXPECT_EQ(TallyOf(audit.Report(), "job.queue-pairs").fail(), 2u);

  for (size_t host : {0, 1}) {
    for (int rail : {0, 1}) {
      audit.host(host).net(rail).mutable_lldp()->add_neighbours()->set_system_name(
          fmt::format("leaf{}", rail));
    }
  }
  EXPECT_EQ(TallyOf(audit.Report(), "job.queue-pairs").not_applicable(), 2u);

  for (size_t host : {0, 1}) audit.host(host).BondRails(0, 1);
  EXPECT_EQ(TallyOf(audit.Report(), "job.queue-pairs").fail(), 2u);
}

TEST(TakenAway, IsNotToldOfAsManyNicsAsAreUsedNorOfThoseThatTheJobDoesNotName) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5, 2), HostBuilder("gpu2", 2, Nic::kMlx5, 2),
                 HostBuilder("gpu3", 3, Nic::kMlx5, 2)});
  const auto take_away = [](HostBuilder& host) {
    host.pci(1).set_driver("vfio-pci");
    host.facts().mutable_rdma_devices()->RemoveLast();
  };
  take_away(audit.host(1));
  EXPECT_EQ(TallyOf(audit.Report(), "device.taken-away").fail(), 1u);

  take_away(audit.host(2));
  EXPECT_EQ(TallyOf(audit.Report(), "device.taken-away").fail(), 0u);

  audit.host(2) = HostBuilder("gpu3", 3, Nic::kMlx5, 2);
  audit.policy.job.add_interfaces(audit.host(0).rdma(0).name());
  EXPECT_EQ(Find(audit.Report(), "device.taken-away"), nullptr);
}

TEST(ReceiversThatAreLate, AreNoFaultWhileTheyAreFew) {
  HostBuilder host("gpu1", 1, Nic::kMlx5);
  host.WithCounter(v1::COUNTER_ID_OUT_OF_BUFFER, 9);
  EXPECT_EQ(TallyOf(Judge(host), "receiver.ready").pass(), 1u);

  host.WithCounter(v1::COUNTER_ID_OUT_OF_BUFFER, 900);
  EXPECT_EQ(TallyOf(Judge(host), "receiver.ready").fail(), 1u);

  host.WithCounter(v1::COUNTER_ID_RX_PACKETS, 100'000'000);
  EXPECT_EQ(TallyOf(Judge(host), "receiver.ready").pass(), 1u);
}

TEST(NetDeviceElsewhere, IsTheGidsUnknownAndNotThatOfTheDriversSwitch) {
  HostBuilder host("gpu1", 1, Nic::kMlx5, 2);
  host.port(1).clear_net_device_id();
  for (v1::Gid& gid : *host.port(1).mutable_gid_table()->mutable_gids()) {
    gid.set_net_device_id("name:elsewhere");
  }

  const v1::AuditReport report = Judge(host);

  EXPECT_EQ(Only(report, "gid.rocev2-ipv4").status(), v1::CHECK_STATUS_UNKNOWN);
  EXPECT_EQ(Only(report, "gid.rocev2-ipv4").caused_by(), "");
  EXPECT_EQ(Only(report, "device.roce-enabled").caused_by(), Only(report, "gid.rocev2-ipv4").key());
  EXPECT_EQ(Only(report, "pfc.lossless-priority").caused_by(),
            Only(report, "gid.rocev2-ipv4").key());
}

TEST(Model, IsUnknownWhereThePciBusWasNotRead) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kMlx5), HostBuilder("gpu2", 2, Nic::kMlx5),
                 HostBuilder("gpu3", 3, Nic::kMlx5)});
  audit.host(1).facts().clear_pci_functions();
  *audit.host(1).facts().mutable_pci_scan() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_SYSFS);

  const v1::AuditReport report = audit.Report();

  for (const std::string_view id :
       {"model.odd-one-out", "slot.odd-one-out", "queue-pairs.odd-one-out", "ecn.odd-one-out",
        "firmware.minimum"}) {
    EXPECT_EQ(TallyOf(report, id).fail(), 0u) << id;
    EXPECT_EQ(TallyOf(report, id).unknown(), 1u) << id;
  }
}

TEST(Firmware, OfOtherSourcesIsNotCompared) {
  AuditOf audit({HostBuilder("gpu1", 1, Nic::kBnxt), HostBuilder("gpu2", 2, Nic::kBnxt),
                 HostBuilder("gpu3", 3, Nic::kBnxt)});
  v1::PciFunction& nic = audit.host(1).pci();
  nic.mutable_firmware()->clear_running();
  *nic.mutable_firmware()->mutable_reading() =
      builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_DEVLINK);
  audit.host(1).net().mutable_driver()->set_firmware("28.39.1002/pkg 218.1.221.0");

  EXPECT_EQ(TallyOf(audit.Report(), "firmware.odd-one-out").fail(), 0u);
}

}  // namespace
}  // namespace roceready::checks
