// SPDX-License-Identifier: Apache-2.0
// address.arp-flux, address.permanent and route.rail-device: each rail keeps its own address,
// subnet and way out.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/rails.h"
#include "checks/routes.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A port that is down explains why something was not read, but not what was read.
const std::vector<std::string_view> kNotByAPortThatIsDown = {"device.rdma-present"};

// One net device that gives a port its addresses, each once.
struct Holder {
  const PortView* port = nullptr;
  const v1::NetDevice* net_device = nullptr;
};

std::vector<Holder> HoldersOf(const HostView& host) {
  std::vector<Holder> holders;
  std::set<const v1::NetDevice*> seen;
  for (const PortView& port : host.ports()) {
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      if (seen.insert(net_device).second) holders.push_back({&port, net_device});
    }
  }
  return holders;
}

// The IPv4 subnets of a net device that name a fabric.
std::set<std::string> SubnetsOf(const v1::NetDevice& net_device) {
  std::set<std::string> subnets;
  for (const v1::IpAddress& address : net_device.addresses().addresses()) {
    const std::string subnet = NetworkOf(address.address(), address.prefix_bits());
    const bool names_no_fabric = subnet.starts_with("169.254.") || subnet.starts_with("127.");
    if (!subnet.empty() && !names_no_fabric) subnets.insert(subnet);
  }
  return subnets;
}

Question AskAddresses(const HostView& host, const Holder& holder, std::string expected) {
  return {.subject = host.SubjectOfNetDevice(*holder.port, *holder.net_device),
          .path = NetPath(holder.net_device->id(), "addresses"),
          .reading = ReadingOf(holder.net_device->has_addresses(), holder.net_device->addresses()),
          .expected = std::move(expected)};
}

// Answers to ARP leave by the device that was asked, and name its own address. An arp_ignore of 3
// looks at scopes alone, and 8 answers nobody (ip-sysctl.rst).
bool KeepsArpApart(const v1::NetSysctl& sysctl) {
  const bool own_alone = sysctl.arp_ignore() == 1 || sysctl.arp_ignore() == 2;
  return (own_alone && sysctl.arp_announce() >= 2) || sysctl.arp_filter() == 1;
}

void JudgeArp(const HostView& host, const Holder& holder, const std::string& others,
              const std::string& subnet, Judge& judge) {
  const v1::NetDevice& net_device = *holder.net_device;
  const v1::NetSysctl& sysctl = net_device.sysctl();
  const Question question{
      .subject = host.SubjectOfNetDevice(*holder.port, net_device),
      .path = NetPath(net_device.id(), "sysctl"),
      .reading = ReadingOf(net_device.has_sysctl(), sysctl),
      .expected = "one subnet a rail, or arp_ignore 1 and arp_announce 2",
  };
  const bool whole =
      sysctl.has_arp_ignore() && sysctl.has_arp_announce() && sysctl.has_arp_filter();
  if (IsUnanswered(host, judge, question, whole)) return;
  if (KeepsArpApart(sysctl)) return judge.Pass();
  Draft& draft = FailOn(host, judge, question,
                        fmt::format("{} is also on {}, with arp_ignore {} and arp_announce {}",
                                    subnet, others, sysctl.arp_ignore(), sysctl.arp_announce()));
  draft.explained_by = kNotByAPortThatIsDown;
  draft.MendedBy("Give each rail a subnet of its own, or keep ARP apart; also in sysctl.d.",
                 "sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2",
                 false);
}

void JudgeHostArp(const HostView& host, Judge& judge) {
  const std::vector<Holder> holders = HoldersOf(host);
  std::map<const v1::NetDevice*, std::set<std::string>> subnets;
  for (const Holder& holder : holders) subnets[holder.net_device] = SubnetsOf(*holder.net_device);
  for (const Holder& holder : holders) {
    const Question question = AskAddresses(host, holder, "one subnet a rail");
    if (IsUnanswered(host, judge, question)) continue;
    const std::set<std::string>& own = subnets[holder.net_device];
    std::vector<std::string> others;
    std::string shared;
    bool all_read = true;
    for (const Holder& other : holders) {
      if (other.net_device == holder.net_device) continue;
      const v1::NetDevice& device = *other.net_device;
      all_read &= IsOk(ReadingOf(device.has_addresses(), device.addresses()));
      for (const std::string& subnet : subnets[&device]) {
        if (!own.contains(subnet)) continue;
        others.push_back(device.name());
        shared = subnet;
      }
    }
    if (!others.empty()) {
      JudgeArp(host, holder, JoinWords(others), shared, judge);
    } else if (own.empty()) {
      judge.NotApplicable();
    } else if (all_read) {
      judge.Pass();
    } else {
      judge.Unknown(question.subject, "the addresses of another rail were not read")
          .Expected(question.expected);
    }
  }
}

