// SPDX-License-Identifier: Apache-2.0
// use.foreign-programs, use.broken-queue-pairs, use.queue-pairs-left and use.storage-live: who
// else is at work on the RDMA devices, and how they fare.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Drivers give up well below the number that they advertise: some at half of it.
constexpr uint64_t kUsableShare = 2;

struct Use {
  const v1::RdmaDeviceUse* row = nullptr;
  Question question;
};

// What is at work on the port's device; says UNKNOWN where that is not known.
std::optional<Use> AskUse(const HostView& host, const PortView& port, std::string expected,
                          Judge& judge) {
  const v1::RdmaUse& use = host.facts().rdma_use();
  Use found{.question = {.subject = host.SubjectOfPort(port),
                         .path = "rdma_use.devices",
                         .reading = ReadingOf(host.facts().has_rdma_use(), use),
                         .expected = std::move(expected)}};
  for (const v1::RdmaDeviceUse& row : use.devices()) {
    if (row.device_id() == port.device->id()) found.row = &row;
  }
  if (IsUnanswered(host, judge, found.question, found.row != nullptr)) return std::nullopt;
  return found;
}

// A probe may be on its way, or just torn down, while the host is read.
bool IsOurs(const v1::RdmaUser& user) { return user.name().starts_with("roceready"); }

bool IsBackground(const v1::BackgroundUsers& background, const v1::RdmaUser& user) {
  return IsOurs(user) ||
         std::ranges::find(background.processes(), user.name()) != background.processes().end();
}

void JudgeForeign(const HostView& host, const PortView& port, Judge& judge) {
  const auto use = AskUse(host, port, "a device that no other job uses", judge);
  if (!use || IsUnanswered(host, judge, use->question, use->row->has_user_qps())) return;
  std::vector<std::string> users;
  uint64_t background = 0;
  for (const v1::RdmaUser& user : use->row->users()) {
    if (user.kernel() || user.qps() == 0) continue;
    if (IsBackground(host.policy().background, user)) {
      background += user.qps();
    } else {
      users.push_back(fmt::format("{} has {}", user.name(), Counted(user.qps(), "queue pair")));
    }
  }
  if (users.empty() && use->row->user_qps() > background) {
    users.push_back(Counted(use->row->user_qps() - background, "queue pair"));
  }
  if (users.empty()) return judge.Pass();
  FailOn(host, judge, use->question, JoinWords(users))
      .MendedBy(
          "Wait for the job or end what it left behind; name programs that belong here in "
          "background.processes of the policy.");
}

void JudgeErrors(const HostView& host, const PortView& port, Judge& judge) {
  const auto use = AskUse(host, port, "no queue pair in error", judge);
  if (!use) return;
  std::vector<std::string> users;
  bool all_known = true;
  for (const v1::RdmaUser& user : use->row->users()) {
    if (IsOurs(user)) continue;
    all_known &= user.has_qps_in_error() || user.qps() == 0;
    if (user.qps_in_error() > 0) {
      users.push_back(
          fmt::format("{} of {}", Counted(user.qps_in_error(), "queue pair"), user.name()));
    }
  }
  if (users.empty() && IsUnanswered(host, judge, use->question, all_known)) return;
  if (users.empty()) return judge.Pass();
  FailOn(host, judge, use->question, "in error: " + JoinWords(users))
      .MendedBy("Look in the program's log for the completion that failed; end what hangs.");
}

void JudgeLeft(const HostView& host, const PortView& port, Judge& judge) {
  const auto use = AskUse(host, port, "half of the queue pairs free", judge);
  if (!use) return;
  const v1::RdmaAttributes& attributes = port.device->attributes();
  const Question limit{.subject = use->question.subject,
                       .path = RdmaPath(port.device->id(), "attributes.max_qp"),
                       .reading = ReadingOf(port.device->has_attributes(), attributes),
                       .expected = use->question.expected};
  if (IsUnanswered(host, judge, limit, attributes.has_max_qp())) return;
  if (IsUnanswered(host, judge, use->question, use->row->has_user_qps())) return;
  const uint64_t used = uint64_t{use->row->user_qps()} + use->row->kernel_qps();
  if (used * kUsableShare < attributes.max_qp()) return judge.Pass();
  FailOn(host, judge, use->question,
         fmt::format("{} of {} in use", Grouped(used), Grouped(attributes.max_qp())))
      .MendedBy("End programs that left queue pairs behind, or give the driver a larger profile.");
}

