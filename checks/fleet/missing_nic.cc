// SPDX-License-Identifier: Apache-2.0
// nic-count.missing: a host does not lack a NIC that all hosts built like it have.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "checks/check.h"
#include "checks/fleet/alike.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kExpected = "every NIC that the hosts built like this one have";

// Fewer hosts that agree may be two makes as well.
constexpr size_t kLeastPeers = 3;

// Each NIC as "0000:3b:00.0=15b3:1021": hosts of one make have the same cards in the same slots, so
// that a host of another make, or one that was filled otherwise, is not taken for one of these.
std::vector<Observation> Observe(const HostView& host) {
  // The job names its interfaces: device.rdma-present misses those that are gone.
  if (!host.NamedInterfaces().empty()) return {};
  const v1::HostFacts& facts = host.facts();
  const v1::Reading scan = ScanReading(facts.has_pci_scan(), facts.pci_scan());
  std::set<std::string> slots;
  bool all_read = true;
  for (const v1::PciFunction& function : facts.pci_functions()) {
    if (!IsOk(ReadingOf(true, function))) all_read = false;
    if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
    slots.insert(fmt::format("{}={}", PciAddressOf(function.id()), ModelOf(function)));
  }
  // With no NIC at all it is nothing that could be compared: device.rdma-present judges it.
  if (slots.empty() && IsOk(scan) && all_read) return {};
  Observation observation{
      .subject = host.SubjectOfHost(),
      .group =
          fmt::format("hosts with {}", Counted(static_cast<uint64_t>(facts.gpus_size()), "GPU")),
      .value = {}};
  observation.evidence = host.EvidenceAt("pci_functions", {}, scan);
  if (!IsOk(scan) || !all_read) {
    observation.unknown = IsOk(scan) ? "a PCI function was not read" : ReasonOf(scan);
  } else {
    observation.value = fmt::format("{}", fmt::join(slots, " "));
    observation.evidence.set_value(Counted(slots.size(), "port") + " of RDMA NICs");
  }
  return {std::move(observation)};
}

std::set<std::string_view> SlotsOf(std::string_view text) {
  std::set<std::string_view> slots;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    slots.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return slots;
}

// Hosts that have the same NICs.
struct Build {
  std::set<std::string_view> slots;
  const std::vector<const Observation*>* hosts = nullptr;
};

bool HasAllAndMore(const Build& build, const Build& than) {
  return build.slots.size() > than.slots.size() && std::ranges::includes(build.slots, than.slots);
}

// The hosts built like this one, but with all their NICs: those of the only build that has all of
// its NICs and more. One that others share is a build of its own. Where several hosts each lack
// another NIC, there must be enough that lack none for each.
const Build* WholeBuildOf(const Build& build, const std::vector<Build>& builds) {
  if (build.hosts->size() > 1) return nullptr;
  const Build* whole = nullptr;
  for (const Build& other : builds) {
    // What another single host has is no build, but as little proof as this one.
    if (other.hosts->size() < kLeastPeers || !HasAllAndMore(other, build)) continue;
    if (whole != nullptr) return nullptr;
    whole = &other;
  }
  if (whole == nullptr) return nullptr;
  const auto lacking = static_cast<size_t>(std::ranges::count_if(builds, [&](const Build& other) {
    return other.hosts->size() == 1 && HasAllAndMore(*whole, other);
  }));
  return whole->hosts->size() >= kLeastPeers * lacking ? whole : nullptr;
}

void JudgeBuilds(const FleetGroup& group, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(kExpected))
        .RestsOn(one->evidence);
  }
  std::vector<Build> builds;
  builds.reserve(group.by_value.size());
  for (const auto& [value, speakers] : group.by_value) {
    builds.push_back({SlotsOf(value), &speakers});
  }
  const bool alone = builds.size() == 1 && builds.front().hosts->size() == 1;
  if (alone) return judge.NotApplicable();
  for (const Build& build : builds) {
    const Build* whole = WholeBuildOf(build, builds);
    if (whole == nullptr) {
      for (size_t i = 0; i < build.hosts->size(); ++i) judge.Pass();
      continue;
    }
    std::vector<std::string_view> lacks;
    std::ranges::set_difference(whole->slots, build.slots, std::back_inserter(lacks));
    for (std::string_view& slot : lacks) slot = slot.substr(0, slot.find('='));
    const Observation& one = *build.hosts->front();
    judge.Fail(one.subject)
        .Expected(std::string(kExpected))
        .Actual(fmt::format("no NIC at {}, where {} with the same others have one",
                            JoinWords(lacks), Counted(whole->hosts->size(), "host")))
        .RestsOn(one.evidence)
        .MendedBy(
            "Look in the slot and in the kernel log: a NIC that has left the PCI bus needs a power "
            "cycle or another card. A host that was built so needs a waiver, or job.interfaces in "
            "the policy.");
  }
}

}  // namespace

Check NicCountMissing() {
  return {
      .id = "nic-count.missing",
      .title = "No host lacks a NIC that all hosts built like it have",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC that has left the PCI bus leaves nothing behind that could be missed on its own "
          "host: the job has one rail less there, and stops or runs at the pace of that host.",
      .how =
          "RDMA NICs (no virtual functions) are compared over hosts with as many GPUs by PCI "
          "address and model. A host that has some of the NICs of three hosts or more that agree, "
          "and nothing else, lacks the others. What two hosts have alike is a build of its own: "
          "nic-count.odd-one-out tells of it. Nothing is said where the policy names the job's "
          "interfaces.",
      .fix = "Look in the slot and in the kernel log; a power cycle, or another card.",
      .sources = {"/sys/bus/pci/devices"},
      .explained_by = {"device.rdma-present", "inventory.rails"},
      .observe = Observe,
      .fleet = JudgeBuilds,
  };
}

}  // namespace roceready::checks
