// SPDX-License-Identifier: Apache-2.0
// Which readings a change concerns, on a host with a bond of two mlx5 ports with a VLAN on top, a
// third mlx5 port by itself, and a virtual device that no RDMA device stands on.
#include "agent/facts/affected.h"

#include <gmock/gmock.h>

#include "agent/facts/plan.h"
#include "agent/facts/stacking.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using watch::Changes;
using watch::Topic;

constexpr uint32_t kEth0 = 2, kEth1 = 3, kEth2 = 4, kBond = 5, kVlan = 6, kDocker = 7;

class AffectedTest : public testing::Test {
 protected:
  AffectedTest() {
    for (const char* name : {"eth0", "eth1", "eth2", "bond0", "vlan100", "docker0"}) {
      tree_.NetDevice(name, 0);
    }
    const std::string folder = "/sys/devices/virtual/net/";
    tree_.File(folder + "bond0/bonding/mode", "802.3ad 4");
    for (const std::string member : {"eth0", "eth1"}) {
      tree_.Link(folder + member + "/master", folder + "bond0");
      tree_.Link(folder + "bond0/lower_" + member, folder + member);
    }
    tree_.Link(folder + "vlan100/lower_bond0", folder + "bond0");
    inventory_.net_devices = {
        {"pci:0000:3b:00.0/0", "eth0", kEth0, "0000:3b:00.0", 0},
        {"pci:0000:3b:00.1/0", "eth1", kEth1, "0000:3b:00.1", 0},
        {"pci:0000:5e:00.0/0", "eth2", kEth2, "0000:5e:00.0", 0},
        {"name:bond0", "bond0", kBond, "", 0},
        {"name:vlan100", "vlan100", kVlan, "", 0},
        {"name:docker0", "docker0", kDocker, "", 0},
    };
    // As mlx5 does it: one RDMA device for the bond, on the first member's function.
    inventory_.rdma_devices = {{"pci:0000:3b:00.0", "mlx5_bond_0", "0000:3b:00.0", "mlx5", {1}},
                               {"pci:0000:5e:00.0", "mlx5_2", "0000:5e:00.0", "mlx5", {1}}};
  }

  Affected By(const Changes& changes) {
    return Affected::By(changes, HostRoot(tree_.path()), inventory_, inventory_);
  }
  // Of all readings that the host has, the keys of those that are touched.
  std::vector<std::string> Touched(const Affected& affected) {
    std::vector<std::string> touched;
    for (const PlannedReading& reading : Plan()) {
      if (affected.Touches(reading.key)) touched.push_back(reading.key);
    }
    return touched;
  }
  std::vector<PlannedReading> Plan() {
    return PlanReadings(nullptr, std::make_shared<Inventory>(inventory_), "host", false);
  }

  FixtureTree tree_;
  Inventory inventory_;
};

TEST_F(AffectedTest, DcbOfOneDeviceIsOneReading) {
  EXPECT_THAT(Touched(By(Changes({Topic::kDcb, 0, "eth2"}))),
              ElementsAre("dcb pci:0000:5e:00.0/0"));
}

TEST_F(AffectedTest, AddressOfAPortConcernsItsGidsAndNoOtherPorts) {
  EXPECT_THAT(Touched(By(Changes({Topic::kAddress, kEth2, ""}))),
              UnorderedElementsAre("links", "ip_stack", "verbs pci:0000:5e:00.0",
                                   "rdma ports pci:0000:5e:00.0", "verbs ports pci:0000:5e:00.0"));
}

TEST_F(AffectedTest, AddressOfAVlanOverABondConcernsTheBondsRdmaDevice) {
  EXPECT_THAT(Touched(By(Changes({Topic::kAddress, kVlan, ""}))),
              UnorderedElementsAre("links", "ip_stack", "verbs pci:0000:3b:00.0",
                                   "rdma ports pci:0000:3b:00.0", "verbs ports pci:0000:3b:00.0"));
}

