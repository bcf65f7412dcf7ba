// SPDX-License-Identifier: Apache-2.0
// switch.headroom: the lossless priority group has room for what is under way when PFC was sent.
#include <charconv>

#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {
namespace {

// What SONiC writes into the name of a profile that it computed: "pg_lossless_100000_40m_profile".
struct ComputedFor {
  uint32_t speed_mbps = 0;
  uint32_t metres = 0;
};

std::optional<ComputedFor> ComputedForOf(std::string_view name) {
  constexpr std::string_view kLead = "pg_lossless_";
  if (!name.starts_with(kLead)) return std::nullopt;
  name.remove_prefix(kLead.size());
  ComputedFor computed;
  const char* end = name.end();
  const auto speed = std::from_chars(name.begin(), end, computed.speed_mbps);
  if (speed.ec != std::errc() || speed.ptr == end || *speed.ptr != '_') return std::nullopt;
  const auto metres = std::from_chars(speed.ptr + 1, end, computed.metres);
  if (metres.ec != std::errc() || metres.ptr == end || *metres.ptr != 'm') return std::nullopt;
  return computed;
}

class PortJudgement {
 public:
  PortJudgement(const SwitchView& view, const v1::SwitchPort& port, uint32_t group, Judge& judge)
      : view_(view), port_(port), group_(group), judge_(judge) {}

  void Run() {
    const v1::SwitchPriorityGroup* row = FindPriorityGroup(port_, group_);
    if (row == nullptr || !row->has_buffer_profile()) return JudgeComputed(row);
    const v1::SwitchBufferProfile* profile = view_.FindBufferProfile(row->buffer_profile());
    v1::Evidence evidence = view_.EvidenceAt(SwitchPortPath(port_, "priority_groups"),
                                             row->buffer_profile(), row->reading());
    if (profile == nullptr) {
      // Computed profiles may be left out of a saved configuration.
      judge_
          .Unknown(
              view_.SubjectOf(port_),
              fmt::format("buffer profile {} is not in the configuration", row->buffer_profile()))
          .Expected(Expected())
          .RestsOn(std::move(evidence));
      return;
    }
    if (const v1::Reading reading = ReadingOf(true, *profile); !IsOk(reading)) {
      judge_
          .Unread(view_.SubjectOf(port_),
                  view_.EvidenceAt(fmt::format("buffer_profiles[{}].xoff_bytes", profile->name()),
                                   {}, reading))
          .Expected(Expected());
      return;
    }
    if (profile->xoff_bytes() == 0) {
      return Fail(fmt::format("buffer profile {} of priority group {} has no headroom",
                              profile->name(), group_),
                  std::move(evidence));
    }
    const auto computed = ComputedForOf(profile->name());
    if (computed && port_.has_speed_mbps() && computed->speed_mbps != port_.speed_mbps()) {
      return Fail(
          fmt::format("the headroom is for {} Gb/s, the port has {} ({})",
                      computed->speed_mbps / 1000, port_.speed_mbps() / 1000, profile->name()),
          std::move(evidence));
    }
    const auto& cable = port_.cable_length();
    if (computed && cable.has_metres() && computed->metres < cable.metres()) {
      return Fail(fmt::format("the headroom is for {} m, the cable has {} m ({})", computed->metres,
                              cable.metres(), profile->name()),
                  std::move(evidence));
    }
    judge_.Pass();
  }

 private:
  std::string Expected() const {
    return fmt::format("headroom (xoff) for priority group {}", group_);
  }

  void Fail(std::string actual, v1::Evidence evidence) {
    Draft& draft = judge_.Fail(view_.SubjectOf(port_))
                       .Expected(Expected())
                       .Actual(std::move(actual))
                       .RestsOn(std::move(evidence));
    MendedOnSwitch(draft, view_,
                   "Give the port its cable length, from which the switch computes headroom.",
                   ShellCommand("config interface cable-length {} <METRES>m", port_.name()));
  }

  // No profile in the configuration: the switch computes one from the cable's length, if told.
  void JudgeComputed(const v1::SwitchPriorityGroup* row) {
    const v1::CableLength& cable = port_.cable_length();
    const bool has_length = cable.has_metres() && cable.metres() > 0;
    v1::Evidence evidence =
        view_.EvidenceAt(SwitchPortPath(port_, "cable_length.metres"),
                         cable.has_metres() ? std::to_string(cable.metres()) : "none",
                         cable.has_reading() ? cable.reading()
                         : row != nullptr    ? row->reading()
                                             : port_.reading());
    const bool is_settled = !port_.has_cable_length() || IsOk(ReadingOf(true, cable));
    if (!has_length && is_settled && view_.facts().complete()) {
      return Fail(fmt::format("priority group {} has no buffer profile, and the port no cable "
                              "length to compute one from",
                              group_),
                  std::move(evidence));
    }
    judge_
        .Unknown(view_.SubjectOf(port_),
                 fmt::format("the headroom of priority group {} is computed on the switch, and not "
                             "in the configuration",
                             group_))
        .Expected(Expected())
        .RestsOn(std::move(evidence));
  }

  const SwitchView& view_;
  const v1::SwitchPort& port_;
  const uint32_t group_;
  Judge& judge_;
};

void JudgeHeadroom(const SwitchView& view, Judge& judge) {
  const auto packet = RoceClass(view.intent());
  for (const v1::SwitchPort* port : view.ports()) {
    const Chain chain = packet ? ChainOf(view, *port, *packet) : Chain();
    // Where RoCE is not in a lossless class, that is the finding.
    if (!chain.priority_group || !chain.lossless.value_or(false)) {
      judge.NotApplicable();
      continue;
    }
    PortJudgement(view, *port, *chain.priority_group, judge).Run();
  }
}

}  // namespace

Check SwitchHeadroom() {
  return {
      .id = "switch.headroom",
      .title = "The lossless class has headroom",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "When a port sends PFC, what is on the cable and in the peer still arrives. Without room "
          "for it a lossless class loses packets all the same: after a breakout or a speed change "
          "ports are often left with none, or with that of another speed.",
      .how =
          "Where RoCE data is in a lossless class, its priority group must have a buffer profile "
          "with xoff above 0; a profile that names its speed and cable length must be for those "
          "of the port. Without a profile the switch computes one from the cable length, which is "
          "UNKNOWN; without that either, it is a FAIL.",
      .fix = "config interface cable-length PORT METRESm; config save",
      .sources = {"SONiC CONFIG_DB BUFFER_PG, BUFFER_PROFILE, CABLE_LENGTH (sonic-yang-models)",
                  "sonic-swss cfgmgr/buffermgr.cpp"},
      .explained_by = {"switch.pfc-lossless", "switch.roce-class"},
      .at_switch = JudgeHeadroom,
  };
}

}  // namespace roceready::checks
