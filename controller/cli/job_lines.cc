// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/job_lines.h"

#include <algorithm>

#include "checks/policy/job_environment.h"
#include "proto/contract/errors.h"
#include "proto/yaml/config_file.h"

namespace roceready::cli {
namespace {

bool IsOfALibrary(std::string_view line) {
  const auto skip = [&line](std::string_view lead) {
    if (line.starts_with(lead)) line.remove_prefix(lead.size());
  };
  const auto skip_spaces = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_spaces();
  skip("export ");
  skip_spaces();
  return line.starts_with("NCCL_") || line.starts_with("UCX_") || line.starts_with("NVSHMEM_");
}

}  // namespace

std::string LinesOfLibraries(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (IsOfALibrary(line)) lines += line;
    lines += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

absl::StatusOr<std::string> JobLinesToSend(const std::string& file) {
  const auto text = yaml::ReadTextFile(file);
  if (!text.ok()) return FailedPrecondition("{}: {}", file, Message(text.status()));
  const JobEnvironment environment = ReadJobEnvironment(*text, file);
  if (!environment.ok()) {
    return FailedPrecondition("environment of the job:\n{}", yaml::Render(environment.problems));
  }
  return LinesOfLibraries(*text);
}

}  // namespace roceready::cli
