// SPDX-License-Identifier: Apache-2.0
// inventory.rails: the host is on every rail that the policy's inventory gives it.
#include <algorithm>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/host/gid.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// "::ffff:10.1.0.7" -> 10.1.0.7; any other GID is the IPv6 address that it spells.
std::optional<IpPrefix> AddressOf(std::string_view gid) {
  const std::optional<IpPrefix> whole = IpPrefix::Of(gid, 128);
  if (!whole || !IsIpv4Gid(gid)) return whole;
  if (gid.starts_with("::ffff:") && gid.find('.') != std::string_view::npos) {
    return IpPrefix::Of(gid.substr(gid.rfind(':') + 1), 32);
  }
  // "0000:...:ffff:0a01:0007", as the kernel writes it.
  std::string digits(gid.substr(gid.rfind(':', gid.rfind(':') - 1) + 1));
  std::erase(digits, ':');
  if (digits.size() != 8) return std::nullopt;
  const auto octet = [&](size_t i) { return std::stoi(digits.substr(2 * i, 2), nullptr, 16); };
  return IpPrefix::Of(fmt::format("{}.{}.{}.{}", octet(0), octet(1), octet(2), octet(3)), 32);
}

// What this host says of all its RoCE ports, those outside the job's interfaces too.
class Rails {
 public:
  explicit Rails(const HostView& host)
      : host_(host), ports_(PortsOf(host.facts())), addresses_(FabricAddressesOf(ports_)) {}

  bool Holds(const IpPrefix& rail) const {
    const auto is_in = [&](const FabricAddress& one) {
      return rail.Contains(one.address.Address());
    };
    if (std::ranges::any_of(addresses_.known, is_in)) return true;
    // A net device that is not shown here (a pod's, or another namespace) still gives its GIDs.
    for (const auto& [port, net_device] : addresses_.unread) {
      for (const v1::Gid& gid : port->port->gid_table().gids()) {
        const std::optional<IpPrefix> address = AddressOf(gid.gid());
        if (address && rail.Contains(*address)) return true;
      }
    }
    return false;
  }

  // Why it cannot be said that a rail is missing, as evidence; none: it can.
  std::optional<v1::Evidence> Unread() const {
    const v1::HostFacts& facts = host_.facts();
    const v1::Reading rdma = ScanReading(facts.has_rdma_scan(), facts.rdma_scan());
    // That no RDMA stack is loaded is an answer.
    if (!IsOk(rdma) && rdma.outcome() != v1::OUTCOME_ABSENT) {
      return host_.EvidenceAt("rdma_scan", {}, rdma);
    }
    const v1::Reading net = ScanReading(facts.has_net_scan(), facts.net_scan());
    if (!IsOk(net)) return host_.EvidenceAt("net_scan", {}, net);
    for (const v1::RdmaDevice& device : facts.rdma_devices()) {
      const v1::Reading reading = ReadingOf(true, device);
      if (device.ports().empty() && !IsOk(reading)) {
        return host_.EvidenceAt(RdmaPath(device.id(), "ports"), {}, reading);
      }
    }
    if (addresses_.unread.empty()) return std::nullopt;
    return UnreadAddress(host_, addresses_.unread.front(), {}).evidence;
  }

  // Ports that are on no rail of the inventory: one of them may have lost it.
  std::vector<const PortView*> Strays(const std::vector<ExpectedRail>& rails) const {
    std::vector<const PortView*> strays;
    for (const PortView& port : ports_) {
      const auto is_at_home = [&](const FabricAddress& one) {
        return one.port == &port && std::ranges::any_of(rails, [&](const ExpectedRail& rail) {
                 return rail.subnet.Contains(one.address.Address());
               });
      };
      if (std::ranges::none_of(addresses_.known, is_at_home)) strays.push_back(&port);
    }
    return strays;
  }

  std::string Words(const PortView& port) const {
    std::vector<std::string> own;
    for (const FabricAddress& one : addresses_.known) {
      if (one.port == &port) own.push_back(one.address.Text());
    }
    return fmt::format("{} has {}", port.label, own.empty() ? "no address" : JoinWords(own));
  }

