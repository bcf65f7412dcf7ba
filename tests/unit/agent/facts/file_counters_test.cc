// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/file_counters.h"

#include <gtest/gtest.h>

#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

const RdmaDeviceEntry kDevice = {"pci:0000:3b:00.0", "mlx5_0", "0000:3b:00.0", "mlx5", {1}};
constexpr char kPort[] = "/sys/class/infiniband/mlx5_0/ports/1";

std::optional<uint64_t> Total(const v1::PortCounters& counters, v1::CounterId id) {
  for (const v1::CounterSample& sample : counters.samples()) {
    if (sample.id() == id) return sample.total();
  }
  return std::nullopt;
}

TEST(FileCounters, TheConnectionManagersKindsOfMessagesAreAddedUp) {
  FixtureTree tree;
  const std::string port = kPort;
  tree.File(port + "/cm_tx_retries/req", "3").File(port + "/cm_tx_retries/rep", "4");
  tree.File(port + "/cm_rx_duplicates/req", "0").File(port + "/cm_rx_msgs/rej", "2");
  const auto ports = ReadCmTotals(HostRoot(tree.path()), kDevice);
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_EQ(ports[0].counters.owner_id(), "cm:pci:0000:3b:00.0/1");
  EXPECT_EQ(Total(ports[0].counters, v1::COUNTER_ID_CM_RETRIES), 7u);
  EXPECT_EQ(Total(ports[0].counters, v1::COUNTER_ID_CM_DUPLICATES), 0u);
  EXPECT_EQ(Total(ports[0].counters, v1::COUNTER_ID_CM_REJECTS), 2u);
}

TEST(FileCounters, WithoutAConnectionManagerThereAreNone) {
  FixtureTree tree;
  const auto ports = ReadCmTotals(HostRoot(tree.path()), kDevice);
  EXPECT_EQ(ports[0].counters.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(ports[0].counters.reading().needs(), "module ib_cm");
  EXPECT_TRUE(ports[0].counters.samples().empty());
}

v1::Reading NoNetlink() {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_UNSUPPORTED);
  reading.set_source(v1::SOURCE_RDMA_NETLINK);
  reading.set_detail("RDMA netlink could not be opened");
  return reading;
}

