// SPDX-License-Identifier: Apache-2.0
// The firmware command QUERY_CONG_STATUS of mlx5, which the kernel lets through DEVX
// (devx_is_general_cmd in drivers/infiniband/hw/mlx5/devx.c; layout in include/linux/mlx5/
// mlx5_ifc.h): the only way to the per-priority switches that the kernel's own driver has. Not yet
// seen on hardware: every refusal leaves the switches UNSUPPORTED, as they were without it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "agent/facts/verbs.h"

namespace roceready::facts {

enum class CongestionProtocol : uint8_t { kReactionPoint = 1, kNotificationPoint = 2 };

inline constexpr size_t kCongestionCommandBytes = 16;
using CongestionCommand = std::array<uint8_t, kCongestionCommandBytes>;

CongestionCommand QueryCongestionStatus(CongestionProtocol protocol, uint8_t priority);

// Whether the point is on. kUnimplemented with the firmware's status and syndrome where it refused,
// kDataLoss for another size.
absl::StatusOr<bool> DecodeCongestionStatus(std::span<const uint8_t> answer);

// Puts the switches in where the driver shows none; a refusal adds its reason.
void AddCongestionPoints(const absl::StatusOr<VerbsCongestionPoints>& points,
                         v1::CongestionControl* congestion);

}  // namespace roceready::facts
