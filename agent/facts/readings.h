// SPDX-License-Identifier: Apache-2.0
// How a question to the kernel ended, as a Reading. One place turns statuses into outcomes, so that
// no source can call a failure "off".
#pragma once

#include <string>
#include <string_view>

#include "proto/contract/errors.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::facts {

// What would unlock a reading that the kernel denies: the words of Reading.needs, and of the table
// in this folder's README.
inline constexpr std::string_view kReadPciConfig = "CAP_SYS_ADMIN";
inline constexpr std::string_view kReadDebugfs =
    "root and debugfs (CAP_DAC_READ_SEARCH, CAP_SYS_ADMIN)";
// mlx5's and bnxt_re's are also read by the privileged program (agent/privileged).
inline constexpr std::string_view kReadCongestionDebugfs =
    "root and debugfs (CAP_DAC_READ_SEARCH, CAP_SYS_ADMIN), or roceready-agent-privileged.socket "
    "started";
inline constexpr std::string_view kHearLldp =
    "CAP_NET_RAW, or roceready-agent-privileged.socket started";
inline constexpr std::string_view kSeeRocePackets =
    "CAP_NET_RAW, or roceready-agent-privileged.socket started";
inline constexpr std::string_view kReadConfigfs = "root";
inline constexpr std::string_view kReadLimits = "CAP_SYS_PTRACE";
inline constexpr std::string_view kReadFirewall = "CAP_NET_ADMIN";
inline constexpr std::string_view kReadLegacyTables = "root";
inline constexpr std::string_view kReadTransceiver = "CAP_NET_ADMIN";
inline constexpr std::string_view kReadEswitch = "CAP_NET_ADMIN";
// Of a denial for which none of the above was given: a file that its mode keeps from us, or a call.
inline constexpr std::string_view kReadFile = "CAP_DAC_READ_SEARCH";
inline constexpr std::string_view kCall = "root";

v1::Reading OkReading(v1::Source source);

// The reading of a failed call. By errno where the status has one: EOPNOTSUPP, ENOSYS,
// EPROTONOSUPPORT, EAFNOSUPPORT -> UNSUPPORTED; EPERM, EACCES -> DENIED with `needs` (never
// without: kReadFile or kCall where the caller gives none); ENOENT, ENODEV, ENXIO -> ABSENT; all
// else -> FAILED. An OK status gives an OK reading. A deadline that is ours (no errno) ->
// TIMED_OUT.
v1::Reading ReadingOf(const absl::Status& status, v1::Source source, std::string_view needs = {});

// A reading that did not succeed for a reason of our own.
v1::Reading MissingReading(v1::Outcome outcome, v1::Source source, std::string_view detail,
                           std::string_view needs = {});

}  // namespace roceready::facts
