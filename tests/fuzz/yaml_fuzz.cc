// SPDX-License-Identifier: Apache-2.0
// Any text is either a policy or a list of problems, each with its file; no exception, no crash.
#include <roceready/v1/policy.pb.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proto/yaml/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  roceready::v1::Policy policy;
  const auto decoded = roceready::yaml::Decode(text, "fuzz.yaml", policy);
  for (const auto& problem : decoded.problems) {
    if (problem.file != "fuzz.yaml" || problem.text.empty()) std::abort();
    if (problem.Render().find('\n') != std::string::npos) std::abort();
  }
  if (decoded.ok() != decoded.status().ok()) std::abort();
  // Every value of a complete policy has its line.
  if (decoded.ok() && decoded.sources.Line("name").empty()) std::abort();
  return 0;
}
