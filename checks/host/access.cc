// SPDX-License-Identifier: Apache-2.0
// device.verbs-access and port.lid: what makes a job fall back to TCP without a word.
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/shell.h"

namespace roceready::checks {
namespace {

constexpr uint32_t kReadWriteOfAll = 0006, kReadWriteOfGroup = 0060;

void JudgeAccess(const HostView& host, const v1::RdmaDevice& device, Judge& judge) {
  Question question{
      .subject = host.SubjectOfHost(),
      .path = RdmaPath(device.id(), "uverbs.mode"),
      .reading = ReadingOf(device.has_uverbs(), device.uverbs()),
      .expected = "a verbs node that the job's user can read and write",
  };
  question.subject.set_device_id(device.id());
  question.subject.set_label(fmt::format("{} {}", host.host(), device.name()));
  if (IsUnanswered(host, judge, question, device.uverbs().has_mode())) return;
  const uint32_t mode = device.uverbs().mode();
  const bool group_may = (mode & kReadWriteOfGroup) == kReadWriteOfGroup;
  // A group that may is the site's choice; its members are not known here.
  if ((mode & kReadWriteOfAll) == kReadWriteOfAll || group_may) return judge.Pass();
  FailOn(host, judge, question, fmt::format("mode {:04o}: only its owner can", mode & 07777))
      .MendedBy("Let jobs open it; udev's rule of rdma-core sets 0666.",
                ShellCommand("chmod 0666 {}", device.uverbs().path()), false);
}

void JudgeHostAccess(const HostView& host, Judge& judge) {
  std::set<const v1::RdmaDevice*> judged;
  for (const PortView& port : host.ports()) {
    if (judged.insert(port.device).second) JudgeAccess(host, *port.device, judge);
  }
}

void JudgeLid(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    const v1::PortAttributes& attributes = port.port->attributes();
    const Question question{
        .subject = host.SubjectOfPort(port),
        .path = PortPath(port.device->id(), port.port->number(), "attributes.lid"),
        .reading = ReadingOf(port.port->has_attributes(), attributes),
        .expected = "LID 0, as RoCE has none",
    };
    if (IsUnanswered(host, judge, question, attributes.has_lid())) continue;
    if (attributes.lid() == 0) {
      judge.Pass();
      continue;
    }
    FailOn(host, judge, question, fmt::format("LID {}", attributes.lid()))
        .MendedBy(
            "Update the driver; and tell the job its GID index, as it may take the port for "
            "InfiniBand.");
  }
}

}  // namespace

Check DeviceVerbsAccess() {
  return {
      .id = "device.verbs-access",
      .title = "Jobs can open the verbs node",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A job that cannot open /dev/infiniband/uverbsN falls back to TCP and runs ten times "
          "slower; only its own log says so.",
      .how =
          "The mode of each verbs node must let all, or a group, read and write. Who is in the "
          "group, and what a container is given, is not seen from the host.",
      .fix = "chmod 0666 /dev/infiniband/uverbsN, by a udev rule.",
      .sources = {"stat of /dev/infiniband/uverbsN", "rdma-core, kernel-boot/rdma-umad.rules"},
      .explained_by = {"device.rdma-present"},
      .takes_readings_away = true,
      .host = JudgeHostAccess,
  };
}

Check PortLid() {
  return {
      .id = "port.lid",
      .title = "RoCE ports have no LID",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Libraries tell RoCE from InfiniBand by LID 0: a port that shows another is addressed as "
          "InfiniBand, and connections time out.",
      .how = "The LID of every RoCE port must be 0.",
      .fix = "Update the driver.",
      .sources = {"verbs ibv_query_port, lid"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeLid,
  };
}

}  // namespace roceready::checks
