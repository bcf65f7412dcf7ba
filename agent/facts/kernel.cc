// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/kernel.h"

#include <openssl/hmac.h>

#include <array>
#include <optional>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

// Chosen once for this product; another one would make every host look replaced.
constexpr std::array<uint8_t, 16> kApplication = {0x6d, 0x2f, 0x91, 0x0c, 0x7a, 0x45, 0x4e, 0x13,
                                                  0x9b, 0x58, 0x21, 0xe7, 0xc3, 0x04, 0xd6, 0x8a};

// Modules whose version tells a vendor's driver from the kernel's own: RDMA core and the NIC
// drivers that carry RoCE.
constexpr std::string_view kModules[] = {
    "bnxt_en",   "bnxt_re",   "hclge",     "hns3",     "hns_roce_hw_v2", "i40e",
    "ib_core",   "ib_uverbs", "ice",       "ionic",    "ionic_rdma",     "irdma",
    "mlx4_core", "mlx4_ib",   "mlx5_core", "mlx5_ib",  "nvidia_peermem", "qed",
    "qede",      "qedr",      "rdma_cm",   "rdma_rxe", "rdma_ucm",       "siw",
};

// Programs that start jobs, the most telling first; as /proc/PID/comm has them (15 characters).
constexpr std::string_view kJobStarters[] = {"slurmstepd", "slurmd",     "pbs_mom", "sge_execd",
                                             "kubelet",    "containerd", "crio",    "dockerd"};

std::optional<std::array<uint8_t, 16>> ParseMachineId(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  std::array<uint8_t, 16> id{};
  for (size_t i = 0; i < id.size(); ++i) {
    const auto byte = ParseNumber("0x" + std::string(text.substr(2 * i, 2)));
    if (!byte.has_value() || *byte < 0) return std::nullopt;
    id[i] = static_cast<uint8_t>(*byte);
  }
  return id;
}

std::string ApplicationId(const std::array<uint8_t, 16>& machine) {
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), machine.data(), static_cast<int>(machine.size()), kApplication.data(),
       kApplication.size(), digest.data(), &size);
  digest[6] = static_cast<uint8_t>((digest[6] & 0x0f) | 0x40);
  digest[8] = static_cast<uint8_t>((digest[8] & 0x3f) | 0x80);
  std::string text;
  for (size_t i = 0; i < 16; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string ReadDistribution(const HostRoot& root) {
  const absl::StatusOr<std::string> text = root.Read("/etc/os-release");
  if (!text.ok()) return {};
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (std::string_view line : Lines(*text)) {
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return {};
}

void ReadModules(const HostRoot& root, v1::KernelFacts* kernel) {
  for (const std::string_view name : kModules) {
    const std::string folder = fmt::format("/sys/module/{}", name);
    // A driver built into the kernel has a folder only if it has parameters; no `initstate` then.
    if (!root.Exists(folder + "/initstate")) continue;
    v1::KernelModule* module = kernel->add_modules();
    module->set_name(std::string(name));
    if (const auto version = root.ReadWord(folder + "/version"); version.ok()) {
      module->set_version(*version);
    }
    if (const auto version = root.ReadWord(folder + "/srcversion"); version.ok()) {
      module->set_srcversion(*version);
    }
  }
}

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

}  // namespace

v1::HostIdentity ReadIdentity(const HostRoot& root, const std::string& host) {
  v1::HostIdentity identity;
  identity.set_host(host);
  const absl::StatusOr<std::string> machine = root.ReadWord("/etc/machine-id");
  if (machine.ok()) {
    const auto id = ParseMachineId(*machine);
    if (id.has_value()) identity.set_machine_id(ApplicationId(*id));
  }
  const absl::StatusOr<std::string> boot = root.ReadWord("/proc/sys/kernel/random/boot_id");
  if (boot.ok()) identity.set_boot_id(*boot);
  return identity;
}

v1::KernelFacts ReadKernel(const HostRoot& root) {
  v1::KernelFacts kernel;
  const absl::StatusOr<std::string> release = root.ReadWord("/proc/sys/kernel/osrelease");
  *kernel.mutable_reading() = ReadingOf(release.status(), v1::SOURCE_PROCFS);
  if (release.ok()) kernel.set_release(*release);
  const std::string distribution = ReadDistribution(root);
  if (!distribution.empty()) kernel.set_distribution(distribution);
  ReadModules(root, &kernel);
  *kernel.mutable_job_limits() = ReadJobLimits(root);
  return kernel;
}

v1::JobLimits ReadJobLimits(const HostRoot& root) {
  v1::JobLimits limits;
  const auto starter = FindJobStarter(root);
  if (!starter.has_value()) {
    *limits.mutable_reading() =
        MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS,
                       "no program that starts jobs (slurmd, kubelet, containerd ...) is running");
    return limits;
  }
  const absl::StatusOr<std::string> text = root.Read(starter->second + "/limits");
  *limits.mutable_reading() = ReadingOf(text.status(), v1::SOURCE_PROCFS, "CAP_SYS_PTRACE");
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
  return limits;
}

}  // namespace roceready::facts
