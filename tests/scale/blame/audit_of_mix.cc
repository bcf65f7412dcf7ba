// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/audit_of_mix.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "tests/support/builders/facts_builder.h"
#include "tests/support/builders/probe_faults.h"

namespace roceready::scale {
namespace {

using builders::ProbeBuilder;

// Of hardware with links of 100 Gb/s.
constexpr double kUsualBps = 92e9;
// How much bandwidths differ where nothing is wrong.
constexpr double kSpread = 0.12;
// A late acknowledgement, of which nobody can say what was lost.
constexpr double kOddRepeats = 0.02;
// What the phases of a probe send each way, WRITE and answers to READ: 1,600 packets each.
constexpr double kPackets = 1600;

class PairAudit {
 public:
  PairAudit(const PairTruth& truth, bool blind, std::mt19937_64& random, ProbeBuilder& probe)
      : truth_(truth), blind_(blind), random_(random), probe_(probe) {}

  void Fill() {
    if (truth_.busy) {
      probe_.result().set_refusal(v1::REFUSAL_REASON_BUSY);
      probe_.result().set_refused_by(v1::PROBE_SIDE_A);
      return;
    }
    const WayTruth &there = truth_.a_to_b, &back = truth_.b_to_a;
    if (there.dead && back.dead) {
      builders::DropBothWays(probe_);
    } else if (there.dead || back.dead) {
      builders::DropFrom(probe_, there.dead ? v1::PROBE_SIDE_A : v1::PROBE_SIDE_B);
    } else if (there.large || back.large) {
      if (there.large) builders::SwallowLargeFrom(probe_, v1::PROBE_SIDE_A);
      if (back.large) builders::SwallowLargeFrom(probe_, v1::PROBE_SIDE_B);
    } else {
      Lose(there, v1::PROBE_SIDE_A);
      Lose(back, v1::PROBE_SIDE_B);
      builders::MeasureEach(probe_, Bps(there), Bps(back));
    }
    if (blind_) builders::HideCounters(probe_);
  }

 private:
  bool Happens(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  double Bps(const WayTruth& way) {
    return kUsualBps * way.share *
           std::uniform_real_distribution<double>(1 - kSpread, 1 + kSpread)(random_);
  }

  uint64_t Lost(const WayTruth& way) {
    if (way.loss <= 0) return 0;
    return std::poisson_distribution<uint64_t>(way.loss * kPackets)(random_);
  }

  void Lose(const WayTruth& way, v1::ProbeSide side) {
    const uint64_t of_writes = Lost(way), of_reads = Lost(way);
    if (of_writes + of_reads > 0) {
      builders::LoseFrom(probe_, side, of_writes, of_reads);
    } else if (Happens(kOddRepeats)) {
      probe_.Counts(v1::PROBE_OPERATION_WRITE, side, builders::kLargeBytes,
                    {.sent = 1616, .received = 200, .repeats = 1},
                    {.sent = 200, .received = 1616, .duplicates = 1});
    }
  }

  const PairTruth& truth_;
  bool blind_;
  std::mt19937_64& random_;
  ProbeBuilder& probe_;
};

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

// The number behind a word, "host12" or "10.77.3.0/24".
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
    return fmt::format("{} rail rail{}", lead, NumberAfter(group, "10.77."));
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

}  // namespace

Hosts::Hosts(const Mix& mix) : policy_(builders::HealthyPolicy()) {
  for (size_t host = 0; host < mix.hosts; ++host) {
    const std::string name = fmt::format("host{}", host);
    builders::HostBuilder builder(name, static_cast<uint32_t>(host + 1), builders::Nic::kMlx5,
                                  static_cast<int>(mix.rails));
    std::vector<v1::ProbeEnd>& ends = ends_.emplace_back();
    for (size_t rail = 0; rail < mix.rails; ++rail) {
      ends.push_back(builders::EndOf(builder.facts(), static_cast<int>(rail)));
      if (mix.leaf == 0) continue;
      v1::Lldp& lldp = *builder.net(static_cast<int>(rail)).mutable_lldp();
      *lldp.mutable_reading() = builders::Answered(v1::SOURCE_LLDP_FRAME);
      lldp.clear_neighbours();
      lldp.add_neighbours()->set_system_name(LeafName(rail, host / mix.leaf));
    }
    judgements_.push_back(checks::JudgeHost({.host = name,
                                             .facts = &builder.facts(),
                                             .counters = &builder.counters(),
                                             .policy = &policy_}));
  }
}

v1::AuditReport Audit(const Mix& mix, const Fabric& fabric, const Hosts& hosts,
                      std::mt19937_64& random) {
  checks::FleetInput fleet{.policy = &hosts.policy()};
  fleet.probes.asked = true;
  std::deque<ProbeBuilder> probes;
  for (const PairTruth& pair : fabric.pairs) {
    ProbeBuilder& probe =
        probes.emplace_back(hosts.end(pair.a, pair.rail), hosts.end(pair.b, pair.rail));
    PairAudit(pair, mix.blind, random, probe).Fill();
    fleet.probes.planned.push_back(probe.Planned());
    fleet.probes.results.push_back(&probe.result());
  }
  return checks::Conclude(hosts.judgements(), fleet);
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
