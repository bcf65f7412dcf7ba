// SPDX-License-Identifier: Apache-2.0
// address.prefix-alike and rail.alone: hosts agree on where a rail's subnet ends.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kFleet = "all hosts";
const std::vector<std::string_view> kByASecondHolder = {"address.duplicate"};

// An address inside the subnet of another one of the same net device is a second name of the host
// (a virtual IP with /32), and needs no subnet of its own.
bool IsSecondName(const FabricAddress& one, const std::vector<FabricAddress>& all) {
  return std::ranges::any_of(all, [&](const FabricAddress& other) {
    return other.net_device == one.net_device && other.address.bits() < one.address.bits() &&
           other.address.Contains(one.address);
  });
}

std::vector<Observation> ObserveAddresses(const HostView& host) {
  const FabricAddresses addresses = FabricAddressesOf(host.ports());
  std::vector<Observation> observations;
  observations.reserve(addresses.unread.size() + addresses.known.size());
  for (const auto& unread : addresses.unread) {
    observations.push_back(UnreadAddress(host, unread, std::string(kFleet)));
  }
  for (const FabricAddress& one : addresses.known) {
    if (IsSecondName(one, addresses.known)) continue;
    const std::string text = one.address.Text();
    Observation observation{.subject = host.SubjectOfNetDevice(*one.port, *one.net_device),
                            .group = std::string(kFleet),
                            .value = text};
    // A net device may have several.
    observation.subject.set_group(text);
    observation.evidence = host.EvidenceAt(NetPath(one.net_device->id(), "addresses"), text,
                                           one.net_device->addresses().reading());
    observations.push_back(std::move(observation));
  }
  return observations;
}

void JudgeUnread(const FleetGroup& group, std::string_view expected, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(expected))
        .RestsOn(one->evidence);
  }
}

struct Holder {
  IpPrefix subnet;
  const Observation* said = nullptr;
};

std::vector<Holder> HoldersOf(const FleetGroup& group) {
  std::vector<Holder> holders;
  for (const auto& [value, speakers] : group.by_value) {
    const std::optional<IpPrefix> address = IpPrefix::Parse(value);
    if (!address) continue;
    for (const Observation* one : speakers) holders.push_back({address->Network(), one});
  }
  std::ranges::sort(holders, {}, &Holder::subnet);
  return holders;
}

constexpr std::string_view kOneLength = "one prefix length for a subnet on all hosts";
constexpr std::string_view kFixLength =
    "Give the address the prefix length that its subnet has on the other hosts, also in the "
    "network configuration.";

// Subnets inside the widest of them, on which two lengths have the most speakers.
void JudgeTie(std::span<const Holder> cluster, Judge& judge) {
  v1::Subject subject;
  subject.set_group(cluster.front().subnet.Text());
  subject.set_label(cluster.front().subnet.Text());
  Draft& draft = judge.Fail(subject);
  draft.explained_by = kByASecondHolder;
  std::map<uint32_t, std::vector<std::string>> hosts;
  std::map<uint32_t, const Observation*> first;
  for (const Holder& holder : cluster) {
    hosts[holder.subnet.bits()].push_back(holder.said->subject.host());
    first.try_emplace(holder.subnet.bits(), holder.said);
    for (PortKey& port : PortsOfSubject(holder.said->subject)) draft.touches.push_back(port);
  }
  std::vector<std::string> camps;
  for (auto& [bits, names] : hosts) {
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    camps.push_back(fmt::format("/{} on {}", bits, FoldHostList(std::move(names))));
    draft.RestsOn(first[bits]->evidence);
  }
  draft.Expected(std::string(kOneLength))
      .Actual(JoinWords(camps, ", "))
      .MendedBy(std::string(kFixLength));
}

void JudgeCluster(std::span<const Holder> cluster, Judge& judge) {
  std::map<uint32_t, size_t> lengths;
  for (const Holder& holder : cluster) ++lengths[holder.subnet.bits()];
  const auto count = [](const auto& one) { return one.second; };
  const auto most = std::ranges::max_element(lengths, {}, count);
  if (lengths.size() > 1 && std::ranges::count(lengths, most->second, count) > 1) {
    return JudgeTie(cluster, judge);
  }
  for (const Holder& holder : cluster) {
    if (holder.subnet.bits() == most->first) {
      judge.Pass();
      continue;
    }
    Draft& draft = judge.Fail(holder.said->subject)
                       .Expected(std::string(kOneLength))
                       .Actual(fmt::format("{}, where {} inside {} have /{}", holder.said->value,
                                           Counted(most->second, "other"),
                                           cluster.front().subnet.Text(), most->first))
                       .RestsOn(holder.said->evidence)
                       .MendedBy(std::string(kFixLength));
    draft.explained_by = kByASecondHolder;
  }
}

