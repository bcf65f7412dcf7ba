// SPDX-License-Identifier: Apache-2.0
// The page /metrics: gathered on the event loop, from what its parts count where it happens, and
// made into text elsewhere.
#pragma once

#include <string>

#include "checks/policy/policy_set.h"
#include "controller/api/fleet_api.h"
#include "controller/policies.h"
#include "controller/probing/prober.h"
#include "controller/status/families.h"
#include "controller/status/health.h"
#include "controller/status/loop_watch.h"

namespace roceready::status {

// Most label values of each kind that others choose; what is left of them is "other".
inline constexpr std::size_t kMaxVersions = 20;
inline constexpr std::size_t kMaxChecks = 300;

// Prometheus' own text format, https://prometheus.io/docs/instrumenting/exposition_formats/
inline constexpr char kMetricsContentType[] = "text/plain; version=0.0.4; charset=utf-8";

// Not owned; all outlive the pages.
struct Sources {
  const EventLoop* loop = nullptr;
  const LoopWatch* watch = nullptr;
  const Fleet* fleet = nullptr;
  const SwitchBook* switches = nullptr;
  const Prober* prober = nullptr;
  const AuditBook* audits = nullptr;
  const FleetApi* api = nullptr;
  const PolicySet* policies = nullptr;
  const controller::PolicyLoads* loads = nullptr;
  Version version;
};

// --- on the loop, each a part of Gather ---
Families Gather(const Sources& sources, const std::vector<Condition>& conditions);
void AddFleet(const Sources& sources, Families* families);
void AddAudits(const AuditBook& audits, const Fleet& fleet, Families* families);
void AddProbes(const Prober& prober, Families* families);
void AddVerdicts(const VerdictCounters& verdicts, Families* families);
// Of one audit's verdict: the findings by check.
void AddFindings(const v1::Verdict& verdict, Families* families);

// --- on any thread ---
// Of this process, by /proc under `root`; what cannot be read is left out.
void AddProcess(const std::string& root, WallTime started, Families* families);
std::string TextOf(const Families& families);

}  // namespace roceready::status
