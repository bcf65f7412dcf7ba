// SPDX-License-Identifier: Apache-2.0
// Facts of a host as a file: what `roceready-agent facts` prints and what is judged elsewhere
// later. JSON of v1::FactsFile with the field names of the proto file.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "roceready/v1/facts.pb.h"

namespace roceready {

// Value of FactsFile.format. The number rises when older programs could misread the file.
inline constexpr std::string_view kFactsFileFormat = "roceready-facts/1";

// `file_name` is for the errors alone. kInvalidArgument: not JSON, not of this format, or naming no
// host. Fields that a newer agent added are passed over.
absl::StatusOr<v1::FactsFile> ParseFactsFile(std::string_view json, std::string_view file_name);

// Since the facts were recorded, never negative: a clock may have run ahead. None: the file does
// not say when that was.
std::optional<std::chrono::nanoseconds> AgeOfFacts(const v1::FactsFile& file,
                                                   std::chrono::system_clock::time_point now);

// The same of each part of the facts, by its key: at least as old as the file, and older by what it
// says in `ages`. Empty where the file does not say when it was recorded.
std::map<std::string, std::chrono::nanoseconds, std::less<>> AgesOfParts(
    const v1::FactsFile& file, std::chrono::system_clock::time_point now);

// The same of the counters.
std::optional<std::chrono::nanoseconds> AgeOfCounters(const v1::FactsFile& file,
                                                      std::chrono::system_clock::time_point now);

// Indented, ends with a line feed.
absl::StatusOr<std::string> PrintFactsFile(const v1::FactsFile& file);

}  // namespace roceready
