// SPDX-License-Identifier: Apache-2.0
// A job's log to the lines that tell of RDMA errors: what kind of error, and which hosts, devices
// and addresses they name. Pure: text in. Knows NCCL, UCX, perftest, rdma_cm and the kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::why {

enum class ErrorKind {
  kRetriesExceeded,    // no acknowledgement: IBV_WC_RETRY_EXC_ERR, 12
  kReceiverNotReady,   // IBV_WC_RNR_RETRY_EXC_ERR, 13
  kRemoteAccess,       // the peer refused the memory: IBV_WC_REM_ACCESS_ERR, 10
  kRemoteRequest,      // the peer did not understand: IBV_WC_REM_INV_REQ_ERR, 9
  kRemoteOperation,    // the peer could not do it: IBV_WC_REM_OP_ERR, 11
  kLocalProtection,    // the own memory key is wrong: IBV_WC_LOC_PROT_ERR, 4
  kConnectTimedOut,    // the queue pair could not be connected, or rdma_cm got no answer
  kAddressUnresolved,  // rdma_cm: no device or no route for an address
  kConnectRejected,    // rdma_cm: nobody listens there
  kLockedMemory,       // memory could not be registered
  kNoDevice,           // no RDMA device, or not the one that was named
  kLinkDown,           // the kernel says that a link went down
};

struct ErrorLine {
  std::size_t number = 0;  // from 1
  std::string text;
  ErrorKind kind = ErrorKind::kRetriesExceeded;
  // Who wrote the line; empty: it does not say.
  std::string host;
  // As written, without ports.
  std::vector<std::string> local_addresses, remote_addresses;
  // Of the writing host: "mlx5_0", "eth2".
  std::vector<std::string> devices;
  // Where a GID or traffic class is named; nothing: it is not.
  std::optional<unsigned> gid_index, traffic_class;
};

// In the order of the log. A flushed queue pair (IBV_WC_WR_FLUSH_ERR, 5) tells nothing and is left
// out.
std::vector<ErrorLine> ReadErrorLines(std::string_view log);

}  // namespace roceready::why
