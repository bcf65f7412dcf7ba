// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_ways.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

#include "checks/blame/reproduce.h"
#include "checks/report/report.h"
#include "controller/cli/way_figures.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

// What perftest can show again.
constexpr std::array<std::string_view, 5> kReproduced = {"probe.write", "probe.read", "probe.loss",
                                                         "probe.large-only", "probe.bandwidth"};

// "10.77.3.17" of ::ffff:10.77.3.17. Empty for other GIDs: perftest dials IPv4 unless it is told
// otherwise.
std::string Ipv4Of(const std::string& gid) {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<std::uint8_t, 16> octets{};
  if (inet_pton(AF_INET6, gid.c_str(), octets.data()) != 1 ||
      !std::equal(kMapped.begin(), kMapped.end(), octets.begin())) {
    return {};
  }
  return fmt::format("{}.{}.{}.{}", octets[12], octets[13], octets[14], octets[15]);
}

checks::PerftestEnd PerftestEndOf(const v1::ProbeEnd& end, const std::string& device,
                                  const v1::WayGid& gid) {
  return {.host = end.host(),
          .rdma_device = device,
          .port = end.port(),
          .gid_index = gid.index(),
          .address = Ipv4Of(gid.gid())};
}

void AddCommand(const std::string& host, const std::string& command, v1::ProbeWay* way) {
  v1::WayCommand* one = way->add_reproduce();
  one->set_run_on(host);
  one->set_command(command);
}

void AddCommands(v1::ProbeWay* way) {
  if (!way->has_from_gid() || !way->has_to_gid()) return;
  const bool only_read_fails = way->read().status() == v1::CHECK_STATUS_FAIL &&
                               way->write().status() != v1::CHECK_STATUS_FAIL;
  const auto run = checks::PerftestOf(
      only_read_fails ? checks::Verb::kRead : checks::Verb::kWrite,
      PerftestEndOf(way->from(), way->from_device(), way->from_gid()),
      PerftestEndOf(way->to(), way->to_device(), way->to_gid()), way->transport());
  if (!run) return;
  AddCommand(run->first_host, run->first_command, way);
  AddCommand(run->second_host, run->second_command, way);
}

// Those that rest on probes, and what these follow from, in the order of the audit.
void AddFindings(const v1::AuditReport& audit, v1::ProbeReport* report) {
  std::map<std::string_view, const v1::Finding*> by_key;
  for (const v1::Finding& finding : audit.findings()) by_key[finding.key()] = &finding;
  std::set<const v1::Finding*> wanted;
  for (const v1::Finding& finding : audit.findings()) {
    if (!report::RestsOnProbes(finding)) continue;
    const v1::Finding* one = &finding;
    while (one != nullptr && wanted.insert(one).second) {
      const auto cause = by_key.find(one->caused_by());
      one = cause == by_key.end() ? nullptr : cause->second;
    }
  }
  for (const v1::Finding& finding : audit.findings()) {
    if (wanted.contains(&finding)) *report->add_findings() = finding;
  }
}

}  // namespace

ProbeWays::Key ProbeWays::KeyOf(const v1::ProbeWay& way) {
  return {way.from().host(), way.from().rdma_device_id(), way.from().port(), way.to().host(),
          way.to().rdma_device_id()};
}

void ProbeWays::Add(const v1::ProbeResult& result) {
  probe_ids_.insert(result.spec().probe_id());
  for (v1::ProbeWay& way : WaysOf(result)) ways_[KeyOf(way)] = std::move(way);
}

void ProbeWays::AddNotProbed(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  for (v1::ProbeWay& way : WaysNotProbed(findings)) ways_.try_emplace(KeyOf(way), std::move(way));
}

std::vector<const v1::ProbeWay*> ProbeWays::Sorted() const {
  std::vector<const v1::ProbeWay*> sorted;
  sorted.reserve(ways_.size());
  for (const auto& [key, way] : ways_) sorted.push_back(&way);
  std::ranges::stable_sort(sorted, [](const v1::ProbeWay* a, const v1::ProbeWay* b) {
    if (a->from().host() != b->from().host()) {
      return HostNameLess(a->from().host(), b->from().host());
    }
    if (a->from().rdma_device_id() != b->from().rdma_device_id()) {
      return a->from().rdma_device_id() < b->from().rdma_device_id();
    }
    return HostNameLess(a->to().host(), b->to().host());
  });
  return sorted;
}

std::set<std::string> ProbeWays::Hosts() const {
  std::set<std::string> hosts;
  for (const auto& [key, way] : ways_) hosts.insert({way.from().host(), way.to().host()});
  return hosts;
}

void ProbeWays::NameDevices(const NameOf& name_of) {
  for (auto& [key, way] : ways_) {
    way.set_from_device(name_of(way.from().host(), way.from().rdma_device_id()));
    way.set_to_device(name_of(way.to().host(), way.to().rdma_device_id()));
  }
}

WayEnds EndsOf(const v1::ProbeWay& way) {
  return {{way.from().host(), way.from().rdma_device_id()},
          {way.to().host(), way.to().rdma_device_id()}};
}

std::set<WayEnds> BadWays(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  std::set<WayEnds> bad;
  for (const v1::Finding& finding : findings) {
    const v1::Subject& subject = finding.subject();
    if (finding.status() != v1::CHECK_STATUS_FAIL || subject.peer_host().empty() ||
        std::ranges::find(kReproduced, finding.check_id()) == kReproduced.end()) {
      continue;
    }
    std::pair from(subject.host(), subject.device_id());
    std::pair to(subject.peer_host(), subject.peer_device_id());
    // Who posts a READ is sent the payload.
    if (finding.check_id() == "probe.read") std::swap(from, to);
    bad.emplace(std::move(from), std::move(to));
  }
  return bad;
}

v1::ProbeReport ProbeReportOf(const AuditResult& audit, const ProbeWays& ways) {
  v1::ProbeReport report;
  report.set_audit_id(audit.audit.audit_id());
  report.set_state(audit.audit.state());
  report.set_abort_reason(audit.audit.abort_reason());
  // Once it is judged, also those that could not be run.
  report.set_pairs_planned(audit.audit.has_verdict()
                               ? audit.audit.verdict().coverage().pairs_planned()
                               : audit.audit.progress().probes_total());
  report.set_pairs_probed(ways.results());
  const std::set<WayEnds> bad = BadWays(audit.report.findings());
  for (const v1::ProbeWay* way : ways.Sorted()) {
    v1::ProbeWay* one = report.add_ways();
    *one = *way;
    if (bad.contains(EndsOf(*way))) AddCommands(one);
  }
  if (audit.audit.has_verdict()) *report.mutable_verdict() = audit.audit.verdict();
  AddFindings(audit.report, &report);
  return report;
}

}  // namespace roceready::cli
