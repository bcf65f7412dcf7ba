// SPDX-License-Identifier: Apache-2.0
// limits.rdma-cgroup and limits.rdma-cgroup-room: what control groups let a job make of RDMA.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

struct Floor {
  uint64_t handles = 0;
  uint64_t objects = 0;
};
// One program with one connection: a protection domain, a completion channel, two completion
// queues, a queue pair and a memory region, and a little more.
constexpr Floor kOneConnection{.handles = 1, .objects = 8};
// Eight programs (one for each GPU of a usual host), each with a hundred objects.
constexpr Floor kUsualJob{.handles = 8, .objects = 800};

std::string LimitWords(const v1::RdmaCgroupLimit& limit) {
  std::vector<std::string> words;
  if (limit.has_handles()) words.push_back(fmt::format("hca_handle={}", limit.handles()));
  if (limit.has_objects()) words.push_back(fmt::format("hca_object={}", limit.objects()));
  return fmt::format("{} {}", limit.name(), JoinWords(words, " "));
}

bool IsBelow(const v1::RdmaCgroupLimit& limit, const Floor& floor) {
  return (limit.has_handles() && limit.handles() < floor.handles) ||
         (limit.has_objects() && limit.objects() < floor.objects);
}

void JudgeDevice(const HostView& host, const PortView& port, const Floor& floor, Judge& judge) {
  const v1::JobLimits& limits = host.facts().kernel().job_limits();
  const v1::RdmaCgroup& cgroup = limits.rdma_cgroup();
  Question question{
      .subject = host.SubjectOfPort(port),
      .path = "kernel.job_limits.rdma_cgroup.limits",
      .reading = ReadingOf(limits.has_rdma_cgroup(), cgroup),
      .expected = fmt::format("room for {} and {} a device", Counted(floor.handles, "handle"),
                              Counted(floor.objects, "object")),
  };
  // No group above the job has the controller: nothing can be limited.
  if (question.reading.outcome() == v1::OUTCOME_ABSENT &&
      question.reading.source() == v1::SOURCE_SYSFS) {
    return judge.NotApplicable();
  }
  if (IsUnanswered(host, judge, question)) return;
  const auto limit =
      std::ranges::find(cgroup.limits(), port.device->name(), &v1::RdmaCgroupLimit::name);
  if (limit == cgroup.limits().end() || !IsBelow(*limit, floor)) return judge.Pass();
  FailOn(host, judge, question, LimitWords(*limit))
      .MendedBy(
          "Raise or remove the limit in the control group of the program that starts jobs, "
          "and in every group above it.",
          fmt::format("echo '{} max' > /sys/fs/cgroup/GROUP/rdma.max", port.device->name()), false);
}

void JudgeDevices(const HostView& host, const Floor& floor, Judge& judge) {
  std::set<std::string> seen;
  for (const PortView& port : host.ports()) {
    if (seen.insert(port.device->id()).second) JudgeDevice(host, port, floor, judge);
  }
}

void JudgeOneConnection(const HostView& host, Judge& judge) {
  JudgeDevices(host, kOneConnection, judge);
}

void JudgeUsualJob(const HostView& host, Judge& judge) { JudgeDevices(host, kUsualJob, judge); }

}  // namespace

Check LimitsRdmaCgroup() {
  return {
      .id = "limits.rdma-cgroup",
      .title = "Control groups let a job open the RDMA device",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A control group can bound RDMA: then a job in it gets \"resource temporarily "
          "unavailable\" where the same program works from a login, and nobody thinks of the "
          "group.",
      .how =
          "The tightest rdma.max on the way from the program that starts jobs to the root must "
          "allow each RoCE device one handle and eight objects, which is one connection. Where no "
          "group has the rdma controller nothing is judged.",
      .fix = "echo 'DEVICE max' > rdma.max of the group that limits.",
      .sources = {"/sys/fs/cgroup/*/rdma.max", "Documentation/admin-guide/cgroup-v2.rst, RDMA"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeOneConnection,
  };
}

Check LimitsRdmaCgroupRoom() {
  return {
      .id = "limits.rdma-cgroup-room",
      .title = "Control groups leave room for a whole job",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A bound that one small test does not meet stops a job of many processes, each with a "
          "connection to many peers, when it grows.",
      .how =
          "Where a control group bounds RDMA, it should allow each RoCE device eight handles (one "
          "program for each GPU of a usual host) and a hundred objects for each. Tighter bounds "
          "may be meant so; the number of a job's own is not known.",
      .fix = "Raise rdma.max to what the largest job needs.",
      .sources = {"/sys/fs/cgroup/*/rdma.max", "Documentation/admin-guide/cgroup-v2.rst, RDMA"},
      .explained_by = {"device.rdma-present", "limits.rdma-cgroup"},
      .host = JudgeUsualJob,
  };
}

}  // namespace roceready::checks
