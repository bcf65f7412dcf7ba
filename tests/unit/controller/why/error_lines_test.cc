// SPDX-License-Identifier: Apache-2.0
// Lines as the programs log them.
#include "controller/why/error_lines.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::why {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ErrorLine Read(std::string_view line) {
  std::optional<ErrorLine> error = ReadErrorLine(line);
  if (error) return *std::move(error);
  ADD_FAILURE() << "no error in: " << line;
  return {};
}

TEST(ErrorLines, CompletionOfNccl) {
  const ErrorLine error = Read(
      "gpu017:2711:2795 [3] transport/net_ib.cc:1698 NCCL WARN NET/IB: Got completion from peer "
      "10.77.3.18<49215> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid "
      "::ffff:10.77.3.17 remoteGids::ffff:10.77.3.18 hca mlx5_3");
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.local_addresses, ElementsAre("::ffff:10.77.3.17"));
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.77.3.18", "10.77.3.18"));
  EXPECT_THAT(error.devices, ElementsAre("mlx5_3"));
}

TEST(ErrorLines, CompletionOfNcclThatNamesTheStatus) {
  const ErrorLine error = Read(
      "[2026-03-03 12:11:38] gpu7:185303:186751 [1] transport/net_ib/p2p.cc:648 NCCL WARN NET/IB: "
      "Got completion from peer fd00:77::2<40554> with status=IBV_WC_RETRY_EXC_ERR(12) "
      "opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) vendor_err=129  localGid fd00:77:1::1 "
      "remoteGidsfd00:77:1::2 hca rocep65s0f0");
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.host, "gpu7");
  EXPECT_THAT(error.local_addresses, ElementsAre("fd00:77:1::1"));
  EXPECT_THAT(error.remote_addresses, ElementsAre("fd00:77:1::2", "fd00:77::2"));
  EXPECT_THAT(error.devices, ElementsAre("rocep65s0f0"));
}

TEST(ErrorLines, CompletionOfOlderNccl) {
  const ErrorLine error = Read(
      "gpu017:2711:2795 [0] transport/net_ib.cc:1296 NCCL WARN NET/IB : Got completion from peer "
      "10.77.3.18<33092> with error 12, opcode 0, len 0, vendor err 129 (Recv)");
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_THAT(error.local_addresses, IsEmpty());
  EXPECT_THAT(error.remote_addresses, ElementsAre("10.77.3.18"));
}

TEST(ErrorLines, ConnectionOfNcclWithBothGids) {
  const ErrorLine error = Read(
      "[2026-03-03 12:11:38] gpu017:2711:2795 [1] misc/ibvwrap.cc:376 NCCL WARN Call to "
      "ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_bond_0:1, curr state INIT, "
      "next state RTR, local GID index 3, local GID ::ffff:10.0.0.1, remote GID ::ffff:10.0.0.2");
  EXPECT_EQ(error.kind, ErrorKind::kConnectTimedOut);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.local_addresses, ElementsAre("::ffff:10.0.0.1"));
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.0.0.2"));
  EXPECT_THAT(error.devices, ElementsAre("mlx5_bond_0"));
  EXPECT_EQ(error.gid_index, 3u);
}

TEST(ErrorLines, ConnectionOfNcclWhoseGidsAreNotKnown) {
  const ErrorLine error = Read(
      "gpu017:2711:2795 [1] misc/ibvwrap.cc:376 NCCL WARN Call to ibv_modify_qp failed with 61 No "
      "data available, on dev mlx5_1:1, curr state INIT, next state RTR, local GID index 9, local "
      "GID N/A, remote GID N/A");
  EXPECT_THAT(error.local_addresses, IsEmpty());
  EXPECT_THAT(error.remote_addresses, IsEmpty());
  EXPECT_EQ(error.gid_index, 9u);
}

TEST(ErrorLines, ErrorOfUcxWithItsAddressHandleInTheSameLine) {
  const ErrorLine error = Read(
      "[gpu017:2711 :0:2711] ib_mlx5_log.c:177 Transport retry count exceeded on mlx5_0:1/RoCE "
      "(synd 0x15 vend 0x81 hw_synd 0/0) RC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 dlid=0 sl=0 "
      "port=1 src_path_bits=0 dgid=::ffff:10.77.0.18 sgid_index=3 traffic_class=106]");
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.77.0.18"));
  EXPECT_THAT(error.devices, ElementsAre("mlx5_0"));
  EXPECT_EQ(error.gid_index, 3u);
  EXPECT_EQ(error.traffic_class, 106u);
}

TEST(ErrorLines, AddressHandleThatUcxCannotMake) {
  const ErrorLine error = Read(
      "[1772539898.123456] [gpu017:2711:0]       ib_device.c:1208 UCX  ERROR "
      "ibv_create_ah(dlid=49152 "
      "sl=0 port=1 src_path_bits=0 dgid=::ffff:10.77.0.18 sgid_index=3 traffic_class=106) for UD "
      "mlx5 connect on mlx5_0 failed: Connection timed out");
  EXPECT_EQ(error.kind, ErrorKind::kConnectTimedOut);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.77.0.18"));
}

TEST(ErrorLines, DevicesAreReadWhereverTheyAreNamed) {
  constexpr std::pair<std::string_view, std::string_view> kLines[] = {
      {"gpu1:1:2 [0] misc/ibvwrap.cc:376 NCCL WARN Call to ibv_modify_qp failed with 22 Invalid "
       "argument, on dev ibs3f1:1, curr state INIT, next state RTR, local GID index 0, local GID "
       "N/A",
       "ibs3f1"},
      {"gpu1:1:2 [0] transport/net_ib.cc:98 NCCL WARN NET/IB : roceP2p1s0f1:1 Got async event : "
       "port error",
       "roceP2p1s0f1"},
      {"[gpu1:1:0:1] ib_mlx5_log.c:177  Local protection on storage-0:1/RoCE (synd 0x4 vend 0x51 "
       "hw_synd 0/2)",
       "storage-0"},
      {"[1772539898.123456] [gpu1:1:a]  ib_device.c:468  UCX  WARN  IB Async event on rail3: port "
       "error on port 1",
       "rail3"},
      {"IB device mlx5_9 not found", "mlx5_9"},
      {"irdma 0000:17:00.0 ens785f0: NIC Link is Down", "ens785f0"},
      {"[Tue Mar  3 12:11:38 2026] bnxt_en 0000:3b:00.0 ens1f0np0.100: NIC Link is Down",
       "ens1f0np0.100"},
  };
  for (const auto& [line, device] : kLines) {
    EXPECT_THAT(Read(line).devices, ElementsAre(std::string(device))) << line;
  }
}

TEST(ErrorLines, AGidOfPerftestIsRead) {
  EXPECT_EQ(DecimalGid(" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01"),
            "0000:0000:0000:0000:0000:ffff:0a4d:0001");
  EXPECT_EQ(DecimalGid(" GID: 254:128:00:00:00:00:00:00:80:84:00:255:254:119:00:01"),
            "fe80:0000:0000:0000:5054:00ff:fe77:0001");
  EXPECT_EQ(DecimalGid(" GID: 00:00:00:00"), std::nullopt);
  EXPECT_EQ(DecimalGid(" GID index       : 3"), std::nullopt);
}

TEST(ErrorLines, BytesOfAnyKindAreRead) {
  constexpr std::string_view kBytes("\0\xff cma event RDMA_CM_EVENT_REJECTED \0\xff", 38);
  EXPECT_EQ(Read(kBytes).kind, ErrorKind::kConnectRejected);
}

}  // namespace
}  // namespace roceready::why