  // RDMA devices that speak no RoCE, and NICs without an RDMA device.
  std::vector<std::string> Idle() const {
    std::vector<std::string> idle;
    for (const v1::RdmaDevice& device : host_.facts().rdma_devices()) {
      for (const v1::RdmaPort& port : device.ports()) {
        if (!IsRocePort(device, port)) idle.push_back(device.name() + " speaks no RoCE");
      }
    }
    for (const v1::PciFunction& function : host_.facts().pci_functions()) {
      if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
      const auto is_on_it = [&](const v1::RdmaDevice& device) {
        return device.id() == function.id();
      };
      if (std::ranges::none_of(host_.facts().rdma_devices(), is_on_it)) {
        idle.push_back(function.id() + " has no RDMA device");
      }
    }
    return idle;
  }

 private:
  const HostView& host_;
  const std::vector<PortView> ports_;
  const FabricAddresses addresses_;
};

void FailRail(const HostView& host, const Rails& rails, const ExpectedRail& rail,
              const v1::Subject& whole, Judge& judge) {
  const std::vector<const PortView*> strays = rails.Strays(host.policy().rails);
  v1::Subject subject = whole;
  // One port without a rail, and a rail without a port: it is that one.
  if (strays.size() == 1) {
    subject = host.SubjectOfPort(*strays[0]);
    subject.set_group(rail.subnet.Text());
  }
  std::vector<std::string> who;
  who.reserve(strays.size());
  for (const PortView* port : strays) who.push_back(rails.Words(*port));
  for (std::string& one : rails.Idle()) who.push_back(std::move(one));
  Draft& draft =
      judge.Fail(subject)
          .Expected(fmt::format("a RoCE port on rail {}", rail.subnet.Text()))
          .Actual(who.empty() ? "none, and no port that could be it" : "none; " + JoinWords(who))
          .RestsOn(host.EvidenceAt("net_devices", JoinWords(who), host.facts().net_scan()))
          .MendedBy(
              "Give the port its address back, also in the network configuration; where "
              "there is no such port, look in the kernel log for its NIC.");
  draft.finding.set_policy_source(rail.source);
  if (strays.empty()) {
    draft.explained_by = {"device.rdma-present", "device.roce-enabled", "device.lost-rdma",
                          "device.taken-away", "link-layer.odd-one-out"};
  }
}

void JudgeHost(const HostView& host, Judge& judge) {
  if (host.policy().rails.empty()) return judge.NotApplicable();
  const Rails rails(host);
  const std::optional<v1::Evidence> unread = rails.Unread();
  for (const ExpectedRail& rail : host.policy().rails) {
    if (rails.Holds(rail.subnet)) {
      judge.Pass();
      continue;
    }
    v1::Subject subject = host.SubjectOfHost();
    subject.set_group(rail.subnet.Text());
    subject.set_label(fmt::format("{} rail {}", host.host(), rail.subnet.Text()));
    if (unread) {
      judge.Unread(subject, *unread)
          .Expected(fmt::format("a RoCE port on rail {}", rail.subnet.Text()))
          .finding.set_policy_source(rail.source);
    } else {
      FailRail(host, rails, rail, subject, judge);
    }
  }
}

}  // namespace

Check InventoryRails() {
  return {
      .id = "inventory.rails",
      .title = "The host is on every rail of the inventory",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "What is gone leaves nothing behind that could look wrong: only a list of what should be "
          "there tells that a host has one rail less.",
      .how =
          "Each host that the policy's inventory names must have, in each subnet of its rails, an "
          "address on a RoCE port's net device, bond or VLAN, or a GID where the net device is not "
          "shown. Where addresses were not read, a rail that is not found is UNKNOWN.",
      .fix = "Give the port its address back, or take the rail out of the inventory.",
      .sources = {"the policy's inventory", "rtnetlink RTM_GETADDR", "RDMA netlink GET"},
      .explained_by = {"device.rdma-present", "device.roce-enabled", "device.lost-rdma",
                       "device.taken-away", "link-layer.odd-one-out", "gid.rocev2-ipv4"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
