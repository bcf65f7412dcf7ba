// SPDX-License-Identifier: Apache-2.0
// gid.rocev2-ipv4: the port has a GID of the version and address family that the policy wants.
#include "checks/host/gid.h"

#include <algorithm>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

struct Wanted {
  v1::GidType type = v1::GID_TYPE_ROCE_V2;
  bool ipv4 = true;
  std::string words;
  std::string_view policy_path;
};

Wanted WantedGid(const v1::FabricIntent& intent) {
  Wanted wanted;
  if (intent.roce_version() == "v1") wanted.type = v1::GID_TYPE_ROCE_V1;
  wanted.ipv4 = intent.ip_family() != "ipv6";
  wanted.words =
      fmt::format("a RoCE {} GID with an {} address",
                  wanted.type == v1::GID_TYPE_ROCE_V1 ? "v1" : "v2", wanted.ipv4 ? "IPv4" : "IPv6");
  wanted.policy_path = intent.has_roce_version() ? "intent.roce_version" : "intent.ip_family";
  return wanted;
}

bool HasWantedForm(const v1::Gid& gid, const Wanted& wanted) {
  if (gid.type() != wanted.type) return false;
  return wanted.ipv4 ? IsIpv4Gid(gid.gid()) : !IsIpv4Gid(gid.gid()) && !IsLinkLocalGid(gid.gid());
}

std::string GidWords(const v1::GidTable& table) {
  if (table.gids().empty()) return "the GID table is empty";
  int v1 = 0, v2_ipv4 = 0, v2_link_local = 0, v2_ipv6 = 0;
  for (const v1::Gid& gid : table.gids()) {
    if (gid.type() != v1::GID_TYPE_ROCE_V2) {
      ++v1;
    } else if (IsIpv4Gid(gid.gid())) {
      ++v2_ipv4;
    } else {
      ++(IsLinkLocalGid(gid.gid()) ? v2_link_local : v2_ipv6);
    }
  }
  std::vector<std::string> kinds;
  const auto add = [&](int count, std::string_view kind) {
    if (count > 0) kinds.push_back(fmt::format("{} {}", count, kind));
  };
  add(v2_ipv4, "v2 IPv4");
  add(v2_ipv6, "v2 IPv6");
  add(v2_link_local, "v2 link-local");
  add(v1, "v1");
  return fmt::format("the GID table holds {}", JoinWords(kinds));
}

void MendMissingGid(const PortView& port, const Wanted& wanted, Draft& draft) {
  if (port.net_device == nullptr) {
    draft.MendedBy("The port has no net device here: give it one, with an address.");
    return;
  }
  draft.MendedBy(
      fmt::format("GIDs follow the addresses of the net device: give {} its {} address, also in "
                  "the network configuration.",
                  port.net_device->name(), wanted.ipv4 ? "IPv4" : "global IPv6"),
      ShellCommand("ip addr add <ADDRESS>/<PREFIX> dev {}", port.net_device->name()), false);
}

// That other things are not known, for a net device that is not seen here, explains nothing: this
// is what a job would miss. They are put under it.
const std::vector<std::string_view> kExplainsUnknown = {"device.rdma-present", "port.active",
                                                        "address.ipv6-enabled"};

void JudgePort(const HostView& host, const PortView& port, const Wanted& wanted, Judge& judge) {
  const v1::Subject subject = host.SubjectOfPort(port);
  const v1::GidTable& table = port.port->gid_table();
  const v1::Reading reading = ReadingOf(port.port->has_gid_table(), table);
  const v1::Evidence evidence = host.EvidenceAt(
      PortPath(port.device->id(), port.port->number(), "gid_table.gids"), GidWords(table), reading);
  if (!IsOk(reading)) {
    v1::Evidence unread = evidence;
    unread.clear_value();
    judge.Unread(subject, std::move(unread))
        .Expected(wanted.words, wanted.policy_path)
        .explained_by = kExplainsUnknown;
    return;
  }
  bool elsewhere = false, somewhere = false;
  for (const v1::Gid& gid : table.gids()) {
    if (!HasWantedForm(gid, wanted)) continue;
    if (IsOnPort(gid, port)) return judge.Pass();
    (IsElsewhere(host.facts(), gid, port) ? elsewhere : somewhere) = true;
  }
  if (somewhere) {
    judge
        .Unknown(subject,
                 "there is one, but whether its net device is the port's cannot be told "
                 "(not read, or in another network namespace)")
        .Expected(wanted.words, wanted.policy_path)
        .RestsOn(evidence)
        .explained_by = kExplainsUnknown;
    return;
  }
  Draft& draft = judge.Fail(subject)
                     .Expected(wanted.words, wanted.policy_path)
                     .Actual(elsewhere ? "only GIDs of other net devices (macvlan, container?)"
                                       : GidWords(table))
                     .RestsOn(evidence);
  MendMissingGid(port, wanted, draft);
}

void JudgeHostPorts(const HostView& host, Judge& judge) {
  const bool asked = host.intent().has_roce_version() || host.intent().has_ip_family();
  const Wanted wanted = WantedGid(host.intent());
  for (const PortView& port : host.ports()) {
    if (asked) {
      JudgePort(host, port, wanted, judge);
    } else {
      judge.NotApplicable();
    }
  }
}

}  // namespace

Check GidRocev2Ipv4() {
  return {
      .id = "gid.rocev2-ipv4",
      .title = "Ports have a GID that the fabric routes",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "RoCE v2 packets carry the addresses of the chosen GIDs. With only link-local or v1 "
          "entries they do not pass a router, or a job finds no GID at all.",
      .how =
          "The GID table of each port must hold an entry of the policy's RoCE version and "
          "address family (v2 over IPv4 unless it says otherwise) that belongs to the port's "
          "own net device, its bond or a VLAN on it. The index does not matter: it changes.",
      .fix = "Give the net device its address; the kernel then adds the GID.",
      .sources = {"verbs GID table, or sysfs gids and gid_attrs",
                  "drivers/infiniband/core/roce_gid_mgmt.c"},
      .explained_by = {"device.rdma-present", "device.roce-enabled", "port.active",
                       "address.ipv6-enabled"},
      .host = JudgeHostPorts,
  };
}

}  // namespace roceready::checks
