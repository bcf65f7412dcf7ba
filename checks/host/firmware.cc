// SPDX-License-Identifier: Apache-2.0
// firmware.minimum and firmware.odd-one-out: firmware and driver versions against the policy's
// rules, and against hosts with the same NIC.
#include <algorithm>
#include <set>

#include "checks/adapter.h"
#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/policy/version_compare.h"
#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A rule may name the driver of the net device, of the PCI function or of the RDMA device.
RuleMatch MatchAnyDriver(const v1::HardwareRule& rule, const Adapter& adapter) {
  const v1::NetDevice* net_device = adapter.port->net_device;
  HardwareIdentity identity = adapter.identity;
  identity.driver = net_device == nullptr ? "" : net_device->driver().name();
  RuleMatch best = MatchRule(rule, identity);
  for (const std::string& driver : {adapter.port->pci->driver(), adapter.port->device->driver()}) {
    identity.driver = driver;
    const RuleMatch match = driver.empty() ? RuleMatch::kNo : MatchRule(rule, identity);
    if (match == RuleMatch::kYes || best == RuleMatch::kNo) best = match;
  }
  return best;
}

// What a rule says about one adapter.
struct RuleVerdict {
  std::vector<std::string> expected, wrong, unknown;
  std::vector<v1::Evidence> evidence;
};

void CompareMinimum(const Version& version, const std::string& minimum, std::string_view what,
                    RuleVerdict& verdict) {
  verdict.expected.push_back(fmt::format("{} {} or newer", what, minimum));
  const auto order = CompareVersions(version.value, minimum);
  if (!order) {
    verdict.unknown.push_back(version.value.empty()
                                  ? fmt::format("{}: {}", what, WhyNoVersion(version))
                                  : fmt::format("{} \"{}\" cannot be compared with \"{}\"", what,
                                                version.value, minimum));
  } else if (*order < 0) {
    verdict.wrong.push_back(fmt::format("{} {}", what, version.value));
  }
}

void CompareBad(const Version& version, const v1::HardwareRule& rule, RuleVerdict& verdict) {
  if (rule.bad_firmware().empty()) return;
  verdict.expected.push_back("firmware not " + JoinWords(rule.bad_firmware(), " or "));
  if (version.value.empty()) {
    verdict.unknown.push_back("firmware: " + WhyNoVersion(version));
    return;
  }
  for (const std::string& bad : rule.bad_firmware()) {
    const auto order = CompareVersions(version.value, bad);
    if (version.value == bad || (order && *order == 0)) {
      verdict.wrong.push_back(fmt::format("firmware {} (known bad)", version.value));
    }
  }
}

RuleVerdict ApplyRule(const HostView& host, const Adapter& adapter, const v1::HardwareRule& rule) {
  RuleVerdict verdict;
  if (!rule.min_firmware().empty() || !rule.bad_firmware().empty()) {
    const Version version = FirmwareOf(host, adapter, rule.version_name());
    verdict.evidence.push_back(version.evidence);
    if (!rule.min_firmware().empty()) {
      CompareMinimum(version, rule.min_firmware(), "firmware", verdict);
    }
    CompareBad(version, rule, verdict);
  }
  if (!rule.min_driver().empty()) {
    const v1::NetDevice* net_device = adapter.port->net_device;
    Version version{.name = "driver"};
    version.evidence =
        net_device == nullptr
            ? host.EvidenceAt("net_devices", {}, host.NetDeviceReading(*adapter.port))
            : host.EvidenceAt(NetPath(net_device->id(), "driver.version"),
                              net_device->driver().version(),
                              ReadingOf(net_device->has_driver(), net_device->driver()));
    if (net_device != nullptr) version.value = net_device->driver().version();
    verdict.evidence.push_back(version.evidence);
    CompareMinimum(version, rule.min_driver(), "driver", verdict);
  }
  return verdict;
}

// A version that is flashed but waits for a reset.
std::string StagedText(const v1::Firmware& firmware, const std::string& minimum) {
  for (const v1::FirmwareVersion& stored : firmware.stored()) {
    const std::string running = RunningVersion(firmware, stored.name());
    const auto order = CompareVersions(stored.value(), minimum);
    if (!running.empty() && running != stored.value() && order && *order >= 0) {
      return fmt::format("{} is flashed already: reset the NIC or reboot.", stored.value());
    }
  }
  return {};
}

v1::Subject SubjectOf(const HostView& host, const Adapter& adapter) {
  v1::Subject subject = host.SubjectOfHost();
  subject.set_device_id(adapter.port->device->id());
  subject.set_label(fmt::format("{} {}", host.host(), adapter.port->label));
  return subject;
}

