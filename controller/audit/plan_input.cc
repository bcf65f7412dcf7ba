// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/plan_input.h"

#include <algorithm>
#include <utility>

#include "controller/probing/probe_spec.h"
#include "proto/contract/errors.h"

namespace roceready {

PlanInput InputOfPlan(const v1::Audit& audit, std::shared_ptr<const JudgedHosts> judged) {
  PlanInput input;
  input.audit_id = audit.audit_id();
  input.plan = audit.request().plan();
  input.at_once = judged->for_all_hosts.probes.max_sessions();
  input.ports = judged->ports;
  for (const v1::Host& silent : audit.silent_hosts()) {
    input.unreachable[silent.host()] = silent.state_reason();
  }
  input.policy_of = [judged = std::move(judged)](const std::string& host) {
    return judged->for_each_host.at(host);
  };
  return input;
}

// An agent of before there were incasts would take part without being asked.
void NoteHostsWithoutIncast(const std::vector<std::string>& hosts, const Fleet& fleet,
                            PlanInput* input) {
  if (KindOf(input->plan) != v1::PLAN_KIND_INCAST) return;
  for (const std::string& host : hosts) {
    const HostRecord* record = fleet.Find(host);
    if (record == nullptr || input->unreachable.contains(host)) continue;
    if (!record->limits.incast()) {
      input->unreachable[host] =
          "its agent's configuration does not allow incasts (probes: {incast: true})";
    } else if (record->limits.sessions() < input->plan.degree()) {
      input->unreachable[host] = fmt::format(
          "its agent takes {} probes at a time, fewer than the senders (probes.sessions)",
          record->limits.sessions());
    }
  }
}

void NoteDatagramRoom(const std::vector<std::string>& hosts, const Fleet& fleet, PlanInput* input) {
  for (const std::string& host : hosts) {
    const HostRecord* record = fleet.Find(host);
    if (record == nullptr || std::ranges::count(record->features, "probe.datagrams") == 0) continue;
    const v1::ProbeLimits& limits = record->limits;
    const std::uint64_t queue_pairs = limits.queue_pairs() - std::min(limits.queue_pairs(), 1U);
    const std::uint64_t memory =
        limits.memory_bytes() - std::min(limits.memory_bytes(), kMemoryOfConnection);
    const std::uint64_t room = std::min(queue_pairs, memory / kMemoryOfFlow);
    if (room > 0) input->datagram_room[host] = static_cast<std::uint32_t>(room);
  }
}

void NoteHostsGone(const std::vector<std::string>& hosts, const Fleet& fleet, PlanInput* input) {
  for (const std::string& host : hosts) {
    const HostRecord* record = fleet.Find(host);
    if (fleet.IsInMaintenance(host)) {
      input->unreachable.emplace(host, "it is set aside");
    } else if (record == nullptr || !record->connected) {
      input->unreachable.emplace(host, "it is not connected any more");
    }
  }
}

}  // namespace roceready
