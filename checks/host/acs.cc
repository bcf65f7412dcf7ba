// SPDX-License-Identifier: Apache-2.0
// pcie.acs: traffic between NIC and GPU takes the short way through their PCIe switch.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/gpus_of.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Request redirect, completion redirect and upstream forwarding (PCI Express base specification,
// ACS control register).
constexpr uint32_t kRedirects = 0x04 | 0x08 | 0x10;

// The bridges above the NIC up to the one that it shares with a GPU; empty where it shares none.
std::vector<const v1::PciHop*> BridgesToGpus(const v1::HostFacts& facts,
                                             const v1::PciFunction& function) {
  int farthest = 0;
  for (const v1::GpuNearness& near : function.gpus_near()) {
    if (!near.has_common_bridge() || !IsUsableGpu(facts, near.gpu_id())) continue;
    for (int i = 1; i < function.path_to_root_size(); ++i) {
      if (function.path_to_root(i).address() == near.common_bridge()) {
        farthest = std::max(farthest, i);
      }
    }
  }
  std::vector<const v1::PciHop*> bridges;
  for (int i = 1; i <= farthest; ++i) bridges.push_back(&function.path_to_root(i));
  return bridges;
}

void JudgeFunction(const HostView& host, const CarrierView& carrier,
                   const v1::PciFunction& function, const v1::Subject& subject, Judge& judge) {
  Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "path_to_root"),
      .reading = ReadingOf(true, function),
      .expected = "no ACS redirection between NIC and GPU",
  };
  if (IsUnanswered(host, judge, question)) return;
  const std::vector<const v1::PciHop*> bridges = BridgesToGpus(host.facts(), function);
  if (bridges.empty()) return judge.NotApplicable();
  for (const v1::PciHop* bridge : bridges) {
    if ((bridge->acs_control() & kRedirects) == 0) continue;
    question.reading = bridge->config_space();
    FailOn(
        host, judge, question,
        fmt::format("ACS control {:#06x} at bridge {}", bridge->acs_control(), bridge->address()))
        .MendedBy(
            "Switch ACS off in the BIOS, or boot with pci=disable_acs_redir= for these bridges; "
            "keep it where GPUs or NICs are given to virtual machines.",
            fmt::format("setpci -s {} ECAP_ACS+6.w=0000", bridge->address()), false);
    return;
  }
  for (const v1::PciHop* bridge : bridges) {
    question.reading = ScanReading(bridge->has_config_space(), bridge->config_space());
    if (IsUnanswered(host, judge, question)) return;
  }
  judge.Pass();
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeFunction(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check PcieAcs() {
  return {
      .id = "pcie.acs",
      .title = "ACS does not redirect traffic between NIC and GPU",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "With access control services on, what a NIC writes to a GPU below the same PCIe switch "
          "goes up to the root complex and back: half the bandwidth, and on some hosts a hang.",
      .how =
          "Where a NIC and a GPU that the host itself uses are below one bridge, the bridges from "
          "the NIC up to it must have request redirect, completion redirect and upstream "
          "forwarding "
          "off. The bridges on the GPU's side are seen only where they are above a NIC as well. A "
          "bridge without ACS cannot redirect.",
      .fix = "ACS off in the BIOS, or setpci -s BRIDGE ECAP_ACS+6.w=0000 at every boot.",
      .sources = {"PCI configuration space, extended capability 0x0d, control register",
                  "PCI Express base specification, Access Control Services"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
