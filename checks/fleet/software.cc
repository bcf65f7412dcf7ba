// SPDX-License-Identifier: Apache-2.0
// kernel.odd-one-out and driver.odd-one-out: hosts run one kernel and one build of the RDMA
// drivers.
#include <optional>

#include "checks/check.h"
#include "checks/fleet/alike.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host_view.h"
#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

Observation ObservationOf(const HostView& host, std::string_view group, std::string path,
                          std::string value) {
  const v1::Reading reading = ReadingOf(host.facts().has_kernel(), host.facts().kernel());
  Observation observation{.subject = host.SubjectOfHost(), .group = std::string(group)};
  observation.evidence = host.EvidenceAt(std::move(path), value, reading);
  if (!IsOk(reading)) {
    observation.unknown = ReasonOf(reading);
  } else if (value.empty()) {
    observation.unknown = "the answer does not hold this value";
  } else {
    observation.value = std::move(value);
  }
  return observation;
}

std::vector<Observation> ObserveKernel(const HostView& host) {
  return {ObservationOf(host, KindOf(host), "kernel.release", host.facts().kernel().release())};
}

// What programs of the host are linked to; containers may bring their own.
std::optional<Observation> ObserveUserSpace(const HostView& host) {
  const v1::RdmaStack& stack = host.facts().rdma_stack();
  if (!stack.has_rdma_core_version()) return std::nullopt;
  Observation observation{.subject = host.SubjectOfHost(), .group = "rdma-core"};
  observation.subject.set_group("rdma-core");
  observation.value = "rdma-core " + stack.rdma_core_version();
  // The group's own reading is that of the kernel's answer beside it.
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_OK);
  reading.set_source(v1::SOURCE_FILE);
  observation.evidence =
      host.EvidenceAt("rdma_stack.rdma_core_version", observation.value, reading);
  return observation;
}

// "mlx5_core 0A1B2C (23.10-2.1.3)". The source version tells builds apart and is there for every
// module that has a version; the version is for people.
std::string BuildOf(const v1::KernelModule& module) {
  std::string build = fmt::format("{} {}", module.name(), module.srcversion());
  if (!module.version().empty()) build += fmt::format(" ({})", module.version());
  return build;
}

// One group a module, so that hosts with different NICs are not compared.
std::vector<Observation> ObserveDrivers(const HostView& host) {
  std::vector<Observation> observations;
  for (const v1::KernelModule& module : host.facts().kernel().modules()) {
    // Built without either (no vendor driver is): there is nothing to compare.
    if (module.version().empty() && module.srcversion().empty()) continue;
    observations.push_back(ObservationOf(host, "module " + module.name(), "kernel.modules",
                                         module.srcversion().empty() ? "" : BuildOf(module)));
    observations.back().subject.set_group(module.name());
  }
  if (const auto user_space = ObserveUserSpace(host)) observations.push_back(*user_space);
  return observations;
}

void JudgeKernels(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one kernel on all hosts of one kind",
                 "Bring the hosts to one kernel; a majority is a hint, not a proof.", judge);
}

// Where the version was not read on some hosts, the source version alone still tells that they run
// the same build as others. Values are sorted: a build stands before itself with a version.
FleetGroup WithUnreadVersions(const FleetGroup& group) {
  FleetGroup merged = group;
  for (auto plain = merged.by_value.begin(); plain != merged.by_value.end();) {
    const std::string lead = fmt::format("{} (", plain->first);
    const auto whole = merged.by_value.lower_bound(lead);
    if (whole == merged.by_value.end() || !whole->first.starts_with(lead)) {
      ++plain;
      continue;
    }
    whole->second.insert(whole->second.end(), plain->second.begin(), plain->second.end());
    plain = merged.by_value.erase(plain);
  }
  return merged;
}

void JudgeDrivers(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(WithUnreadVersions(group), "one build of each RDMA and NIC driver on all hosts",
                 "Install the same driver package everywhere, and reboot hosts that run the old "
                 "one.",
                 judge);
}

}  // namespace

Check KernelOddOneOut() {
  return {
      .id = "kernel.odd-one-out",
      .title = "Hosts of one kind run one kernel",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A host that missed an update, or took one alone, is the first suspect when only it "
          "misbehaves.",
      .how =
          "Kernel releases are compared over hosts with the same RDMA NIC models and as many GPUs; "
          "whoever differs from the most is named. A majority is a hint, not a proof.",
      .fix = "Bring the hosts to one kernel.",
      .sources = {"/proc/sys/kernel/osrelease"},
      .explained_by = {},
      .observe = ObserveKernel,
      .fleet = JudgeKernels,
  };
}

Check DriverOddOneOut() {
  return {
      .id = "driver.odd-one-out",
      .title = "Hosts run one build of the RDMA drivers",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "The kernel's own driver and the vendor's have different defaults and counters, and a "
          "driver of another release may not suit the user-space libraries.",
      .how =
          "The source version of each loaded RDMA and NIC module, and its version where both were "
          "read, are compared over the hosts that have it, and so is the release of rdma-core; "
          "whoever differs from the most is named. A module whose source version was not read is "
          "UNKNOWN.",
      .fix = "Install one driver package everywhere and reboot.",
      .sources = {"/sys/module/NAME/version and srcversion", "/usr/lib/libibverbs.so.1"},
      .explained_by = {"kernel.odd-one-out"},
      .observe = ObserveDrivers,
      .fleet = JudgeDrivers,
  };
}

}  // namespace roceready::checks
