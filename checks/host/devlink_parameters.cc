// SPDX-License-Identifier: Apache-2.0
// device.roce-enabled and firmware.staged: the driver's own switches for RDMA.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/host/twin.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// The value in force: a parameter that needs a reload shows it as driverinit, one that needs a
// reset as permanent.
const std::string& ValueNow(const v1::DevlinkParameter& parameter) {
  if (parameter.has_runtime()) return parameter.runtime();
  return parameter.has_driverinit() ? parameter.driverinit() : parameter.permanent();
}

// The device has no devlink, or its driver no such parameter: there is no switch to be off.
bool HasNoSwitches(const v1::Reading& reading) {
  return reading.outcome() == v1::OUTCOME_ABSENT || reading.outcome() == v1::OUTCOME_UNSUPPORTED;
}

Question Ask(const v1::PciFunction& function, const v1::Subject& subject, std::string expected) {
  return {.subject = subject,
          .path = PciPath(function.id(), "parameters.parameters"),
          .reading = IsOk(ReadingOf(true, function))
                         ? ReadingOf(function.has_parameters(), function.parameters())
                         : ReadingOf(true, function),
          .expected = std::move(expected)};
}

bool IsRoceSwitch(const v1::DevlinkParameter& parameter) {
  return parameter.name() == "enable_roce" || parameter.name() == "enable_rdma";
}

// Whether the function does RoCE at this moment, whatever its parameters say.
enum class RoceNow { kOff, kOn, kNotRead };

RoceNow RoceNowOf(const CarrierView* carrier, const v1::PciFunction& function) {
  RoceNow now = RoceNow::kOff;
  if (carrier == nullptr) return now;
  for (const PortView* port : carrier->ports) {
    if (port->pci != &function) continue;
    if (!IsOk(ReadingOf(true, *port->port)) || !port->port->has_state()) {
      now = RoceNow::kNotRead;
      continue;
    }
    if (port->port->state() != v1::PORT_STATE_ACTIVE) continue;
    const v1::GidTable& table = port->port->gid_table();
    if (!IsOk(ReadingOf(port->port->has_gid_table(), table))) now = RoceNow::kNotRead;
    if (std::ranges::find(table.gids(), v1::GID_TYPE_ROCE_V2, &v1::Gid::type) !=
        table.gids().end()) {
      return RoceNow::kOn;
    }
  }
  return now;
}

// A driverinit value holds from the next reload on: it does not tell what is in force.
bool IsOnlyStaged(const v1::DevlinkParameter& parameter) {
  return !parameter.has_runtime() && parameter.has_driverinit();
}

// `carrier` is null for a function below no RoCE port.
void JudgeEnabled(const HostView& host, const CarrierView* carrier, const v1::PciFunction& function,
                  const v1::Subject& subject, Judge& judge) {
  const Question question = Ask(function, subject, "RoCE is switched on in the driver");
  if (HasNoSwitches(question.reading)) return judge.NotApplicable();
  if (IsUnanswered(host, judge, question)) return;
  bool any = false;
  for (const v1::DevlinkParameter& parameter : function.parameters().parameters()) {
    if (!IsRoceSwitch(parameter)) continue;
    any = true;
    if (ValueNow(parameter) != "false") continue;
    const RoceNow now = IsOnlyStaged(parameter) ? RoceNowOf(carrier, function) : RoceNow::kOff;
    if (now == RoceNow::kOn) continue;  // firmware.staged tells.
    if (now == RoceNow::kNotRead) {
      judge
          .Unknown(subject,
                   fmt::format("{} is false after a reload; whether it is in force already, "
                               "the GIDs would tell, and they were not read",
                               parameter.name()))
          .Expected(question.expected)
          .RestsOn(host.EvidenceAt(question.path, parameter.name(), question.reading));
      return;
    }
    FailOn(host, judge, question, fmt::format("{} is false", parameter.name()))
        .MendedBy(
            "Switch it on and reload the driver; that takes the port down.",
            fmt::format("devlink dev param set pci/{0} name {1} value true cmode driverinit && "
                        "devlink dev reload pci/{0}",
                        PciAddressOf(function.id()), parameter.name()),
            false);
    return;
  }
  any ? judge.Pass() : judge.NotApplicable();
}

v1::Subject SubjectOfFunction(const HostView& host, const v1::PciFunction& function) {
  v1::Subject subject = host.SubjectOfHost();
  subject.set_device_id(function.id());
  subject.set_label(fmt::format("{} {}", host.host(), PciAddressOf(function.id())));
  return subject;
}

// It has no port that could be asked, and its twins on this host show that it should have one.
bool LacksRdmaByChoice(const v1::HostFacts& facts, const v1::PciFunction& function) {
  return IsSwitchedOff(function) && RdmaDeviceOf(facts, function) == nullptr &&
         HasTwinWithRdma(facts, function) && !IsInBond(facts, function) &&
         PortAtSibling(facts, function) == SharedPort::kNo;
}

