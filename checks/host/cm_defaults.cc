// SPDX-License-Identifier: Apache-2.0
// cm.default-tos and cm.roce-mode: what connections get that do not ask for themselves.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

Question Ask(const HostView& host, const PortView& port, std::string_view field,
             std::string expected, std::string_view policy_path) {
  const v1::RdmaPort& rdma = *port.port;
  return {.subject = host.SubjectOfPort(port),
          .path = PortPath(port.device->id(), rdma.number(), fmt::format("cm_defaults.{}", field)),
          .reading = ReadingOf(rdma.has_cm_defaults(), rdma.cm_defaults()),
          .expected = std::move(expected),
          .policy_path = policy_path};
}

std::string TosWords(uint32_t tos) { return fmt::format("ToS {} (DSCP {})", tos, tos >> 2); }

// Block devices and file systems over RDMA: nobody sets a traffic class for them.
bool HasStorage(const v1::HostFacts& facts) {
  return std::ranges::any_of(facts.kernel_users().users(),
                             [](const v1::KernelUser& user) { return !user.name().empty(); });
}

void JudgeTos(const HostView& host, const PortView& port, Judge& judge) {
  if (!host.intent().has_roce_dscp()) return judge.NotApplicable();
  const uint32_t wanted = host.intent().roce_dscp() << 2;
  const v1::CmDefaults& defaults = port.port->cm_defaults();
  const bool is_forced = defaults.global_traffic_class() != 0;
  const Question question =
      Ask(host, port, is_forced ? "global_traffic_class" : "tos",
          fmt::format("a default of {}", TosWords(wanted)), "intent.roce_dscp");
  if (IsUnanswered(host, judge, question, is_forced || defaults.has_tos())) return;
  const uint32_t actual = is_forced ? defaults.global_traffic_class() : defaults.tos();
  if (actual >> 2 == host.intent().roce_dscp()) return judge.Pass();
  if (actual == 0 && host.policy().job.has_traffic_class()) {
    // The job marks for itself; what the kernel carries does not.
    const Question users{
        .subject = question.subject,
        .path = "kernel_users.users",
        .reading = ReadingOf(host.facts().has_kernel_users(), host.facts().kernel_users()),
        .expected = question.expected};
    if (IsUnanswered(host, judge, users)) return;
    if (!HasStorage(host.facts())) return judge.Pass();
  }
  FailOn(host, judge, question,
         is_forced ? fmt::format("all packets are forced to {}", TosWords(actual))
                   : fmt::format("{}", TosWords(actual)))
      .MendedBy("Set the default for connections, at every boot.",
                fmt::format("cma_roce_tos -d {} -t {}", port.device->name(), wanted), false);
}

void JudgeMode(const HostView& host, const PortView& port, Judge& judge) {
  const bool want_v1 = host.intent().roce_version() == "v1";
  const std::string_view wanted = want_v1 ? "IB/RoCE v1" : "RoCE v2";
  const v1::CmDefaults& defaults = port.port->cm_defaults();
  const Question question = Ask(host, port, "roce_mode", fmt::format("a default of {}", wanted),
                                host.intent().has_roce_version() ? "intent.roce_version" : "");
  if (IsUnanswered(host, judge, question, defaults.has_roce_mode())) return;
  if (defaults.roce_mode() == wanted) return judge.Pass();
  FailOn(host, judge, question, defaults.roce_mode())
      .MendedBy("Set the default for connections, at every boot.",
                fmt::format("cma_roce_mode -d {} -p {} -m {}", port.device->name(),
                            port.port->number(), want_v1 ? 1 : 2),
                false);
}

void JudgeHostTos(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgeTos(host, port, judge);
}

void JudgeHostModes(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgeMode(host, port, judge);
}

}  // namespace

Check CmDefaultTos() {
  return {
      .id = "cm.default-tos",
      .title = "Connections that ask for nothing get RoCE's class",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Storage in the kernel, and every program that connects by rdma_cm and sets no type of "
          "service, sends with the default: unmarked, without PFC and ECN, beside a job that is "
          "marked.",
      .how =
          "The default ToS of rdma_cm, or the traffic class that a vendor's driver forces on all "
          "packets, must have the policy's DSCP. A default of 0 is right as well where the policy "
          "says the job's traffic class and nothing in the kernel uses RDMA. Linux shows the "
          "default only after a mkdir in configfs, which we do not do: then it is UNKNOWN.",
      .fix = "cma_roce_tos -d DEVICE -t TOS",
      .sources = {"configfs rdma_cm/DEVICE/ports/N/default_roce_tos",
                  "/sys/class/infiniband/DEVICE/tc/N/traffic_class", "RFC 2474"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHostTos,
  };
}

Check CmRoceMode() {
  return {
      .id = "cm.roce-mode",
      .title = "Connections use the fabric's RoCE version",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "rdma_cm takes the GID of the default version. RoCE v1 does not cross a router, carries "
          "no DSCP, and does not reach a peer that uses v2.",
      .how =
          "The default mode of rdma_cm must be the policy's RoCE version, v2 unless it says "
          "otherwise. UNKNOWN where configfs is not laid out.",
      .fix = "cma_roce_mode -d DEVICE -p PORT -m 2",
      .sources = {"configfs rdma_cm/DEVICE/ports/N/default_roce_mode",
                  "Documentation/ABI/testing/configfs-rdma_cm"},
      .explained_by = {"device.rdma-present", "gid.rocev2-ipv4"},
      .host = JudgeHostModes,
  };
}

}  // namespace roceready::checks
