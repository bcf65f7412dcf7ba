// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/nldev.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/unit/agent/netlink/recorded.h"

namespace roceready::netlink {
namespace {

using testing::ElementsAre;

// As the kernel numbers messages of client NLDEV.
constexpr uint16_t kGet = 0x1401;
constexpr uint16_t kStatGet = 0x1411;

// The device and port of a test host with kernel 6.1, as strace saw them.
constexpr std::string_view kDevice =
    "08000100 00000000 09000200 72785f64 00000000 08000300 01000000 0c000400 763c2201 00000000"
    "0c000600 427d3ffe ffa4f8c4 0c000700 427d3ffe ffa4f8c4 05000e00 01000000 05005400 00000000"
    "09004300 726f6365 00000000";
constexpr std::string_view kPort =
    "08000100 00000000 09000200 72785f64 00000000 08000300 01000000 05000c00 04000000"
    "05000d00 05000000 08003200 02000000 0a003300 64636274 30000000";

TEST(Nldev, RequestsAreThoseThatIproute2Sends) {
  EXPECT_EQ(RdmaDevicesRequest().type, 0x1401);
  EXPECT_TRUE(RdmaDevicesRequest().dump);
  EXPECT_EQ(RdmaPortRequest(0, 1).type, 0x1405);
  EXPECT_EQ(HexOfBytes(RdmaPortRequest(0, 1).payload),
            "0800010000000000"
            "0800030001000000");
  EXPECT_EQ(RdmaCountersRequest(0, 1).type, 0x1411);
  EXPECT_EQ(HexOfBytes(RdmaCountersRequest(0, 1).payload),
            "0800010000000000"
            "0800030001000000");
  EXPECT_EQ(RdmaSystemRequest().type, 0x1406);
}

TEST(Nldev, EveryFieldOfADevice) {
  const auto device = DecodeRdmaDevice(MessageOf(kGet, kDevice));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->index, 0u);
  EXPECT_EQ(device->name, "rx_d");
  EXPECT_EQ(device->port_count, 1u);
  EXPECT_EQ(device->capability_flags, 0x01223c76u);
  EXPECT_EQ(device->firmware, std::nullopt);
  EXPECT_EQ(device->node_guid, 0xc4f8a4fffe3f7d42u);
  EXPECT_EQ(device->sys_image_guid, 0xc4f8a4fffe3f7d42u);
  EXPECT_EQ(device->node_type, 1);
  EXPECT_EQ(device->protocol, "roce");
  EXPECT_EQ(device->adaptive_moderation, false);
}

TEST(Nldev, FirmwareIsGivenWhereTheDriverHasOne) {
  const auto device = DecodeRdmaDevice(MessageOf(kGet,
                                                 "08000100 02000000 0b000200 6d6c7835 5f320000"
                                                 "0f000500 32322e33 352e3130 31320000"));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->index, 2u);
  EXPECT_EQ(device->name, "mlx5_2");
  EXPECT_EQ(device->firmware, "22.35.1012");
  EXPECT_EQ(device->node_guid, std::nullopt);
}

TEST(Nldev, EveryFieldOfAPort) {
  const auto port = DecodeRdmaPort(MessageOf(kGet, kPort));
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_EQ(port->device_index, 0u);
  EXPECT_EQ(port->device_name, "rx_d");
  EXPECT_EQ(port->number, 1u);
  EXPECT_EQ(port->state, 4);
  EXPECT_EQ(port->physical_state, 5);
  EXPECT_EQ(port->netdev_index, 2u);
  EXPECT_EQ(port->netdev_name, "dcbt0");
  EXPECT_EQ(port->lid, std::nullopt);
  EXPECT_EQ(port->capability_flags, std::nullopt);
}

TEST(Nldev, APortWhoseNetdevIsInAnotherNamespaceHasNone) {
  const auto port =
      DecodeRdmaPort(MessageOf(kGet,
                               "08000100 00000000 09000200 72785f64 00000000"
                               "08000300 01000000 05000c00 01000000 05000d00 03000000"));
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_EQ(port->netdev_index, std::nullopt);
  EXPECT_EQ(port->netdev_name, std::nullopt);
}

