// SPDX-License-Identifier: Apache-2.0
// device.taken-away: a NIC that other hosts of its kind use for RDMA is not given to something
// else.
#include <algorithm>
#include <array>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/host/twin.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kHasRdma = "an RDMA device";
constexpr std::string_view kExpected = "an RDMA device, as the NIC in this slot of other hosts has";

// Drivers that hold a function for a guest or a program in user space.
bool IsHeldForOthers(std::string_view driver) {
  constexpr std::array kHolders = {"vfio-pci",    "mlx5_vfio_pci",   "pci-stub",
                                   "xen-pciback", "uio_pci_generic", "igb_uio"};
  return std::ranges::find(kHolders, driver) != kHolders.end();
}

std::vector<Observation> Observe(const HostView& host) {
  // The job names its interfaces: device.rdma-present misses those that are gone.
  if (!host.NamedInterfaces().empty()) return {};
  const v1::HostFacts& facts = host.facts();
  const v1::Reading scan = ScanReading(facts.has_rdma_scan(), facts.rdma_scan());
  std::vector<Observation> observations;
  for (const v1::PciFunction& function : facts.pci_functions()) {
    if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
    const v1::Reading reading = IsOk(scan) ? ReadingOf(true, function) : scan;
    const bool has_rdma = RdmaDeviceOf(facts, function) != nullptr;
    // With its own driver and no RDMA device: device.lost-rdma and others judge that.
    const bool is_held = function.driver().empty() || IsHeldForOthers(function.driver());
    if (IsOk(reading) && !has_rdma && !is_held) continue;
    const std::string_view address = PciAddressOf(function.id());
    Observation observation{
        .subject = host.SubjectOfHost(),
        .group = fmt::format("{:04x}:{:04x} at {} of hosts with {}", function.vendor(),
                             function.device(), address,
                             Counted(static_cast<uint64_t>(facts.gpus_size()), "GPU")),
        .value = {}};
    if (!IsOk(reading)) {
      observation.unknown = ReasonOf(reading);
    } else if (has_rdma) {
      observation.value = kHasRdma;
    } else {
      observation.value = function.driver().empty() ? "no driver" : function.driver();
    }
    observation.subject.set_device_id(function.id());
    observation.subject.set_label(fmt::format("{} {}", host.host(), address));
    observation.evidence =
        host.EvidenceAt(PciPath(function.id(), "driver"), function.driver(), reading);
    observations.push_back(std::move(observation));
  }
  return observations;
}

// Only a clear minority is told: which of the two is wanted, the site knows.
constexpr size_t kPeersForEach = 2;

void JudgeSlot(const FleetGroup& group, Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(kExpected))
        .RestsOn(one->evidence);
  }
  const auto used = group.by_value.find(kHasRdma);
  const size_t peers = used == group.by_value.end() ? 0 : used->second.size();
  size_t taken = 0;
  for (const auto& [value, speakers] : group.by_value) {
    if (value != kHasRdma) taken += speakers.size();
  }
  for (size_t i = 0; i < peers; ++i) judge.Pass();
  for (const auto& [value, speakers] : group.by_value) {
    if (value == kHasRdma) continue;
    for (const Observation* one : speakers) {
      if (peers < kPeersForEach * taken) {
        judge.NotApplicable();
        continue;
      }
      judge.Fail(one->subject)
          .Expected(std::string(kExpected))
          .Actual(fmt::format("bound to {}, where {} have {}", value, Counted(peers, "other"),
                              kHasRdma))
          .RestsOn(one->evidence)
          .MendedBy(
              "Give the NIC back to its own driver (driverctl, virsh nodedev-reattach), or name "
              "the interfaces that the job uses in the policy.");
    }
  }
}

}  // namespace

Check DeviceTakenAway() {
  return {
      .id = "device.taken-away",
      .title = "No NIC is given to a guest where its peers serve the job",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC that is bound to vfio-pci, or to no driver at all, shows no port on the host: the "
          "job has one rail less there than on all other hosts, and no tool misses it.",
      .how =
          "NICs of RDMA families are compared over hosts with as many GPUs by model and PCI "
          "address. One that is bound to no driver, or to one that holds it for a guest or a "
          "program in user space, is named if at least twice as many of its like have an RDMA "
          "device. Nothing is said where the policy names the job's interfaces, and where more are "
          "held back.",
      .fix = "Bind the NIC to its own driver again, or name the job's interfaces in the policy.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/driver", "RDMA netlink GET"},
      .explained_by = {"device.rdma-present", "device.lost-rdma"},
      .observe = Observe,
      .fleet = JudgeSlot,
  };
}

}  // namespace roceready::checks
