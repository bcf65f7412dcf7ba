// SPDX-License-Identifier: Apache-2.0
// neighbour.mac and neighbour.answered: what a host has learnt of a peer's addresses is what the
// peer says of itself.
#include <algorithm>
#include <map>
#include <string_view>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/said_words.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A gateway or a switch that answers ARP for everybody gives one MAC for many addresses.
constexpr int kAddressesOfAProxy = 3;

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// An observation is one text, so what a port says is lines of it:
//   mac MAC                 of any net device of its host
//   own ADDRESS MAC         "-" where the MAC was not read
//   met ADDRESS MAC STATE   "-" where there is none
std::string SayMacs(const HostView& host) {
  std::string text;
  for (const v1::NetDevice& net_device : host.facts().net_devices()) {
    if (net_device.link().has_mac()) text += "mac " + Lower(net_device.link().mac()) + "\n";
  }
  return text;
}

std::string SayOwn(const PortView& port) {
  std::string text;
  for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
    const std::string mac = Lower(net_device->link().mac());
    for (const v1::IpAddress& address : net_device->addresses().addresses()) {
      text += "own " + address.address() + " " + (mac.empty() ? "-" : mac) + "\n";
    }
  }
  return text;
}

std::string SayMet(const HostView& host, const PortView& port) {
  std::string text;
  for (const v1::Neighbour& neighbour : host.facts().neighbours().neighbours()) {
    const bool is_here =
        std::ranges::any_of(port.AddressedNetDevices(), [&](const v1::NetDevice* net_device) {
          return net_device->id() == neighbour.net_device_id();
        });
    if (!is_here) continue;
    text += fmt::format("met {} {} {}\n", neighbour.address(),
                        neighbour.mac().empty() ? "-" : Lower(neighbour.mac()),
                        neighbour.state().empty() ? "-" : neighbour.state());
  }
  return text;
}

