// SPDX-License-Identifier: Apache-2.0
// port.active: the RDMA port is ACTIVE, and the net device with the job's address is up.
#include <algorithm>
#include <array>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host/job_gids.h"
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

// By RFC 2863: a device that is DORMANT or TESTING, or does not say, may be in use.
bool IsDown(const v1::NetLink& link) {
  constexpr std::array kDown = {"DOWN", "LOWERLAYERDOWN", "NOTPRESENT"};
  return (link.has_admin_up() && !link.admin_up()) ||
         std::ranges::find(kDown, link.operstate()) != kDown.end();
}

// Those that hold the GIDs which a job may use, each once; the port's own where none does.
// `unread`: one that holds such a GID and may be on the port.
std::vector<const v1::NetDevice*> HoldersOf(const HostView& host, const PortView& port,
                                            const v1::NetDevice* unread) {
  std::vector<const v1::NetDevice*> holders;
  for (const v1::Gid* gid : JobGidsOf(host, port)) {
    const v1::NetDevice* holder = FindNetDevice(host.facts(), gid->net_device_id());
    if (std::ranges::find(holders, holder) == holders.end()) holders.push_back(holder);
  }
  if (holders.empty() && unread == nullptr && port.net_device != nullptr && port.bond == nullptr) {
    holders.push_back(port.net_device);
  }
  return holders;
}

// The port is ACTIVE: a VLAN or bond on it may be down all the same, and its GIDs stay in the
// table.
void JudgeHolders(const HostView& host, const PortView& port, Judge& judge) {
  // Which of them holds the GID is not known: it matters where one is not up.
  const v1::GidTable& table = port.port->gid_table();
  if (const v1::Reading gids = ReadingOf(port.port->has_gid_table(), table); !IsOk(gids)) {
    // One whose link was not read may lie on the port.
    const bool all_links_read = std::ranges::all_of(
        host.facts().net_devices(),
        [](const v1::NetDevice& any) { return IsOk(ReadingOf(any.has_link(), any.link())); });
    const std::vector<const v1::NetDevice*> candidates = port.AddressedNetDevices();
    if (all_links_read && std::ranges::none_of(candidates, [](const v1::NetDevice* candidate) {
          return IsDown(candidate->link());
        })) {
      return judge.Pass();
    }
    judge
        .Unread(host.SubjectOfPort(port),
                host.EvidenceAt(PortPath(port.device->id(), port.port->number(), "gid_table.gids"),
                                {}, gids))
        .Expected("the net device with the job's GID is up");
    return;
  }
  const v1::NetDevice* unknown = UnreadHolderOf(host, port);
  const std::vector<const v1::NetDevice*> holders = HoldersOf(host, port, unknown);
  const v1::NetDevice* down = nullptr;
  for (const v1::NetDevice* holder : holders) {
    const v1::NetLink& link = holder->link();
    if (!IsOk(ReadingOf(holder->has_link(), link)) || !link.has_admin_up()) {
      unknown = holder;
    } else if (IsDown(link)) {
      down = holder;
    } else {
      return judge.Pass();
    }
  }
  if (unknown != nullptr) {
    const v1::Reading reading = ReadingOf(unknown->has_link(), unknown->link());
    v1::Evidence evidence = host.EvidenceAt(NetPath(unknown->id(), "link.admin_up"), {}, reading);
    const v1::Subject subject = host.SubjectOfNetDevice(port, *unknown);
    (IsOk(reading) ? judge.Unknown(subject, "the answer does not hold this value")
                         .RestsOn(std::move(evidence))
                   : judge.Unread(subject, std::move(evidence)))
        .Expected(fmt::format("{} is up", unknown->name()));
    return;
  }
  if (down == nullptr) return judge.Pass();
  const v1::NetLink& link = down->link();
  const bool switched_off = !link.admin_up();
  Draft& draft = judge.Fail(host.SubjectOfNetDevice(port, *down))
                     .Expected(fmt::format("{} is up, as its port is ACTIVE", down->name()))
                     .Actual(fmt::format("{} is {}, and a job's GID is on it", down->name(),
                                         switched_off ? "switched off" : link.operstate()))
                     .RestsOn(switched_off ? host.EvidenceAt(NetPath(down->id(), "link.admin_up"),
                                                             "false", link.reading())
                                           : host.EvidenceAt(NetPath(down->id(), "link.operstate"),
                                                             link.operstate(), link.reading()));
  if (switched_off) {
    draft.MendedBy("Switch the net device on, also in the network configuration.",
                   ShellCommand("ip link set dev {} up", down->name()), false);
  } else {
    draft.MendedBy("Look at what the net device lies on, and at its own link.");
  }
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
  if (facts.state() == v1::PORT_STATE_ACTIVE) return JudgeHolders(host, port, judge);
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
      .title = "RDMA ports are active, and their net devices up",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "A rail that is down stops the job at its first message, or makes it run on fewer "
          "rails.",
      .how =
          "Each RoCE port (all, or those of job.interfaces in the policy) must be in state "
          "ACTIVE, and a net device that holds a GID which a job may use (the port's, its bond or "
          "a "
          "VLAN) must be switched on and not down: the port stays ACTIVE when only its VLAN is "
          "off. Ports that are not meant to be used belong out of job.interfaces, or into a "
          "waiver.",
      .fix = "Switch the net device on, or mend cable, optic or switch port.",
      .sources = {"RDMA netlink PORT_GET, RDMA_NLDEV_ATTR_PORT_STATE",
                  "InfiniBand specification, PortInfo:PortState", "rtnetlink IFLA_OPERSTATE"},
      .explained_by = {"device.rdma-present"},
      .takes_readings_away = true,
      .host = JudgeHostPorts,
  };
}

}  // namespace roceready::checks
