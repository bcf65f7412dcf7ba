// SPDX-License-Identifier: Apache-2.0
// lldp.rail-leaf: the hosts on one leaf are plugged into it with the same rails.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/leaves.h"
#include "checks/rails.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

// One group for the whole fleet: a port that was not read may be on any leaf.
constexpr std::string_view kFleet = "all hosts";
constexpr std::string_view kBy = " by rail ";

class Observer {
 public:
  explicit Observer(const HostView& host) : host_(host) {}

  std::vector<Observation> Observe() {
    const std::vector<RailPort> rails = RailsOfHost(host_.facts());
    std::set<std::string> names;
    for (const RailPort& rail : rails) names.insert(rail.rail);
    for (const PortView& port : host_.ports()) AddUnreadAddresses(port);
    // A host with one rail has no cables to swap.
    if (names.size() < 2) return std::move(observations_);
    for (const RailPort& rail : rails) {
      for (const PortView& port : host_.ports()) {
        if (port.device->id() == rail.rdma_device_id && port.port->number() == rail.port) {
          AddRail(port, rail.rail);
        }
      }
    }
    return std::move(observations_);
  }

 private:
  void AddUnreadAddresses(const PortView& port) {
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      const v1::Reading reading = ReadingOf(net_device->has_addresses(), net_device->addresses());
      if (!IsOk(reading)) AddUnknown(port, NetPath(net_device->id(), "addresses"), reading);
    }
  }

  void AddRail(const PortView& port, const std::string& rail) {
    if (port.carriers.empty()) {
      const std::string path = PortPath(port.device->id(), port.port->number(), "net_device_id");
      AddUnknown(port, path, host_.NetDeviceReading(port));
    }
    for (const Carrier& carrier : port.carriers) AddCarrier(port, rail, *carrier.net_device);
  }

  void AddCarrier(const PortView& port, const std::string& rail, const v1::NetDevice& net_device) {
    const v1::Reading reading = ReadingOf(net_device.has_lldp(), net_device.lldp());
    const std::string path = NetPath(net_device.id(), "lldp.neighbours");
    if (!IsOk(reading)) return AddUnknown(port, path, reading);
    for (const v1::LldpNeighbour& neighbour : net_device.lldp().neighbours()) {
      const std::string leaf = NameOfSwitch(neighbour);
      if (!IsSwitch(neighbour) || leaf.empty()) continue;
      observations_.push_back({.subject = host_.SubjectOfPort(port),
                               .group = std::string(kFleet),
                               .value = fmt::format("{}{}{}", leaf, kBy, rail),
                               .unknown = {},
                               .evidence = host_.EvidenceAt(path, leaf, reading)});
    }
  }

  // Once a port: its rails share what was not read.
  void AddUnknown(const PortView& port, const std::string& path, const v1::Reading& reading) {
    if (!unknown_.insert(port.port).second) return;
    observations_.push_back({.subject = host_.SubjectOfPort(port),
                             .group = std::string(kFleet),
                             .value = {},
                             .unknown = ReasonOf(reading),
                             .evidence = host_.EvidenceAt(path, {}, reading)});
  }

  const HostView& host_;
  std::vector<Observation> observations_;
  std::set<const v1::RdmaPort*> unknown_;
};

std::vector<Observation> Observe(const HostView& host) { return Observer(host).Observe(); }

using RailSet = std::set<std::string_view>;

bool Includes(const RailSet& a, const RailSet& b) { return std::ranges::includes(a, b); }

// One host may have more rails here than another, never others.
bool AllFitTogether(const std::map<std::string, RailSet>& rails_of_host) {
  for (const auto& [host, rails] : rails_of_host) {
    for (const auto& [other, theirs] : rails_of_host) {
      if (!Includes(rails, theirs) && !Includes(theirs, rails)) return false;
    }
  }
  return true;
}

// Who is plugged into one leaf, by rail.
using Leaf = std::map<std::string_view, std::vector<const Observation*>>;

std::string CampWords(std::string_view rail, const std::vector<const Observation*>& speakers) {
  std::set<std::string> hosts;
  for (const Observation* one : speakers) hosts.insert(one->subject.host());
  return fmt::format("rail {} of {}", rail,
                     FoldHostList(std::vector<std::string>(hosts.begin(), hosts.end())));
}

void JudgeLeaf(std::string_view name, const Leaf& leaf, bool all_known, Judge& judge) {
  std::map<std::string, RailSet> rails_of_host;
  bool any_shared = false;
  for (const auto& [rail, speakers] : leaf) {
    for (const Observation* one : speakers) {
      any_shared |= one->subject.host() != speakers.front()->subject.host();
      rails_of_host[one->subject.host()].insert(rail);
    }
  }
  // One host alone; or a subnet for each cable, which tells nothing about rails.
  if (!any_shared) return judge.NotApplicable();
  if (AllFitTogether(rails_of_host)) {
    if (all_known) judge.Pass();
    return;
  }
  v1::Subject subject;
  subject.set_group(std::string(name));
  subject.set_label(fmt::format("leaf {}", name));
  Draft& draft = judge.Fail(subject);
  std::vector<std::string> camps;
  for (const auto& [rail, speakers] : leaf) {
    camps.push_back(CampWords(rail, speakers));
    draft.RestsOn(speakers.front()->evidence);
    for (const Observation* one : speakers) {
      for (PortKey& port : PortsOfSubject(one->subject)) draft.touches.push_back(std::move(port));
    }
  }
  draft.Expected("the same rails of every host on one leaf")
      .Actual(JoinWords(camps, ", "))
      .MendedBy("Compare with the cabling plan which of them are plugged into the wrong leaf.");
}

void JudgeLeaves(const FleetGroup& group, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected("the same rails of every host on one leaf")
        .RestsOn(one->evidence);
  }
  std::map<std::string_view, Leaf> leaves;
  for (const auto& [value, speakers] : group.by_value) {
    const size_t by = value.rfind(kBy);
    leaves[value.substr(0, by)][value.substr(by + kBy.size())] = speakers;
  }
  for (const auto& [name, leaf] : leaves) JudgeLeaf(name, leaf, group.unknown.empty(), judge);
}

}  // namespace

Check LldpRailLeaf() {
  return {
      .id = "lldp.rail-leaf",
      .title = "A leaf has the same rails of all its hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "With two cables of a host swapped, what should stay within one leaf crosses the spines: "
          "everything works, and the host is slow to all others of its rails.",
      .how =
          "For each switch that ports of the audit hear by LLDP, the rails (IPv4 subnets) by which "
          "hosts are plugged into it are compared: a host may have more of them here than another, "
          "but not others. All camps are named; which is right the cabling plan knows. Leaves "
          "whose "
          "cables each have a subnet of their own tell nothing, and neither do hosts with one "
          "rail.",
      .fix = "Compare with the cabling plan.",
      .sources = {"LLDP system name and chassis id, heard on the hosts' ports"},
      .explained_by = {"device.rdma-present", "address.duplicate", "address.prefix-alike",
                       "rail.alone", "slot.odd-one-out", "address.arp-flux", "switch.host-cabling"},
      .observe = Observe,
      .fleet = JudgeLeaves,
  };
}

}  // namespace roceready::checks
