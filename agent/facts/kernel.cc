// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/kernel.h"

#include <openssl/hmac.h>

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "agent/facts/job_limits.h"
#include "agent/facts/module_file.h"
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

// "btime 1764430000" in /proc/stat.
std::optional<uint64_t> ReadBootTime(const HostRoot& root) {
  const absl::StatusOr<std::string> text = root.Read("/proc/stat");
  if (!text.ok()) return std::nullopt;
  for (const std::string_view line : Lines(*text)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() != 2 || words[0] != "btime") continue;
    const std::optional<int64_t> seconds = ParseNumber(words[1]);
    if (seconds.has_value() && *seconds > 0) return static_cast<uint64_t>(*seconds);
  }
  return std::nullopt;
}

// The list of all modules is larger than any other file that we read.
absl::StatusOr<std::string> ReadInParts(const HostRoot& root, const std::string& path) {
  constexpr size_t kPart = 1 << 18;
  constexpr size_t kMostParts = 32;
  std::string text;
  for (size_t part = 0; part < kMostParts; ++part) {
    ASSIGN_OR_RETURN(const std::string bytes, root.ReadPart(path, part * kPart, kPart));
    text += bytes;
    if (bytes.size() < kPart) return text;
  }
  return DataLoss("{}: longer than {} bytes", path, text.size());
}

// The files of the running kernel's modules. The list of them is long and they change only with an
// update, so that on a live host what they said is remembered for a while.
class ModuleFiles {
 public:
  ModuleFiles(const HostRoot& root, const std::string& release)
      : root_(root), folder_(fmt::format("/lib/modules/{}", release)) {}

  absl::StatusOr<ModuleFile> Read(const std::string& name) {
    if (!root_.is_live()) return ReadNow(name);
    constexpr std::chrono::minutes kGoodFor(10);
    static std::mutex mutex;
    static std::map<std::string, Remembered> remembered;
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex);
    const auto found = remembered.find(name);
    if (found != remembered.end() && now - found->second.read_at < kGoodFor) {
      return found->second.file;
    }
    return remembered.insert_or_assign(name, Remembered{now, ReadNow(name)}).first->second.file;
  }

 private:
  struct Remembered {
    std::chrono::steady_clock::time_point read_at;
    absl::StatusOr<ModuleFile> file;
  };

  absl::StatusOr<ModuleFile> ReadNow(const std::string& name) {
    if (!list_.has_value()) list_ = ReadInParts(root_, folder_ + "/modules.dep");
    RETURN_IF_ERROR(list_->status());
    ASSIGN_OR_RETURN(const std::string path, FindModulePath(**list_, name));
    return ReadModuleFile(root_, folder_ + "/" + path);
  }

  const HostRoot& root_;
  const std::string folder_;
  std::optional<absl::StatusOr<std::string>> list_;
};

void FillOnDisk(const absl::StatusOr<ModuleFile>& file, v1::KernelModule* module) {
  *module->mutable_on_disk() = ReadingOf(file.status(), v1::SOURCE_FILE);
  if (!file.ok()) return;
  if (!file->build_id.empty()) module->set_build_id_on_disk(file->build_id);
  if (!file->srcversion.empty()) module->set_srcversion_on_disk(file->srcversion);
}

void ReadModules(const HostRoot& root, const std::string& release, v1::KernelFacts* kernel) {
  ModuleFiles files(root, release);
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
    const absl::StatusOr<std::string> notes = root.Read(folder + "/notes/.note.gnu.build-id");
    const absl::StatusOr<std::string> build_id =
        notes.ok() ? DecodeBuildId(*notes) : notes.status();
    if (build_id.ok()) module->set_build_id(*build_id);
    FillOnDisk(files.Read(module->name()), module);
  }
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
  if (const auto time = ReadBootTime(root)) kernel.set_boot_time_seconds(*time);
  ReadModules(root, release.value_or(""), &kernel);
  *kernel.mutable_job_limits() = ReadJobLimits(root);
  return kernel;
}

}  // namespace roceready::facts
