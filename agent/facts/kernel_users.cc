// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/kernel_users.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

// Loaded, each of these can hold queue pairs; NVMe and NFS clients are told one by one besides.
constexpr std::string_view kModules[] = {
    "ib_iser",    "ib_isert", "ib_ipoib", "ib_srp",      "ib_srpt",     "ko2iblnd", "nvme_rdma",
    "nvmet_rdma", "rds_rdma", "rpcrdma",  "rtrs_client", "rtrs_server", "smc",      "smbdirect",
};

std::optional<std::string> Word(const HostRoot& root, const std::string& path) {
  absl::StatusOr<std::string> word = root.ReadWord(path);
  if (!word.ok() || word->empty()) return std::nullopt;
  return *std::move(word);
}

v1::KernelUser* Add(std::string_view kind, std::string_view name, v1::KernelUsers* users) {
  v1::KernelUser* user = users->add_users();
  user->set_kind(std::string(kind));
  user->set_name(std::string(name));
  return user;
}

// drivers/nvme/host/sysfs.c: transport, address, state, subsysnqn of each controller.
void AddNvme(const HostRoot& root, v1::KernelUsers* users) {
  constexpr std::string_view kClass = "/sys/class/nvme";
  const absl::StatusOr<std::vector<std::string>> names = root.List(kClass);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string folder = fmt::format("{}/{}", kClass, name);
    if (Word(root, folder + "/transport") != "rdma") continue;
    v1::KernelUser* user = Add("nvme", name, users);
    if (const auto word = Word(root, folder + "/address")) user->set_address(*word);
    if (const auto word = Word(root, folder + "/state")) user->set_state(*word);
    if (const auto word = Word(root, folder + "/subsysnqn")) user->set_target(*word);
  }
}

// drivers/infiniband/ulp/srp: SCSI hosts of this kind have the files sgid and dgid.
void AddScsi(const HostRoot& root, v1::KernelUsers* users) {
  constexpr std::string_view kClass = "/sys/class/scsi_host";
  const absl::StatusOr<std::vector<std::string>> names = root.List(kClass);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string folder = fmt::format("{}/{}", kClass, name);
    const std::optional<std::string> kind = Word(root, folder + "/proc_name");
    if (kind != "iser" && kind != "ib_srp") continue;
    v1::KernelUser* user = Add(kind == "iser" ? "iser" : "srp", name, users);
    if (const auto word = Word(root, folder + "/dgid")) user->set_address(*word);
    if (const auto word = Word(root, folder + "/state")) user->set_state(*word);
  }
}

}  // namespace

void AddNfsMounts(std::string_view mounts, v1::KernelUsers* users) {
  for (const std::string_view line : Lines(mounts)) {
    // What, where, type, options.
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 4 || !words[2].starts_with("nfs")) continue;
    std::string_view options = words[3];
    bool over_rdma = false;
    std::optional<std::string> address;
    while (!options.empty()) {
      const std::string_view option = options.substr(0, options.find(','));
      over_rdma = over_rdma || option == "proto=rdma";
      if (option.starts_with("addr=")) address = std::string(option.substr(5));
      options.remove_prefix(std::min(option.size() + 1, options.size()));
    }
    if (!over_rdma) continue;
    v1::KernelUser* user = Add("nfs", words[1], users);
    user->set_target(std::string(words[0]));
    if (address) user->set_address(*address);
  }
}

v1::KernelUsers ReadKernelUsers(const HostRoot& root) {
  v1::KernelUsers users;
  const absl::StatusOr<std::string> mounts = root.Read("/proc/mounts");
  *users.mutable_reading() = ReadingOf(mounts.status(), v1::SOURCE_PROCFS);
  for (const std::string_view name : kModules) {
    // A module built into the kernel has a folder without `initstate`, used or not.
    if (root.Exists(fmt::format("/sys/module/{}/initstate", name))) Add(name, "", &users);
  }
  AddNvme(root, &users);
  AddScsi(root, &users);
  if (mounts.ok()) AddNfsMounts(*mounts, &users);
  return users;
}

}  // namespace roceready::facts
