// SPDX-License-Identifier: Apache-2.0
// Reports as people and programs read them; one renderer for agent, client and controller. Pure.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/struct.pb.h>

#include <string>
#include <string_view>

#include "checks/check.h"
#include "roceready/v1/finding.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {
struct EffectivePolicy;  // checks/policy/effective_policy.h
}

namespace roceready::report {

struct TableOptions {
  bool color = false;
  // Not less than 40.
  size_t width = 80;
  // Said at the right of the first line, such as "41 s"; may be empty.
  std::string took;
  // Said last, for asking about this audit again; may be empty.
  std::string audit_id;
  // Of the root causes only those that rest on probes, or explain what does; the others keep their
  // numbers and are counted.
  bool only_probes = false;
};

// One block a root cause, worst first, then what was seen and what was not. Every UNKNOWN is in it.
std::string RenderTable(const v1::AuditReport& report, const TableOptions& options = {});

// Whether a finding says what probes showed.
bool RestsOnProbes(const v1::Finding& finding);

// What each switch is set to: its ports, PFC, and where the DSCPs that matter lead.
std::string RenderSwitches(const google::protobuf::RepeatedPtrField<v1::SwitchSummary>& summaries,
                           const TableOptions& options = {});

// The message as JSON, names as in the .proto; ends with a line feed.
std::string RenderJson(const v1::AuditReport& report);

// XML as CI systems read it: a testsuite for each host, pair and switch, and one for the fleet, in
// it a testcase for each finding (FAIL: failure, UNKNOWN: error, NOT_APPLICABLE or waived:
// skipped); checks without a finding are the testsuite "checklist". `unfinished`: why the audit did
// not end.
std::string RenderJunit(const v1::AuditReport& report, std::string_view unfinished = {});
// The same where there is no report.
std::string RenderJunitError(std::string_view message);

// The status that a monitoring plugin ends with.
enum class NagiosState { kOk = 0, kWarning = 1, kCritical = 2, kUnknown = 3 };

struct NagiosOptions {
  // Advice alone makes a WARNING too.
  bool advice_warns = false;
  // Why the audit did not end; what it found by then is UNKNOWN as a whole.
  std::string unfinished;
};

// READY: OK, or WARNING where something degrades; NOT READY: CRITICAL.
NagiosState NagiosStateOf(const v1::Verdict& verdict, const NagiosOptions& options = {});
// One line: "ROCEREADY CRITICAL - ... | blocking=3;;0;0 ...".
std::string RenderNagios(const v1::AuditReport& report, const NagiosOptions& options = {});
std::string RenderNagiosError(std::string_view message);

// The checklist, and one check with why, how and fix.
std::string RenderChecks(bool color = false);
// The checklist as a policy sees it where no override for a host says otherwise: its severities,
// what must be known, what is off, and the site's own checks. As a message: the rows of ListChecks
// with `enabled` and, where the policy names the check, `policy_source`.
std::string RenderChecks(const EffectivePolicy& policy, bool color = false);
google::protobuf::Struct ChecksAsMessage(const EffectivePolicy& policy);
std::string RenderExplain(const checks::Check& check, bool color = false);

v1::CheckInfo InfoOf(const checks::Check& check);
v1::ListChecksResponse AllChecks();

// kNotFound, naming the checks with a similar id.
absl::Status UnknownCheck(std::string_view check_id);

// "READY", "NOT READY", "UNDETERMINED".
std::string_view WordOf(v1::Readiness readiness);

}  // namespace roceready::report
