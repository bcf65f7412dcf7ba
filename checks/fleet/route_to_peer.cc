// SPDX-License-Identifier: Apache-2.0
// route.to-peer: a rail's own device has a way to the subnets in which its peers are.
#include <algorithm>
#include <map>

#include "checks/check.h"
#include "checks/fleet/alike.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/routes.h"
#include "checks/said_words.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Where each cable has a subnet of its own there are as many as ports: so many, spread over all of
// them, tell enough.
constexpr size_t kMaxSubnets = 64;
// Of the ports in one subnet, so many are tried.
constexpr size_t kMaxPeers = 4;
constexpr std::string_view kExpected = "a route to the peers' subnets by the rail's own device";
constexpr std::string_view kRoute = "route";

// An observation is one text, so what a port says is lines of it:
//   device NAME
//   part               not all routes were read
//   own ADDRESS/BITS
//   rail ADDRESS/BITS  of any port of its host
//   step TO DESTINATION WORD   in order; WORD is "route", or the action of a rule that stops it
std::string Say(const HostView& host, const FabricAddress& one,
                const std::vector<FabricAddress>& all) {
  const v1::IpStack& stack = host.facts().ip_stack();
  std::string text =
      fmt::format("device {}\nown {}\n",
                  one.net_device->name().empty() ? one.net_device->id() : one.net_device->name(),
                  one.address.Text());
  if (!stack.reading().detail().empty()) text += "part\n";
  for (const FabricAddress& other : all) text += fmt::format("rail {}\n", other.address.Text());
  for (const RouteStep& step : StepsFrom(stack, one.address, *one.net_device)) {
    text += fmt::format("step {} {} {}\n", step.rule_to.Text(), step.destination.Text(),
                        step.stopped_by.empty() ? kRoute : step.stopped_by);
  }
  return text;
}

