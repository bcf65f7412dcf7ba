// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_kind.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

namespace roceready::why {
namespace {

using enum ErrorKind;
using Kinds = std::map<std::string_view, std::optional<ErrorKind>>;

// `format` has {} where the keys of the map belong.
void ExpectKinds(std::string_view format, const Kinds& kinds) {
  for (const auto& [words, kind] : kinds) {
    const std::string line = fmt::format(fmt::runtime(format), words);
    EXPECT_EQ(KindOf(line), kind) << line;
  }
}

// IBV_WC_*; a queue pair that is flushed follows from what broke it, an opcode is no status.
TEST(ErrorKind, StatusOfACompletionHoweverItIsWritten) {
  const std::map<int, std::pair<std::string_view, std::optional<ErrorKind>>> statuses = {
      {1, {"IBV_WC_LOC_LEN_ERR", kLocalLength}},
      {2, {"IBV_WC_LOC_QP_OP_ERR", kLocalOperation}},
      {4, {"IBV_WC_LOC_PROT_ERR", kLocalProtection}},
      {5, {"IBV_WC_WR_FLUSH_ERR", std::nullopt}},
      {8, {"IBV_WC_LOC_ACCESS_ERR", kLocalProtection}},
      {9, {"IBV_WC_REM_INV_REQ_ERR", kRemoteRequest}},
      {10, {"IBV_WC_REM_ACCESS_ERR", kRemoteAccess}},
      {11, {"IBV_WC_REM_OP_ERR", kRemoteOperation}},
      {12, {"IBV_WC_RETRY_EXC_ERR", kRetriesExceeded}},
      {13, {"IBV_WC_RNR_RETRY_EXC_ERR", kReceiverNotReady}},
      {19, {"IBV_WC_FATAL_ERR", kDeviceFailed}},
  };
  for (const auto& [number, named] : statuses) {
    const auto& [name, kind] = named;
    for (const std::string& line :
         {fmt::format(
              "gpu1:1:2 [0] transport/net_ib.cc:1698 NCCL WARN NET/IB: Got completion from peer "
              "10.0.0.2<1> with status={} opcode=12 len=13 vendor err 129 (Recv)",
              number),
          fmt::format(
              "gpu1:1:2 [0] transport/net_ib/p2p.cc:688 NCCL WARN NET/IB: Got completion from peer "
              "10.0.0.2<1> with status={}({}) opcode=IBV_WC_RECV(128) vendor_err=12",
              name, number),
          fmt::format(
              "gpu1:1:2 [0] transport/net_ib.cc:1296 NCCL WARN NET/IB : Got completion from peer "
              "10.0.0.2<1> with error {}, opcode 12, len 13, vendor err 129 (Recv)",
              number),
          fmt::format("gpu1:1:2 [0] transport/net_ib.cc:800 NCCL WARN NET/IB : Got completion with "
                      "error {}, "
                      "opcode 1, len 32756, vendor err 129",
                      number),
          fmt::format(" Failed status {}: wr_id 12 syndrom 0x81", number)}) {
      EXPECT_EQ(KindOf(line), kind) << line;
    }
  }
}

TEST(ErrorKind, HowAQueuePairIsNotConnected) {
  const Kinds newer = {{"110 Connection timed out", kConnectTimedOut},
                       {"113 No route to host", kConnectTimedOut},
                       {"101 Network is unreachable", kAddressUnresolved},
                       {"22 Invalid argument", kWrongGid},
                       {"61 No data available", kWrongGid},
                       {"19 No such device", kNoDevice},
                       // In the language of the user.
                       {"22 Das Argument ist ung\xc3\xbcltig", kWrongGid}};
  ExpectKinds(
      "gpu1:1:2 [0] misc/ibvwrap.cc:376 NCCL WARN Call to ibv_modify_qp failed with {}, on dev "
      "mlx5_0:1, "
      "curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.0.0.1, remote GID "
      "N/A",
      newer);
  const Kinds older = {{"Connection timed out", kConnectTimedOut},
                       {"No route to host", kConnectTimedOut},
                       {"Network is unreachable", kAddressUnresolved},
                       {"Invalid argument", kWrongGid},
                       {"Invalid argument errno 22", kWrongGid},
                       {"No data available", kWrongGid},
                       {"No such device", kNoDevice}};
  ExpectKinds(
      "gpu1:1:2 [0] misc/ibvwrap.cc:217 NCCL WARN Call to ibv_modify_qp failed with error {}",
      older);
  ExpectKinds(
      "[gpu1:1:0] ib_device.c:1208 UCX  ERROR ibv_create_ah(dlid=0 sl=0 port=1 src_path_bits=0 "
      "dgid=::ffff:10.0.0.2 sgid_index=3 traffic_class=106) on mlx5_0:1 failed: {}",
      {{"Connection timed out", kConnectTimedOut},
       {"Network is unreachable", kAddressUnresolved},
       {"Invalid argument", kWrongGid}});
}

TEST(ErrorKind, WordsOfUcx) {
  const Kinds words = {
      {"Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
       kRetriesExceeded},
      {"Receive-no-ready retry count exceeded on mlx5_0:1/RoCE (synd 0x16 vend 0x87 hw_synd 0/0)",
       kReceiverNotReady},
      {"Remote access on mlx5_0:1/RoCE (synd 0x13 vend 0x88 hw_synd 0/0)", kRemoteAccess},
      {"Remote QP on mlx5_0:1/RoCE (synd 0x14 vend 0x89 hw_synd 0/0)", kRemoteOperation},
      {"Remote operation on mlx5_0:1/RoCE (synd 0x14 vend 0x89 hw_synd 0/0)", kRemoteOperation},
      {"Invalid request on mlx5_0:1/RoCE (synd 0x12 vend 0x8a hw_synd 0/0)", kRemoteRequest},
      {"Local protection on mlx5_0:1/RoCE (synd 0x4 vend 0x51 hw_synd 0/2)", kLocalProtection},
      {"Local access on mlx5_0:1/RoCE (synd 0x11 vend 0x55 hw_synd 0/0)", kLocalProtection},
      {"Local QP operation on mlx5_0:1/RoCE (synd 0x2 vend 0x68 hw_synd 0/62)", kLocalOperation},
      {"Local length on mlx5_0:1/RoCE (synd 0x1 vend 0x60 hw_synd 0/0)", kLocalLength},
      {"WR flushed because QP in error state on mlx5_0:1/RoCE (synd 0x5 vend 0xf9 hw_synd 0/0)",
       std::nullopt},
      // Without the numbers.
      {"Remote access on mlx5_0:1/RoCE", kRemoteAccess},
      {"Remote operation error on mlx5_2:1/IB", kRemoteOperation},
      {"Remote OP on mlx5_0:1/RoCE", kRemoteOperation},
      {"Invalid request on mlx5_0:1/RoCE", kRemoteRequest},
      {"Local QP operation on mlx5_0:1/RoCE", kLocalOperation},
      // Older.
      {"Error on QP 0x1a2 wqe[3]: Remote access (synd 0x13 vend 0x88) opcode RDMA_READ",
       kRemoteAccess},
      {"send completion with error: transport retry counter exceeded qpn 0x1a2 wrid 0x3 vendor_err "
       "0x81",
       kRetriesExceeded},
      {"send completion with error: local QP operation error qpn 0x1a2 wrid 0x3 vendor_err 0x68",
       kLocalOperation}};
  ExpectKinds("[gpu017:2711 :0:2711] ib_mlx5_log.c:177  {}", words);
  ExpectKinds("[1772539898.123456] [gpu017:2711:0]     ib_mlx5_log.c:177  UCX  ERROR {}", words);
}

// libibverbs' names of events, in what NCCL of three ages and UCX write.
TEST(ErrorKind, AsyncEvents) {
  const Kinds events = {{"port error", kLinkDown},
                        {"local access violation work queue error", kRefusedAccess},
                        {"invalid request local work queue error", kRefusedRequest},
                        {"local work queue catastrophic error", kLocalOperation},
                        {"CQ error", kLocalOperation},
                        {"local catastrophic error", kDeviceFailed},
                        {"port active", std::nullopt},
                        {"client reregistration", std::nullopt},
                        {"GID table change", std::nullopt},
                        {"last WQE reached", std::nullopt}};
  for (const char* format :
       {"gpu1:1:2 [0] transport/net_ib.cc:98 NCCL WARN NET/IB : mlx5_0:1 Got async event : {}",
        "gpu1:1:2 [0] transport/net_ib.cc:98 NCCL WARN NET/IB : Got async event : {}",
        "gpu1:1:2 [0] transport/net_ib.cc:160 NCCL WARN NET/IB : mlx5_0:1 Got async error event: "
        "{}",
        "gpu1:1:2 [0] transport/net_ib/common.cc:179 NCCL WARN NET/IB : mlx5_0:1 Got non-fatal "
        "async event: {}(10)",
        "gpu1:1:2 [0] transport/net_ib.cc:150 NCCL WARN NET/IB : mlx5_0:1 async fatal event: {}",
        "gpu1:1:2 [0] transport/net_ib.cc:154 NCCL WARN NET/IB : mlx5_0:1 async fatal event on QP: "
        "{}",
        "gpu1:1:2 [0] transport/net_ib.cc:154 NCCL WARN NET/IB : mlx5_0:1 async fatal event on QP "
        "(0x732d78661238): {}",
        "[1772539898.123456] [gpu1:1:a]  ib_device.c:468  UCX  WARN  IB Async event on mlx5_0: {} "
        "on port 1"}) {
    ExpectKinds(format, events);
  }
  EXPECT_EQ(
      KindOf("gpu1:1:2 [0] transport/net_ib.cc:153 NCCL WARN NET/IB : mlx5_0:1 GID table changed"),
      std::nullopt);
}

TEST(ErrorKind, DevicesThatAreNotThere) {
  ExpectKinds("{}", {{"IB device mlx5_9 not found", kNoDevice},
                     {" IB device not found", kNoDevice},
                     {" Unable to find the Infiniband/RoCE device", kNoDevice},
                     {" Did not detect devices ", kNoDevice},
                     {"gpu1:1:2 [0] NCCL INFO NET/IB : No device found.", kNoDevice},
                     {"IB device mlx5_0: the GID that it was told was not found", std::nullopt}});
}

TEST(ErrorKind, Memory) {
  ExpectKinds("{}",
              {{"h1:1:1 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory",
                kLockedMemory},
               {"h1:1:1 [0] NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate "
                "memory errno 12",
                kLockedMemory},
               {"Couldn't allocate MR", kLockedMemory}});
}

TEST(ErrorKind, RdmaCm) {
  ExpectKinds("cma event {}, error -110", {{"RDMA_CM_EVENT_UNREACHABLE", kConnectTimedOut},
                                           {"RDMA_CM_EVENT_ADDR_ERROR", kAddressUnresolved},
                                           {"RDMA_CM_EVENT_ROUTE_ERROR", kAddressUnresolved},
                                           {"RDMA_CM_EVENT_CONNECT_ERROR", kConnectTimedOut},
                                           {"RDMA_CM_EVENT_REJECTED", kConnectRejected},
                                           {"RDMA_CM_EVENT_ESTABLISHED", std::nullopt}});
}

TEST(ErrorKind, LinksInTheKernelsLog) {
  ExpectKinds("Mar  3 12:11:38 gpu017 kernel: {}",
              {{"mlx5_core 0000:3b:00.0 ens1f0np0: Link down", kLinkDown},
               {"bnxt_en 0000:3b:00.0 ens1f0np0: NIC Link is Down", kLinkDown},
               {"ice 0000:17:00.0 ens785f0: NIC Link is Down", kLinkDown},
               {"[ 4711.123456] ice 0000:17:00.0 ens785f0: NIC Link is Down", kLinkDown},
               {"mlx5_core 0000:3b:00.0 ens1f0np0: Link up", std::nullopt},
               // Other drivers' names end, or begin, like these.
               {"device eth0: link down", std::nullopt},
               {"usb-device eth0: link down", std::nullopt},
               {"e1000e 0000:00:1f.6 eno1: NIC Link is Down", std::nullopt},
               {"ice_sw 0000:00:1f.6 eno1: NIC Link is Down", std::nullopt},
               {"slice: link down", std::nullopt}});
}

TEST(ErrorKind, WhatTellsNothing) {
  for (const char* line :
       {"", "epoch 3: loss 0.12", "status=12 of the batch",
        "the job ended with error 12, see below", "POST /ib/v1 400 Invalid request on port 12",
        "[rank3]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2021, "
        "remote process exited",
        "gpu1:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>",
        "gpu1:1:2 [0] NCCL INFO Call to ibv_reg_dmabuf_mr not supported",
        "[gpu1:1:0] ib_mlx5_log.c:177 UCX  ERROR RC QP 0x1a2 wqe[3]: SEND s-e [rqpn 0x2b1 "
        "dlid=0]"}) {
    EXPECT_EQ(KindOf(line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace roceready::why
