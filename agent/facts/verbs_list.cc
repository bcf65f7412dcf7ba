// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/verbs_list.h"

#include <cerrno>

#include "agent/facts/host_root.h"

namespace roceready::facts {
namespace {

std::string NameNow(const ibv_device& device) {
  const absl::StatusOr<std::string> name = HostRoot().ReadWord(
      fmt::format("/sys/class/infiniband_verbs/{}/ibdev", std::string_view(device.dev_name)));
  return name.ok() ? *name : std::string(device.name);
}

}  // namespace

absl::StatusOr<VerbsList> VerbsList::Read() {
  VerbsList list;
  errno = 0;
  list.list_.reset(ibv_get_device_list(&list.count_));
  if (list.list_ == nullptr) return ErrnoError(errno, "list of verbs devices");
  return list;
}

ibv_device* VerbsList::Find(std::string_view name) const {
  for (int i = 0; i < count_; ++i) {
    if (NameNow(*list_.get()[i]) == name) return list_.get()[i];
  }
  return nullptr;
}

}  // namespace roceready::facts