void JudgePermanent(const HostView& host, const Holder& holder, Judge& judge) {
  const Question question = AskAddresses(host, holder, "addresses that do not expire");
  const v1::IpAddresses& table = holder.net_device->addresses();
  std::vector<std::string> leased;
  bool known = true, any = false;
  for (const v1::IpAddress& address : table.addresses()) {
    if (NetworkOf(address.address(), address.prefix_bits()).empty()) continue;
    any = true;
    known &= address.has_permanent();
    if (address.has_permanent() && !address.permanent()) leased.push_back(address.address());
  }
  if (IsUnanswered(host, judge, question, known)) return;
  if (!any) return judge.NotApplicable();
  if (leased.empty()) return judge.Pass();
  Draft& draft =
      FailOn(host, judge, question, fmt::format("{} will expire (DHCP?)", JoinWords(leased)));
  draft.explained_by = kNotByAPortThatIsDown;
  draft.MendedBy("Give rails fixed addresses, or leases that outlive every job.");
}

void JudgeHostPermanent(const HostView& host, Judge& judge) {
  for (const Holder& holder : HoldersOf(host)) JudgePermanent(host, holder, judge);
}

// The devices by which routes to this very subnet leave.
std::set<std::string> DevicesOfRoutesTo(const v1::IpStack& stack, const std::string& subnet) {
  std::set<std::string> devices;
  for (const v1::IpRoute& route : stack.routes()) {
    if (route.destination() == subnet && !route.net_device_id().empty()) {
      devices.insert(route.net_device_id());
    }
  }
  return devices;
}

// "10.77.0.0/24" -> 24; empty: it is no prefix.
std::optional<uint32_t> BitsOf(std::string_view prefix) {
  const size_t slash = prefix.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  uint32_t bits = 0;
  const char* end = prefix.end();
  const auto read = std::from_chars(prefix.begin() + slash + 1, end, bits);
  return read.ec == std::errc() && read.ptr == end ? std::optional(bits) : std::nullopt;
}

// Whether a route to more than this subnet leaves by the device, as where an address has no route
// of its own (noprefixroute). A default route does not count: it is not the rail's.
bool HasWiderRoute(const v1::IpStack& stack, const std::string& subnet,
                   const std::string& net_device_id) {
  const std::string network = subnet.substr(0, subnet.find('/'));
  return std::ranges::any_of(stack.routes(), [&](const v1::IpRoute& route) {
    const std::optional<uint32_t> bits = BitsOf(route.destination());
    return route.net_device_id() == net_device_id && bits && *bits > 0 && bits < BitsOf(subnet) &&
           NetworkOf(network, *bits) == route.destination();
  });
}

// The rule that forbids packets of the net device's own address to its subnet, as words; empty:
// none.
std::string ForbiddenBy(const v1::IpStack& stack, const v1::NetDevice& net_device,
                        const std::string& subnet) {
  for (const v1::IpAddress& address : net_device.addresses().addresses()) {
    const auto own = IpPrefix::Of(address.address(), address.prefix_bits());
    if (!own || own->Network().Text() != subnet) continue;
    for (const RouteStep& step : StepsFrom(stack, *own, net_device)) {
      // Rules behind the route are not reached; one for a part of the subnet cuts off that part.
      const IpPrefix part = step.rule_to.bits() < own->bits() ? own->Network() : step.rule_to;
      if (!own->Overlaps(step.rule_to)) continue;
      if (!step.stopped_by.empty()) {
        return fmt::format("a rule stops packets from {} to {}: {}", address.address(), part.Text(),
                           step.stopped_by);
      }
      if (step.destination.Contains(own->Network()) && step.rule_to.Contains(own->Network())) break;
    }
  }
  return {};
}

