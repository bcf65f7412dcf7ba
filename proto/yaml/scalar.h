// SPDX-License-Identifier: Apache-2.0
// The written forms of numbers, durations and times. Each function is empty for any other text.
#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace roceready::yaml {

// "26", "-5", "0x6a"; no leading zeros ("010" is 8 to some and 10 to others), no sign but '-'.
std::optional<std::uint64_t> ParseUnsigned(std::string_view text);
std::optional<std::int64_t> ParseSigned(std::string_view text);

// "0.5", "12"; finite, decimal.
std::optional<double> ParseDouble(std::string_view text);

// "true" or "false" alone: "no" and "off" have meant different things to YAML's versions.
std::optional<bool> ParseBool(std::string_view text);

// A number, with decimals if wanted, and us, ms, s, m or h: "90s", "1.5h". At most 10,000 years
// (the bound of google.protobuf.Duration); decimals below a nanosecond are refused.
std::optional<google::protobuf::Duration> ParseDuration(std::string_view text);

// RFC 3339 with its zone ("2026-12-15T10:00:00+01:00"), or a date, which is its first moment in
// UTC. Years 1 to 9999.
std::optional<google::protobuf::Timestamp> ParseTimestamp(std::string_view text);

}  // namespace roceready::yaml
