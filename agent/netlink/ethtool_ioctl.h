// SPDX-License-Identifier: Apache-2.0
// What ethtool's netlink family cannot give: driver and firmware text, private statistics, the
// permanent address, by ioctl SIOCETHTOOL (kernel include/uapi/linux/ethtool.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/netlink/message.h"

namespace roceready::netlink {

// One ethtool command on one netdev; fakes answer from recorded bytes.
class EthtoolControl {
 public:
  virtual ~EthtoolControl() = default;
  // `command` starts with the u32 command number; the kernel writes its answer into it.
  // Errors carry the errno: EOPNOTSUPP -> kUnimplemented, ENODEV -> kNotFound.
  virtual absl::Status Call(const std::string& netdev, std::span<uint8_t> command) = 0;
};

// The kernel we run on. The ioctl takes RTNL: it returns when the kernel lets it.
absl::StatusOr<std::unique_ptr<EthtoolControl>> OpenEthtoolControl();

// ETHTOOL_GDRVINFO; texts without trailing blanks, empty where the driver gives none.
struct EthtoolDriverInfo {
  std::string driver;
  std::string version;
  std::string firmware;
  // PCI address of a PCI device.
  std::string bus;

  bool operator==(const EthtoolDriverInfo&) const = default;
};

// ETHTOOL_GSTATS: the driver's own names (blanks inside are kept, at the ends cut), in its order.
struct EthtoolStatistic {
  std::string name;
  uint64_t value = 0;

  bool operator==(const EthtoolStatistic&) const = default;
};

// Reads the answers out of the command buffers; kDataLoss when one is shorter than it claims.
absl::StatusOr<EthtoolDriverInfo> DecodeEthtoolDriverInfo(ByteView answer);
absl::StatusOr<std::vector<std::string>> DecodeEthtoolStrings(ByteView answer);
absl::StatusOr<std::vector<uint64_t>> DecodeEthtoolValues(ByteView answer);

absl::StatusOr<EthtoolDriverInfo> ReadEthtoolDriverInfo(EthtoolControl& control,
                                                        const std::string& netdev);
// Names and values belong together: the set can change between the two calls (mlx5 shows pause
// statistics only while PFC is on), so the names are read before and after the values, and all of
// it again when they differ; kUnavailable when they keep changing. kUnimplemented where the driver
// has no statistics.
absl::StatusOr<std::vector<EthtoolStatistic>> ReadEthtoolStatistics(EthtoolControl& control,
                                                                    const std::string& netdev);
// Six bytes; kNotFound where the device has none (all zero).
absl::StatusOr<std::array<uint8_t, 6>> ReadEthtoolPermanentAddress(EthtoolControl& control,
                                                                   const std::string& netdev);

}  // namespace roceready::netlink
