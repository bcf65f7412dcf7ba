// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/device_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

bool IsBackground(const QueuePairUser& user, const v1::ProbeSpec& spec) {
  if (user.in_kernel && spec.background_kernel()) return true;
  const auto& names = spec.background_processes();
  return std::find(names.begin(), names.end(), user.name) != names.end();
}

}  // namespace

std::vector<std::string> ForeignUsers(std::span<const QueuePairUser> users,
                                      const v1::ProbeSpec& spec, uint32_t own_pid) {
  std::vector<std::string> foreign;
  for (const QueuePairUser& user : users) {
    if (user.type == "GSI" || user.type == "SMI") continue;
    if (user.pid != 0 && user.pid == own_pid) continue;
    if (IsBackground(user, spec)) continue;
    std::string text = user.name.empty() ? "an unknown process" : user.name;
    if (user.in_kernel) text += " (kernel)";
    if (user.pid != 0) text += fmt::format(" (pid {})", user.pid);
    if (std::find(foreign.begin(), foreign.end(), text) == foreign.end()) {
      foreign.push_back(std::move(text));
    }
  }
  return foreign;
}

std::optional<Refusal> CheckBusy(const Environment& environment, const v1::ProbeSpec& spec,
                                 const std::string& rdma_name) {
  if (spec.busy_rule() == v1::BUSY_RULE_IGNORE) return std::nullopt;
  const auto users = environment.use->Users(rdma_name);
  if (!users.ok()) {
    return Refusal{v1::REFUSAL_REASON_BUSY,
                   fmt::format("cannot tell who uses {}: {}", rdma_name, Message(users.status())),
                   ErrnoOf(users.status()).value_or(0)};
  }
  const auto foreign = ForeignUsers(*users, spec, environment.own_pid);
  if (foreign.empty()) return std::nullopt;
  return Refusal{v1::REFUSAL_REASON_BUSY,
                 fmt::format("{} is in use by {}", rdma_name, fmt::join(foreign, ", ")), EBUSY};
}

}  // namespace roceready::probe
