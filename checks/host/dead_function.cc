// SPDX-License-Identifier: Apache-2.0
// device.lost-rdma: a NIC whose twins have RDMA devices has one too.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/host/twin.h"
#include "checks/words.h"
#include "proto/contract/ids.h"

namespace roceready::checks {
namespace {

// Why it is not known whether the function lost an RDMA device; null: it is.
const char* WhyNotKnown(const v1::HostFacts& facts, const v1::PciFunction& function) {
  if (facts.rdma_stack().netns_mode() == "exclusive") {
    return "in exclusive mode the device may be in another network namespace";
  }
  if (PortAtSibling(facts, function) == SharedPort::kMaybe) {
    return "a port of the card's other function does not show whose net device it has";
  }
  const bool all_links_read =
      IsOk(ScanReading(facts.has_net_scan(), facts.net_scan())) &&
      std::ranges::all_of(facts.net_devices(), [&](const v1::NetDevice& net_device) {
        return PciAddressOf(net_device.id()) != PciAddressOf(function.id()) ||
               IsOk(net_device.link().reading());
      });
  return all_links_read ? nullptr : "whether it is a member of a bond was not read";
}

void JudgeFunction(const HostView& host, const v1::PciFunction& function, Judge& judge) {
  const v1::HostFacts& facts = host.facts();
  Question question{
      .subject = host.SubjectOfHost(),
      .path = "rdma_devices",
      .reading = ScanReading(facts.has_rdma_scan(), facts.rdma_scan()),
      .expected = fmt::format("an RDMA device, as other functions of {} have", function.driver()),
  };
  question.subject.set_device_id(function.id());
  question.subject.set_label(
      fmt::format("{} {} ({})", host.host(), PciAddressOf(function.id()), function.driver()));
  if (IsUnanswered(host, judge, question)) return;
  if (const char* why = WhyNotKnown(facts, function)) {
    judge.Unknown(question.subject, why)
        .Expected(question.expected)
        .RestsOn(host.EvidenceAt(question.path, JoinWords(host.DeviceNames()), question.reading));
    return;
  }
  FailOn(host, judge, question, "no RDMA device", JoinWords(host.DeviceNames()))
      .MendedBy(
          "Look in the kernel log for a firmware or driver error of this function; a reset "
          "or a power cycle brings it back if the card is sound.");
}

void JudgeHost(const HostView& host, Judge& judge) {
  // The job names its interfaces: device.rdma-present misses those that are gone.
  if (!host.NamedInterfaces().empty()) return judge.NotApplicable();
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    if (function.driver().empty() || function.has_physical_function_id()) continue;
    if (RdmaDeviceOf(host.facts(), function) != nullptr ||
        PortAtSibling(host.facts(), function) == SharedPort::kYes) {
      judge.Pass();
    } else if (IsSwitchedOff(function)) {
      judge.NotApplicable();
    } else if (HasTwinWithRdma(host.facts(), function) && !IsInBond(host.facts(), function)) {
      JudgeFunction(host, function, judge);
    }
  }
}

}  // namespace

Check DeviceFunctionWithoutRdma() {
  return {
      .id = "device.lost-rdma",
      .title = "No NIC has lost its RDMA device",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC whose firmware crashed at boot is still on the PCI bus, but shows no port: tools "
          "that count ports see one rail less and call the host healthy.",
      .how =
          "A PCI function of the same model, card and driver as one with an RDMA device must have "
          "one too, or a port of the RDMA device of another function of its card (mlx5 with "
          "multi-port RoCE). Virtual functions and members of a bond, which share the bond's "
          "device, are left out, and functions whose RDMA was switched off by devlink "
          "(enable_rdma, enable_roce), of which device.roce-enabled tells; so is all of it where "
          "the policy names the job's interfaces. Where RDMA "
          "devices may be in other network namespaces (mode exclusive) it is UNKNOWN.",
      .fix = "Look in the kernel log for the function; reset the NIC or power-cycle the host.",
      .sources = {"/sys/bus/pci/devices", "RDMA netlink GET"},
      .explained_by = {},
      .takes_readings_away = true,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
