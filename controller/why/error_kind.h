// SPDX-License-Identifier: Apache-2.0
// What kind of RDMA error a line of a log tells of, by the words of NCCL, UCX, perftest, rdma_cm,
// libibverbs and the kernel. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roceready::why {

// The statuses are of enum ibv_wc_status, the events of enum ibv_event_type (infiniband/verbs.h).
enum class ErrorKind {
  kRetriesExceeded,    // no acknowledgement: IBV_WC_RETRY_EXC_ERR, 12
  kReceiverNotReady,   // IBV_WC_RNR_RETRY_EXC_ERR, 13
  kRemoteAccess,       // the peer refused the memory: IBV_WC_REM_ACCESS_ERR, 10
  kRemoteRequest,      // the peer did not understand: IBV_WC_REM_INV_REQ_ERR, 9
  kRemoteOperation,    // the peer could not do it: IBV_WC_REM_OP_ERR, 11
  kLocalProtection,    // the own memory key is wrong: IBV_WC_LOC_PROT_ERR, 4, LOC_ACCESS_ERR, 8
  kLocalLength,        // the own buffer is too short: IBV_WC_LOC_LEN_ERR, 1
  kLocalOperation,     // the own NIC gave a queue up: IBV_WC_LOC_QP_OP_ERR, 2, IBV_EVENT_QP_FATAL
  kRefusedAccess,      // a peer used a wrong key of ours: IBV_EVENT_QP_ACCESS_ERR
  kRefusedRequest,     // a peer asked what we did not understand: IBV_EVENT_QP_REQ_ERR
  kDeviceFailed,       // IBV_EVENT_DEVICE_FATAL, IBV_WC_FATAL_ERR, 19
  kConnectTimedOut,    // the queue pair could not be connected, or rdma_cm got no answer
  kWrongGid,           // the queue pair took none: EINVAL, or ENODATA for an empty slot
  kAddressUnresolved,  // no device or no route for an address
  kConnectRejected,    // rdma_cm: nobody listens there
  kLockedMemory,       // memory could not be registered
  kNoDevice,           // no RDMA device, or not the one that was named
  kLinkDown,           // the kernel says that a link went down, or IBV_EVENT_PORT_ERR
};

// Nothing: the line tells of no error. So does what only follows from an error before it (a flushed
// queue pair, IBV_WC_WR_FLUSH_ERR, 5), and an event that is none (a GID table that changed).
std::optional<ErrorKind> KindOf(std::string_view line);

// Of ASCII, whatever the locale.
std::string Lower(std::string_view text);

}  // namespace roceready::why
