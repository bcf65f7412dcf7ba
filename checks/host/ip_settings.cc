// SPDX-License-Identifier: Apache-2.0
// address.reverse-path and address.ipv6-enabled: the kernel's settings let each rail answer.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/rails.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

std::set<std::string> SubnetsOf(const v1::NetDevice& net_device) {
  std::set<std::string> subnets;
  for (const v1::IpAddress& address : net_device.addresses().addresses()) {
    const std::string subnet = NetworkOf(address.address(), address.prefix_bits());
    if (!subnet.empty() && !subnet.starts_with("169.254.")) subnets.insert(subnet);
  }
  return subnets;
}

struct Holder {
  const PortView* port = nullptr;
  const v1::NetDevice* net_device = nullptr;
  std::set<std::string> subnets;

  bool IsRead() const {
    return IsOk(ReadingOf(net_device->has_addresses(), net_device->addresses()));
  }
};

std::vector<Holder> HoldersOf(const HostView& host) {
  std::vector<Holder> holders;
  std::set<const v1::NetDevice*> seen;
  for (const PortView& port : host.ports()) {
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      if (seen.insert(net_device).second)
        holders.push_back({&port, net_device, SubnetsOf(*net_device)});
    }
  }
  return holders;
}

Question AskSysctl(const HostView& host, const Holder& holder, std::string_view field,
                   std::string expected) {
  const v1::NetDevice& net_device = *holder.net_device;
  return {.subject = host.SubjectOfNetDevice(*holder.port, net_device),
          .path = NetPath(net_device.id(), fmt::format("sysctl.{}", field)),
          .reading = ReadingOf(net_device.has_sysctl(), net_device.sysctl()),
          .expected = std::move(expected)};
}

// The devices of other rails in a subnet of this one.
std::vector<std::string> Sharing(const std::vector<Holder>& holders, const Holder& holder) {
  const std::set<std::string>& subnets = holder.subnets;
  std::vector<std::string> names;
  for (const Holder& other : holders) {
    if (other.net_device == holder.net_device) continue;
    const auto is_shared = [&](const std::string& subnet) { return subnets.contains(subnet); };
    if (std::ranges::any_of(other.subnets, is_shared)) names.push_back(other.net_device->name());
  }
  return names;
}

void JudgeReversePath(const HostView& host, const std::vector<Holder>& holders,
                      const Holder& holder, Judge& judge) {
  const v1::NetSysctl& sysctl = holder.net_device->sysctl();
  Question question = AskSysctl(host, holder, "rp_filter", "no strict reverse path filter (1)");
  const std::vector<std::string> sharing = Sharing(holders, holder);
  if (!sharing.empty()) {
    if (IsUnanswered(host, judge, question, sysctl.has_rp_filter())) return;
    if (sysctl.rp_filter() != 1) return judge.Pass();
    FailOn(host, judge, question,
           fmt::format("rp_filter 1, and {} has an address in the same subnet", JoinWords(sharing)))
        .MendedBy("Use the loose filter on rails, also in sysctl.d.",
                  ShellCommand("sysctl -w net/ipv4/conf/{}/rp_filter=2", holder.net_device->name()),
                  false);
    return;
  }
  if (!std::ranges::all_of(holders, &Holder::IsRead)) {
    judge.Unknown(question.subject, "the addresses of a rail were not read")
        .Expected(question.expected)
        .RestsOn(host.EvidenceAt(question.path, {}, question.reading));
    return;
  }
  holder.subnets.empty() ? judge.NotApplicable() : judge.Pass();
}

void JudgeHostReversePaths(const HostView& host, Judge& judge) {
  const std::vector<Holder> holders = HoldersOf(host);
  for (const Holder& holder : holders) JudgeReversePath(host, holders, holder, judge);
}

void JudgeHostIpv6(const HostView& host, Judge& judge) {
  for (const Holder& holder : HoldersOf(host)) {
    if (host.intent().ip_family() != "ipv6") {
      judge.NotApplicable();
      continue;
    }
    const v1::NetSysctl& sysctl = holder.net_device->sysctl();
    Question question = AskSysctl(host, holder, "ipv6_disabled", "IPv6 is on");
    question.policy_path = "intent.ip_family";
    if (IsUnanswered(host, judge, question, sysctl.has_ipv6_disabled())) continue;
    if (!sysctl.ipv6_disabled()) {
      judge.Pass();
      continue;
    }
    FailOn(host, judge, question, "IPv6 is disabled", "true")
        .MendedBy(
            "Enable IPv6 on the rail, also in sysctl.d and on the kernel's command line.",
            ShellCommand("sysctl -w net/ipv6/conf/{}/disable_ipv6=0", holder.net_device->name()),
            false);
  }
}

}  // namespace

Check AddressReversePath() {
  return {
      .id = "address.reverse-path",
      .title = "The reverse path filter lets all rails answer",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "With two rails in one subnet the kernel has one route for both: the strict filter drops "
          "what comes in by the other, so that connection set-up by rdma_cm or TCP fails on every "
          "rail but one.",
      .how =
          "A net device of a RoCE port whose IPv4 subnet another rail of the host is in as well "
          "must not have rp_filter 1 (the larger of \"all\" and its own). One subnet a rail "
          "passes.",
      .fix = "sysctl -w net.ipv4.conf.DEVICE.rp_filter=2, or a subnet for each rail.",
      .sources = {"/proc/sys/net/ipv4/conf/*/rp_filter", "RFC 3704",
                  "Documentation/networking/ip-sysctl.rst"},
      .explained_by = {"device.rdma-present", "port.active", "address.arp-flux"},
      .is_setting = true,
      .host = JudgeHostReversePaths,
  };
}

Check AddressIpv6Enabled() {
  return {
      .id = "address.ipv6-enabled",
      .title = "IPv6 is on where the fabric uses it",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "With IPv6 disabled a port has no IPv6 GID: no peer of an IPv6 fabric can reach it.",
      .how =
          "Where the policy's address family is ipv6, disable_ipv6 must be 0 on every net device "
          "of a RoCE port.",
      .fix = "sysctl -w net/ipv6/conf/DEVICE/disable_ipv6=0",
      .sources = {"/proc/sys/net/ipv6/conf/*/disable_ipv6"},
      .explained_by = {"device.rdma-present"},
      .is_setting = true,
      .host = JudgeHostIpv6,
  };
}

}  // namespace roceready::checks
