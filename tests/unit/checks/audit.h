// SPDX-License-Identifier: Apache-2.0
// An audit in three words: the hosts, what was probed, and what it says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checks/evaluate.h"
#include "tests/support/builders/facts_builder.h"
#include "tests/support/builders/probe_builder.h"
#include "tests/support/builders/switch_builder.h"

namespace roceready::checks {

// 2026-03-01 12:00:00 UTC.
inline const WallTime kNow = WallTime(std::chrono::seconds(1'772'366'400));

class AuditOf {
 public:
  explicit AuditOf(std::vector<builders::HostBuilder> hosts);

  EffectivePolicy policy = builders::HealthyPolicy();
  std::vector<builders::HostBuilder> hosts;
  FleetInput fleet;
  std::vector<builders::SwitchBuilder> switches;

  builders::HostBuilder& host(size_t index = 0) { return hosts[index]; }
  // The input of a host, to be changed before Report().
  HostInput& input(size_t index) { return inputs_[index]; }
  AuditOf& Probed(builders::ProbeBuilder& probe);
  AuditOf& With(HostInput input);

  v1::AuditReport Report();

 private:
  std::vector<HostInput> inputs_;
};

// Three lab hosts that are all right.
AuditOf HealthyLab(int rails = 1);

// "FAIL check host" or "UNKNOWN check host>peer" of each finding that is a root cause and, unless
// asked for, not one of the UNKNOWNs that any lab host has (no congestion control on Soft-RoCE).
std::vector<std::string> RootsOf(const v1::AuditReport& report);
// The same for findings that follow from others, with " <- check" of the cause.
std::vector<std::string> FoldedOf(const v1::AuditReport& report);

// The only finding of a check; fails the test if there is none or more.
const v1::Finding& Only(const v1::AuditReport& report, std::string_view check_id);
const v1::Finding* Find(const v1::AuditReport& report, std::string_view check_id);
v1::CheckTally TallyOf(const v1::AuditReport& report, std::string_view check_id);

}  // namespace roceready::checks
