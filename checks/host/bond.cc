// SPDX-License-Identifier: Apache-2.0
// bond.mode, bond.roce-lag, bond.members-up, bond.members-alike and bond.hash-policy: bonds below
// RoCE ports are of a kind that RoCE can use, and whole.
#include <algorithm>
#include <map>
#include <set>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

struct BondView {
  const PortView* port = nullptr;
  const v1::NetDevice* bond = nullptr;
  std::vector<const v1::NetDevice*> members;
};

// Bonds that a port is on, is a member of, or has a VLAN on.
std::vector<BondView> BondsOf(const HostView& host) {
  std::vector<BondView> bonds;
  std::set<const v1::NetDevice*> seen;
  for (const PortView& port : host.ports()) {
    std::vector<const v1::NetDevice*> below = port.AddressedNetDevices();
    if (port.net_device != nullptr) {
      below.push_back(FindNetDevice(host.facts(), port.net_device->link().lower_id()));
    }
    for (const v1::NetDevice* candidate : below) {
      if (candidate == nullptr || candidate->link().kind() != "bond") continue;
      if (!seen.insert(candidate).second) continue;
      BondView view{.port = &port, .bond = candidate, .members = {}};
      for (const v1::NetDevice& member : host.facts().net_devices()) {
        if (member.link().master_id() == candidate->id()) view.members.push_back(&member);
      }
      bonds.push_back(std::move(view));
    }
  }
  return bonds;
}

Question AskBond(const HostView& host, const BondView& view, std::string_view field,
                 std::string expected) {
  return {.subject = host.SubjectOfNetDevice(*view.port, *view.bond),
          .path = NetPath(view.bond->id(), fmt::format("bond.{}", field)),
          .reading = ReadingOf(view.bond->has_bond(), view.bond->bond()),
          .expected = std::move(expected)};
}

bool Balances(const v1::Bond& bond) {
  return bond.mode() == "802.3ad" || bond.mode() == "balance-xor";
}

void JudgeMode(const HostView& host, const BondView& view, Judge& judge) {
  const v1::Bond& bond = view.bond->bond();
  const Question question =
      AskBond(host, view, "mode", "a bond by 802.3ad, active-backup or balance-xor");
  if (IsUnanswered(host, judge, question, bond.has_mode())) return;
  if (Balances(bond) || bond.mode() == "active-backup") return judge.Pass();
  FailOn(host, judge, question, fmt::format("mode {}", bond.mode()), bond.mode())
      .MendedBy("Make the bond anew with mode 802.3ad, in the network configuration.");
}

// A NIC that has joined its ports shows one RDMA device for all of them, whichever member it names.
void JudgeLag(const HostView& host, const BondView& view, Judge& judge) {
  std::map<std::string, const v1::NetDevice*> member_of_device;
  // All of the host's: a job may name one member's device alone.
  for (const PortView& port : PortsOf(host.facts())) {
    if (port.net_device == nullptr || port.net_device->link().master_id() != view.bond->id()) {
      continue;
    }
    member_of_device.emplace(port.device->name(), port.net_device);
  }
  if (member_of_device.size() < 2) return judge.Pass();
  std::vector<std::string> devices;
  devices.reserve(member_of_device.size());
  for (const auto& [device, member] : member_of_device) {
    devices.push_back(fmt::format("{} on {}", device, member->name()));
  }
  Draft& draft =
      judge.Fail(host.SubjectOfNetDevice(*view.port, *view.bond))
          .Expected("one RDMA device for the whole bond")
          .Actual(JoinWords(devices, ", "))
          .MendedBy(
              "Where the NIC can join its ports: make the bond of ports of one card, before their "
              "virtual functions. Where it cannot: give each member an address of its own "
              "instead of a bond.");
  for (const auto& [device, member] : member_of_device) {
    draft.RestsOn(host.EvidenceAt(NetPath(member->id(), "link.master_id"), view.bond->name(),
                                  member->link().reading()));
  }
}

void JudgeHash(const HostView& host, const BondView& view, Judge& judge) {
  const v1::Bond& bond = view.bond->bond();
  const Question question = AskBond(host, view, "xmit_hash_policy", "a hash over ports: layer3+4");
  if (IsUnanswered(host, judge, question, bond.has_mode())) return;
  if (!Balances(bond)) return judge.NotApplicable();
  if (IsUnanswered(host, judge, question, bond.has_xmit_hash_policy())) return;
  const std::string& policy = bond.xmit_hash_policy();
  if (policy == "layer3+4" || policy == "encap3+4") return judge.Pass();
  FailOn(host, judge, question, fmt::format("hash policy {}", policy), policy)
      .MendedBy(
          "Hash over addresses and ports, also in the network configuration.",
          ShellCommand("ip link set dev {} type bond xmit_hash_policy layer3+4", view.bond->name()),
          false);
}

