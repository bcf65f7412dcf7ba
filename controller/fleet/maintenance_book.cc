// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/maintenance_book.h"

#include <fmt/chrono.h>

#include <algorithm>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

bool HasEnded(const v1::MaintenanceMark& mark, WallTime now) {
  return FromProto(mark.until()) <= now;
}

}  // namespace

absl::StatusOr<std::vector<v1::MaintenanceMark>> MaintenanceBook::MarksOf(
    const v1::SetMaintenanceRequest& request, const std::string& caller, WallTime now) const {
  if (request.hosts() == "*") {
    return InvalidArgument(
        "hosts: '*' would set aside hosts that nobody has thought of: name them, as in "
        "gpu[001-128]");
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> hosts, ExpandHostList(request.hosts()));
  if (request.reason().empty()) {
    return InvalidArgument("reason: say why, for whoever comes upon these hosts");
  }
  if (request.reason().size() > kMaxReasonBytes) {
    return InvalidArgument("reason: {} bytes are given, at most {} are kept",
                           request.reason().size(), kMaxReasonBytes);
  }
  const Duration duration = FromProto(request.duration());
  if (!request.has_duration() || duration < kShortest || duration > kLongest) {
    return InvalidArgument(
        "duration: expected from 1 s to 90 days; set the hosts aside again where it takes longer");
  }
  const auto added = static_cast<std::size_t>(std::ranges::count_if(
      hosts, [&](const std::string& host) { return Find(host, now) == nullptr; }));
  if (const std::size_t kept = MarksAt(now).size(); kept + added > kMaxMarks) {
    return MakeError(
        absl::StatusCode::kResourceExhausted,
        fmt::format("{} hosts would be set aside, at most {} are", kept + added, kMaxMarks));
  }
  v1::MaintenanceMark mark;
  mark.set_reason(request.reason());
  mark.set_set_by(caller);
  *mark.mutable_set_at() = ToProto(now);
  *mark.mutable_until() = ToProto(now + duration);
  std::vector<v1::MaintenanceMark> marks(hosts.size(), mark);
  for (std::size_t i = 0; i < hosts.size(); ++i) marks[i].set_host(hosts[i]);
  return marks;
}

void MaintenanceBook::Put(const std::vector<v1::MaintenanceMark>& marks, WallTime now) {
  std::erase_if(marks_, [&](const auto& one) { return HasEnded(one.second, now); });
  for (const v1::MaintenanceMark& mark : marks) marks_[mark.host()] = mark;
}

void MaintenanceBook::Remove(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) marks_.erase(host);
}

const v1::MaintenanceMark* MaintenanceBook::Find(std::string_view host, WallTime now) const {
  const auto found = marks_.find(host);
  return found == marks_.end() || HasEnded(found->second, now) ? nullptr : &found->second;
}

MaintenanceBook::Marks MaintenanceBook::MarksAt(WallTime now) const {
  Marks marks = marks_;
  std::erase_if(marks, [&](const auto& one) { return HasEnded(one.second, now); });
  return marks;
}

std::string InWords(const v1::MaintenanceMark& mark) {
  return fmt::format("set aside by {} until {:%Y-%m-%d %H:%M} UTC: {}",
                     mark.set_by().empty() ? "nobody known" : mark.set_by(),
                     fmt::gmtime(static_cast<std::time_t>(mark.until().seconds())), mark.reason());
}

}  // namespace roceready
