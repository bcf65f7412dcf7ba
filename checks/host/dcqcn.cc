// SPDX-License-Identifier: Apache-2.0
// ecn.dcqcn-enabled and ecn.dcqcn-parameters: congestion control on the NIC as the policy wants it.
#include <algorithm>
#include <array>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Whether one end of DCQCN works on the RoCE priority.
struct PointState {
  std::string_view name;
  std::string_view field;
  const v1::PriorityMask* mask = nullptr;
  v1::Reading reading;

  bool IsRead() const { return IsOk(reading); }
  bool IsOn(const v1::FabricIntent& intent) const {
    const auto& on = mask->enabled_priorities();
    if (!intent.has_roce_priority()) return !on.empty();
    return std::ranges::find(on, intent.roce_priority()) != on.end();
  }
};

std::array<PointState, 2> PointsOf(const v1::CongestionControl& congestion,
                                   const v1::Reading& group) {
  // Where the group itself was not answered, its reading says more than those inside.
  const auto reading = [&](bool present, const v1::PriorityMask& mask) {
    return IsOk(group) || present ? ReadingOf(present, mask) : group;
  };
  return {
      PointState{"notification point (NP)", "congestion.notification_point",
                 &congestion.notification_point(),
                 reading(congestion.has_notification_point(), congestion.notification_point())},
      PointState{"reaction point (RP)", "congestion.reaction_point", &congestion.reaction_point(),
                 reading(congestion.has_reaction_point(), congestion.reaction_point())}};
}

std::string OfPriority(const v1::FabricIntent& intent) {
  return intent.has_roce_priority() ? fmt::format(" on priority {}", intent.roce_priority()) : "";
}

void MendPoints(const PortView& port, const v1::FabricIntent& intent, bool want, Draft& draft) {
  if (port.family != NicFamily::kMlx5 || port.net_device == nullptr ||
      !intent.has_roce_priority()) {
    draft.MendedBy(fmt::format("Switch DCQCN {} by the vendor's tool.", want ? "on" : "off"));
    return;
  }
  // Paths of the vendor's driver (en_ecn.c): mainline has no switch for it.
  draft.MendedBy(
      fmt::format("Switch NP and RP {}, also at boot.", want ? "on" : "off"),
      ShellCommand("for p in np rp; do echo {} > /sys/class/net/{}/ecn/roce_$p/enable/{}; done",
                   want ? 1 : 0, port.net_device->name(), intent.roce_priority()),
      false);
}

void JudgeEnabled(const HostView& host, const PortView& port, Judge& judge) {
  const v1::FabricIntent& intent = host.intent();
  const bool want = intent.congestion_control() == "dcqcn";
  const v1::CongestionControl& congestion = port.port->congestion();
  const v1::Reading group = ReadingOf(port.port->has_congestion(), congestion);
  const v1::Subject subject = host.SubjectOfPort(port);
  const std::string expected = fmt::format("DCQCN {}{}", want ? "on" : "off", OfPriority(intent));
  std::vector<std::string> wrong, unread;
  std::vector<v1::Evidence> wrong_evidence, unread_evidence;
  for (const PointState& point : PointsOf(congestion, group)) {
    const std::string path = PortPath(port.device->id(), port.port->number(), point.field);
    if (!point.IsRead()) {
      unread.push_back(fmt::format("{}", point.name));
      unread_evidence.push_back(host.EvidenceAt(path, {}, point.reading));
    } else if (point.IsOn(intent) != want) {
      wrong.push_back(fmt::format("{} is {}", point.name, want ? "off" : "on"));
      const auto& on = point.mask->enabled_priorities();
      wrong_evidence.push_back(
          host.EvidenceAt(path, on.empty() ? "none" : JoinWords(on, ", "), point.reading));
    }
  }
  if (!wrong.empty()) {
    Draft& draft = judge.Fail(subject)
                       .Expected(expected, "intent.congestion_control")
                       .Actual(JoinWords(wrong) + OfPriority(intent));
    for (v1::Evidence& evidence : wrong_evidence) draft.RestsOn(std::move(evidence));
    MendPoints(port, intent, want, draft);
    return;
  }
  if (unread.empty()) return judge.Pass();
  Draft& draft = judge.Unknown(subject, ReasonOf(unread_evidence.front().reading()))
                     .Expected(expected, "intent.congestion_control");
  for (v1::Evidence& evidence : unread_evidence) draft.RestsOn(std::move(evidence));
}

