// SPDX-License-Identifier: Apache-2.0
// A line of a job's log to the RDMA error that it tells of, and the hosts, devices and addresses
// that it names. Pure: text in. Knows NCCL, UCX, perftest, rdma_cm and the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/why/error_kind.h"

namespace roceready::why {

struct ErrorLine {
  std::size_t number = 0;  // from 1
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

// Nothing: the line tells of no error. `number` is the caller's to set.
std::optional<ErrorLine> ReadErrorLine(std::string_view line);

// To an error what another line about it names.
void AddNamed(std::string_view line, ErrorLine* error);

// perftest's "GID: 00:00:...:255:255:10:77:00:01", sixteen decimal numbers, as
// "0000:...:ffff:0a4d:0001". Nothing: the line has none.
std::optional<std::string> DecimalGid(std::string_view line);

}  // namespace roceready::why