void JudgePrefixes(const FleetGroup& group, Judge& judge) {
  JudgeUnread(group, kOneLength, judge);
  const std::vector<Holder> holders = HoldersOf(group);
  if (holders.size() == 1) return judge.NotApplicable();
  // A subnet comes before all that are inside it.
  for (size_t begin = 0, end = 0; begin < holders.size(); begin = end) {
    while (end < holders.size() && holders[begin].subnet.Contains(holders[end].subnet)) ++end;
    JudgeCluster(std::span(holders).subspan(begin, end - begin), judge);
  }
}

constexpr std::string_view kShared = "a subnet that other hosts are in too";

// What the hosts of an audit say of their rails.
class Fleet {
 public:
  explicit Fleet(const std::vector<Holder>& holders) {
    for (const Holder& holder : holders) {
      hosts_[holder.subnet].insert(holder.said->subject.host());
      rails_[holder.said->subject.host()].insert(holder.subnet);
    }
  }

  bool IsShared(const IpPrefix& rail) const { return hosts_.at(rail).size() > 1; }

  // Rails of hosts that share another rail with this one, which it has not.
  std::set<IpPrefix> Missing(const std::string& host) const {
    const std::set<IpPrefix>& own = rails_.at(host);
    std::set<IpPrefix> missing;
    for (const IpPrefix& rail : own) {
      // Those of one neighbour are enough where all of them are alike; a few tell of others.
      size_t looked_at = 0;
      for (const std::string_view peer : hosts_.at(rail)) {
        if (peer == host) continue;
        if (++looked_at > kNeighbours) break;
        for (const IpPrefix& other : rails_.at(peer)) {
          if (!own.contains(other) && IsShared(other)) missing.insert(other);
        }
      }
    }
    return missing;
  }

 private:
  static constexpr size_t kNeighbours = 8;
  std::map<IpPrefix, std::set<std::string_view>> hosts_;
  std::map<std::string_view, std::set<IpPrefix>> rails_;
};

void JudgeAlone(const FleetGroup& group, Judge& judge) {
  const std::vector<Holder> holders = HoldersOf(group);
  const Fleet fleet(holders);
  for (const Holder& holder : holders) {
    if (fleet.IsShared(holder.subnet)) {
      judge.Pass();
      continue;
    }
    const v1::Subject& subject = holder.said->subject;
    const std::set<IpPrefix> missing = fleet.Missing(subject.host());
    // Nobody of its kind is in one subnet with it, or it has a rail more than the others.
    if (missing.empty()) {
      judge.NotApplicable();
      continue;
    }
    if (!group.unknown.empty()) {
      judge.Unknown(subject, "the addresses of another host were not read")
          .Expected(std::string(kShared))
          .RestsOn(holder.said->evidence);
      continue;
    }
    std::vector<std::string> rails;
    rails.reserve(missing.size());
    for (const IpPrefix& rail : missing) rails.push_back(rail.Text());
    Draft& draft = judge.Fail(subject)
                       .Expected(std::string(kShared))
                       .Actual(fmt::format("nobody else is in {}, and this host is not in {}",
                                           holder.subnet.Text(), JoinWords(rails)))
                       .RestsOn(holder.said->evidence)
                       .MendedBy(
                           "Give the port an address of the rail that its peers have, also in the "
                           "network configuration.");
    draft.explained_by = {"address.duplicate", "address.prefix-alike", "inventory.rails"};
  }
}

}  // namespace

Check AddressPrefixAlike() {
  return {
      .id = "address.prefix-alike",
      .title = "A subnet has one prefix length on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Where one end asks by ARP and the other sends to a gateway, or has no way at all, "
          "connections fail in one direction. Rails are subnets: a port with another prefix length "
          "is on no rail of its peers, and is neither compared with them nor probed.",
      .how =
          "Subnets of the RoCE ports' addresses that lie in one another must have one prefix "
          "length; whoever differs from the most is named. Subnets that do not meet may be of any "
          "length, as the /31 of each cable of a routed fabric, and so may a second address inside "
          "the subnet of the first.",
      .fix = "Give the address the prefix length of its subnet.",
      .sources = {"rtnetlink RTM_GETADDR, ifa_prefixlen"},
      .explained_by = {"address.duplicate", "device.rdma-present", "port.active"},
      .observe = ObserveAddresses,
      .fleet = JudgePrefixes,
  };
}

Check RailAlone() {
  return {
      .id = "rail.alone",
      .title = "No port is in a subnet of its own where its peers share one",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A mistyped address puts a port on a rail where nobody is: the host has one rail less, "
          "and no comparison between peers and no probe ever touches the port.",
      .how =
          "A port is named whose subnet no other host is in, while its host shares another subnet "
          "with hosts that have a rail in common which it has not. Hosts that share no subnet with "
          "anybody (each behind its own gateway), and those with a rail more, are not judged.",
      .fix = "Give the port an address of its rail.",
      .sources = {"rtnetlink RTM_GETADDR on all hosts"},
      .explained_by = {"address.duplicate", "address.prefix-alike", "inventory.rails"},
      .observe = ObserveAddresses,
      .fleet = JudgeAlone,
  };
}

}  // namespace roceready::checks
