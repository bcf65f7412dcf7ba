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
using testing::SizeIs;

ErrorLine Only(std::string_view log) {
  const std::vector<ErrorLine> errors = ReadErrorLines(log);
  if (errors.size() == 1) return errors.front();
  ADD_FAILURE() << errors.size() << " errors in: " << log;
  return {};
}

TEST(ErrorLines, CompletionOfNccl) {
  const ErrorLine error = Only(
      "gpu017:2711:2795 [3] transport/net_ib.cc:1698 NCCL WARN NET/IB: Got completion from peer "
      "10.77.3.18<49215> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid "
      "::ffff:10.77.3.17 remoteGids::ffff:10.77.3.18 hca mlx5_3\n");
  EXPECT_EQ(error.kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(error.host, "gpu017");
  EXPECT_THAT(error.local_addresses, ElementsAre("::ffff:10.77.3.17"));
  EXPECT_THAT(error.remote_addresses, ElementsAre("::ffff:10.77.3.18", "10.77.3.18"));
  EXPECT_THAT(error.devices, ElementsAre("mlx5_3"));
}

TEST(ErrorLines, CallOfNcclThatTimedOut) {
  const ErrorLine error = Only(
      "gpu017:2711:2795 [0] misc/ibvwrap.cc:217 NCCL WARN Call to ibv_modify_qp failed with "
      "error Connection timed out");
  EXPECT_EQ(error.kind, ErrorKind::kConnectTimedOut);
  EXPECT_EQ(error.host, "gpu017");
}

TEST(ErrorLines, MemoryThatNcclCannotRegister) {
  EXPECT_EQ(
      Only("h1:1:1 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory").kind,
      ErrorKind::kLockedMemory);
}

TEST(ErrorLines, RetriesOfUcxWithItsAddressHandle) {
  const std::vector<ErrorLine> errors = ReadErrorLines(
      "[gpu017:2711 :0:2711] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/RoCE "
      "(synd 0x15 vend 0x81 hw_synd 0/0)\n"
      "[gpu017:2711 :0:2711] ib_mlx5_log.c:177  RC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 dlid=0 "
      "sl=0 port=1 src_path_bits=0 dgid=::ffff:10.77.0.18 sgid_index=3 traffic_class=106]\n");
  // The second line alone says nothing of an error.
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].kind, ErrorKind::kRetriesExceeded);
  EXPECT_EQ(errors[0].host, "gpu017");
  EXPECT_THAT(errors[0].devices, ElementsAre("mlx5_0"));
}

TEST(ErrorLines, CompletionOfPerftest) {
  const ErrorLine error =
      Only(" Completion with error at client\n Failed status 13: wr_id 0 syndrom 0x87\n");
  EXPECT_EQ(error.kind, ErrorKind::kReceiverNotReady);
  EXPECT_EQ(error.number, 2u);
}

TEST(ErrorLines, RdmaCm) {
  EXPECT_EQ(Only("cma event RDMA_CM_EVENT_UNREACHABLE, error -110").kind,
            ErrorKind::kConnectTimedOut);
  EXPECT_EQ(Only("cma event RDMA_CM_EVENT_ADDR_ERROR, error -19").kind,
            ErrorKind::kAddressUnresolved);
  EXPECT_EQ(Only("cma event RDMA_CM_EVENT_REJECTED, error 8").kind, ErrorKind::kConnectRejected);
}

TEST(ErrorLines, LinkInTheKernelsLog) {
  const ErrorLine error = Only("[ 4711.123456] mlx5_core 0000:3b:00.0 ens1f0np0: Link down");
  EXPECT_EQ(error.kind, ErrorKind::kLinkDown);
  EXPECT_THAT(error.devices, ElementsAre("ens1f0np0"));
}

TEST(ErrorLines, WhatTellsNothingIsLeftOut) {
  EXPECT_THAT(ReadErrorLines(""), IsEmpty());
  EXPECT_THAT(ReadErrorLines("epoch 3: loss 0.12\nstatus=12 of the batch\n"), IsEmpty());
  // What follows from an error before it.
  EXPECT_THAT(
      ReadErrorLines("NCCL WARN Got completion from peer 10.0.0.1<1> with status=5 opcode=0"),
      IsEmpty());
}

TEST(ErrorLines, BytesOfAnyKindAreRead) {
  const std::string noise(5000, 'x');
  constexpr std::string_view kBytes("\0\xff\n", 3);
  EXPECT_EQ(Only(fmt::format("{}{}cma event RDMA_CM_EVENT_REJECTED", noise, kBytes)).number, 2u);
}

}  // namespace
}  // namespace roceready::why
