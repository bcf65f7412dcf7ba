// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/audit_of_mix.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "checks/blame/open_pairs.h"
#include "controller/probing/retest.h"
#include "tests/scale/blame/probe_of_truth.h"

namespace roceready::scale {
namespace {

using builders::ProbeBuilder;

std::string WayOf(std::string_view actual) {
  for (const std::string_view only : {"sending only", "from this leaf only"}) {
    if (actual.find(only) != std::string_view::npos) return "sending";
  }
  for (const std::string_view only : {"receiving only", "to this leaf only"}) {
    if (actual.find(only) != std::string_view::npos) return "receiving";
  }
  return "both";
}

Wrong WrongOf(std::string_view check_id) {
  if (check_id.ends_with("large-only")) return Wrong::kLarge;
  if (check_id.ends_with("loss")) return Wrong::kLoss;
  if (check_id.ends_with("slow") || check_id.ends_with("bandwidth")) return Wrong::kSlow;
  return Wrong::kDead;
}

// The number behind a word, such as "host12".
size_t NumberAfter(std::string_view text, std::string_view lead) {
  const size_t at = text.rfind(lead);
  return at == std::string_view::npos ? 0 : std::stoul(std::string(text.substr(at + lead.size())));
}

size_t RailOf(const v1::Subject& subject, const Hosts& hosts) {
  const size_t host = NumberAfter(subject.host(), "host");
  for (size_t rail = 0;; ++rail) {
    if (hosts.end(host, rail).rdma_device_id() == subject.device_id()) return rail;
  }
}

std::string NameOfGroup(const v1::Finding& finding, std::string_view lead) {
  const std::string& group = finding.subject().group();
  if (group.starts_with("rail ")) {
    // "rail 10.103.0.0/16" is the fourth one.
    return fmt::format("{} rail rail{}", lead, std::stoul(group.substr(group.find('.') + 1)) - 100);
  }
  if (group.starts_with("between ")) {
    const size_t first = group.find("leaf ") + 5, second = group.rfind("leaf ") + 5;
    const std::string a = group.substr(first, group.find(' ', first) - first);
    const std::string b = group.substr(second);
    const auto towards = finding.actual().find("towards ");
    std::string way = "both";
    if (towards != std::string::npos) {
      way = finding.actual().substr(towards + 8).starts_with(b + " ") ? "sending" : "receiving";
    }
    // The lesser first, as the truth has it.
    if (b < a) {
      if (way != "both") way = way == "sending" ? "receiving" : "sending";
      return fmt::format("{} between {} {} {}", lead, b, a, way);
    }
    return fmt::format("{} between {} {} {}", lead, a, b, way);
  }
  const std::string leaf = group.substr(group.rfind("leaf ") + 5);
  if (group.starts_with("leaf ")) return fmt::format("{} leaf {}", lead, leaf);
  return fmt::format("{} uplinks {} {}", lead, leaf, WayOf(finding.actual()));
}

std::string NameOf(const v1::Finding& finding, const Hosts& hosts) {
  const v1::Subject& subject = finding.subject();
  const std::string lead(WordOf(WrongOf(finding.check_id())));
  if (!subject.group().empty()) return NameOfGroup(finding, lead);
  const size_t host = NumberAfter(subject.host(), "host");
  if (!subject.peer_host().empty()) {
    const size_t peer = NumberAfter(subject.peer_host(), "host");
    return fmt::format("{} pair host{} host{} rail{}", lead, std::min(host, peer),
                       std::max(host, peer), RailOf(subject, hosts));
  }
  const std::string way = WayOf(finding.actual());
  if (subject.device_id().empty()) return fmt::format("{} host host{} {}", lead, host, way);
  const std::string part = subject.port() == 0 ? "nic" : "port";
  return fmt::format("{} {} host{} rail{} {}", lead, part, host, RailOf(subject, hosts), way);
}

// Probes of one fabric, as they come in.
class Probing {
 public:
  Probing(const Mix& mix, const Hosts& hosts, std::mt19937_64& random)
      : mix_(mix), hosts_(hosts), random_(random) {
    fleet_.policy = &hosts.policy();
    fleet_.probes.asked = true;
  }

  void Probe(const PairTruth& pair, bool is_retest) {
    ProbeBuilder& probe =
        probes_.emplace_back(hosts_.end(pair.a, pair.rail), hosts_.end(pair.b, pair.rail));
    ShowTruth(pair, mix_.blind, random_, probe);
    fleet_.probes.planned.push_back(probe.Planned());
    fleet_.probes.planned.back().is_retest = is_retest;
    fleet_.probes.results.push_back(&probe.result());
  }

