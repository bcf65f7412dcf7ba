// SPDX-License-Identifier: Apache-2.0
// The privileged end: does what the fixed list names (protocol.h), for the agent's user only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "agent/privileged/protocol.h"
#include "proto/process/descriptor.h"

namespace roceready::privileged {

// What it can do; replaced in tests.
struct Powers {
  std::function<absl::StatusOr<Descriptor>(uint32_t net_device_index)> open_lldp_socket;
  std::function<absl::StatusOr<Descriptor>(uint32_t net_device_index)> open_roce_socket;
  // Of a PCI function: one line "NAME VALUE" a file that is there.
  std::function<absl::StatusOr<std::string>(const std::string& pci_address)> read_mlx5_congestion;
  std::function<absl::StatusOr<std::string>(const std::string& pci_address)> read_bnxt_congestion;
  // Of a PCI function: the bytes of its configuration space.
  std::function<absl::StatusOr<std::string>(const std::string& pci_address)> read_pci_config;
};
Powers RealPowers();

// The files of mlx5's debugfs folder cc_params that are known (kernel drivers/infiniband/hw/mlx5/
// cong.c), under `mlx5_debugfs`/ADDRESS. The errno of the folder where it cannot be read.
absl::StatusOr<std::string> ReadMlx5Files(const std::string& mlx5_debugfs,
                                          const std::string& pci_address);

// The same of bnxt_re's folder cc_config (drivers/infiniband/hw/bnxt_re/debugfs.c of newer
// kernels). Files of which the driver has no value refuse to be read (EINVAL); they are left out.
absl::StatusOr<std::string> ReadBnxtFiles(const std::string& bnxt_debugfs,
                                          const std::string& pci_address);

// `devices`/ADDRESS/config: the first 64 bytes only where CAP_SYS_ADMIN is lacking.
absl::StatusOr<std::string> ReadPciConfigFile(const std::string& devices,
                                              const std::string& pci_address);

// Answers the one request of a connection. Peers of other users get EACCES, and nothing is done.
void Answer(int connection, const std::vector<uid_t>& allowed, const Powers& powers);

// Answers connections, each on a thread of its own (a driver may hang in one), at most
// `kMostAtOnce`; returns when none came for `idle` and none is open.
inline constexpr int kMostAtOnce = 16;
absl::Status Serve(int listening, const std::vector<uid_t>& allowed, const Powers& powers,
                   std::chrono::milliseconds idle);

}  // namespace roceready::privileged
