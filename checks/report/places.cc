// SPDX-License-Identifier: Apache-2.0
#include "checks/report/places.h"

#include <map>

#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

using checks::Counted, checks::JoinWords;

// Beyond this a list of places says less than its size.
constexpr size_t kPlacesShown = 3;

// What people call the subject, without the host in front.
std::string LocalLabel(const v1::Subject& subject) {
  const std::string lead = subject.host() + " ";
  return subject.label().starts_with(lead) ? subject.label().substr(lead.size()) : "";
}

// "leaf1 Ethernet4, Ethernet8"; many ports become "leaf1, 28 ports".
std::string SwitchPlaceOf(const std::string& name, const std::vector<std::string>& ports) {
  if (ports.size() > kPlacesShown)
    return fmt::format("{}, {}", name, Counted(ports.size(), "port"));
  return fmt::format("{} {}", name, JoinWords(ports, ", "));
}

}  // namespace

std::string HostsOf(const std::vector<const v1::Finding*>& findings) {
  std::vector<std::string> hosts;
  for (const v1::Finding* finding : findings) {
    if (!finding->subject().host().empty()) hosts.push_back(finding->subject().host());
  }
  return FoldHostList(std::move(hosts));
}

std::string PlacesOf(const std::vector<const v1::Finding*>& findings) {
  std::map<std::string, std::vector<const v1::Finding*>> by_local;
  std::map<std::string, std::vector<std::string>> by_switch;
  std::vector<std::string> whole;
  for (const v1::Finding* finding : findings) {
    const v1::Subject& subject = finding->subject();
    if (subject.host().empty() && !subject.switch_name().empty()) {
      by_switch[subject.switch_name()].push_back(subject.switch_port());
    } else if (subject.host().empty() || !subject.peer_host().empty()) {
      whole.push_back(subject.label());
    } else {
      by_local[LocalLabel(subject)].push_back(finding);
    }
  }
  std::vector<std::string> places;
  places.reserve(by_local.size() + by_switch.size() + whole.size());
  for (const auto& [local, same] : by_local) {
    places.push_back(local.empty() ? HostsOf(same) : fmt::format("{} {}", HostsOf(same), local));
  }
  for (const auto& [name, ports] : by_switch) places.push_back(SwitchPlaceOf(name, ports));
  places.insert(places.end(), whole.begin(), whole.end());
  if (places.size() <= kPlacesShown) return JoinWords(places, ", ");
  std::string names = HostsOf(findings);
  if (names.empty()) {
    std::vector<std::string> switches;
    switches.reserve(by_switch.size());
    for (const auto& [name, ports] : by_switch) switches.push_back(name);
    names = FoldHostList(std::move(switches));
  }
  return fmt::format("{}, {}", names, Counted(findings.size(), "place"));
}

std::string_view SeverityWord(v1::Severity severity) {
  if (severity == v1::SEVERITY_BLOCKS) return "blocks";
  return severity == v1::SEVERITY_DEGRADES ? "degrades" : "advice";
}

std::string_view WeightOf(const checks::Block& block) {
  return block.status == v1::CHECK_STATUS_UNKNOWN ? "unknown, must be known"
                                                  : SeverityWord(block.severity);
}

std::string SwitchesOf(const v1::Coverage& coverage) {
  return fmt::format("{} switch{}", coverage.switches_judged(),
                     coverage.switches_judged() == 1 ? "" : "es");
}

std::string CountsOf(const v1::Verdict& verdict) {
  std::vector<std::string> parts;
  const auto add = [&](uint32_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(verdict.blocking(), "fault blocks the job", "faults block the job");
  add(verdict.blocking_unknown(), "unknown", "unknown");
  add(verdict.degrading(), "degrading", "degrading");
  add(verdict.advice(), "advice", "advice");
  if (!parts.empty()) return JoinWords(parts, ", ");
  const v1::Coverage& coverage = verdict.coverage();
  return coverage.hosts_asked() == 0 && coverage.switches_judged() > 0
             ? SwitchesOf(coverage)
             : Counted(coverage.hosts_judged(), "host");
}

}  // namespace roceready::report
