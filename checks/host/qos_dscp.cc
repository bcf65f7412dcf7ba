// SPDX-License-Identifier: Apache-2.0
// qos.dscp-priority: packets with the policy's DSCPs go to the policy's priorities; where the
// policy does not say, hosts must at least agree.
#include <algorithm>

#include "checks/check.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host/carriers.h"
#include "checks/host/dcb.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// One "DSCP -> priority" that the policy wants.
struct Wanted {
  std::string_view what;
  uint32_t dscp = 0;
  uint32_t priority = 0;
  std::string_view policy_path;
};

std::vector<Wanted> WantedOf(const v1::FabricIntent& intent) {
  std::vector<Wanted> wanted;
  if (intent.has_roce_dscp() && intent.has_roce_priority()) {
    wanted.push_back({"RoCE", intent.roce_dscp(), intent.roce_priority(), "intent.roce_dscp"});
  }
  if (intent.has_cnp_dscp() && intent.has_cnp_priority()) {
    wanted.push_back({"CNP", intent.cnp_dscp(), intent.cnp_priority(), "intent.cnp_dscp"});
  }
  return wanted;
}

std::string ExpectedText(const std::vector<Wanted>& wanted) {
  std::string text;
  for (const Wanted& one : wanted) {
    if (!text.empty()) text += ", ";
    text += fmt::format("DSCP {} ({}) -> priority {}", one.dscp, one.what, one.priority);
  }
  return text;
}

// What is wrong with one DSCP; empty: nothing.
struct Answer {
  std::string problem;
  std::string unknown;
};

Answer AnswerFor(const CarrierView& carrier, const DscpMap& map, const Wanted& wanted) {
  const auto entry = map.find(wanted.dscp);
  if (entry == map.end()) {
    // bnxt_en keeps only what was set through the kernel; firmware maps the rest as it likes.
    if (carrier.family == NicFamily::kBnxt) {
      return {.unknown = fmt::format("bnxt_en does not show what firmware does with DSCP {}",
                                     wanted.dscp)};
    }
    return {.problem = fmt::format("DSCP {} ({}) has no entry", wanted.dscp, wanted.what)};
  }
  const std::set<uint32_t>& found = entry->second;
  if (found.size() > 1) {
    return {.problem = fmt::format("DSCP {} ({}) -> several: {}", wanted.dscp, wanted.what,
                                   PriorityWords(found))};
  }
  if (!DscpEntriesNameClasses(carrier)) {
    if (*found.begin() == wanted.priority) return {};
    return {.problem = fmt::format("DSCP {} ({}) -> priority {}", wanted.dscp, wanted.what,
                                   *found.begin())};
  }
  const std::optional<uint32_t> wanted_class =
      ClassOfPriority(*carrier.net_device, wanted.priority);
  if (!wanted_class) {
    return {.unknown = "ice maps DSCP to traffic classes, and its ETS table was not read"};
  }
  if (*found.begin() == *wanted_class) return {};
  return {.problem =
              fmt::format("DSCP {} ({}) -> class {}, but priority {} is in class {}", wanted.dscp,
                          wanted.what, *found.begin(), wanted.priority, *wanted_class)};
}

std::string AddCommand(const CarrierView& carrier, const DscpMap& map,
                       const std::vector<Wanted>& wanted) {
  const std::string& name = carrier.net_device->name();
  std::string remove, add;
  for (const Wanted& one : wanted) {
    uint32_t value = one.priority;
    if (DscpEntriesNameClasses(carrier)) {
      value = ClassOfPriority(*carrier.net_device, one.priority).value_or(one.priority);
    }
    const auto entry = map.find(one.dscp);
    if (entry != map.end() && entry->second == std::set{value}) continue;
    if (entry != map.end()) {
      for (const uint32_t wrong : entry->second) {
        if (wrong != value) remove += fmt::format(" {}:{}", one.dscp, wrong);
      }
    }
    if (entry == map.end() || !entry->second.contains(value)) {
      add += fmt::format(" {}:{}", one.dscp, value);
    }
  }
  std::string command;
  if (!remove.empty()) command = ShellCommand("dcb app del dev {} dscp-prio", name) + remove;
  if (!add.empty()) {
    if (!command.empty()) command += " && ";
    command += ShellCommand("dcb app add dev {} dscp-prio", name) + add;
  }
  return command;
}

