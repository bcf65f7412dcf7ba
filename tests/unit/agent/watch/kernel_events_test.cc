// SPDX-License-Identifier: Apache-2.0
// Events as the kernel sent them to a socket beside `ip` (tests/fuzz/seeds/kernel_events: recorded
// in a network namespace); names that end in "composed" are made from the kernel's headers, for
// what needs a later kernel or hardware.
#include "agent/watch/kernel_events.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/support/source_path.h"

namespace roceready::watch {
namespace {

using namespace std::string_literals;
using netlink::Bytes;

Bytes Event(const std::string& name) {
  std::ifstream file(SourcePath("tests/fuzz/seeds/kernel_events/") + name);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_GT(bytes.size(), 1u) << name;
  // The first byte picks the decoder for the fuzz target.
  bytes.erase(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), 1));
  return bytes;
}
Bytes Joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(RouteEvent, OfALinkConcernsThatLink) {
  EXPECT_EQ(ChangesOfRoute(Event("link-added")), Changes({Topic::kLink, 2, ""}));
  EXPECT_EQ(ChangesOfRoute(Event("link-mtu")), Changes({Topic::kLink, 3, ""}));
  EXPECT_EQ(ChangesOfRoute(Event("link-removed")), Changes({Topic::kLink, 2, ""}));
}

TEST(RouteEvent, OfAnAddressConcernsItsLink) {
  EXPECT_EQ(ChangesOfRoute(Event("address-added")), Changes({Topic::kAddress, 3, ""}));
  EXPECT_EQ(ChangesOfRoute(Event("address-removed")), Changes({Topic::kAddress, 3, ""}));
}

TEST(RouteEvent, OfANeighbourConcernsItWhereItTellsSomething) {
  EXPECT_EQ(ChangesOfRoute(Event("neighbour-added")), Changes({Topic::kNeighbour, 3, ""}));
  EXPECT_EQ(ChangesOfRoute(Event("neighbour-failed")), Changes({Topic::kNeighbour, 3, ""}));
  EXPECT_EQ(ChangesOfRoute(Event("neighbour-removed")), Changes({Topic::kNeighbour, 3, ""}));
  Bytes stale = Event("neighbour-added");
  stale[16 + 8] = 0x04;  // ndm_state NUD_STALE
  EXPECT_TRUE(ChangesOfRoute(stale).empty());
  Bytes multicast = Event("neighbour-removed");
  multicast[16 + 8] = 0x40;  // NUD_NOARP: goes with each link that goes down
  EXPECT_TRUE(ChangesOfRoute(multicast).empty());
  Bytes of_a_bridge = Event("neighbour-added");
  of_a_bridge[16] = 7;  // AF_BRIDGE
  EXPECT_TRUE(ChangesOfRoute(of_a_bridge).empty());
}

TEST(RouteEvent, OfDcbConcernsTheDeviceByItsName) {
  EXPECT_EQ(ChangesOfRoute(Event("dcb-composed")), Changes({Topic::kDcb, 0, "eth0"}));
  EXPECT_EQ(ChangesOfRoute(Event("dcb-cee-composed")), Changes({Topic::kDcb, 0, "eth0"}));
}

TEST(RouteEvent, SeveralInOneDatagramAreAllConcerns) {
  Changes expected({Topic::kLink, 3, ""});
  expected.Add({Topic::kAddress, 3, ""});
  EXPECT_EQ(ChangesOfRoute(Joined(Event("link-mtu"), Event("address-added"))), expected);
}

TEST(RouteEvent, OfAKindThatFactsDoNotSpeakOfConcernsNothing) {
  Bytes route = Event("address-added");
  route[4] = 24;  // RTM_NEWROUTE
  EXPECT_TRUE(ChangesOfRoute(route).empty());
}

TEST(RdmaEvent, OfANetDeviceConcernsTheDevicesPorts) {
  EXPECT_EQ(ChangesOfRdma(Event("rdma-netdev-attached-composed")),
            Changes({Topic::kRdma, 0, "mlx5_0"}));
}