TEST_F(AffectedTest, LinkOfTheBondsOtherMemberConcernsTheBondsRdmaDevice) {
  const std::vector<std::string> touched = Touched(By(Changes({Topic::kLink, kEth1, ""})));
  EXPECT_THAT(touched, testing::Contains("verbs pci:0000:3b:00.0"));
  EXPECT_THAT(touched, testing::Contains("ethtool pci:0000:3b:00.1/0"));
  EXPECT_THAT(touched, testing::Not(testing::Contains("ethtool pci:0000:3b:00.0/0")));
  EXPECT_THAT(touched, testing::Not(testing::Contains("verbs pci:0000:5e:00.0")));
}

TEST_F(AffectedTest, LinkWithoutRdmaConcernsNoRdmaDevice) {
  for (const std::string& key : Touched(By(Changes({Topic::kLink, kDocker, ""})))) {
    EXPECT_EQ(key.find("pci:"), std::string::npos) << key;
  }
}

TEST_F(AffectedTest, DevlinkConcernsItsFunctionAndTheDumpOfHealth) {
  EXPECT_THAT(Touched(By(Changes({Topic::kDevlink, 0, "0000:5e:00.0"}))), ElementsAre("health"));
}

TEST_F(AffectedTest, RdmaEventConcernsItsDevice) {
  const std::vector<std::string> touched = Touched(By(Changes({Topic::kRdma, 0, "mlx5_2"})));
  EXPECT_THAT(touched, testing::Contains("rdma pci:0000:5e:00.0"));
  EXPECT_THAT(touched, testing::Contains("rdma_stack"));
  EXPECT_THAT(touched, testing::Not(testing::Contains("rdma pci:0000:3b:00.0")));
}

TEST_F(AffectedTest, LldpIsOneReading) {
  EXPECT_THAT(Touched(By(Changes({Topic::kLldp, 0, ""}))), ElementsAre("lldp"));
}

TEST_F(AffectedTest, EverythingIsEveryReading) {
  EXPECT_EQ(Touched(By(Changes::Everything())).size(), Plan().size());
}

TEST_F(AffectedTest, NetDeviceThatCameOrWentConcernsTheListsOfThem) {
  Inventory before = inventory_;
  before.net_devices.pop_back();
  const Changes came({Topic::kDevices, 0, ""});
  const auto touched = Touched(Affected::By(came, HostRoot(tree_.path()), inventory_, before));
  EXPECT_THAT(touched, UnorderedElementsAre("links", "ip_stack", "neighbours", "lldp"));
}

TEST_F(AffectedTest, RenamedNetDeviceOrAnotherRdmaDeviceIsEverything) {
  Inventory renamed = inventory_;
  renamed.net_devices[5].name = "docker1";
  Inventory other = inventory_;
  other.rdma_devices.pop_back();
  for (const Inventory& before : {renamed, other}) {
    const Affected affected =
        Affected::By(Changes({Topic::kDevices, 0, ""}), HostRoot(tree_.path()), inventory_, before);
    EXPECT_EQ(Touched(affected).size(), Plan().size());
  }
}

TEST_F(AffectedTest, EveryKindOfReadingIsDescribed) {
  inventory_.pci_addresses = {"0000:3b:00.0"};
  for (const PlannedReading& reading : Plan()) {
    EXPECT_TRUE(IsDescribed(reading.key))
        << reading.key << ": say in affected.cc which changes concern it";
  }
}

TEST_F(AffectedTest, KindThatNobodyDescribedIsAlwaysRead) {
  EXPECT_TRUE(By(Changes({Topic::kLldp, 0, ""})).Touches("phase of the moon"));
}

TEST_F(AffectedTest, BottomIsWhatFramesComeInBy) {
  const HostRoot root(tree_.path());
  EXPECT_THAT(BottomOf(root, "vlan100"), UnorderedElementsAre("eth0", "eth1"));
  EXPECT_THAT(BottomOf(root, "eth1"), UnorderedElementsAre("eth0", "eth1"));
  EXPECT_THAT(BottomOf(root, "eth2"), UnorderedElementsAre("eth2"));
  EXPECT_THAT(BottomOf(root, "nothing"), IsEmpty());
}

}  // namespace
}  // namespace roceready::facts