// What is wrong with a member; empty: nothing.
std::string FaultOf(const v1::NetDevice& member, const v1::Bond& bond,
                    const std::set<uint32_t>& aggregators) {
  const v1::BondMember& state = member.bond_member();
  if (state.has_mii_status() && state.mii_status() != "UP") {
    return fmt::format("{} is {}", member.name(), state.mii_status());
  }
  if (bond.mode() != "802.3ad" || aggregators.size() < 2) return {};
  return fmt::format("{} is in aggregator {}", member.name(), state.aggregator_id());
}

void JudgeMembers(const HostView& host, const BondView& view, Judge& judge) {
  const v1::Bond& bond = view.bond->bond();
  Question question = AskBond(host, view, "mode", "two members or more, all up in one aggregator");
  if (IsUnanswered(host, judge, question, bond.has_mode())) return;
  std::set<uint32_t> aggregators;
  const v1::NetDevice* unread = nullptr;
  for (const v1::NetDevice* member : view.members) {
    const v1::BondMember& state = member->bond_member();
    const bool needs_aggregator = bond.mode() == "802.3ad";
    const bool known = IsOk(ReadingOf(member->has_bond_member(), state)) &&
                       state.has_mii_status() && (!needs_aggregator || state.has_aggregator_id());
    if (!known) unread = member;
    if (state.has_aggregator_id()) aggregators.insert(state.aggregator_id());
  }
  std::vector<std::string> faults;
  for (const v1::NetDevice* member : view.members) {
    std::string fault = FaultOf(*member, bond, aggregators);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  if (faults.empty() && unread != nullptr) {
    question.path = NetPath(unread->id(), "bond_member");
    question.reading = ReadingOf(unread->has_bond_member(), unread->bond_member());
    IsUnanswered(host, judge, question, false);
    return;
  }
  const v1::Reading scan = ScanReading(host.facts().has_net_scan(), host.facts().net_scan());
  if (faults.empty() && view.members.size() < 2) {
    // A member whose own links were not read may be missing from the list.
    question.reading = scan;
    const bool all_links_read = std::ranges::all_of(
        host.facts().net_devices(),
        [](const v1::NetDevice& net_device) { return IsOk(net_device.link().reading()); });
    if (IsUnanswered(host, judge, question, all_links_read)) return;
    faults.push_back(Counted(view.members.size(), "member"));
  }
  if (faults.empty()) return judge.Pass();
  FailOn(host, judge, question, JoinWords(faults, ", "))
      .MendedBy(
          "Look at the member's cable and optic, and at the LACP settings of both switch "
          "ports.");
}

void JudgeSpeeds(const HostView& host, const BondView& view, Judge& judge) {
  Question question = AskBond(host, view, "mode", "one speed of all members");
  uint32_t fastest = 0;
  const v1::NetDevice* unread = nullptr;
  std::vector<const v1::NetDevice*> read;
  for (const v1::NetDevice* member : view.members) {
    const v1::Ethernet& ethernet = member->ethernet();
    const bool known =
        IsOk(ReadingOf(member->has_ethernet(), ethernet)) && ethernet.has_speed_mbps();
    if (!known) {
      unread = member;
      continue;
    }
    read.push_back(member);
    fastest = std::max(fastest, ethernet.speed_mbps());
  }
  std::vector<std::string> slow;
  v1::Evidence evidence;
  for (const v1::NetDevice* member : read) {
    const uint32_t speed = member->ethernet().speed_mbps();
    if (speed == fastest) continue;
    slow.push_back(fmt::format("{} runs at {} Mb/s", member->name(), speed));
    evidence = host.EvidenceAt(NetPath(member->id(), "ethernet.speed_mbps"), std::to_string(speed),
                               member->ethernet().reading());
  }
  if (!slow.empty()) {
    judge.Fail(question.subject)
        .Expected(question.expected)
        .Actual(fmt::format("{}, others of the bond at {} Mb/s", JoinWords(slow), fastest))
        .RestsOn(std::move(evidence))
        .MendedBy("Check the member's cable, optic, breakout and the switch port's speed setting.");
    return;
  }
  if (unread != nullptr) {
    question.path = NetPath(unread->id(), "ethernet.speed_mbps");
    question.reading = ReadingOf(unread->has_ethernet(), unread->ethernet());
    IsUnanswered(host, judge, question, false);
    return;
  }
  if (read.size() < 2) return judge.NotApplicable();
  judge.Pass();
}

template <typename Each>
void ForEachBond(const HostView& host, Judge& judge, Each each) {
  const std::vector<BondView> bonds = BondsOf(host);
  bool all_known = true;
  for (const PortView& port : host.ports()) {
    const std::string expected = "a bond that RoCE can use, or none";
    if (port.net_device == nullptr) {
      all_known = false;
      const std::string path = PortPath(port.device->id(), port.port->number(), "net_device_id");
      // GIDs and MTU are unknown for the same reason.
      judge.Unread(host.SubjectOfPort(port), host.EvidenceAt(path, {}, host.NetDeviceReading(port)))
          .Expected(expected)
          .explained_by = {"device.rdma-present", "gid.rocev2-ipv4", "mtu.netdev"};
      continue;
    }
    // Whether it is a bond, or in one, stands there.
    all_known &=
        !IsUnanswered(host, judge,
                      {.subject = host.SubjectOfPort(port),
                       .path = NetPath(port.net_device->id(), "link.kind"),
                       .reading = ReadingOf(port.net_device->has_link(), port.net_device->link()),
                       .expected = expected});
  }
  if (bonds.empty() && all_known) return judge.NotApplicable();
  for (const BondView& bond : bonds) each(host, bond, judge);
}

void JudgeHostMode(const HostView& host, Judge& judge) { ForEachBond(host, judge, JudgeMode); }
void JudgeHostLag(const HostView& host, Judge& judge) { ForEachBond(host, judge, JudgeLag); }
void JudgeHostHash(const HostView& host, Judge& judge) { ForEachBond(host, judge, JudgeHash); }
void JudgeHostSpeeds(const HostView& host, Judge& judge) { ForEachBond(host, judge, JudgeSpeeds); }
void JudgeHostMembers(const HostView& host, Judge& judge) {
  ForEachBond(host, judge, JudgeMembers);
}

}  // namespace

