// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/switch_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "checks/switch_import/json_tables.h"
#include "checks/switch_import/sonic.h"
#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) return InvalidArgument("cannot read {}: {}", path, error.message());
  if (fs::is_directory(status)) return InvalidArgument("{} is a directory, expected a file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return InvalidArgument("cannot read {}: {}", path, std::generic_category().message(errno));
  }
  // One byte more than allowed tells a file that is too long; a pipe has no length to ask for.
  std::string text(switches::kMaxTextBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

absl::StatusOr<std::vector<checks::KnownSwitch>> ReadSwitchFiles(
    const std::vector<std::string>& paths) {
  std::vector<checks::KnownSwitch> known;
  std::vector<yaml::Problem> problems;
  std::map<std::string, std::string> file_of;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::string text, ReadWhole(path));
    switches::ImportResult result = switches::ImportSonic(text, path);
    if (!result.ok()) {
      problems.insert(problems.end(), result.problems.begin(), result.problems.end());
      continue;
    }
    const auto [other, is_new] = file_of.emplace(result.facts.name(), path);
    if (!is_new) {
      return InvalidArgument("{}: switch {} is also in {}", path, result.facts.name(),
                             other->second);
    }
    known.push_back({std::make_shared<const v1::SwitchFacts>(std::move(result.facts)), {}});
  }
  if (!problems.empty()) return FailedPrecondition("{}", yaml::Render(problems));
  return known;
}

}  // namespace roceready::cli