std::vector<Observation> Observe(const HostView& host) {
  const FabricAddresses addresses = FabricAddressesOf(host.ports());
  const v1::Reading reading = ReadingOf(host.facts().has_ip_stack(), host.facts().ip_stack());
  const std::string kind = KindOf(host);
  std::vector<Observation> observations;
  for (const FabricAddress& one : addresses.known) {
    if (one.address.is_ipv6()) continue;
    Observation observation{.subject = host.SubjectOfNetDevice(*one.port, *one.net_device)};
    observation.group = fmt::format("{} of {}", PlaceOf(*one.port), kind);
    observation.subject.set_group(one.address.Text());
    observation.evidence = host.EvidenceAt("ip_stack.routes", {}, reading);
    if (IsOk(reading)) {
      observation.value = Say(host, one, addresses.known);
    } else {
      observation.unknown = ReasonOf(reading);
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

// The text of an observation, read again.
struct Speaker {
  const Observation* said = nullptr;
  std::string device;
  IpPrefix own;
  std::vector<IpPrefix> rails;
  bool in_part = false;
  std::vector<RouteStep> steps;

  explicit Speaker(const Observation& observation) : said(&observation) {
    std::string_view lines = observation.value;
    while (!lines.empty()) {
      const std::string_view line = CutLine(lines);
      const size_t space = line.find(' ');
      const std::string_view word = line.substr(0, space);
      const std::string_view rest =
          space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
      if (word == "device") device = rest;
      if (word == "part") in_part = true;
      if (word == "own") own = *IpPrefix::Parse(rest);
      if (word == "rail") rails.push_back(*IpPrefix::Parse(rest));
      if (word == "step") AddStep(rest);
    }
  }

  // Another address of its host than this one.
  bool HasOtherIn(const Speaker& other) const {
    return std::ranges::any_of(rails, [&](const IpPrefix& rail) {
      return rail != own && other.own.Contains(rail.Address());
    });
  }

 private:
  void AddStep(std::string_view text) {
    const std::string_view to = CutWord(text), destination = CutWord(text), word = CutWord(text);
    static constexpr std::string_view kStops[] = {"prohibit", "unreachable", "blackhole"};
    const auto stop = std::ranges::find(kStops, word);
    steps.push_back({.stopped_by = stop == std::end(kStops) ? std::string_view() : *stop,
                     .rule_to = *IpPrefix::Parse(to),
                     .destination = *IpPrefix::Parse(destination)});
  }
};

// Ports in one place of hosts of one kind, and the subnets that they are in.
class Place {
 public:
  explicit Place(const FleetGroup& group) {
    for (const auto& [value, speakers] : group.by_value) {
      for (const Observation* one : speakers) speakers_.emplace_back(*one);
    }
    for (const Speaker& one : speakers_) holders_[one.own.Network()].push_back(&one);
    size_t number = 0;
    const size_t stride = (holders_.size() + kMaxSubnets - 1) / kMaxSubnets;
    for (const auto& [subnet, holders] : holders_) {
      if (number++ % std::max<size_t>(stride, 1) == 0) tried_.push_back(subnet);
    }
    for (const Speaker& one : speakers_) TryAll(one);
  }

  void Judge(roceready::checks::Judge& judge) const {
    for (const Speaker& one : speakers_) JudgePort(one, judge);
  }

 private:
  enum class Way { kNobodyThere, kOpen, kNone };

  Way WayTo(const Speaker& from, const IpPrefix& subnet) const {
    size_t tried = 0;
    for (const Speaker* peer : holders_.at(subnet)) {
      if (peer->said->subject.host() == from.said->subject.host()) continue;
      // One of the two has a port nearer to the other: they talk there.
      const bool meet = peer->HasOtherIn(from) || from.HasOtherIn(*peer);
      if (!from.own.Contains(peer->own.Address()) && meet) continue;
      const RouteStep* step = StepTo(from.steps, peer->own);
      // Of the own subnet's route route.rail-device tells.
      const bool is_near = from.own.Contains(peer->own.Address());
      if (step == nullptr ? !is_near : !step->stopped_by.empty()) return Way::kNone;
      if (++tried == kMaxPeers) break;
    }
    return tried > 0 ? Way::kOpen : Way::kNobodyThere;
  }

  void TryAll(const Speaker& from) {
    for (const IpPrefix& subnet : tried_) {
      const Way way = WayTo(from, subnet);
      if (way == Way::kNobodyThere) continue;
      ++asked_[subnet];
      judged_[&from] = true;
      if (way == Way::kOpen) continue;
      ++missed_by_[subnet];
      missing_[&from].push_back(subnet);
    }
  }

  // Most of the others have no way there, and few are in it: then it is the odd one.
  bool IsOdd(const IpPrefix& subnet) const {
    const auto missed = missed_by_.find(subnet);
    return missed != missed_by_.end() && missed->second >= 2 &&
           missed->second * 2 > asked_.at(subnet) &&
           holders_.at(subnet).size() * 2 < speakers_.size();
  }

  void JudgePort(const Speaker& one, roceready::checks::Judge& judge) const {
    const IpPrefix own = one.own.Network();
    const bool is_odd = IsOdd(own);
    std::vector<std::string> missing;
    const auto found = missing_.find(&one);
    if (found != missing_.end()) {
      for (const IpPrefix& subnet : found->second) {
        if (is_odd || !IsOdd(subnet)) missing.push_back(subnet.Text());
      }
    }
    if (missing.empty() && !is_odd) {
      if (judged_.contains(&one)) return judge.Pass();
      return judge.NotApplicable();
    }
    if (one.in_part) {
      judge.Unknown(one.said->subject, "not all routes were read")
          .Expected(std::string(kExpected))
          .RestsOn(one.said->evidence);
      return;
    }
    std::vector<std::string> words;
    const std::string first = missing.empty() ? std::string() : missing.front();
    if (missing.size() > kShown) {
      const size_t more = missing.size() - kShown;
      missing.resize(kShown);
      missing.push_back(fmt::format("{} more", more));
    }
    if (!missing.empty()) words.push_back("no way by it to " + JoinWords(missing));
    if (is_odd) {
      words.push_back(
          fmt::format("{} of its peers have no way to its {}", missed_by_.at(own), own.Text()));
    }
    v1::Evidence evidence = one.said->evidence;
    evidence.set_value(words.front());
    Draft& draft = judge.Fail(one.said->subject)
                       .Expected(std::string(kExpected))
                       .Actual(JoinWords(words, "; "))
                       .RestsOn(std::move(evidence));
    constexpr std::string_view kText =
        "Add the rail's gateway route by its own device, also in the network configuration, or "
        "give the port an address of its rail.";
    if (first.empty()) {
      draft.MendedBy(std::string(kText));
    } else {
      draft.MendedBy(std::string(kText),
                     ShellCommand("ip route replace {} via <GATEWAY> dev {}", first, one.device),
                     false);
    }
  }

  static constexpr size_t kShown = 3;
  std::vector<Speaker> speakers_;
  std::map<IpPrefix, std::vector<const Speaker*>> holders_;
  std::vector<IpPrefix> tried_;
  std::map<IpPrefix, size_t> asked_, missed_by_;
  std::map<const Speaker*, std::vector<IpPrefix>> missing_;
  std::map<const Speaker*, bool> judged_;
};

void JudgePlace(const FleetGroup& group, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(kExpected))
        .RestsOn(one->evidence);
  }
  Place(group).Judge(judge);
}

}  // namespace

Check RouteToPeer() {
  return {
      .id = "route.to-peer",
      .title = "Rails have a route to where their peers are",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Connection set-up looks the peer's address up with the rail's own device: without a "
          "route by it nothing is sent at all, while the same hosts talk over other rails.",
      .how =
          "Peers are ports in the same place (PCI address and port number) of hosts of one kind. "
          "From each address there must be a connected or gateway route by its own net device to "
          "every subnet in which a peer is, unless one of the two has another port in the other's "
          "subnet; a rule that forbids the own subnet fails too. Tables are those that the IPv4 "
          "rules for this source choose, in their order, "
          "and rules that forbid end the look-up. Where there are more than 64 subnets, 64 spread "
          "over them are looked up. A subnet with few ports in it that most others cannot reach is "
          "named at those ports.",
      .fix = "Add the gateway route of the rail by its own device.",
      .sources = {"rtnetlink RTM_GETROUTE and RTM_GETRULE, all tables"},
      .explained_by = {"device.rdma-present", "address.prefix-alike", "rail.alone",
                       "route.rail-device", "address.duplicate"},
      .observe = Observe,
      .fleet = JudgePlace,
  };
}

}  // namespace roceready::checks