  const checks::FleetInput& fleet() const { return fleet_; }

 private:
  const Mix& mix_;
  const Hosts& hosts_;
  std::mt19937_64& random_;
  checks::FleetInput fleet_;
  std::deque<ProbeBuilder> probes_;
};

}  // namespace

builders::HostBuilder HostOfMix(const Mix& mix, size_t number) {
  builders::HostBuilder host = builders::HostOfLargeFleet(
      fmt::format("host{}", number), static_cast<uint32_t>(number), static_cast<int>(mix.rails));
  if (mix.leaf == 0) return host;
  for (size_t rail = 0; rail < mix.rails; ++rail) {
    v1::Lldp& lldp = *host.net(static_cast<int>(rail)).mutable_lldp();
    *lldp.mutable_reading() = builders::Answered(v1::SOURCE_LLDP_FRAME);
    lldp.clear_neighbours();
    lldp.add_neighbours()->set_system_name(LeafName(rail, number / mix.leaf));
  }
  return host;
}

Hosts::Hosts(const Mix& mix) : policy_(builders::HealthyPolicy()) {
  std::vector<checks::HostJudgementPtr> judgements;
  std::vector<checks::RailPort> ports;
  for (size_t number = 0; number < mix.hosts; ++number) {
    builders::HostBuilder host = HostOfMix(mix, number);
    std::vector<v1::ProbeEnd>& ends = ends_.emplace_back();
    for (size_t rail = 0; rail < mix.rails; ++rail) {
      ends.push_back(builders::EndOf(host.facts(), static_cast<int>(rail)));
    }
    for (checks::RailPort& port : checks::RailsOfHost(host.facts())) {
      port.host = host.facts().identity().host();
      ports.push_back(std::move(port));
    }
    judgements.push_back(checks::JudgeHost({.host = host.facts().identity().host(),
                                            .facts = &host.facts(),
                                            .counters = &host.counters(),
                                            .policy = &policy_}));
  }
  fleet_ = std::make_unique<const checks::FleetJudgement>(std::move(judgements), policy_, nullptr);
  for (auto& [rail, members] : checks::GroupByRail(ports)) {
    std::ranges::move(members, std::back_inserter(ports_));
  }
}

std::pair<size_t, size_t> Hosts::HostAndRailOf(const checks::RailPort& port) const {
  const size_t host = NumberAfter(port.host, "host");
  const auto end = std::ranges::find_if(ends_[host], [&](const v1::ProbeEnd& one) {
    return one.rdma_device_id() == port.rdma_device_id;
  });
  return {host, static_cast<size_t>(end - ends_[host].begin())};
}

MixAudit Audit(const Mix& mix, const Fabric& fabric, const Hosts& hosts, std::mt19937_64& random) {
  Probing probing(mix, hosts, random);
  for (const PairTruth& pair : fabric.pairs) probing.Probe(pair, /*is_retest=*/false);
  MixAudit audit;
  checks::OpenPairs open;
  audit.of_plan_alone = hosts.fleet().Conclude(probing.fleet(), &open);
  const RetestChoice choice = ChooseRetests({hosts.ports(), probing.fleet().probes.planned, open});
  audit.retests = choice.pairs.size();
  if (choice.pairs.empty()) {
    audit.report = audit.of_plan_alone;
    return audit;
  }
  for (const PortPair& pair : choice.pairs) {
    const auto [a, rail] = hosts.HostAndRailOf(hosts.ports()[pair.a]);
    const auto [b, rail_of_b] = hosts.HostAndRailOf(hosts.ports()[pair.b]);
    probing.Probe({.rail = rail,
                   .a = a,
                   .b = b,
                   .a_to_b = WayBetween(mix, fabric.faults, rail, a, b),
                   .b_to_a = WayBetween(mix, fabric.faults, rail, b, a),
                   .busy = IsBusy(mix, random)},
                  /*is_retest=*/true);
  }
  audit.report = hosts.fleet().Conclude(probing.fleet());
  return audit;
}

std::set<std::string> NamedIn(const v1::AuditReport& report, const Hosts& hosts) {
  std::set<std::string> named;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.status() != v1::CHECK_STATUS_FAIL || !finding.caused_by().empty()) continue;
    const std::string& id = finding.check_id();
    if (!id.starts_with("blame.") && !id.starts_with("probe.")) continue;
    named.insert(NameOf(finding, hosts));
  }
  return named;
}

}  // namespace roceready::scale
