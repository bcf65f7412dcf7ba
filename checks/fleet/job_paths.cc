// SPDX-License-Identifier: Apache-2.0
// job.queue-pairs: the job has queue pairs enough for all paths between its hosts.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kSeveral = "several queue pairs";
constexpr std::string_view kOverBond = "one queue pair over a bond";
constexpr std::string_view kNotHeard = "one queue pair, the leaf not heard";

bool Balances(const v1::NetDevice* device) {
  return device != nullptr && device->link().kind() == "bond" &&
         (device->bond().mode() == "802.3ad" || device->bond().mode() == "balance-xor");
}

// The leaves that the host's ports hear, "leaf1, leaf2"; empty where a port hears none.
std::string LeavesOf(const HostView& host) {
  std::set<std::string> leaves;
  for (const CarrierView& carrier : host.carriers()) {
    const v1::Lldp& lldp = carrier.net_device->lldp();
    if (lldp.neighbours().empty()) return {};
    for (const v1::LldpNeighbour& neighbour : lldp.neighbours()) {
      leaves.insert(neighbour.system_name());
    }
  }
  return JoinWords(leaves, ", ");
}

std::vector<Observation> Observe(const HostView& host) {
  const v1::JobSettings& job = host.policy().job;
  if (!job.has_queue_pairs() || host.ports().empty()) return {};
  Observation observation{.subject = host.SubjectOfHost(), .group = "all hosts", .value = {}};
  observation.subject.set_group("job");
  observation.evidence = host.EvidenceAt("identity.host", host.host(), {});
  if (job.queue_pairs() > 1) {
    observation.value = kSeveral;
  } else if (std::ranges::any_of(host.ports(), [](const PortView& port) {
               return Balances(port.net_device) || Balances(port.bond);
             })) {
    observation.value = kOverBond;
  } else {
    const std::string leaves = LeavesOf(host);
    observation.value = leaves.empty() ? std::string(kNotHeard) : "one queue pair below " + leaves;
  }
  return {std::move(observation)};
}

void JudgeHosts(const FleetGroup& group, Judge& judge) {
  const bool below_one_leaf = group.by_value.size() == 1 &&
                              group.by_value.begin()->first != kOverBond &&
                              group.by_value.begin()->first != kNotHeard;
  for (const auto& [value, speakers] : group.by_value) {
    for (const Observation* one : speakers) {
      if (value == kSeveral) {
        judge.Pass();
      } else if (below_one_leaf) {
        judge.NotApplicable();
      } else {
        judge.Fail(one->subject)
            .Expected("several queue pairs for each connection", "job.queue_pairs")
            .Actual(std::string(value))
            .RestsOn(one->evidence)
            .MendedBy(
                "Set NCCL_IB_QPS_PER_CONNECTION of the job to 4, or as many as measured "
                "best.");
      }
    }
  }
}

}  // namespace

Check JobQueuePairs() {
  return {
      .id = "job.queue-pairs",
      .title = "The job has queue pairs enough to use all paths",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Switches and bonds send all packets of one queue pair the same way. With one for each "
          "connection a few large flows meet on one link while others idle.",
      .how =
          "Where the policy says job.queue_pairs, it must be more than 1, unless LLDP shows that "
          "all hosts of the audit are below the same leaf and no bond balances: there is then one "
          "way only. Which ways the fabric has is not seen from hosts, hence advice only; a fabric "
          "that sprays packets needs no more than one.",
      .fix = "NCCL_IB_QPS_PER_CONNECTION=4, and job.queue_pairs of the policy.",
      .sources = {"the policy", "LLDP", "rtnetlink IFLA_BOND_MODE"},
      .explained_by = {},
      .observe = Observe,
      .fleet = JudgeHosts,
  };
}

}  // namespace roceready::checks
