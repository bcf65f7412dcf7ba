// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/facts_file.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "proto/contract/errors.h"
#include "proto/contract/fact_parts.h"

namespace roceready {
namespace {

// Of a time (since 1970) or of a duration.
template <typename Message>
std::chrono::nanoseconds AsNanoseconds(const Message& message) {
  return std::chrono::seconds(message.seconds()) + std::chrono::nanoseconds(message.nanos());
}

}  // namespace

absl::StatusOr<v1::FactsFile> ParseFactsFile(std::string_view json, std::string_view file_name) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::FactsFile file;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &file, options);
  if (!status.ok()) {
    return InvalidArgument("{}: no facts file: {}", file_name, std::string(status.message()));
  }
  if (file.format() != kFactsFileFormat) {
    return InvalidArgument("{}: format is \"{}\", this program reads \"{}\"", file_name,
                           file.format(), kFactsFileFormat);
  }
  if (file.facts().identity().host().empty()) {
    return InvalidArgument("{}: facts.identity.host is empty; the file names no host", file_name);
  }
  return file;
}

absl::StatusOr<std::string> PrintFactsFile(const v1::FactsFile& file) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(file, &json, options);
  if (!status.ok())
    return Internal("these facts have no JSON form: {}", std::string(status.message()));
  if (json.empty() || json.back() != '\n') json += '\n';
  return json;
}

std::optional<std::chrono::nanoseconds> AgeOfFacts(const v1::FactsFile& file,
                                                   std::chrono::system_clock::time_point now) {
  if (!file.has_recorded_at() || file.recorded_at().seconds() <= 0) return std::nullopt;
  return std::max(
      std::chrono::nanoseconds::zero(),
      std::chrono::nanoseconds(now.time_since_epoch()) - AsNanoseconds(file.recorded_at()));
}

std::map<std::string, std::chrono::nanoseconds, std::less<>> AgesOfParts(
    const v1::FactsFile& file, std::chrono::system_clock::time_point now) {
  std::map<std::string, std::chrono::nanoseconds, std::less<>> ages;
  const std::optional<std::chrono::nanoseconds> age = AgeOfFacts(file, now);
  const absl::StatusOr<FactParts> parts = SplitFacts(file.facts());
  if (!age || !parts.ok()) return ages;
  for (const auto& [key, part] : *parts) ages.emplace(key, *age);
  for (const v1::FactAge& before : file.ages()) {
    const auto found = ages.find(before.key());
    if (found != ages.end()) found->second += AsNanoseconds(before.age());
  }
  return ages;
}

std::optional<std::chrono::nanoseconds> AgeOfCounters(const v1::FactsFile& file,
                                                      std::chrono::system_clock::time_point now) {
  const std::optional<std::chrono::nanoseconds> age = AgeOfFacts(file, now);
  if (!age) return std::nullopt;
  return *age + AsNanoseconds(file.counters_age());
}

}  // namespace roceready