// What the port trusts is told by a table of its own, not by its entries.
bool HasTrustTable(const CarrierView& carrier) {
  const v1::AppTrust& trust = carrier.net_device->dcb().app_trust();
  return IsOk(trust.reading()) && !trust.order().empty();
}

std::string TrustCommand(const CarrierView& carrier, std::string_view what) {
  return ShellCommand("dcb apptrust set dev {} order {}", carrier.net_device->name(), what);
}

// The policy wants the priority taken from the VLAN tag: all that can be wrong is the trust.
void JudgePcpTrust(const CarrierView& carrier, const v1::Subject& subject, v1::Evidence evidence,
                   Judge& judge) {
  switch (TrustOf(carrier)) {
    case Trust::kPcp:
      return judge.Pass();
    case Trust::kUnknown:
      judge
          .Unknown(subject, TrustsNothing(carrier)
                                ? "the port names nothing that it trusts, neither DSCP nor PCP"
                                : "this driver does not show what the port trusts")
          .Expected("trust PCP", "intent.trust")
          .RestsOn(std::move(evidence));
      return;
    case Trust::kDscp: {
      Draft& draft = judge.Fail(subject)
                         .Expected("trust PCP", "intent.trust")
                         .Actual("the port trusts DSCP")
                         .RestsOn(std::move(evidence));
      draft.goes_with_port = FirmwareRunsDcbx(*carrier.net_device);
      if (HasTrustTable(carrier)) {
        draft.MendedBy("Let the port trust PCP, also at boot.", TrustCommand(carrier, "pcp"),
                       false);
        return;
      }
      draft.MendedBy("Remove the DSCP entries; the port then trusts PCP.",
                     ShellCommand("dcb app flush dev {} dscp-prio", carrier.net_device->name()),
                     false);
    }
  }
}

v1::Evidence TrustEvidence(const HostView& host, const CarrierView& carrier) {
  const v1::AppTrust& trust = carrier.net_device->dcb().app_trust();
  return host.EvidenceAt(NetPath(carrier.net_device->id(), "dcb.app_trust.order"),
                         JoinWords(trust.order(), ", "), trust.reading());
}

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const std::vector<Wanted> wanted = WantedOf(host.intent());
  const bool wants_pcp = host.intent().trust() == "pcp";
  if (wanted.empty() && !wants_pcp) return judge.NotApplicable();
  const v1::AppTable& table = carrier.net_device->dcb().app();
  const v1::Reading reading = ReadingOf(carrier.net_device->dcb().has_app(), table);
  const DscpMap map = DscpMapOf(table);
  // Where the trust itself was read it decides, with or without the map.
  const Trust trust = TrustOf(carrier);
  const bool decides = wants_pcp ? trust != Trust::kUnknown : trust == Trust::kPcp;
  const std::string path = NetPath(carrier.net_device->id(), "dcb.app.entries");
  if (!IsOk(reading) && !decides) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading))
        .Expected(wants_pcp ? "trust PCP" : ExpectedText(wanted),
                  wants_pcp ? "intent.trust" : "intent.roce_dscp");
    return;
  }
  const auto evidence = [&] {
    if (decides && !IsOk(reading)) return TrustEvidence(host, carrier);
    return host.EvidenceAt(path, map.empty() ? "no DSCP entry" : "dscp " + TextOf(map), reading);
  };
  if (wants_pcp) return JudgePcpTrust(carrier, subject, evidence(), judge);

  std::vector<std::string> problems, unknowns;
  if (trust == Trust::kPcp) {
    problems.push_back("the port trusts PCP and does not look at DSCP");
  } else {
    for (const Wanted& one : wanted) {
      const Answer answer = AnswerFor(carrier, map, one);
      if (!answer.problem.empty()) problems.push_back(answer.problem);
      if (!answer.unknown.empty()) unknowns.push_back(answer.unknown);
    }
    if (TrustsNothing(carrier)) {
      unknowns.push_back("the port names nothing that it trusts, neither DSCP nor PCP");
    }
  }
  if (!problems.empty()) {
    Draft& draft = judge.Fail(subject)
                       .Expected(ExpectedText(wanted), wanted.front().policy_path)
                       .Actual(JoinWords(problems, "; "))
                       .RestsOn(evidence());
    draft.goes_with_port = FirmwareRunsDcbx(*carrier.net_device);
    if (trust == Trust::kPcp && HasTrustTable(carrier)) {
      draft.MendedBy("Let the port trust DSCP, also at boot; see that its DSCP map is right too.",
                     TrustCommand(carrier, "dscp"), false);
      return;
    }
    draft.MendedBy("Map the DSCP on the host, also at boot; the switch must do the same.",
                   AddCommand(carrier, map, wanted), false);
  } else if (!unknowns.empty()) {
    judge.Unknown(subject, JoinWords(unknowns, "; "))
        .Expected(ExpectedText(wanted), wanted.front().policy_path)
        .RestsOn(evidence());
  } else {
    judge.Pass();
  }
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