TEST(Nldev, EveryReadingOfARecordedGuest) {
  FakeTransport rdma = Guest("rdma");
  const auto system = ReadRdmaSystem(rdma);
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_EQ(system->netns_mode, 1);
  EXPECT_EQ(system->copy_on_fork, true);
  EXPECT_EQ(system->privileged_qkey, false);
  EXPECT_EQ(system->monitor, std::nullopt);

  const auto devices = ReadRdmaDevices(rdma);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ(devices->front().name, "rxe0");
  EXPECT_EQ(devices->front().node_guid, 0x505400fffecc0001u);

  const auto port = ReadRdmaPort(rdma, 0, 1);
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_EQ(port->netdev_name, "eth0");

  const auto resources = ReadRdmaResources(rdma, 0);
  ASSERT_TRUE(resources.ok()) << resources.status();
  EXPECT_EQ(resources->Count("pd"), 3u);
  EXPECT_EQ(resources->Count("cq"), 2u);
  EXPECT_EQ(resources->Count("qp"), 2u);
  EXPECT_EQ(resources->Count("cm_id"), 1u);
  EXPECT_EQ(resources->Count("mr"), 1u);
  EXPECT_EQ(resources->Count("ctx"), 2u);
  EXPECT_EQ(resources->Count("srq"), 0u);
  EXPECT_EQ(resources->Count("dct"), std::nullopt);

  const auto uverbs = ReadRdmaUverbs(rdma, 0);
  ASSERT_TRUE(uverbs.ok()) << uverbs.status();
  EXPECT_EQ(uverbs->name, "uverbs0");
  EXPECT_EQ(uverbs->major, 231u);
  EXPECT_EQ(uverbs->minor, 192u);
  EXPECT_EQ(uverbs->abi, 2u);
}

TEST(Nldev, QueuePairsTellUserFromKernel) {
  FakeTransport rdma = Guest("rdma");
  const auto pairs = ReadRdmaQueuePairs(rdma, 0);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  ASSERT_EQ(pairs->size(), 2u);
  const RdmaQueuePair& user = (*pairs)[0];
  EXPECT_EQ(user.port, 1u);
  EXPECT_EQ(user.local_qpn, 17u);
  EXPECT_EQ(user.remote_qpn, 0u);
  EXPECT_EQ(user.type, 2);
  EXPECT_EQ(user.state, 1);
  EXPECT_EQ(user.pid, 202u);
  EXPECT_EQ(user.kernel_owner, std::nullopt);
  const RdmaQueuePair& kernel = (*pairs)[1];
  EXPECT_EQ(kernel.local_qpn, 1u);
  EXPECT_EQ(kernel.remote_qpn, std::nullopt);
  EXPECT_EQ(kernel.type, 1);
  EXPECT_EQ(kernel.state, 3);
  EXPECT_EQ(kernel.sq_psn, 0u);
  EXPECT_EQ(kernel.pid, std::nullopt);
  EXPECT_EQ(kernel.kernel_owner, "ib_core");
}

TEST(Nldev, ConnectionIdsNameTheirProcess) {
  FakeTransport rdma = Guest("rdma");
  const auto ids = ReadRdmaCmIds(rdma, 0);
  ASSERT_TRUE(ids.ok()) << ids.status();
  ASSERT_EQ(ids->size(), 1u);
  EXPECT_EQ(ids->front().port, 1u);
  EXPECT_EQ(ids->front().port_space, 0x0106u);
  EXPECT_EQ(ids->front().pid, 204u);
  EXPECT_EQ(ids->front().kernel_owner, std::nullopt);
}

