// SPDX-License-Identifier: Apache-2.0
// pcie.payload and pcie.read-request: PCIe packets fit all the way, and reads are large enough.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Below this a NIC cannot keep enough bytes of host memory on the way for 100 Gb/s.
constexpr uint32_t kSmallestReadRequest = 512;
constexpr uint32_t kFastMbps = 100'000;

void JudgePayload(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
                  const v1::Subject& subject, Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "path_to_root"),
      .reading = ReadingOf(true, function),
      .expected = "PCIe packets that every bridge above the NIC accepts",
  };
  if (IsUnanswered(host, judge, question, function.path_to_root_size() > 0)) return;
  const v1::PciHop& card = function.path_to_root(0);
  for (const v1::PciHop& hop : function.path_to_root()) {
    if (!hop.has_max_payload_bytes() || !card.has_max_payload_bytes()) continue;
    if (hop.max_payload_bytes() >= card.max_payload_bytes()) continue;
    question.reading = hop.config_space();
    FailOn(host, judge, question,
           fmt::format("the NIC sends {} bytes, bridge {} accepts {}", card.max_payload_bytes(),
                       hop.address(), hop.max_payload_bytes()))
        .MendedBy("Boot with pci=pcie_bus_safe, or mend the BIOS setting of the payload size.");
    return;
  }
  for (const v1::PciHop& hop : function.path_to_root()) {
    // It is there also where the extended space is not.
    if (hop.has_max_payload_bytes()) continue;
    question.reading = ScanReading(hop.has_config_space(), hop.config_space());
    if (IsUnanswered(host, judge, question, false)) return;
  }
  judge.Pass();
}

void JudgeReadRequest(const HostView& host, const CarrierView& carrier,
                      const v1::PciFunction& function, const v1::Subject& subject, Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const v1::Ethernet& ethernet = carrier.net_device->ethernet();
  const Question speed{
      .subject = subject,
      .path = NetPath(carrier.net_device->id(), "ethernet.speed_mbps"),
      .reading = ReadingOf(carrier.net_device->has_ethernet(), ethernet),
      .expected = "PCIe reads that suit the port's speed",
  };
  if (IsUnanswered(host, judge, speed, ethernet.has_speed_mbps())) return;
  if (ethernet.speed_mbps() < kFastMbps) return judge.NotApplicable();
  Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "path_to_root"),
      .reading = ReadingOf(true, function),
      .expected = fmt::format("PCIe reads of {} bytes or more", kSmallestReadRequest),
  };
  if (IsUnanswered(host, judge, question, function.path_to_root_size() > 0)) return;
  const v1::PciHop& card = function.path_to_root(0);
  question.reading = ScanReading(card.has_config_space(), card.config_space());
  if (!card.has_max_read_request_bytes() && IsUnanswered(host, judge, question, false)) return;
  if (card.max_read_request_bytes() >= kSmallestReadRequest) return judge.Pass();
  FailOn(host, judge, question, fmt::format("{} bytes", card.max_read_request_bytes()))
      .MendedBy(
          "Set the maximum read request of the NIC to what its vendor advises (often 4096), by "
          "BIOS or at every boot.",
          fmt::format("setpci -s {} CAP_EXP+8.w=5000:7000", card.address()), false);
}

template <void (*judge_function)(const HostView&, const CarrierView&, const v1::PciFunction&,
                                 const v1::Subject&, Judge&)>
void JudgeHostFunctions(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        judge_function(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check PciePayload() {
  return {
      .id = "pcie.payload",
      .title = "PCIe packets of the NIC fit all the way up",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A bridge that gets a larger packet than it is set up for must treat it as malformed: "
          "PCIe errors, and a NIC that resets under load.",
      .how =
          "The maximum payload of the NIC must not be larger than that of any bridge above it. "
          "Read from the configuration space, which only root sees whole.",
      .fix = "Boot with pci=pcie_bus_safe.",
      .sources = {"PCI configuration space, device control register, bits 7:5",
                  "Documentation/admin-guide/kernel-parameters.txt, pcie_bus_safe"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHostFunctions<JudgePayload>,
  };
}

Check PcieReadRequest() {
  return {
      .id = "pcie.read-request",
      .title = "PCIe reads are large enough for the port",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "What a NIC sends it first reads from memory. With small read requests their number "
          "runs out before the link is full: sending is slow, receiving is not.",
      .how =
          "The maximum read request of a NIC of 100 Gb/s or more must be 512 bytes or more. 128 "
          "and 256 are what some BIOSes and hypervisors leave behind.",
      .fix = "setpci -s ADDRESS CAP_EXP+8.w=5000:7000 sets 4096 bytes.",
      .sources = {"PCI configuration space, device control register, bits 14:12"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHostFunctions<JudgeReadRequest>,
  };
}

}  // namespace roceready::checks