std::vector<Observation> Observe(const HostView& host) {
  const v1::Reading reading = ReadingOf(host.facts().has_neighbours(), host.facts().neighbours());
  const std::string macs = SayMacs(host);
  std::vector<Observation> observations;
  observations.reserve(host.ports().size());
  for (const PortView& port : host.ports()) {
    Observation observation{.subject = host.SubjectOfPort(port)};
    observation.evidence = host.EvidenceAt("neighbours.neighbours", {}, reading);
    bool own_known = port.net_device != nullptr;
    for (const v1::NetDevice* net_device : port.AddressedNetDevices()) {
      own_known &= IsOk(ReadingOf(net_device->has_addresses(), net_device->addresses()));
    }
    if (!IsOk(reading)) {
      observation.unknown = "neighbours: " + ReasonOf(reading);
    } else if (!own_known) {
      observation.unknown = "its own addresses were not read";
    } else {
      observation.value = macs + SayOwn(port) + SayMet(host, port);
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

struct Entry {
  std::string_view mac;
  std::string_view state;
};

// The text of an observation, read again.
struct Said {
  std::vector<std::string_view> macs;
  std::map<std::string_view, std::string_view> own;
  std::map<std::string_view, Entry> met;

  explicit Said(std::string_view text) {
    while (!text.empty()) {
      const std::string_view word = CutWord(text), address = CutWord(text);
      if (word == "mac") macs.push_back(address);
      if (word == "own") own[address] = CutWord(text);
      if (word == "met") {
        Entry& entry = met[address];
        entry.mac = CutWord(text);
        entry.state = CutWord(text);
      }
    }
  }

  bool Has(std::string_view mac) const { return std::ranges::find(macs, mac) != macs.end(); }

  bool IsProxy(std::string_view mac) const {
    return std::ranges::count_if(met, [&](const auto& entry) { return entry.second.mac == mac; }) >=
           kAddressesOfAProxy;
  }
};

// By its RDMA ports alone, as the probe between them: what that meets may follow from this.
v1::Subject SubjectOf(const Observation& a, const Observation& b) {
  v1::Subject subject = a.subject;
  subject.clear_net_device_id();
  subject.set_peer_host(b.subject.host());
  subject.set_peer_device_id(b.subject.device_id());
  subject.set_label(fmt::format("{} to {}", a.subject.label(), b.subject.label()));
  return subject;
}

// What one end has learnt of an address of the other.
struct Learnt {
  const Observation& here;
  const Observation& there;
  const Said& said_here;
  const Said& said_there;
  std::string_view address;
  const Entry& entry;
};

// Gives the FAIL, or null.
using JudgeEntry = Draft* (*)(const Learnt& learnt, Judge& judge);

constexpr std::string_view kExpected = "the peer's own MAC in the neighbour table";

Draft* JudgeMac(const Learnt& learnt, Judge& judge) {
  const std::string_view address = learnt.address;
  const Entry& entry = learnt.entry;
  const std::string_view own = learnt.said_there.own.at(address);
  // Nothing was learnt: neighbour.answered says so.
  if (entry.mac == "-") {
    judge.NotApplicable();
    return nullptr;
  }
  if (entry.mac == own) {
    judge.Pass();
    return nullptr;
  }
  if (own == "-") {
    judge.Unknown(SubjectOf(learnt.here, learnt.there), "the peer's MAC was not read")
        .Expected(std::string(kExpected))
        .RestsOn(learnt.here.evidence);
    return nullptr;
  }
  const bool is_other_device = learnt.said_there.Has(entry.mac);
  if (!is_other_device && learnt.said_here.IsProxy(entry.mac)) {
    judge.NotApplicable();
    return nullptr;
  }
  v1::Evidence shown = learnt.here.evidence;
  shown.set_value(fmt::format("{} {}", address, entry.mac));
  return &judge.Fail(SubjectOf(learnt.here, learnt.there))
              .Expected(std::string(kExpected))
              .Actual(fmt::format("{} is {} here ({}){}, and {} there", address, entry.mac,
                                  entry.state, is_other_device ? ", another NIC of the peer" : "",
                                  own))
              .RestsOn(std::move(shown))
              .MendedBy(
                  "Remove the entry, also from what sets it at boot, and look for a second holder "
                  "of the "
                  "address.",
                  fmt::format("ip neigh flush to {}", address), entry.state != "permanent");
}

Draft* JudgeAnswer(const Learnt& learnt, Judge& judge) {
  const std::string_view address = learnt.address;
  const Entry& entry = learnt.entry;
  if (entry.state != "failed" && entry.state != "incomplete") {
    judge.Pass();
    return nullptr;
  }
  v1::Evidence shown = learnt.here.evidence;
  shown.set_value(fmt::format("{} {}", address, entry.state));
  return &judge.Fail(SubjectOf(learnt.here, learnt.there))
              .Expected("a peer that answers ARP")
              .Actual(fmt::format("{} of the peer: {}", address, entry.state))
              .RestsOn(std::move(shown))
              .MendedBy("Look whether both ends are in one VLAN, and whether the peer was up.",
                        fmt::format("ip neigh flush to {}", address), true);
}

Draft* JudgeDirection(const Observation& a, const Observation& b, JudgeEntry judge_entry,
                      Judge& judge) {
  if (a.value.empty() || b.value.empty()) {
    const Observation& unread = a.value.empty() ? a : b;
    judge.Unknown(SubjectOf(a, b), fmt::format("{}: {}", unread.subject.host(), unread.unknown))
        .Expected(std::string(kExpected))
        .RestsOn(unread.evidence);
    return nullptr;
  }
  const Said here(a.value), there(b.value);
  // Of several addresses the one that is known wrong; peers that have not met yet will ask.
  auto met = here.met.end();
  for (const auto& [address, mac] : there.own) {
    const auto entry = here.met.find(address);
    if (entry == here.met.end()) continue;
    if (met == here.met.end() || entry->second.mac != mac) met = entry;
  }
  if (met == here.met.end()) {
    judge.NotApplicable();
    return nullptr;
  }
  return judge_entry({a, b, here, there, met->first, met->second}, judge);
}

void JudgePairMacs(const Observation& a, const Observation& b, Judge& judge) {
  JudgeDirection(a, b, JudgeMac, judge);
  JudgeDirection(b, a, JudgeMac, judge);
}

void JudgePairAnswers(const Observation& a, const Observation& b, Judge& judge) {
  JudgeDirection(a, b, JudgeAnswer, judge);
  Draft* back = JudgeDirection(b, a, JudgeAnswer, judge);
  // Neither end has heard the other: that is one fault.
  if (back != nullptr) back->follows = {FindingKey("neighbour.answered", SubjectOf(a, b))};
}

}  // namespace

Check NeighbourMac() {
  return {
      .id = "neighbour.mac",
      .title = "Hosts know the right MAC of their peers",
      .scope = v1::SCOPE_PAIR,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC takes the peer's MAC from the kernel's neighbour table when it connects. A static "
          "entry that is out of date, or an answer of the wrong NIC, sends every packet to nobody: "
          "the connection is set up and then times out.",
      .how =
          "For neighbours on each rail, and every pair that is probed, the MAC that one end has "
          "for "
          "an address of the other must be the one that the other says it has itself. A MAC that "
          "stands for three addresses or more and is none of the peer's is a proxy's and not "
          "judged; neither are peers that have not met.",
      .fix = "ip neigh flush to ADDRESS",
      .sources = {"rtnetlink RTM_GETNEIGH at one end", "rtnetlink IFLA_ADDRESS at the other"},
      .explained_by = {"host.heard-from", "device.rdma-present", "port.active", "address.duplicate",
                       "address.duplicate-mac", "address.arp-flux"},
      .observe = Observe,
      .pair = JudgePairMacs,
  };
}

Check NeighbourAnswered() {
  return {
      .id = "neighbour.answered",
      .title = "Peers have answered ARP",
      .scope = v1::SCOPE_PAIR,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A peer that does not answer ARP cannot be connected to: a wrong VLAN, a switch that "
          "does "
          "not flood, or an address that is somewhere else.",
      .how =
          "For neighbours on each rail, and every pair that is probed, what one end has in its "
          "neighbour table for an address of the other must not be failed or incomplete. Such an "
          "entry can be left over from when the peer was down, so that this is a hint; a probe "
          "tells.",
      .fix = "Look at VLAN and flooding between the two; then ip neigh flush to ADDRESS.",
      .sources = {"rtnetlink RTM_GETNEIGH, NDA_LLADDR and ndm_state"},
      .explained_by = {"host.heard-from", "device.rdma-present", "port.active", "address.duplicate",
                       "neighbour.mac"},
      .observe = Observe,
      .pair = JudgePairAnswers,
  };
}

}  // namespace roceready::checks