TEST(FileCounters, OfTheDriverComeFromSysfsWhereThereIsNoRdmaNetlink) {
  FixtureTree tree;
  const std::string folder = fmt::format("{}/hw_counters", kPort);
  tree.File(folder + "/lifespan", "10").File(folder + "/np_cnp_sent", "7");
  tree.File(folder + "/out_of_sequence", "3").File(folder + "/unheard_of", "9");
  const auto ports = ReadRdmaTotalsFromFiles(HostRoot(tree.path()), kDevice, true, NoNetlink());
  ASSERT_EQ(ports.size(), 1u);
  const v1::PortCounters& counters = ports[0].counters;
  EXPECT_EQ(counters.owner_id(), "rdma:pci:0000:3b:00.0/1");
  EXPECT_EQ(counters.reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(counters.reading().source(), v1::SOURCE_SYSFS);
  EXPECT_EQ(counters.reading().detail(), "from sysfs: RDMA netlink could not be opened");
  EXPECT_EQ(Total(counters, v1::COUNTER_ID_CNP_SENT), 7u);
  EXPECT_EQ(Total(counters, v1::COUNTER_ID_OUT_OF_SEQUENCE), 3u);
  // How old a value may be is no counter.
  EXPECT_EQ(counters.raw().names_size(), 3);
}

TEST(FileCounters, OfADriverThatKeepsNoneSayWhyNetlinkDidNotTell) {
  FixtureTree tree;
  const auto ports = ReadRdmaTotalsFromFiles(HostRoot(tree.path()), kDevice, false, NoNetlink());
  EXPECT_EQ(ports[0].counters.reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(ports[0].counters.reading().source(), v1::SOURCE_RDMA_NETLINK);
  EXPECT_TRUE(ports[0].counters.samples().empty());
}

TEST(FileCounters, PciErrorsAreTheTotalsOfAer) {
  FixtureTree tree;
  const std::string folder = "/sys/bus/pci/devices/0000:3b:00.0";
  tree.File(folder + "/aer_dev_correctable", "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3");
  tree.File(folder + "/aer_dev_nonfatal", "TOTAL_ERR_NONFATAL 0");
  tree.File(folder + "/aer_dev_fatal", "TOTAL_ERR_FATAL 1");
  const PortTotals totals = ReadPciErrorTotals(HostRoot(tree.path()), "0000:3b:00.0");
  EXPECT_EQ(totals.counters.owner_id(), "pci:0000:3b:00.0");
  EXPECT_EQ(Total(totals.counters, v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS), 3u);
  EXPECT_EQ(Total(totals.counters, v1::COUNTER_ID_PCI_FATAL_ERRORS), 1u);

  tree.File(folder + "/aer_dev_fatal", "something else");
  const PortTotals odd = ReadPciErrorTotals(HostRoot(tree.path()), "0000:3b:00.0");
  EXPECT_EQ(odd.counters.reading().outcome(), v1::OUTCOME_FAILED);
  EXPECT_TRUE(odd.counters.samples().empty());
}

TEST(FileCounters, RdmaBytesAreWordsOfTheStandardCounters) {
  FixtureTree tree;
  const std::string port = kPort;
  tree.File(port + "/counters/port_rcv_data", "100").File(port + "/counters/port_xmit_data", "7");
  v1::PortCounters counters;
  counters.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  AddRdmaBytes(HostRoot(tree.path()), kDevice, 1, &counters);
  EXPECT_EQ(Total(counters, v1::COUNTER_ID_RX_BYTES), 400u);
  EXPECT_EQ(Total(counters, v1::COUNTER_ID_TX_BYTES), 28u);
  // A driver's own bytes stay what they are.
  AddRdmaBytes(HostRoot(tree.path()), kDevice, 1, &counters);
  EXPECT_EQ(counters.samples_size(), 2);
}

TEST(FileCounters, OneReadableFileOfBytesIsNotLostWithTheOther) {
  FixtureTree tree;
  tree.File(fmt::format("{}/counters/port_xmit_data", kPort), "7");
  v1::PortCounters counters;
  counters.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  AddRdmaBytes(HostRoot(tree.path()), kDevice, 1, &counters);
  EXPECT_EQ(counters.samples_size(), 1);
  EXPECT_EQ(Total(counters, v1::COUNTER_ID_TX_BYTES), 28u);
}

TEST(FileCounters, CountersThatWereNotReadGetNoBytes) {
  FixtureTree tree;
  const std::string port = kPort;
  tree.File(port + "/counters/port_rcv_data", "100").File(port + "/counters/port_xmit_data", "7");
  v1::PortCounters counters;
  counters.mutable_reading()->set_outcome(v1::OUTCOME_TIMED_OUT);
  AddRdmaBytes(HostRoot(tree.path()), kDevice, 1, &counters);
  EXPECT_TRUE(counters.samples().empty());
}

TEST(FileCounters, HowLongTheKernelGivesOutOldValuesIsTheirRefresh) {
  FixtureTree tree;
  const std::string port = kPort;
  tree.File(port + "/hw_counters/lifespan", "2500");
  const HostRoot root(tree.path());
  v1::PortCounters counters;
  counters.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  AddRefresh(root, kDevice, 1, &counters);
  EXPECT_EQ(counters.refresh().seconds(), 2);
  EXPECT_EQ(counters.refresh().nanos(), 500'000'000);

  // Port 2 has none; what was not read is not refreshed.
  v1::PortCounters without, unread;
  without.mutable_reading()->set_outcome(v1::OUTCOME_OK);
  unread.mutable_reading()->set_outcome(v1::OUTCOME_FAILED);
  AddRefresh(root, kDevice, 2, &without);
  AddRefresh(root, kDevice, 1, &unread);
  EXPECT_FALSE(without.has_refresh());
  EXPECT_FALSE(unread.has_refresh());
}

TEST(FileCounters, TheCarrierBelongsToTheLinkAndNotToTheDriver) {
  FixtureTree tree;
  tree.File("/sys/class/net/ens1/carrier_down_count", "5");
  const NetDeviceEntry entry{"pci:0000:3b:00.0/0", "ens1", 2, "0000:3b:00.0", 0};
  const PortTotals totals = ReadLinkTotals(HostRoot(tree.path()), entry);
  EXPECT_EQ(totals.counters.owner_id(), "link:pci:0000:3b:00.0/0");
  EXPECT_EQ(Total(totals.counters, v1::COUNTER_ID_CARRIER_DOWN), 5u);
}

}  // namespace
}  // namespace roceready::facts
