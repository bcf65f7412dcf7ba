// SPDX-License-Identifier: Apache-2.0
// pcie.errors and pcie.power-state: the PCIe link of a NIC is sound, and the NIC is awake.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/counter_look.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A sound link repairs an error now and then.
constexpr double kCorrectableASecond = 1;

void JudgeErrors(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                 Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const std::string_view expected = "a PCIe link without errors";
  const CounterLook look(host, PciId(PciAddressOf(carrier.net_device->id())));
  const auto correctable = look.DeltaOf(v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS);
  const auto nonfatal = look.DeltaOf(v1::COUNTER_ID_PCI_NONFATAL_ERRORS);
  const auto fatal = look.DeltaOf(v1::COUNTER_ID_PCI_FATAL_ERRORS);
  const uint64_t lost = nonfatal.value_or(0) + fatal.value_or(0);
  const bool wears =
      static_cast<double>(correctable.value_or(0)) > kCorrectableASecond * look.WindowSeconds();
  if (lost > 0 || wears) {
    judge.Fail(subject)
        .Expected(std::string(expected))
        .Actual(lost > 0 ? fmt::format("{} that PCIe could not repair", Counted(lost, "error"))
                         : fmt::format("{} in {:.0f} s, repaired by sending again",
                                       Counted(*correctable, "error"), look.WindowSeconds()))
        .RestsOn(
            look.Evidence({v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS,
                           v1::COUNTER_ID_PCI_NONFATAL_ERRORS, v1::COUNTER_ID_PCI_FATAL_ERRORS}))
        .MendedBy("Reseat the card; look at riser, retimer and cooling; then exchange the card.");
    return;
  }
  if (!correctable || !nonfatal || !fatal) {
    look.SayUnknown(subject, expected, judge);
    return;
  }
  judge.Pass();
}

void JudgePower(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
                const v1::Subject& subject, Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "power_state"),
      .reading = ReadingOf(true, function),
      .expected = "a NIC that is awake (D0)",
  };
  const std::string& state = function.power_state();
  if (IsUnanswered(host, judge, question, !state.empty() && state != "unknown")) return;
  if (state == "D0") return judge.Pass();
  FailOn(host, judge, question, state)
      .MendedBy("Keep the NIC awake: no runtime power management for it.",
                fmt::format("echo on > /sys/bus/pci/devices/{}/power/control",
                            PciAddressOf(carrier.net_device->id())),
                false);
}

void JudgeHostErrors(const HostView& host, Judge& judge) {
  ForEachFunction(host, judge,
                  [&](const CarrierView& carrier, const v1::PciFunction&,
                      const v1::Subject& subject) { JudgeErrors(host, carrier, subject, judge); });
}

void JudgeHostPower(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgePower(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check PcieErrors() {
  return {
      .id = "pcie.errors",
      .title = "PCIe links of NICs have no errors",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A bad contact repeats PCIe packets: the NIC cannot empty its buffer at full speed and "
          "pauses the switch. What PCIe cannot repair makes the driver reset the NIC.",
      .how =
          "Between two looks no transaction may be lost (AER non-fatal and fatal errors), and "
          "repaired errors may not be more than one a second. A platform that keeps AER to its "
          "firmware is UNKNOWN.",
      .fix = "Reseat the card; riser, retimer, cooling; then the card.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/aer_dev_correctable, aer_dev_nonfatal, "
                  "aer_dev_fatal"},
      .explained_by = {"device.rdma-present", "pcie.link", "pcie.payload"},
      .host = JudgeHostErrors,
  };
}

Check PciePowerState() {
  return {
      .id = "pcie.power-state",
      .title = "NICs are awake",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC in a sleep state answers late or not at all, and its first packets after waking "
          "are lost.",
      .how = "The PCI power state of the NIC below a RoCE port must be D0.",
      .fix = "echo on > /sys/bus/pci/devices/ADDRESS/power/control",
      .sources = {"/sys/bus/pci/devices/ADDRESS/power_state"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHostPower,
  };
}

}  // namespace roceready::checks
