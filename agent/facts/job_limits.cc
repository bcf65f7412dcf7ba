// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/job_limits.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

// Programs that start jobs, the most telling first; as /proc/PID/comm has them (15 characters).
constexpr std::string_view kJobStarters[] = {"slurmstepd", "slurmd",     "pbs_mom", "sge_execd",
                                             "kubelet",    "containerd", "crio",    "dockerd"};

// The process directory of the best job starter.
std::optional<std::pair<std::string, std::string>> FindJobStarter(const HostRoot& root) {
  const absl::StatusOr<std::vector<std::string>> processes = root.List("/proc");
  if (!processes.ok()) return std::nullopt;
  size_t best = std::size(kJobStarters);
  std::string folder;
  for (const std::string& process : *processes) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    const absl::StatusOr<std::string> name = root.ReadWord(fmt::format("/proc/{}/comm", process));
    if (!name.ok()) continue;
    for (size_t rank = 0; rank < best; ++rank) {
      if (*name != kJobStarters[rank]) continue;
      best = rank;
      folder = "/proc/" + process;
    }
  }
  if (folder.empty()) return std::nullopt;
  return std::pair(std::string(kJobStarters[best]), folder);
}

struct Limit {
  std::optional<uint64_t> soft;
  std::optional<uint64_t> hard;
};

// "Max locked memory         8388608              8388608              bytes"
std::optional<Limit> FindLimit(std::string_view text, std::string_view name) {
  for (std::string_view line : Lines(text)) {
    if (!line.starts_with(name)) continue;
    const std::vector<std::string_view> words = Words(line.substr(name.size()));
    if (words.size() < 2) return std::nullopt;
    Limit limit;
    for (const auto& [word, value] :
         {std::pair{words[0], &limit.soft}, std::pair{words[1], &limit.hard}}) {
      const std::optional<int64_t> number = ParseNumber(word);
      if (number.has_value()) {
        *value = static_cast<uint64_t>(*number);
      } else if (word != "unlimited") {
        return std::nullopt;
      }
    }
    return limit;
  }
  return std::nullopt;
}

constexpr std::string_view kCgroups = "/sys/fs/cgroup";

// The path in the unified hierarchy: "0::/system.slice/slurmd.service".
std::optional<std::string> FindCgroup(std::string_view text) {
  constexpr std::string_view kUnified = "0::";
  for (const std::string_view line : Lines(text)) {
    if (!line.starts_with(kUnified)) continue;
    const std::string_view path = line.substr(kUnified.size());
    if (path.starts_with('/')) return std::string(path);
  }
  return std::nullopt;
}

v1::RdmaCgroup ReadRdmaCgroup(const HostRoot& root, const std::string& process) {
  v1::RdmaCgroup cgroup;
  const absl::StatusOr<std::string> text = root.Read(process + "/cgroup");
  const std::optional<std::string> path = text.ok() ? FindCgroup(*text) : std::nullopt;
  if (!path.has_value()) {
    *cgroup.mutable_reading() =
        text.ok() ? MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_PROCFS,
                                   "the job starter is in no group of the unified hierarchy")
                  : ReadingOf(text.status(), v1::SOURCE_PROCFS);
    return cgroup;
  }
  // The root group has no file; a group in which nobody switched the controller on has none either.
  bool found = false;
  for (std::string level = *path; level.size() > 1; level.resize(level.rfind('/'))) {
    const absl::StatusOr<std::string> limits =
        root.Read(fmt::format("{}{}/rdma.max", kCgroups, level));
    if (!limits.ok()) continue;
    found = true;
    const absl::Status merged = MergeRdmaLimits(*limits, &cgroup);
    *cgroup.mutable_reading() = ReadingOf(merged, v1::SOURCE_SYSFS);
    if (!merged.ok()) return cgroup;
  }
  if (!found) {
    *cgroup.mutable_reading() = MissingReading(
        v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS,
        "no group above the job starter has the rdma controller: nothing is limited");
  }
  return cgroup;
}

}  // namespace

absl::Status MergeRdmaLimits(std::string_view text, v1::RdmaCgroup* cgroup) {
  const auto lower = [](std::optional<uint64_t> before, uint64_t now) {
    return std::min(before.value_or(now), now);
  };
  for (const std::string_view line : Lines(text)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) continue;
    std::optional<uint64_t> handles, objects;
    for (const std::string_view word : std::span(words).subspan(1)) {
      const size_t equals = word.find('=');
      if (equals == std::string_view::npos) return DataLoss("rdma.max: '{}'", line);
      const std::string_view value = word.substr(equals + 1);
      if (value == "max") continue;
      const std::optional<int64_t> number = ParseNumber(value);
      if (!number.has_value() || *number < 0) return DataLoss("rdma.max: '{}'", line);
      const auto limit = static_cast<uint64_t>(*number);
      if (word.starts_with("hca_handle=")) handles = limit;
      if (word.starts_with("hca_object=")) objects = limit;
    }
    if (!handles && !objects) continue;
    auto* rows = cgroup->mutable_limits();
    const auto known = std::ranges::find(*rows, words[0], &v1::RdmaCgroupLimit::name);
    v1::RdmaCgroupLimit* row = known == rows->end() ? rows->Add() : &*known;
    row->set_name(std::string(words[0]));
    if (handles) {
      row->set_handles(
          lower(row->has_handles() ? std::optional(row->handles()) : std::nullopt, *handles));
    }
    if (objects) {
      row->set_objects(
          lower(row->has_objects() ? std::optional(row->objects()) : std::nullopt, *objects));
    }
  }
  return absl::OkStatus();
}

v1::JobLimits ReadJobLimits(const HostRoot& root) {
  v1::JobLimits limits;
  const auto starter = FindJobStarter(root);
  if (!starter.has_value()) {
    *limits.mutable_reading() =
        MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS,
                       "no program that starts jobs (slurmd, kubelet, containerd ...) is running");
    *limits.mutable_rdma_cgroup()->mutable_reading() = limits.reading();
    return limits;
  }
  *limits.mutable_rdma_cgroup() = ReadRdmaCgroup(root, starter->second);
  const absl::StatusOr<std::string> text = root.Read(starter->second + "/limits");
  *limits.mutable_reading() = ReadingOf(text.status(), v1::SOURCE_PROCFS, kReadLimits);
  limits.mutable_reading()->set_locator("limits of " + starter->first);
  if (!text.ok()) return limits;
  const std::optional<Limit> memory = FindLimit(*text, "Max locked memory");
  if (memory.has_value()) {
    limits.set_memlock_unlimited(!memory->soft.has_value());
    if (memory->soft) limits.set_memlock_soft_bytes(*memory->soft);
    if (memory->hard) limits.set_memlock_hard_bytes(*memory->hard);
  }
  const std::optional<Limit> files = FindLimit(*text, "Max open files");
  if (files.has_value() && files->soft) limits.set_open_files(*files->soft);
  if (files.has_value() && files->hard) limits.set_open_files_hard(*files->hard);
  return limits;
}

}  // namespace roceready::facts
