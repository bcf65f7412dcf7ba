// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firmware.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace roceready::facts {
namespace {

v1::PciFunction Function() {
  v1::PciFunction function;
  function.set_id("pci:0000:3b:00.0");
  function.set_adapter_id("pci:0000:3b:00");
  return function;
}

TEST(Firmware, KeepsRunningStoredAndFixedVersionsApart) {
  netlink::DevlinkInfo info;
  info.running = {{"fw.version", "28.39.1002"}};
  info.stored = {{"fw.version", "28.40.1000"}};
  info.fixed = {{"fw.psid", "MT_0000000838"}};
  v1::PciFunction function = Function();
  FillFirmware(info, &function);
  EXPECT_EQ(function.firmware().running(0).value(), "28.39.1002");
  EXPECT_EQ(function.firmware().stored(0).value(), "28.40.1000");
  EXPECT_EQ(function.firmware().psid(), "MT_0000000838");
  EXPECT_EQ(function.adapter_id(), "pci:0000:3b:00");
}

TEST(Firmware, ASerialNumberNamesTheAdapter) {
  netlink::DevlinkInfo info;
  info.serial_number = "MT2231X00001";
  v1::PciFunction function = Function();
  FillFirmware(info, &function);
  EXPECT_EQ(function.serial_number(), "MT2231X00001");
  EXPECT_EQ(function.adapter_id(), "serial:MT2231X00001");
}

TEST(Firmware, IsTakenFromEthtoolWhereDevlinkDoesNotAnswer) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Function();
  FillFirmware(ErrnoError(ENODEV, "devlink info"), facts.mutable_pci_functions(0));
  EXPECT_EQ(facts.pci_functions(0).firmware().reading().outcome(), v1::OUTCOME_ABSENT);
  v1::NetDevice* device = facts.add_net_devices();
  device->set_id("pci:0000:3b:00.0/0");
  device->mutable_driver()->set_firmware("22.35.1012 (MT_0000000359)");
  CompleteFirmware(&facts);
  const v1::Firmware& firmware = facts.pci_functions(0).firmware();
  EXPECT_EQ(firmware.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(firmware.reading().source(), v1::SOURCE_ETHTOOL_IOCTL);
  EXPECT_EQ(firmware.running(0).value(), "22.35.1012");
  EXPECT_EQ(firmware.psid(), "MT_0000000359");
}

TEST(Firmware, IsTakenFromTheRdmaDeviceAtLast) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Function();
  FillFirmware(ErrnoError(EOPNOTSUPP, "devlink info"), facts.mutable_pci_functions(0));
  v1::RdmaDevice* device = facts.add_rdma_devices();
  device->set_id("pci:0000:3b:00.0");
  device->set_driver("mlx5");
  device->set_firmware("16.35.2000");
  device->set_board_id("MT_0000000012");
  CompleteFirmware(&facts);
  EXPECT_EQ(facts.pci_functions(0).firmware().running(0).value(), "16.35.2000");
  EXPECT_EQ(facts.pci_functions(0).firmware().psid(), "MT_0000000012");
}

TEST(Firmware, StaysMissingWhereNobodyKnowsIt) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Function();
  FillFirmware(ErrnoError(ENODEV, "devlink info"), facts.mutable_pci_functions(0));
  CompleteFirmware(&facts);
  EXPECT_EQ(facts.pci_functions(0).firmware().reading().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Firmware, OfAnotherFunctionIsNotTaken) {
  v1::HostFacts facts;
  *facts.add_pci_functions() = Function();
  FillFirmware(ErrnoError(ENODEV, "devlink info"), facts.mutable_pci_functions(0));
  v1::NetDevice* device = facts.add_net_devices();
  device->set_id("pci:0000:3b:00.1/0");
  device->mutable_driver()->set_firmware("22.35.1012");
  CompleteFirmware(&facts);
  EXPECT_EQ(facts.pci_functions(0).firmware().running_size(), 0);
}

TEST(FirmwareText, HoldsAPsidInMellanoxStyleOnly) {
  EXPECT_EQ(ParseFirmwareText("22.35.1012 (MT_0000000359)").psid, "MT_0000000359");
  EXPECT_EQ(ParseFirmwareText("4.20 0x8001778b 1.3346.0").version, "4.20 0x8001778b 1.3346.0");
  EXPECT_EQ(ParseFirmwareText("226.0.145.0/pkg 226.1.107.1").psid, "");
}

TEST(Health, ReportersBelongToTheirFunction) {
  netlink::DevlinkHealthReporter fw;
  fw.handle = {"pci", "0000:3b:00.0"};
  fw.name = "fw_fatal";
  fw.state = 1;
  fw.error_count = 2;
  netlink::DevlinkHealthReporter port = fw;
  port.name = "rx";
  port.port_index = 1;
  port.state = 0;
  const Health health = HealthOf(std::vector<netlink::DevlinkHealthReporter>{fw, port},
                                 {"0000:3b:00.0", "0000:3b:00.1"});
  ASSERT_EQ(health.facts.pci_functions_size(), 2);
  ASSERT_EQ(health.facts.pci_functions(0).health().reporters_size(), 2);
  EXPECT_EQ(health.facts.pci_functions(0).health().reporters(0).state(), "error");
  EXPECT_EQ(health.facts.pci_functions(0).health().reporters(1).name(), "port1/rx");
  EXPECT_EQ(health.facts.pci_functions(1).health().reporters_size(), 0);
  EXPECT_EQ(health.counters.health_errors(0).total(), 2u);
}

}  // namespace
}  // namespace roceready::facts
