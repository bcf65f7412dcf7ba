// SPDX-License-Identifier: Apache-2.0
// Readings by verbs as text, for recordings:
//
//   device NAME VENDOR PART MAX_QP MAX_MR      then its `gid` lines
//   gid PORT INDEX 32_HEX_DIGITS TYPE NET_DEVICE_INDEX
//   ports NAME                                 then its `port` lines
//   port NUMBER ACTIVE_MTU MAX_MTU GID_TABLE_LENGTH LINK_LAYER LID
//   no-device NAME ERRNO                       instead of `device`
//   no-ports NAME ERRNO                        instead of `ports`
//   points NAME NOTIFICATION REACTION          masks of priorities
//   no-points NAME ERRNO                       instead of `points`
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/facts/verbs.h"

namespace roceready::facts {

struct VerbsAnswers {
  std::map<std::string, absl::StatusOr<VerbsDevice>> devices;
  std::map<std::string, absl::StatusOr<std::vector<VerbsPort>>> ports;
  std::map<std::string, absl::StatusOr<VerbsCongestionPoints>> points;
};

std::string DeviceText(const std::string& rdma_device, const absl::StatusOr<VerbsDevice>& answer);
std::string PortsText(const std::string& rdma_device,
                      const absl::StatusOr<std::vector<VerbsPort>>& answer);

std::string PointsText(const std::string& rdma_device,
                       const absl::StatusOr<VerbsCongestionPoints>& answer);

// kInvalidArgument with the line number when malformed.
absl::StatusOr<VerbsAnswers> ParseVerbsText(std::string_view text);

}  // namespace roceready::facts