void JudgeHostEnabled(const HostView& host, Judge& judge) {
  const std::string& wanted = host.intent().congestion_control();
  for (const PortView& port : host.ports()) {
    if (wanted == "dcqcn" || wanted == "none") {
      JudgeEnabled(host, port, judge);
    } else {
      // Not said, or "nic": whatever the NIC's firmware chooses.
      judge.NotApplicable();
    }
  }
}

// The same parameter in mainline's debugfs and in the vendor's sysfs (mlx5 cong.c, en_ecn.c).
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"rp_clamp_tgt_rate", "clamp_tgt_rate"},
    {"rp_clamp_tgt_rate_ati", "clamp_tgt_rate_after_time_inc"},
    {"rp_time_reset", "rpg_time_reset"},
    {"rp_byte_reset", "rpg_byte_reset"},
    {"rp_threshold", "rpg_threshold"},
    {"rp_ai_rate", "rpg_ai_rate"},
    {"rp_max_rate", "rpg_max_rate"},
    {"rp_hai_rate", "rpg_hai_rate"},
    {"rp_min_dec_fac", "rpg_min_dec_fac"},
    {"rp_min_rate", "rpg_min_rate"},
    {"rp_rate_to_set_on_first_cnp", "rate_to_set_on_first_cnp"},
    {"rp_dce_tcp_g", "dce_tcp_g"},
    {"rp_dce_tcp_rtt", "dce_tcp_rtt"},
    {"rp_rate_reduce_monitor_period", "rate_reduce_monitor_period"},
    {"rp_initial_alpha_value", "initial_alpha_value"},
    {"rp_gd", "rpg_gd"},
    {"np_min_time_between_cnps", "min_time_between_cnps"},
    {"np_cnp_dscp", "cnp_dscp"},
    {"np_cnp_prio", "cnp_802p_prio"},
};

std::string_view CommonName(std::string_view name) {
  for (const auto& [mainline, vendor] : kAliases) {
    if (name == vendor) return mainline;
  }
  return name;
}

struct WantedParameter {
  std::string name;
  uint64_t value = 0;
  std::optional<uint64_t> actual;
};

std::vector<WantedParameter> WantedParameters(const v1::FabricIntent& intent,
                                              const v1::CongestionParameters& found) {
  std::vector<WantedParameter> wanted;
  const auto optional = [](bool present, uint32_t value) {
    return present ? std::optional<uint64_t>(value) : std::nullopt;
  };
  if (intent.has_cnp_dscp()) {
    wanted.push_back(
        {"CNP DSCP", intent.cnp_dscp(), optional(found.has_cnp_dscp(), found.cnp_dscp())});
  }
  if (intent.has_cnp_priority()) {
    wanted.push_back({"CNP priority", intent.cnp_priority(),
                      optional(found.has_cnp_priority(), found.cnp_priority())});
  }
  for (const v1::CongestionParameter& parameter : intent.congestion_parameters()) {
    WantedParameter one{parameter.name(), parameter.value(), std::nullopt};
    for (const v1::CongestionParameter& raw : found.raw()) {
      if (CommonName(raw.name()) == CommonName(parameter.name())) one.actual = raw.value();
    }
    wanted.push_back(std::move(one));
  }
  return wanted;
}

