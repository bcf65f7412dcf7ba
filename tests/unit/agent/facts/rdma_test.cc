// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/rdma.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "agent/facts/verbs.h"
#include "tests/support/fake_netlink.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

const RdmaDeviceEntry kEntry{"pci:0000:3b:00.0", "mlx5_0", "0000:3b:00.0", "mlx5", {1}};

TEST(RdmaDevices, ComeFromSysfsWhereNetlinkCannotBeOpened) {
  FixtureTree tree;
  const std::string folder = "/sys/class/infiniband/mlx5_0/";
  tree.File(folder + "fw_ver", "28.39.1002").File(folder + "board_id", "MT_0000000838");
  tree.File(folder + "node_guid", "e8eb:d303:0012:3456");
  const v1::RdmaDevice device = ReadRdmaDevice(nullptr, HostRoot(tree.path()), kEntry);
  EXPECT_EQ(device.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(device.reading().source(), v1::SOURCE_SYSFS);
  EXPECT_EQ(device.firmware(), "28.39.1002");
  EXPECT_EQ(device.board_id(), "MT_0000000838");
}

TEST(RdmaDevices, AnEmptyFirmwareFileIsNoFirmware) {
  FixtureTree tree;
  tree.File("/sys/class/infiniband/mlx5_0/fw_ver", "");
  EXPECT_FALSE(ReadRdmaDevice(nullptr, HostRoot(tree.path()), kEntry).has_firmware());
}

TEST(RdmaDevices, OneThatIsGoneSaysSo) {
  FixtureTree tree;
  netlink::FakeTransport rdma;
  rdma.Answer(netlink::RdmaDevicesRequest(), {});
  const v1::RdmaDevice device = ReadRdmaDevice(&rdma, HostRoot(tree.path()), kEntry);
  EXPECT_EQ(device.reading().outcome(), v1::OUTCOME_ABSENT);
}

constexpr char kPortFolder[] = "/sys/class/infiniband/mlx5_0/ports/1";

TEST(RdmaPorts, ComeFromSysfsWhereNetlinkDoesNotTell) {
  FixtureTree tree;
  tree.File(fmt::format("{}/state", kPortFolder), "4: ACTIVE");
  tree.File(fmt::format("{}/phys_state", kPortFolder), "5: LinkUp");
  netlink::FakeTransport refusing;
  refusing.Refuse(netlink::RdmaDevicesRequest(), EIO);
  for (netlink::Transport* rdma :
       {static_cast<netlink::Transport*>(nullptr), static_cast<netlink::Transport*>(&refusing)}) {
    const v1::RdmaDevice device = ReadRdmaPorts(rdma, HostRoot(tree.path()), Inventory(), kEntry);
    const v1::RdmaPort& port = device.ports(0);
    EXPECT_EQ(port.reading().outcome(), v1::OUTCOME_OK);
    EXPECT_EQ(port.reading().source(), v1::SOURCE_SYSFS);
    EXPECT_TRUE(port.reading().detail().starts_with("from sysfs: ")) << port.reading().detail();
    EXPECT_EQ(port.state(), v1::PORT_STATE_ACTIVE);
    // In the words of netlink, whoever tells.
    EXPECT_EQ(port.physical_state(), "LINK_UP");
    EXPECT_FALSE(port.has_net_device_id());
  }
}

TEST(RdmaPorts, AFileThatBeginsWithNoNumberIsNoState) {
  for (const char* text : {"ACTIVE", "", "-1: NOP", "4ACTIVE", "999: HUGE"}) {
    FixtureTree tree;
    tree.File(fmt::format("{}/state", kPortFolder), text);
    const v1::RdmaDevice device =
        ReadRdmaPorts(nullptr, HostRoot(tree.path()), Inventory(), kEntry);
    EXPECT_EQ(device.ports(0).reading().outcome(), v1::OUTCOME_UNSUPPORTED) << text;
    EXPECT_FALSE(device.ports(0).has_state()) << text;
  }
}

TEST(RdmaPorts, EachSaysWhyItCouldNotBeRead) {
  netlink::FakeTransport rdma;
  rdma.Refuse(netlink::RdmaDevicesRequest(), EPROTONOSUPPORT);
  FixtureTree tree;
  const v1::RdmaDevice device = ReadRdmaPorts(&rdma, HostRoot(tree.path()), Inventory(), kEntry);
  ASSERT_EQ(device.ports_size(), 1);
  EXPECT_EQ(device.ports(0).reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_FALSE(device.ports(0).has_state());
}

TEST(Uverbs, ADeviceWithoutNodeIsAbsent) {
  FixtureTree tree;
  const v1::UverbsAccess access = ReadUverbsAccess(HostRoot(tree.path()), "mlx5_0");
  EXPECT_EQ(access.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(access.reading().needs(), "module ib_uverbs");
}

TEST(Uverbs, NameTheNodeOfThatDevice) {
  FixtureTree tree;
  tree.File("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_1");
  tree.File("/sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0");
  tree.File("/dev/infiniband/uverbs1", "");
  const v1::UverbsAccess access = ReadUverbsAccess(HostRoot(tree.path()), "mlx5_0");
  EXPECT_EQ(access.path(), "/dev/infiniband/uverbs1");
  EXPECT_TRUE(access.has_mode());
}

v1::Reading Denied() {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_DENIED);
  reading.set_error(EACCES);
  reading.set_needs("read and write access to /dev/infiniband/uverbs0");
  return reading;
}

// libibverbs answers ENOENT where permission is missing: the node's own errno is the truth.
TEST(VerbsFacts, ADeniedNodeIsDeniedWhateverTheLibrarySays) {
  const absl::Status library = ErrnoError(ENOENT, "open verbs device");
  const v1::RdmaDevice device = DeviceFactsOf(library, Denied(), Inventory(), kEntry);
  EXPECT_EQ(device.attributes().reading().outcome(), v1::OUTCOME_DENIED);
  const v1::RdmaDevice ports = PortFactsOf(library, Denied(), kEntry);
  EXPECT_EQ(ports.ports(0).attributes().reading().outcome(), v1::OUTCOME_DENIED);
  EXPECT_EQ(ports.ports(0).attributes().reading().needs(), Denied().needs());
  EXPECT_FALSE(ports.ports(0).attributes().has_active_mtu_bytes());
}

TEST(VerbsFacts, AUsableNodeLeavesTheLibrarysReason) {
  v1::Reading usable;
  usable.set_outcome(v1::OUTCOME_OK);
  EXPECT_EQ(VerbsReadingOf(ErrnoError(ENODEV, "open"), usable).error(), ENODEV);
  EXPECT_EQ(VerbsReadingOf(absl::OkStatus(), Denied()).outcome(), v1::OUTCOME_OK);
}

TEST(VerbsFacts, GiveLimitsAndGids) {
  VerbsDevice verbs;
  verbs.max_qp = 131072;
  VerbsGid gid;
  gid.port = 1;
  gid.index = 3;
  gid.type = 2;
  gid.net_device_index = 2;
  verbs.gids = std::vector<VerbsGid>{gid};
  Inventory inventory;
  inventory.net_devices = {{"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0}};
  const v1::RdmaDevice device = DeviceFactsOf(verbs, {}, inventory, kEntry);
  EXPECT_EQ(device.attributes().max_qp(), 131072u);
  ASSERT_EQ(device.ports(0).gid_table().gids_size(), 1);
  EXPECT_EQ(device.ports(0).gid_table().gids(0).type(), v1::GID_TYPE_ROCE_V2);
  EXPECT_EQ(device.ports(0).gid_table().gids(0).net_device_id(), "pci:0000:3b:00.0/0");
}

TEST(VerbsFacts, AFailedGidTableIsLeftToSysfs) {
  VerbsDevice verbs;
  verbs.gids = ErrnoError(EINVAL, "query GID table");
  EXPECT_EQ(DeviceFactsOf(verbs, {}, Inventory(), kEntry).ports_size(), 0);
}

TEST(VerbsFacts, GiveMtusAndLinkLayer) {
  VerbsPort port;
  port.number = 1;
  port.active_mtu_bytes = 4096;
  port.max_mtu_bytes = 4096;
  port.gid_table_length = 255;
  port.link_layer = 2;
  const v1::RdmaDevice device = PortFactsOf(std::vector<VerbsPort>{port}, {}, kEntry);
  EXPECT_EQ(device.ports(0).attributes().active_mtu_bytes(), 4096u);
  EXPECT_EQ(device.ports(0).attributes().link_layer(), "Ethernet");
}

TEST(VerbsFacts, OnePortMayFailAlone) {
  VerbsPort port;
  port.number = 1;
  port.status = ErrnoError(EIO, "query port 1");
  const v1::RdmaDevice device = PortFactsOf(std::vector<VerbsPort>{port}, {}, kEntry);
  EXPECT_EQ(device.ports(0).attributes().reading().outcome(), v1::OUTCOME_FAILED);
  EXPECT_FALSE(device.ports(0).attributes().has_active_mtu_bytes());
}

}  // namespace
}  // namespace roceready::facts
