// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/policy_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "proto/contract/errors.h"
#include "proto/yaml/config_file.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxPolicies = 1000;

yaml::Problem UnreadProblem(const std::filesystem::path& path, const absl::Status& status) {
  std::string message(Message(status));
  // The message names the file, and so does the problem.
  const std::string prefix = path.string() + ": ";
  if (message.compare(0, prefix.size(), prefix) == 0) message.erase(0, prefix.size());
  return {path.string(), {}, "", std::move(message)};
}

}  // namespace

PolicyResult LoadPolicyFile(const std::filesystem::path& path, const PolicyContext& context) {
  const auto text = yaml::ReadTextFile(path);
  if (text.ok()) return LoadPolicy(*text, path.string(), context);
  return {.policy = nullptr, .problems = {UnreadProblem(path, text.status())}, .notes = {}};
}

absl::StatusOr<std::vector<PolicyText>> ReadPolicyDirectory(
    const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) return ErrnoError(error.value(), directory.string());
  std::vector<std::filesystem::path> paths;
  while (entries != std::filesystem::directory_iterator()) {
    const std::filesystem::path& path = entries->path();
    if (path.extension() == ".yaml" && path.filename().string().front() != '.') {
      paths.push_back(path);
    }
    entries.increment(error);
    if (error) return ErrnoError(error.value(), directory.string());
  }
  if (paths.empty()) {
    return InvalidArgument("{}: found no *.yaml, expected at least one policy", directory.string());
  }
  if (paths.size() > kMaxPolicies) {
    return InvalidArgument("{}: found {} policies, expected at most {}", directory.string(),
                           paths.size(), kMaxPolicies);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<PolicyText> texts;
  for (const std::filesystem::path& path : paths) {
    ASSIGN_OR_RETURN(std::string text, yaml::ReadTextFile(path));
    texts.push_back({path.string(), std::move(text)});
  }
  return texts;
}

JobEnvironment ReadJobEnvironmentFile(const std::filesystem::path& path) {
  const auto text = yaml::ReadTextFile(path);
  if (text.ok()) return ReadJobEnvironment(*text, path.string());
  JobEnvironment environment;
  environment.problems.push_back(UnreadProblem(path, text.status()));
  return environment;
}

std::string RenderPolicyResult(const PolicyResult& result) {
  std::string rendered;
  for (const yaml::Problem& problem : result.problems) rendered += problem.Render() + "\n";
  if (result.ok()) {
    rendered += fmt::format("policy {} is valid (digest {})\n", result.policy->name(),
                            result.policy->digest().substr(0, 12));
  }
  for (yaml::Problem note : result.notes) {
    note.text = "note: " + note.text;
    rendered += note.Render() + "\n";
  }
  return rendered;
}

}  // namespace roceready
