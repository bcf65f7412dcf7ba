// SPDX-License-Identifier: Apache-2.0
// The agent's end: asks the privileged program for what the agent may not do itself.
#pragma once

#include <map>
#include <string>

#include "agent/privileged/protocol.h"
#include "proto/process/descriptor.h"

namespace roceready::privileged {

// A packet socket that hears LLDP on a net device: opened by ourselves where we may, else by the
// privileged program. kPermissionDenied (EPERM), saying what to start, where neither works.
absl::StatusOr<Descriptor> OpenLldpSocket(uint32_t net_device_index,
                                          const std::string& path = kSocketPath);

// The same of a packet socket that sees RoCE headers (wire/packet_socket.h).
absl::StatusOr<Descriptor> OpenRoceSocket(uint32_t net_device_index,
                                          const std::string& path = kSocketPath);

// mlx5's congestion parameters by the names of their debugfs files. kPermissionDenied as above; the
// errno of the folder where the privileged program could not read it either; kDataLoss when a value
// is no number.
absl::StatusOr<std::map<std::string, uint64_t>> ReadMlx5Congestion(
    const std::string& pci_address, const std::string& path = kSocketPath);

// The same of bnxt_re.
absl::StatusOr<std::map<std::string, uint64_t>> ReadBnxtCongestion(
    const std::string& pci_address, const std::string& path = kSocketPath);

// The bytes of a function's configuration space: 64 where the privileged program was not given
// CAP_SYS_ADMIN. kPermissionDenied as above.
absl::StatusOr<std::string> ReadPciConfiguration(const std::string& pci_address,
                                                 const std::string& path = kSocketPath);

// Asks one thing of the program behind `connection`. `passed` receives the descriptor that came
// with the answer, if one did.
absl::StatusOr<std::string> Ask(int connection, const Request& request, Descriptor* passed);

}  // namespace roceready::privileged
