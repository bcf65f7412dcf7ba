// SPDX-License-Identifier: Apache-2.0
// What a check is: the words that explain it, how grave it is unless the policy says otherwise, and
// the pure functions that judge. One check, one file; all of them are listed in catalog.cc.
//
// A check judges at any of these widths, each one function of values:
//   host   one host's facts
//   pair   what two ports of one rail say about themselves (`observe`, then `pair` for each pair)
//   fleet  what many say about themselves (`observe`, then `fleet` for each group of observations)
//   probe  what was measured between two ports, by both ends
//   at_switch  one switch's configuration
//   link   a cable between a host and a switch whose configuration is known, from both ends
// `observe` is small and made once a host, so that one changed host costs one host's work.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/finding.pb.h"

namespace roceready::checks {

class HostView;     // host_view.h: one host's facts, joined
class Judge;        // judge.h: takes what a check says
struct ProbedPair;  // probe_view.h: a probe's result, seen from both ends
class SwitchView;   // switch/switch_view.h: one switch's configuration
struct HostLink;    // switch/host_link.h: a host's port and the switch port it is plugged into

// What one host says about one subject, kept for comparing.
struct Observation {
  v1::Subject subject;
  // What it may be compared with: a rail, a device model.
  std::string group;
  // Equal text means equal. Empty: not known, and `unknown` says why.
  std::string value;
  std::string unknown;
  v1::Evidence evidence;
};

// All observations of one group: value -> who says so. Unknown ones stand apart.
struct FleetGroup {
  std::string_view name;
  std::map<std::string_view, std::vector<const Observation*>> by_value;
  std::vector<const Observation*> unknown;
};

struct Check {
  // Stable words, "pfc.lossless-priority": never reused for something else.
  std::string_view id;
  std::string_view title;
  v1::Scope scope = v1::SCOPE_HOST;
  v1::Severity severity = v1::SEVERITY_BLOCKS;
  v1::OnUnknown on_unknown = v1::ON_UNKNOWN_NOTE;
  // Why it matters, how it is judged, how it is mended: whole sentences, for `explain`.
  std::string_view why;
  std::string_view how;
  std::string_view fix;
  // Where the facts come from and where the rule is written down.
  std::vector<std::string_view> sources;
  // Checks whose finding at the same port (at either end, for pairs and probes) explains one of
  // this check: it is then folded under that finding and is no root cause of its own.
  std::vector<std::string_view> explained_by;
  // What fails this is not there to be read: it also explains what is UNKNOWN of it. A wrong
  // setting does not: what is not known beside it is not known by itself.
  bool takes_readings_away = false;
  // What is judged was set on the host, and stays so while a port is down or a node cannot be
  // opened: what takes readings away explains only what is UNKNOWN of it, never a wrong value.
  bool is_setting = false;

  void (*host)(const HostView& host, Judge& judge) = nullptr;
  std::vector<Observation> (*observe)(const HostView& host) = nullptr;
  void (*pair)(const Observation& a, const Observation& b, Judge& judge) = nullptr;
  void (*fleet)(const FleetGroup& group, Judge& judge) = nullptr;
  void (*probe)(const ProbedPair& pair, Judge& judge) = nullptr;
  void (*at_switch)(const SwitchView& view, Judge& judge) = nullptr;
  void (*link)(const HostLink& link, Judge& judge) = nullptr;
};

// All checks, in the order of the checklist: causes before what follows from them.
const std::vector<Check>& Catalog();

// The check with this id, or nullptr.
const Check* FindCheck(std::string_view id);

}  // namespace roceready::checks