void JudgeParameters(const HostView& host, const PortView& port, Judge& judge) {
  const v1::CongestionControl& congestion = port.port->congestion();
  const v1::CongestionParameters& found = congestion.parameters();
  const std::vector<WantedParameter> wanted = WantedParameters(host.intent(), found);
  if (wanted.empty() || host.intent().congestion_control() == "none") {
    return judge.NotApplicable();
  }
  const v1::Subject subject = host.SubjectOfPort(port);
  const v1::Reading group = ReadingOf(port.port->has_congestion(), congestion);
  const v1::Reading reading = IsOk(group) || congestion.has_parameters()
                                  ? ReadingOf(congestion.has_parameters(), found)
                                  : group;
  const std::string path =
      PortPath(port.device->id(), port.port->number(), "congestion.parameters");
  std::vector<std::string> expected, wrong, absent;
  for (const WantedParameter& one : wanted) {
    expected.push_back(fmt::format("{} {}", one.name, one.value));
    if (!one.actual) {
      absent.push_back(one.name);
    } else if (*one.actual != one.value) {
      wrong.push_back(fmt::format("{} {}", one.name, *one.actual));
    }
  }
  const std::string_view policy_path = host.intent().congestion_parameters().empty()
                                           ? "intent.cnp_dscp"
                                           : "intent.congestion_parameters";
  if (!IsOk(reading)) {
    judge.Unread(subject, host.EvidenceAt(path, {}, reading))
        .Expected(JoinWords(expected, ", "), policy_path);
  } else if (!wrong.empty()) {
    judge.Fail(subject)
        .Expected(JoinWords(expected, ", "), policy_path)
        .Actual(JoinWords(wrong, ", "))
        .RestsOn(host.EvidenceAt(path, JoinWords(wrong, ", "), reading))
        .MendedBy("Set the parameters by the vendor's tool or its sysfs files, also at boot.");
  } else if (!absent.empty()) {
    judge.Unknown(subject, fmt::format("the answer holds no {}", JoinWords(absent, " or ")))
        .Expected(JoinWords(expected, ", "), policy_path)
        .RestsOn(host.EvidenceAt(path, {}, reading));
  } else {
    judge.Pass();
  }
}

void JudgeHostParameters(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) JudgeParameters(host, port, judge);
}

}  // namespace

Check EcnDcqcnEnabled() {
  return {
      .id = "ecn.dcqcn-enabled",
      .title = "DCQCN is as the fabric wants it",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A receiver that does not answer marked packets with CNPs, or a sender that ignores "
          "CNPs, leaves pause as the only brake: pause then spreads over the fabric.",
      .how =
          "With congestion_control: dcqcn both ends of DCQCN (NP and RP) must be on for the "
          "RoCE priority; with none, off; with nic it is not judged. Mainline drivers show "
          "neither: then it is UNKNOWN.",
      .fix = "Switch NP and RP on for the RoCE priority by the vendor's means.",
      .sources = {"/sys/class/net/DEVICE/ecn/roce_np and roce_rp (vendor driver of mlx5)",
                  "debugfs bnxt_re cc_config"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHostEnabled,
  };
}

Check EcnDcqcnParameters() {
  return {
      .id = "ecn.dcqcn-parameters",
      .title = "DCQCN parameters are the fabric's",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Hosts with other parameters take more or less than their share, and CNPs with "
          "another DSCP wait in the queue that they should relieve.",
      .how =
          "cnp_dscp, cnp_priority and each of the policy's congestion_parameters are compared "
          "with what the driver shows; names of mainline and of the vendor's driver are the "
          "same thing. Values are raw, in the driver's unit.",
      .fix = "Set them by the vendor's tool, also at boot.",
      .sources = {"debugfs mlx5/BDF/cc_params", "/sys/class/net/DEVICE/ecn (vendor driver)",
                  "drivers/infiniband/hw/mlx5/cong.c"},
      .explained_by = {"device.rdma-present", "port.active"},
      .is_setting = true,
      .host = JudgeHostParameters,
  };
}

}  // namespace roceready::checks
