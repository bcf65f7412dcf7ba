// SPDX-License-Identifier: Apache-2.0
// port.active: the RDMA port is ACTIVE.
#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"

namespace roceready::checks {
namespace {

std::string WordOf(v1::PortState state) {
  constexpr std::string_view kPrefix = "PORT_STATE_";
  if (!v1::PortState_IsValid(state)) return fmt::format("state {}", static_cast<int>(state));
  return v1::PortState_Name(state).substr(kPrefix.size());
}

void MendDownPort(const PortView& port, Draft& draft) {
  const v1::NetDevice* net_device = port.net_device;
  if (net_device != nullptr && net_device->link().has_admin_up() &&
      !net_device->link().admin_up()) {
    draft.MendedBy("The net device is switched off; also in the network configuration.",
                   ShellCommand("ip link set dev {} up", net_device->name()), false);
    return;
  }
  draft.MendedBy("Check cable, optic and the switch port that this port is wired to.");
}

void JudgePort(const HostView& host, const PortView& port, Judge& judge) {
  const v1::Subject subject = host.SubjectOfPort(port);
  const v1::RdmaPort& facts = *port.port;
  const v1::Reading reading = ReadingOf(true, facts);
  const std::string path = PortPath(port.device->id(), facts.number(), "state");
  if (!IsOk(reading)) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading)).Expected("port ACTIVE");
    return;
  }
  if (!facts.has_state()) {
    judge.Unknown(subject, "the kernel's answer holds no port state")
        .Expected("port ACTIVE")
        .RestsOn(host.EvidenceAt(path, {}, reading));
    return;
  }
  if (facts.state() == v1::PORT_STATE_ACTIVE) return judge.Pass();
  std::string actual = "port " + WordOf(facts.state());
  if (!facts.physical_state().empty()) actual += ", " + facts.physical_state();
  Draft& draft = judge.Fail(subject)
                     .Expected("port ACTIVE")
                     .Actual(actual)
                     .RestsOn(host.EvidenceAt(path, WordOf(facts.state()), reading));
  if (port.net_device != nullptr && port.net_device->link().has_carrier()) {
    draft.RestsOn(host.EvidenceAt(NetPath(port.net_device->id(), "link.carrier"),
                                  port.net_device->link().carrier() ? "true" : "false",
                                  port.net_device->link().reading()));
  }
  MendDownPort(port, draft);
}

void JudgeHostPorts(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgePort(host, port, judge);
}

}  // namespace

Check PortActive() {
  return {
      .id = "port.active",
      .title = "RDMA ports are active",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "A rail that is down stops the job at its first message, or makes it run on fewer "
          "rails.",
      .how =
          "Each RoCE port (all, or those of job.interfaces in the policy) must be in state "
          "ACTIVE. Ports that are not meant to be used belong out of job.interfaces, or into a "
          "waiver.",
      .fix = "Switch the net device on, or mend cable, optic or switch port.",
      .sources = {"RDMA netlink PORT_GET, RDMA_NLDEV_ATTR_PORT_STATE",
                  "InfiniBand specification, PortInfo:PortState"},
      .explained_by = {"device.rdma-present"},
      .takes_readings_away = true,
      .host = JudgeHostPorts,
  };
}

}  // namespace roceready::checks
