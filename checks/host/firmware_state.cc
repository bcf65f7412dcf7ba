// SPDX-License-Identifier: Apache-2.0
// firmware.pending and device.health: flashed firmware runs, and the driver's health reporters see
// no error.
#include <map>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

void JudgePending(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
                  const v1::Subject& subject, Judge& judge) {
  const v1::Firmware& firmware = function.firmware();
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "firmware.stored"),
      .reading = ReadingOf(function.has_firmware(), firmware),
      .expected = "the flashed firmware runs",
  };
  std::map<std::string_view, std::string_view> running;
  for (const v1::FirmwareVersion& version : firmware.running()) {
    running[version.name()] = version.value();
  }
  size_t compared = 0;
  std::vector<std::string> pending;
  for (const v1::FirmwareVersion& stored : firmware.stored()) {
    const auto now = running.find(stored.name());
    if (now == running.end()) continue;
    ++compared;
    if (now->second != stored.value()) {
      pending.push_back(
          fmt::format("{} {} runs, {} is flashed", stored.name(), now->second, stored.value()));
    }
  }
  if (IsUnanswered(host, judge, question, compared > 0)) return;
  if (pending.empty()) return judge.Pass();
  const std::string_view address = PciAddressOf(carrier.net_device->id());
  FailOn(host, judge, question, JoinWords(pending, ", "))
      .MendedBy("Activate it by a reset of the NIC or a reboot; that takes the port down.",
                ShellCommand("devlink dev reload pci/{} action fw_activate", address), true);
}

void JudgeHealth(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
                 const v1::Subject& subject, Judge& judge) {
  const v1::HealthReporters& health = function.health();
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "health.reporters"),
      .reading = ReadingOf(function.has_health(), health),
      .expected = "no health reporter in error",
  };
  if (IsUnanswered(host, judge, question)) return;
  // The driver has none: there is nothing that could be in error.
  if (health.reporters().empty()) return judge.NotApplicable();
  std::vector<std::string> sick;
  bool all_known = true;
  for (const v1::HealthReporter& reporter : health.reporters()) {
    all_known &= reporter.has_state();
    if (reporter.state() == "error") sick.push_back(reporter.name());
  }
  if (sick.empty()) {
    if (!IsUnanswered(host, judge, question, all_known)) judge.Pass();
    return;
  }
  const std::string_view address = PciAddressOf(carrier.net_device->id());
  FailOn(host, judge, question, fmt::format("in error: {}", JoinWords(sick)))
      .MendedBy(
          "Look at the kernel log, then let the driver recover; replace the card if it "
          "happens again.",
          ShellCommand("devlink health recover pci/{} reporter {}", address, sick.front()), false);
}

void JudgeHostPending(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgePending(host, carrier, function, subject, judge);
      });
}

void JudgeHostHealth(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeHealth(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check FirmwarePending() {
  return {
      .id = "firmware.pending",
      .title = "The flashed firmware is what runs",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "An update that waits for a reset comes at the next reboot: the host then differs from "
          "the one that was tested.",
      .how =
          "Of the versions that devlink gives as stored and as running, those of one name must be "
          "equal. A driver that gives no such pair is UNKNOWN.",
      .fix = "Reset the NIC or reboot.",
      .sources = {"devlink INFO_GET, running and stored versions"},
      .explained_by = {"device.rdma-present", "firmware.minimum"},
      .host = JudgeHostPending,
  };
}

Check DeviceHealth() {
  return {
      .id = "device.health",
      .title = "The NIC's health reporters see no error",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A driver that has given up on a queue or on its firmware says so here, while the port "
          "still looks active.",
      .how =
          "No devlink health reporter of a NIC below a RoCE port may be in state error. A driver "
          "without reporters has nothing to judge.",
      .fix = "devlink health recover pci/ADDRESS reporter NAME, after a look at the kernel log.",
      .sources = {"devlink HEALTH_REPORTER_GET"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHostHealth,
  };
}

}  // namespace roceready::checks