// What a block device over RDMA says while it has lost its target.
bool IsBroken(const v1::KernelUser& user) {
  constexpr std::string_view kBroken[] = {"connecting", "resetting", "dead", "deleting"};
  return std::ranges::find(kBroken, user.state()) != std::end(kBroken);
}

void JudgeStorage(const HostView& host, Judge& judge) {
  const v1::KernelUsers& users = host.facts().kernel_users();
  Question question{
      .subject = host.SubjectOfHost(),
      .path = "kernel_users.users",
      .reading = ReadingOf(host.facts().has_kernel_users(), users),
      .expected = "storage that is connected",
  };
  if (IsUnanswered(host, judge, question)) return;
  for (const v1::KernelUser& user : users.users()) {
    if (!user.has_state()) continue;
    if (!IsBroken(user)) {
      judge.Pass();
      continue;
    }
    question.subject.set_group(user.name());
    FailOn(host, judge, question,
           fmt::format("{} {} to {} is {}", user.kind(), user.name(),
                       user.has_address() ? user.address() : user.target(), user.state()))
        .MendedBy("Look at the target and the way to it; the kernel log says what failed.");
  }
}

template <void (*judge_port)(const HostView&, const PortView&, Judge&)>
void ForEachDevice(const HostView& host, Judge& judge) {
  std::set<std::string> seen;
  for (const PortView& port : host.ports()) {
    if (seen.insert(port.device->id()).second) judge_port(host, port, judge);
  }
}

}  // namespace

Check UseForeignPrograms() {
  return {
      .id = "use.foreign-programs",
      .title = "No other job uses the RDMA devices",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A job that is still running, or hangs since yesterday, shares the NIC with the next "
          "one: half the bandwidth, and measurements that mean nothing.",
      .how =
          "No program may hold queue pairs of a RoCE device, but for our own probes and what the "
          "policy names in background.processes. On a host where a job is at work this is as it "
          "should be.",
      .fix = "Wait, or end what was left behind.",
      .sources = {"RDMA netlink RES_QP_GET"},
      .explained_by = {"device.rdma-present"},
      .host = ForEachDevice<JudgeForeign>,
  };
}

Check UseQueuePairsInError() {
  return {
      .id = "use.broken-queue-pairs",
      .title = "No program holds broken queue pairs",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A queue pair in error is a connection that died: its program has not noticed, or waits "
          "for ever.",
      .how = "No queue pair that is in use on a RoCE device may be in state error.",
      .fix = "Look in the program's log; end what hangs.",
      .sources = {"RDMA netlink RES_QP_GET, RDMA_NLDEV_ATTR_RES_STATE"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = ForEachDevice<JudgeErrors>,
  };
}

Check UseQueuePairsLeft() {
  return {
      .id = "use.queue-pairs-left",
      .title = "There are queue pairs left for a job",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Creating a queue pair fails before the advertised number is reached, and then the job "
          "ends at start with an error that names no reason.",
      .how =
          "The queue pairs in use on a RoCE device must be fewer than half of max_qp; some drivers "
          "give up there.",
      .fix = "End what was left behind, or load the driver with a larger profile.",
      .sources = {"RDMA netlink RES_GET", "verbs ibv_query_device, max_qp"},
      .explained_by = {"device.rdma-present"},
      .host = ForEachDevice<JudgeLeft>,
  };
}

Check UseStorageLive() {
  return {
      .id = "use.storage-live",
      .title = "Storage over RDMA is connected",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A block device that has lost its target over RDMA tells of a path that is broken now, "
          "and every program that touches it hangs.",
      .how =
          "No NVMe controller or SCSI host over RDMA may be connecting, resetting, deleting or "
          "dead. A mount that shows no state is not judged.",
      .fix = "Look at the target, the way to it and the kernel log.",
      .sources = {"/sys/class/nvme/NAME/transport and state", "/sys/class/scsi_host",
                  "/proc/mounts"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeStorage,
  };
}

}  // namespace roceready::checks