// Where the policy says nothing: what this host does with each DSCP, to be compared.
std::vector<Observation> Observe(const HostView& host) {
  std::vector<Observation> observations;
  if (!WantedOf(host.intent()).empty() || host.intent().trust() == "pcp") return observations;
  for (const CarrierView& carrier : host.carriers()) {
    const v1::AppTable& table = carrier.net_device->dcb().app();
    const v1::Reading reading = ReadingOf(carrier.net_device->dcb().has_app(), table);
    Observation observation{.subject = host.SubjectOfCarrier(carrier)};
    // Numbers of different drivers are not comparable.
    observation.group = "driver=" + carrier.net_device->driver().name();
    const std::string text = TextOf(DscpMapOf(table));
    if (IsOk(reading)) {
      observation.value = text.empty() ? "no DSCP entry" : "DSCP map " + text;
      if (carrier.net_device->driver().name().empty()) {
        observation.value.clear();
        observation.unknown = "whose numbers these are is not known: its driver was not read";
      }
    } else {
      observation.unknown = ReasonOf(reading);
    }
    observation.evidence =
        host.EvidenceAt(NetPath(carrier.net_device->id(), "dcb.app.entries"), text, reading);
    observations.push_back(std::move(observation));
  }
  return observations;
}

void JudgeFleet(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "the same DSCP map on all hosts",
                 "Map DSCP alike on all hosts, and write the map into the policy.", judge);
}

}  // namespace

Check QosDscpPriority() {
  return {
      .id = "qos.dscp-priority",
      .title = "DSCP leads to the RoCE priority",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A RoCE packet whose DSCP leads to another priority is not protected by PFC and waits "
          "behind bulk traffic; CNPs in the data queue come too late.",
      .how =
          "The APP table of every physical port below a RoCE port must map the policy's "
          "roce_dscp to roce_priority and cnp_dscp to cnp_priority. mlx5, ice and hns3 trust "
          "DSCP exactly while they hold DSCP entries; for ice an entry names a traffic class; "
          "for bnxt_en a missing entry is UNKNOWN. A port whose apptrust table puts PCP first "
          "fails whatever its entries are; one whose table is empty is UNKNOWN. Where the policy "
          "says nothing, hosts with "
          "the same driver are compared.",
      .fix = "dcb app add dev DEVICE dscp-prio DSCP:PRIORITY, made permanent by the site's means.",
      .sources = {"dcb IEEE_GET, APP table selector 5 (include/uapi/linux/dcbnl.h)",
                  "drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c",
                  "drivers/net/ethernet/intel/ice/ice_dcb_nl.c"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHost,
      .observe = Observe,
      .fleet = JudgeFleet,
  };
}

}  // namespace roceready::checks