void JudgeRoutes(const HostView& host, const Holder& holder, Judge& judge) {
  const v1::NetDevice& net_device = *holder.net_device;
  if (IsUnanswered(host, judge, AskAddresses(host, holder, "routes by the rail's device"))) return;
  const std::set<std::string> subnets = SubnetsOf(net_device);
  if (subnets.empty()) return judge.NotApplicable();
  const v1::IpStack& stack = host.facts().ip_stack();
  for (const std::string& subnet : subnets) {
    const Question question{
        .subject = host.SubjectOfNetDevice(*holder.port, net_device),
        .path = "ip_stack.routes",
        .reading = ReadingOf(host.facts().has_ip_stack(), stack),
        .expected = fmt::format("a route to {} by {}", subnet, net_device.name()),
    };
    const std::set<std::string> devices = DevicesOfRoutesTo(stack, subnet);
    const bool found = devices.contains(net_device.id()) ||
                       (devices.empty() && HasWiderRoute(stack, subnet, net_device.id()));
    const bool whole = stack.reading().detail().empty() && stack.routes_size() > 0;
    if (IsUnanswered(host, judge, question, found || whole)) return;
    const std::string forbidden = ForbiddenBy(stack, net_device, subnet);
    if (!forbidden.empty()) {
      FailOn(host, judge, question, forbidden)
          .MendedBy("Remove the rule (ip rule show, ip rule del), also from what sets it at boot.");
      return;
    }
    // One host alone, or one at the other end of a cable: nothing is said about a subnet then.
    if (found || subnet.ends_with("/32")) continue;
    const v1::NetDevice* other =
        devices.empty() ? nullptr : FindNetDevice(host.facts(), *devices.begin());
    FailOn(host, judge, question,
           devices.empty() ? fmt::format("no route to {}", subnet)
                           : fmt::format("the route to {} leaves by {}", subnet,
                                         other == nullptr ? *devices.begin() : other->name()))
        .MendedBy("Put the route back where the address is, also in the network configuration.",
                  ShellCommand("ip route replace {} dev {}", subnet, net_device.name()), false);
    return;
  }
  judge.Pass();
}

void JudgeHostRoutes(const HostView& host, Judge& judge) {
  for (const Holder& holder : HoldersOf(host)) JudgeRoutes(host, holder, judge);
}

}  // namespace

Check AddressArpFlux() {
  return {
      .id = "address.arp-flux",
      .title = "Rails answer ARP for themselves only",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Two NICs in one subnet answer for each other unless they are told not to: peers learn "
          "the wrong MAC, and packets arrive at a NIC that has no such queue pair.",
      .how =
          "No two net devices of RoCE ports may have addresses in one IPv4 subnet, unless "
          "arp_ignore is 1 or 2 and arp_announce is 2 (the larger of \"all\" and the device's), "
          "or arp_filter is on.",
      .fix = "One subnet a rail; or net.ipv4.conf.all.arp_ignore=1 and arp_announce=2.",
      .sources = {"rtnetlink addresses", "/proc/sys/net/ipv4/conf/*/arp_*",
                  "Documentation/networking/ip-sysctl.rst"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHostArp,
  };
}

Check AddressPermanent() {
  return {
      .id = "address.permanent",
      .title = "Addresses of rails do not expire",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "When a lease runs out the address goes, its GID with it, and every connection that uses "
          "it: hours into a job.",
      .how = "Every IPv4 address of a RoCE port's net devices must be marked permanent.",
      .fix = "Configure fixed addresses on rails.",
      .sources = {"rtnetlink IFA_FLAGS, IFA_F_PERMANENT"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHostPermanent,
  };
}

Check RouteRailDevice() {
  return {
      .id = "route.rail-device",
      .title = "Routes to a rail leave by that rail",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Connection set-up (rdma_cm, and the job's own TCP) follows the routing table: with the "
          "subnet's route on another device it fails, or runs over the wrong NIC.",
      .how =
          "For each IPv4 subnet of a RoCE port's net devices some routing table must have a route "
          "to it, or to more than it but not all, by that very device, and no rule that comes "
          "before it may prohibit packets from the port's own address to the subnet. Which table a "
          "packet uses is worked out by route.to-peer.",
      .fix = "ip route replace SUBNET dev DEVICE",
      .sources = {"rtnetlink RTM_GETROUTE and RTM_GETRULE, all tables"},
      .explained_by = {"device.rdma-present", "port.active", "address.arp-flux"},
      .host = JudgeHostRoutes,
  };
}

}  // namespace roceready::checks
