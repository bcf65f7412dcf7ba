// SPDX-License-Identifier: Apache-2.0
// gid.rocev2-ipv4: the port has a GID of the version and address family that the policy wants.
#include "checks/host/gid.h"

#include <optional>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host/job_gids.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

struct Wanted {
  bool ipv4 = true;
  std::string words;
  std::string_view policy_path;
};

Wanted WantedGid(const v1::FabricIntent& intent) {
  Wanted wanted;
  wanted.ipv4 = intent.ip_family() != "ipv6";
  wanted.words =
      fmt::format("a RoCE {} GID with an {} address", intent.roce_version() == "v1" ? "v1" : "v2",
                  wanted.ipv4 ? "IPv4" : "IPv6");
  wanted.policy_path = intent.has_roce_version() ? "intent.roce_version" : "intent.ip_family";
  return wanted;
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

std::string NameOfOwner(const HostView& host, const v1::Gid& gid) {
  const v1::NetDevice* owner = FindNetDevice(host.facts(), gid.net_device_id());
  return owner == nullptr ? gid.net_device_id() : owner->name();
}

// GIDs of the wanted form, by what keeps a job from using them.
struct Unusable {
  const v1::Gid* gone = nullptr;
  const v1::Gid* tentative = nullptr;
  bool elsewhere = false;
  bool somewhere = false;
};

// Empty: there is one that a job can use.
std::optional<Unusable> UnusableOf(const HostView& host, const PortView& port) {
  Unusable unusable;
  for (const v1::Gid& gid : port.port->gid_table().gids()) {
    if (!HasWantedForm(gid, host.intent())) continue;
    if (!IsOnPort(gid, port)) {
      (IsElsewhere(host.facts(), gid, port) ? unusable.elsewhere : unusable.somewhere) = true;
      continue;
    }
    switch (AddressOf(host.facts(), gid)) {
      case GidAddress::kNotMissed:
        return std::nullopt;
      case GidAddress::kTentative:
        unusable.tentative = &gid;
        break;
      case GidAddress::kGone:
        unusable.gone = &gid;
    }
  }
  return unusable;
}

// Why it is not known whether a job could use one; empty: it is.
std::string WhyNotKnown(const HostView& host, const Unusable& unusable) {
  if (unusable.somewhere) {
    return "there is one, but whether its net device is the port's cannot be told "
           "(not read, or in another network namespace)";
  }
  if (unusable.tentative == nullptr) return {};
  return fmt::format(
      "{} is tentative on {}: until the kernel has found that no other host has it (it may have "
      "found one), nothing is sent from it",
      unusable.tentative->gid(), NameOfOwner(host, *unusable.tentative));
}

void FailOnGoneAddress(const HostView& host, const v1::Gid& gid, Draft& draft) {
  const std::string owner = NameOfOwner(host, gid);
  const v1::NetDevice* net_device = FindNetDevice(host.facts(), gid.net_device_id());
  draft.Actual(fmt::format("stale: {} has no longer the address of GID {}", owner, gid.gid()))
      .RestsOn(host.EvidenceAt(NetPath(gid.net_device_id(), "addresses"), {},
                               net_device->addresses().reading()))
      .MendedBy(
          "The address was taken away and its GID stayed (a race in the kernel, as when a lease "
          "is renewed): give the net device its address again, or take it down and up.");
}

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
  const std::optional<Unusable> unusable = UnusableOf(host, port);
  if (!unusable) return judge.Pass();
  const std::string why = WhyNotKnown(host, *unusable);
  if (!why.empty()) {
    judge.Unknown(subject, why)
        .Expected(wanted.words, wanted.policy_path)
        .RestsOn(evidence)
        .explained_by = kExplainsUnknown;
    return;
  }
  Draft& draft =
      judge.Fail(subject)
          .Expected(wanted.words, wanted.policy_path)
          .Actual(unusable->elsewhere ? "only GIDs of other net devices (macvlan, container?)"
                                      : GidWords(table))
          .RestsOn(evidence);
  if (unusable->gone != nullptr) return FailOnGoneAddress(host, *unusable->gone, draft);
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
          "own net device, its bond or a VLAN on it. The index does not matter: it changes. An "
          "entry "
          "whose address the net device no longer has is stale and does not count; of one whose "
          "address is tentative (IPv6) it is not known whether it can be used.",
      .fix = "Give the net device its address; the kernel then adds the GID.",
      .sources = {"verbs GID table, or sysfs gids and gid_attrs",
                  "drivers/infiniband/core/roce_gid_mgmt.c",
                  "rtnetlink IFA_FLAGS, IFA_F_TENTATIVE"},
      .explained_by = {"device.rdma-present", "device.roce-enabled", "port.active", "bond.roce-lag",
                       "address.ipv6-enabled"},
      .host = JudgeHostPorts,
  };
}

}  // namespace roceready::checks