TEST(RdmaEvent, OfADeviceIsEverything) {
  EXPECT_TRUE(ChangesOfRdma(Event("rdma-unregistered-composed")).everything());
}

TEST(DevlinkEvent, ConcernsThePciFunction) {
  EXPECT_EQ(ChangesOfDevlink(Event("devlink-health-composed")),
            Changes({Topic::kDevlink, 0, "0000:3b:00.0"}));
}

TEST(Uevent, OfANetDeviceConcernsTheListOfThem) {
  const Bytes event = Event("uevent-net");
  EXPECT_EQ(ChangesOfUevent({reinterpret_cast<const char*>(event.data()), event.size()}),
            Changes({Topic::kDevices, 0, ""}));
}

TEST(Uevent, OfRdmaAndPciIsEverything) {
  EXPECT_TRUE(ChangesOfUevent("remove@/x\0SUBSYSTEM=infiniband\0"s).everything());
  EXPECT_TRUE(ChangesOfUevent("remove@/x\0SUBSYSTEM=infiniband_verbs\0"s).everything());
  EXPECT_TRUE(ChangesOfUevent("bind@/x\0SUBSYSTEM=pci"s).everything());
}

TEST(Uevent, OfAModuleConcernsModules) {
  EXPECT_EQ(ChangesOfUevent("add@/module/x\0SUBSYSTEM=module\0"s),
            Changes({Topic::kModule, 0, ""}));
}

TEST(Uevent, OfOthersAndGarbageConcernsNothing) {
  EXPECT_TRUE(ChangesOfUevent("add@/x\0SUBSYSTEM=block\0"s).empty());
  EXPECT_TRUE(ChangesOfUevent("add@/x\0SUBSYSTEM=network\0"s).empty());
  EXPECT_TRUE(ChangesOfUevent("SUBSYSTEM=ne").empty());
  EXPECT_TRUE(ChangesOfUevent("").empty());
  EXPECT_TRUE(ChangesOfUevent(std::string(3, '\0')).empty());
  const Bytes queue = Event("uevent-queue");
  EXPECT_TRUE(ChangesOfUevent({reinterpret_cast<const char*>(queue.data()), queue.size()}).empty());
}

// Something happened and it is not known what: everything, never nothing.
TEST(MalformedEvent, IsEverything) {
  const Bytes address = Event("address-added");
  for (size_t size = 1; size < 16 + sizeof(uint64_t); ++size) {
    EXPECT_TRUE(ChangesOfRoute(std::span(address).first(size)).everything()) << size;
  }
  Bytes nameless = Event("dcb-composed");
  nameless[16 + 4 + 2] = 200;  // its DCB_ATTR_IFNAME becomes another attribute
  EXPECT_TRUE(ChangesOfRoute(nameless).everything());
  Bytes overlong = Event("dcb-composed");
  overlong[16 + 4] = 255;
  EXPECT_TRUE(ChangesOfRoute(overlong).everything());
  const Bytes devlink = Event("devlink-health-composed");
  EXPECT_TRUE(ChangesOfDevlink(std::span(devlink).first(devlink.size() - 4)).everything());
}

TEST(Changes, ManyConcernsAreEverything) {
  Changes changes;
  for (uint32_t i = 1; i <= Changes::kMostConcerns; ++i) changes.Add({Topic::kLink, i, ""});
  EXPECT_FALSE(changes.everything());
  changes.Add({Topic::kLink, 1, ""});  // known
  EXPECT_FALSE(changes.everything());
  changes.Add({Topic::kLink, 1000, ""});
  EXPECT_EQ(changes, Changes::Everything());
}

TEST(Changes, MergedWithEverythingAreEverything) {
  Changes changes({Topic::kLink, 1, ""});
  changes.Merge(Changes());
  EXPECT_EQ(changes, Changes({Topic::kLink, 1, ""}));
  changes.Merge(Changes::Everything());
  EXPECT_EQ(changes, Changes::Everything());
  changes.Merge(Changes({Topic::kLink, 1, ""}));
  EXPECT_EQ(changes, Changes::Everything());
}

}  // namespace
}  // namespace roceready::watch
