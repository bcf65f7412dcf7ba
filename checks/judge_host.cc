// SPDX-License-Identifier: Apache-2.0
// JudgeHost(): all that can be said from one host's facts.
#include <algorithm>
#include <utility>

#include "checks/evaluate.h"
#include "checks/fact_path.h"
#include "checks/host_judgement.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/site_checks.h"
#include "checks/switch/host_link.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

const Check& HeardFrom() {
  static const Check& check = *FindCheck("host.heard-from");
  return check;
}

std::string AgeWords(Age age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  return seconds < 120 ? fmt::format("{} s", seconds) : fmt::format("{} min", seconds / 60);
}

std::string SilenceReason(const HostInput& input) {
  if (!input.state_reason.empty()) return input.state_reason;
  switch (input.state) {
    case v1::HOST_STATE_UNKNOWN:
      return "never heard of";
    case v1::HOST_STATE_MISSING:
      return "its agent is not connected";
    default:
      return "no facts of it";
  }
}

std::string StaleReason(const HostInput& input) {
  return input.state_reason.empty() ? "its facts are not fresh" : input.state_reason;
}

bool IsSilent(const HostInput& input) {
  return input.facts == nullptr || input.state == v1::HOST_STATE_MISSING ||
         input.state == v1::HOST_STATE_UNKNOWN;
}

v1::Subject HostSubject(const HostInput& input) {
  v1::Subject subject;
  subject.set_host(input.host);
  subject.set_label(input.host);
  return subject;
}

void Take(HostJudgement& judgement, std::string_view check_id, Judge& judge) {
  judgement.tallies.emplace_back(check_id, judge.tally());
  for (Draft& draft : judge.TakeDrafts()) judgement.drafts.push_back(std::move(draft));
}

void JudgePresence(const HostInput& input, HostJudgement& judgement) {
  if (!input.policy->RuleOf(HeardFrom().id).enabled) return;
  Judge judge(HeardFrom(), v1::SCOPE_HOST, *input.policy);
  const std::string fix = "See `roceready-agent status` on the host.";
  const auto oldest =
      std::ranges::max_element(input.fact_ages, {}, [](const auto& part) { return part.second; });
  if (IsSilent(input)) {
    judge.Unknown(HostSubject(input), SilenceReason(input)).MendedBy(fix);
  } else if (input.max_fact_age && oldest != input.fact_ages.end() &&
             oldest->second > *input.max_fact_age) {
    judge
        .Unknown(HostSubject(input),
                 fmt::format("{} was read {} ago, more than the {} allowed", oldest->first,
                             AgeWords(oldest->second), AgeWords(*input.max_fact_age)))
        .MendedBy(fix);
  } else if (!input.max_fact_age && input.state == v1::HOST_STATE_STALE) {
    // Without an age that is allowed, fresh facts were asked for.
    judge.Unknown(HostSubject(input), StaleReason(input)).MendedBy(fix);
  } else {
    judge.Pass();
  }
  Take(judgement, HeardFrom().id, judge);
}

// A finding at a physical port concerns every RDMA port that it carries.
void AddCarriedPorts(const HostView& host, Draft& draft) {
  for (const CarrierView& carrier : host.carriers()) {
    if (carrier.net_device->id() != draft.finding.subject().net_device_id()) continue;
    // What names no RDMA port concerns those of this physical port, not the whole host.
    std::erase_if(draft.touches, [](const PortKey& port) { return port.device_id.empty(); });
    for (const PortView* port : carrier.ports) {
      draft.touches.push_back({host.host(), port->device->id(), port->port->number()});
    }
  }
}

// What holds between the host's ports and the switch ports they are plugged into.
void JudgeLinks(const HostView& host, const SwitchSet& switches, HostJudgement& judgement) {
  std::vector<std::pair<const CarrierView*, SwitchEnd>> links;
  for (const CarrierView& carrier : host.carriers()) {
    const auto end = switches.EndOf(host.host(), *carrier.net_device);
    if (!end) continue;
    // What is wrong at a port that is not judged is wrong at neither end of its cable.
    if (end->view->IsJudged(*end->port)) links.emplace_back(&carrier, *end);
    std::vector<PortKey>& above =
        judgement.plugged_into[SwitchPortKey(end->view->name(), end->port->name())];
    for (const PortView* port : carrier.ports) {
      above.push_back({host.host(), port->device->id(), port->port->number()});
    }
  }
  for (const Check& check : Catalog()) {
    if (check.link == nullptr || !host.policy().RuleOf(check.id).enabled) continue;
    Judge judge(check, check.scope, host.policy());
    for (const auto& [carrier, end] : links) check.link({host, *carrier, end}, judge);
    Take(judgement, check.id, judge);
  }
}

void JudgeSiteChecks(const HostView& host, HostJudgement& judgement) {
  for (const auto& rule : host.policy().site_checks) {
    const Check check = CheckOf(*rule);
    if (!host.policy().RuleOf(check.id).enabled) continue;
    Judge judge(check, v1::SCOPE_HOST, host.policy());
    JudgeSiteRule(host, *rule, judge);
    Take(judgement, check.id, judge);
  }
}

void JudgeFacts(const HostInput& input, HostJudgement& judgement) {
  const HostView host(input);
  judgement.observations.resize(Catalog().size());
  for (const Check& check : Catalog()) {
    if (!input.policy->RuleOf(check.id).enabled) continue;
    if (check.host != nullptr) {
      Judge judge(check, v1::SCOPE_HOST, *input.policy);
      check.host(host, judge);
      Take(judgement, check.id, judge);
    }
    if (check.observe != nullptr) {
      judgement.observations[CatalogIndexOf(check)] = check.observe(host);
    }
  }
  JudgeSiteChecks(host, judgement);
  if (input.switches != nullptr) JudgeLinks(host, *input.switches, judgement);
  judgement.carriers = host.carriers().size();
  judgement.idle_virtual_functions = host.idle_virtual_functions();
  for (Draft& draft : judgement.drafts) AddCarriedPorts(host, draft);
  for (const PortView& port : host.ports()) {
    const PortKey key{host.host(), port.device->id(), port.port->number()};
    judgement.labels[key] = fmt::format("{} {}", host.host(), port.label);
    judgement.rdma_devices[key] = port.device->name();
    judgement.capacities[key] = CapacityOf(host.facts(), port);
  }
  for (RailPort& rail : RailsOfHost(*input.facts)) {
    rail.host = input.host;
    if (judgement.labels.contains({rail.host, rail.rdma_device_id, rail.port})) {
      judgement.rails.push_back(std::move(rail));
    }
  }
}

}  // namespace

HostJudgementPtr JudgeHost(const HostInput& input) {
  auto judgement = std::make_shared<HostJudgement>();
  judgement->host = input.host;
  judgement->policy = input.policy;
  if (input.state == v1::HOST_STATE_MAINTENANCE) {
    judgement->in_maintenance = true;
    return judgement;
  }
  JudgePresence(input, *judgement);
  if (IsSilent(input)) return judgement;
  judgement->judged = true;
  for (const auto& [key, age] : input.fact_ages) {
    judgement->oldest_fact = std::max(judgement->oldest_fact.value_or(age), age);
  }
  JudgeFacts(input, *judgement);
  return judgement;
}

}  // namespace roceready::checks