void JudgeAdapter(const HostView& host, const Adapter& adapter, Judge& judge) {
  const v1::Subject subject = SubjectOf(host, adapter);
  RuleVerdict all;
  bool holds = false;
  std::string source, minimum;
  for (const SourcedHardwareRule& sourced : host.policy().hardware) {
    const RuleMatch match = MatchAnyDriver(sourced.rule, adapter);
    if (match == RuleMatch::kNo) continue;
    RuleVerdict verdict = ApplyRule(host, adapter, sourced.rule);
    if (match == RuleMatch::kUndecided) {
      // It may or may not hold: only a version that breaks it makes a difference.
      if (verdict.wrong.empty() && verdict.unknown.empty()) continue;
      verdict.unknown = {"whether a rule holds cannot be told: driver, PCI id or PSID not read"};
      verdict.wrong.clear();
    }
    holds = true;
    if (source.empty() || (all.wrong.empty() && !verdict.wrong.empty())) {
      source = sourced.source;
      minimum = sourced.rule.min_firmware();
    }
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(all.expected, verdict.expected);
    append(all.wrong, verdict.wrong);
    append(all.unknown, verdict.unknown);
    append(all.evidence, verdict.evidence);
  }
  if (!holds) return judge.NotApplicable();
  if (all.wrong.empty() && all.unknown.empty()) return judge.Pass();
  Draft& draft = all.wrong.empty() ? judge.Unknown(subject, JoinWords(all.unknown, "; "))
                                   : judge.Fail(subject).Actual(JoinWords(all.wrong, ", "));
  draft.Expected(JoinWords(all.expected, ", "));
  draft.finding.set_policy_source(source);
  for (v1::Evidence& evidence : all.evidence) draft.RestsOn(std::move(evidence));
  if (all.wrong.empty()) return;
  const std::string staged = StagedText(adapter.port->pci->firmware(), minimum);
  draft.MendedBy(staged.empty() ? "Update it by the vendor's tool, then reset the NIC or reboot."
                                : staged);
}

void JudgeHost(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    if (!port.LacksFunction() || host.policy().hardware.empty()) continue;
    judge.Unread(host.SubjectOfPort(port),
                 host.EvidenceAt("pci_functions", {}, host.FunctionReading(port)));
  }
  for (const Adapter& adapter : AdaptersOf(host)) JudgeAdapter(host, adapter, judge);
}

std::vector<Observation> Observe(const HostView& host) {
  std::vector<Observation> observations;
  for (const Adapter& adapter : AdaptersOf(host)) {
    Observation observation{.subject = SubjectOf(host, adapter)};
    observation.group = ModelOf(adapter);
    const Version version = FirmwareOf(host, adapter, {});
    // Sources word one release differently: only what one of them says of all is compared.
    observation.group += " by " + version.name;
    if (version.value.empty()) {
      observation.unknown = WhyNoVersion(version);
    } else if (adapter.identity.psid.empty() && adapter.identity.device_id.empty()) {
      observation.unknown = "whose firmware this is is not known: the NIC's model was not read";
    } else {
      observation.value = "firmware " + version.value;
    }
    observation.evidence = version.evidence;
    observations.push_back(std::move(observation));
  }
  return observations;
}

void JudgeFleet(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "the same firmware on all NICs of a model",
                 "Bring all NICs of the model to one version; a majority is a hint, not a proof.",
                 judge);
}

}  // namespace

Check FirmwareMinimum() {
  return {
      .id = "firmware.minimum",
      .title = "Firmware and driver are new enough",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why = "Older firmware may lack RoCE v2 or DCQCN, or hold a fault that the site has met.",
      .how =
          "Each rule of the policy's `hardware` that matches driver, PCI id and PSID is "
          "applied: min_firmware, bad_firmware and min_driver. Versions are compared number by "
          "number. The version that runs counts, not the one that is flashed and waits for a "
          "reset. A rule that may or may not match because a value was not read is UNKNOWN.",
      .fix = "Update by the vendor's tool, then reset the NIC or reboot.",
      .sources = {"devlink INFO_GET, running versions", "ethtool GDRVINFO",
                  "RDMA netlink RDMA_NLDEV_ATTR_FW_VERSION"},
      .explained_by = {"device.rdma-present"},
      .is_setting = true,
      .host = JudgeHost,
  };
}

Check FirmwareOddOneOut() {
  return {
      .id = "firmware.odd-one-out",
      .title = "NICs of one model run one firmware",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "The same job that passes on one firmware may fail on another; a lone version is the "
          "first suspect when one host misbehaves.",
      .how =
          "Hosts are grouped by driver and PSID (PCI id where there is none); whoever differs "
          "from the most is named. A majority is a hint, not a proof.",
      .fix = "Bring all NICs of the model to one version.",
      .sources = {"devlink INFO_GET, running versions", "ethtool GDRVINFO"},
      .explained_by = {"device.rdma-present", "firmware.minimum"},
      .observe = Observe,
      .fleet = JudgeFleet,
  };
}

}  // namespace roceready::checks