Check BondMode() {
  return {
      .id = "bond.mode",
      .title = "Bonds are of a mode that RoCE can use",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "NICs take over 802.3ad, active-backup and balance-xor into hardware. With any other "
          "mode "
          "the RDMA device stays with one port, or sees none of the bond's addresses.",
      .how = "The mode of every bond at a RoCE port must be one of these three.",
      .fix = "Make the bond anew with mode 802.3ad.",
      .sources = {"rtnetlink IFLA_BOND_MODE", "drivers/net/ethernet/mellanox/mlx5/core/lag/lag.c"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHostMode,
  };
}

Check BondRoceLag() {
  return {
      .id = "bond.roce-lag",
      .title = "A bond has one RDMA device",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC joins its ports for RDMA only where the bond is of its own ports and came before "
          "its virtual functions. Otherwise each member keeps an RDMA device with the bond's "
          "addresses: a connection stays with its member, and ends when that goes down.",
      .how = "No two RDMA devices may be on members of one bond.",
      .fix = "Make the bond of ports of one card, before virtual functions are created.",
      .sources = {"rtnetlink IFLA_MASTER, RDMA netlink PORT_GET",
                  "drivers/net/ethernet/mellanox/mlx5/core/lag/lag.c"},
      .explained_by = {"device.rdma-present", "bond.mode"},
      .is_setting = true,
      .host = JudgeHostLag,
  };
}

Check BondMembersUp() {
  return {
      .id = "bond.members-up",
      .title = "All members of a bond carry traffic",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A bond with a dead member, or one that is outside the LACP aggregate, stays up: half "
          "the "
          "bandwidth is gone, and the RDMA device still says ACTIVE.",
      .how =
          "A bond at a RoCE port must have two members or more, all with MII status UP and, with "
          "802.3ad, all in one aggregator.",
      .fix = "Mend the member's link, or the LACP settings of the switch ports.",
      .sources = {"rtnetlink IFLA_BOND_SLAVE_MII_STATUS and _AD_AGGREGATOR_ID"},
      .explained_by = {"device.rdma-present", "port.active", "bond.mode"},
      .host = JudgeHostMembers,
  };
}

Check BondMembersAlike() {
  return {
      .id = "bond.members-alike",
      .title = "All members of a bond run at one speed",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "What is hashed to the slower member runs at its pace, and LACP may put members of "
          "different speeds into different aggregates, of which one carries nothing.",
      .how =
          "The Ethernet speeds of all members of a bond at a RoCE port must be equal. A bond with "
          "one member has nothing to compare.",
      .fix = "Check cable, optic, breakout and the switch port's speed setting of the member.",
      .sources = {"ethtool LINKMODES_GET, ETHTOOL_A_LINKMODES_SPEED",
                  "IEEE 802.1AX, aggregation keys"},
      .explained_by = {"device.rdma-present", "port.active", "bond.members-up", "speed.as-planned"},
      .host = JudgeHostSpeeds,
  };
}

Check BondHashPolicy() {
  return {
      .id = "bond.hash-policy",
      .title = "Bonds hash over ports",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A hash over MAC addresses sends all traffic of two hosts over one member: the second "
          "port is bought for nothing.",
      .how =
          "A bond that balances (802.3ad, balance-xor) at a RoCE port must hash over layer3+4. "
          "NICs "
          "that balance RoCE by queue pair in hardware do not look at it, hence advice only.",
      .fix = "ip link set dev BOND type bond xmit_hash_policy layer3+4",
      .sources = {"rtnetlink IFLA_BOND_XMIT_HASH_POLICY", "Documentation/networking/bonding.rst"},
      .explained_by = {"device.rdma-present", "port.active", "bond.mode"},
      .is_setting = true,
      .host = JudgeHostHash,
  };
}

}  // namespace roceready::checks