TEST(Nldev, CountersOfARecordedGuestAreFifteen) {
  FakeTransport rdma = Guest("rdma");
  const auto counters = ReadRdmaCounters(rdma, 0, 1);
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->device_name, "rxe0");
  EXPECT_EQ(counters->port, 1u);
  ASSERT_EQ(counters->counters.size(), 15u);
  EXPECT_EQ(counters->counters.front().name, "sent_pkts");
  EXPECT_EQ(counters->counters.back().name, "rdma_recvs");
  const auto states = ReadRdmaCounterStates(rdma, 0, 1);
  ASSERT_TRUE(states.ok()) << states.status();
  ASSERT_EQ(states->size(), 15u);
  EXPECT_EQ(states->front().name, "sent_pkts");
  EXPECT_EQ((*states)[1].index, 1u);
  EXPECT_EQ(states->front().optional_enabled, std::nullopt);
}

TEST(Nldev, CounterValuesAreSixtyFourBits) {
  // The recorded first entry (nests 0x8050, 0x8051), with a value of more than 32 bits.
  const auto counters = DecodeRdmaCounters(
      MessageOf(kStatGet,
                "08000100 00000000 09000200 72786530 00000000 08000300 01000000 24005080 20005180"
                "0e005200 73656e74 5f706b74 73000000 0c005300 efcdab8967452301"));
  ASSERT_TRUE(counters.ok()) << counters.status();
  ASSERT_EQ(counters->counters.size(), 1u);
  EXPECT_EQ(counters->counters[0].name, "sent_pkts");
  EXPECT_EQ(counters->counters[0].value, 0x0123456789abcdefu);
}

TEST(Nldev, OptionalCountersAreOnOrOff) {
  // Composed after nldev.c: cc_rx_ce_pkts (index 30), off; cc_rx_cnp_pkts (31), on.
  const auto states = DecodeRdmaCounterStates(MessageOf(
      0x1418,
      "54005080 28005180 12005200 63635f72785f63655f706b747300 0000 08005e00 1e000000"
      "05005f00 00000000"
      "28005180 13005200 63635f72785f636e705f706b747300 00 08005e00 1f000000 05005f00 01000000"));
  ASSERT_TRUE(states.ok()) << states.status();
  ASSERT_EQ(states->size(), 2u);
  EXPECT_EQ((*states)[0].name, "cc_rx_ce_pkts");
  EXPECT_EQ((*states)[0].optional_enabled, false);
  EXPECT_EQ((*states)[1].index, 31u);
  EXPECT_EQ((*states)[1].optional_enabled, true);
}

TEST(Nldev, RowsWithoutTheirKeyAreRefused) {
  // A device without name, without index; a port without number; a counter without value.
  EXPECT_FALSE(DecodeRdmaDevice(MessageOf(kGet, "08000100 00000000")).ok());
  EXPECT_FALSE(DecodeRdmaDevice(MessageOf(kGet, "09000200 72785f64 00000000")).ok());
  EXPECT_FALSE(
      DecodeRdmaPort(MessageOf(kGet, "08000100 00000000 09000200 72785f64 00000000")).ok());
  EXPECT_FALSE(DecodeRdmaCounters(MessageOf(kStatGet,
                                            "08000100 00000000 09000200 72785f64 00000000"
                                            "08000300 01000000 18005080 14005180 0e005200"
                                            "73656e74 5f706b74 73000000"))
                   .ok());
}

TEST(Nldev, AnAnswerAboutAnotherPortIsRefused) {
  FakeTransport rdma;
  rdma.Answer(RdmaPortRequest(0, 2), {MessageOf(kGet, kPort)});
  EXPECT_EQ(ReadRdmaPort(rdma, 0, 2).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Nldev, ADriverWithoutCountersIsTheKernelsEinval) {
  FakeTransport rdma;
  rdma.Refuse(RdmaCountersRequest(3, 1), EINVAL);
  EXPECT_EQ(ErrnoOf(ReadRdmaCounters(rdma, 3, 1).status()), EINVAL);
}

TEST(Nldev, CutAnswersAreRefused) {
  ExpectCutsAreRefused(MessageOf(kGet, kDevice), 0, &DecodeRdmaDevice);
  ExpectCutsAreRefused(MessageOf(kGet, kPort), 0, &DecodeRdmaPort);
}

}  // namespace
}  // namespace roceready::netlink