void JudgeHostEnabled(const HostView& host, Judge& judge) {
  for (const PortView* port : host.PortsWithoutCarrier()) {
    const std::string path = PortPath(port->device->id(), port->port->number(), "net_device_id");
    // That its GIDs are not known, for the same reason, is what a job would miss.
    judge.Unread(host.SubjectOfPort(*port), host.EvidenceAt(path, {}, host.NetDeviceReading(*port)))
        .explained_by = {"device.rdma-present", "gid.rocev2-ipv4"};
  }
  for (const CarrierView& carrier : host.carriers()) {
    WithFunctionOf(
        host, carrier, host.SubjectOfCarrier(carrier), judge,
        [&](const CarrierView&, const v1::PciFunction& function, const v1::Subject& subject) {
          JudgeEnabled(host, &carrier, function, subject, judge);
        });
  }
  // Without any port, it may be why: each NIC of an RDMA family is asked. Beside others it is a
  // fault only where the job does not name its interfaces: a NIC that it does not use may be off.
  const bool any_port = !host.ports().empty();
  if (any_port && !host.NamedInterfaces().empty()) return;
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
    if (any_port && !LacksRdmaByChoice(host.facts(), function)) continue;
    JudgeEnabled(host, nullptr, function, SubjectOfFunction(host, function), judge);
  }
}

// What differs between now, after a reload and after a reset; empty: nothing.
std::string PendingWords(const v1::DevlinkParameter& parameter, RoceNow now) {
  if (IsRoceSwitch(parameter) && IsOnlyStaged(parameter) && parameter.driverinit() == "false" &&
      now == RoceNow::kOn) {
    return fmt::format(
        "{} is false, and RoCE still on: the next reload of the driver switches it "
        "off",
        parameter.name());
  }
  if (parameter.has_runtime() && parameter.has_driverinit() &&
      parameter.runtime() != parameter.driverinit()) {
    return fmt::format("{} is {}, after a reload {}", parameter.name(), parameter.runtime(),
                       parameter.driverinit());
  }
  const bool has_both =
      parameter.has_permanent() && (parameter.has_runtime() || parameter.has_driverinit());
  if (!has_both || parameter.permanent() == ValueNow(parameter)) return {};
  return fmt::format("{} is {}, after a reset {}", parameter.name(), ValueNow(parameter),
                     parameter.permanent());
}

void JudgePending(const HostView& host, const CarrierView& carrier, const v1::PciFunction& function,
                  const v1::Subject& subject, Judge& judge) {
  const Question question = Ask(function, subject, "settings that stay as they are");
  if (HasNoSwitches(question.reading)) return judge.NotApplicable();
  if (IsUnanswered(host, judge, question)) return;
  if (function.parameters().parameters().empty()) return judge.NotApplicable();
  std::vector<std::string> pending;
  bool all_known = true;
  for (const v1::DevlinkParameter& parameter : function.parameters().parameters()) {
    // Whether it waits or holds already, the GIDs would tell.
    all_known &= !IsRoceSwitch(parameter) || !IsOnlyStaged(parameter) ||
                 parameter.driverinit() != "false" ||
                 RoceNowOf(&carrier, function) != RoceNow::kNotRead;
    if (std::string words = PendingWords(parameter, RoceNowOf(&carrier, function));
        !words.empty()) {
      pending.push_back(std::move(words));
    }
  }
  if (pending.empty()) {
    if (!IsUnanswered(host, judge, question, all_known)) judge.Pass();
    return;
  }
  FailOn(host, judge, question, JoinWords(pending, ", "))
      .MendedBy("Decide which value is wanted, set it in all places, and reload or reset the NIC.",
                fmt::format("devlink dev reload pci/{}", PciAddressOf(function.id())), false);
}

void JudgeHostPending(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgePending(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check DeviceRoceEnabled() {
  return {
      .id = "device.roce-enabled",
      .title = "RoCE is switched on in the driver",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC whose RoCE is switched off looks healthy: the port is up and the verbs device may "
          "even be there, but it has no GIDs and no job can connect.",
      .how =
          "The devlink parameters enable_roce and enable_rdma of the NIC below a RoCE port must "
          "not be false; on a host without any RoCE port, those of every NIC that could have one, "
          "and beside RoCE ports those of a NIC of the same model and driver as one that has a "
          "port, unless the policy names the job's interfaces. "
          "A driver without these parameters has no such switch. A value that holds from the next "
          "reload on (driverinit) is no fault while the port is ACTIVE with RoCE v2 GIDs: "
          "firmware.staged tells of it.",
      .fix = "devlink dev param set ... name enable_roce value true cmode driverinit, and reload.",
      .sources = {"devlink PARAM_GET, enable_roce and enable_rdma",
                  "Documentation/networking/devlink/devlink-params.rst"},
      .explained_by = {},
      .takes_readings_away = true,
      .host = JudgeHostEnabled,
  };
}

Check FirmwareParametersPending() {
  return {
      .id = "firmware.staged",
      .title = "No setting of the NIC waits for a reload or reset",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A setting that was staged comes into force at the next reload or reboot: the host that "
          "comes back is not the one that was audited.",
      .how =
          "The devlink parameters that decide about RDMA and virtual functions must have one value "
          "at run time, after a reload (driverinit) and after a reset (permanent), as far as the "
          "driver shows them; RoCE that is on must not be off after the next reload. What only the "
          "vendor's tool shows is not seen.",
      .fix = "Set the wanted value in all places, then reload or reset.",
      .sources = {"devlink PARAM_GET, values by configuration mode"},
      .explained_by = {"device.rdma-present", "device.roce-enabled"},
      .host = JudgeHostPending,
  };
}

}  // namespace roceready::checks
