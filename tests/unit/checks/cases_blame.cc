// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases_blame.h"

#include "tests/support/builders/probe_faults.h"

namespace roceready::checks {

using builders::kLargeBytes;

// What all pairs of host2 have in common, and the third pair has not; or what one pair has alone.
std::vector<Case> BlameCases() {
  return {
      {"blame.no-traffic",
       "packets to host2 are dropped, whoever sends them",
       [](FullFleet& fleet) {
         builders::DropFrom(fleet.probes[0], v1::PROBE_SIDE_A);
         builders::DropFrom(fleet.probes[1], v1::PROBE_SIDE_B);
       },
       {"FAIL blame.no-traffic host2"},
       {"FAIL probe.write host1>host2 <- blame.no-traffic",
        "FAIL probe.write host2>host1 <- probe.write", "FAIL probe.read host1>host2 <- probe.write",
        "FAIL probe.read host2>host1 <- probe.write",
        "FAIL probe.write host3>host2 <- blame.no-traffic",
        "FAIL probe.write host2>host3 <- probe.write", "FAIL probe.read host3>host2 <- probe.write",
        "FAIL probe.read host2>host3 <- probe.write",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery",
        "UNKNOWN probe.delivery host3>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host3>host2 <- probe.delivery"}},
      {"blame.large-only",
       "large packets do not reach host2, whoever sends them",
       [](FullFleet& fleet) {
         builders::SwallowLargeFrom(fleet.probes[0], v1::PROBE_SIDE_A);
         builders::SwallowLargeFrom(fleet.probes[1], v1::PROBE_SIDE_B);
       },
       {"FAIL blame.large-only host2"},
       {"FAIL probe.large-only host1>host2 <- blame.large-only",
        "FAIL probe.write host1>host2 <- probe.large-only",
        "FAIL probe.read host2>host1 <- probe.large-only",
        "FAIL probe.large-only host3>host2 <- blame.large-only",
        "FAIL probe.write host3>host2 <- probe.large-only",
        "FAIL probe.read host2>host3 <- probe.large-only",
        "UNKNOWN probe.delivery host1>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host1>host2 <- probe.delivery",
        "UNKNOWN probe.delivery host3>host2 <- probe.write",
        "UNKNOWN probe.flow-loss host3>host2 <- probe.delivery"}},
      {"blame.loss",
       "so many packets to host2 are lost that large transfers are given up",
       [](FullFleet& fleet) {
         fleet.probes[1].Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_B, kLargeBytes,
                                {.sent = 1700, .received = 100, .repeats = 80},
                                {.sent = 100, .received = 1650, .gaps = 80});
         fleet.probes[0].Fails(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                               {.sent = 160, .repeats = 7},
                               {.received = 150, .gaps = 8, .duplicates = 20});
       },
       {"FAIL blame.loss host2"},
       {"FAIL probe.loss host1>host2 <- blame.loss", "FAIL probe.loss host3>host2 <- blame.loss",
        "FAIL probe.write host1>host2 <- probe.loss"}},
      {"probe.bandwidth",
       "between two hosts 7 % of what the links give",
       [](FullFleet& fleet) {
         fleet.probes[0].Measures(7e9);
         for (size_t other : {1, 2}) fleet.probes[other].Measures(95e9);
       },
       {"FAIL probe.bandwidth host1>host2"},
       {"FAIL probe.bandwidth host2>host1 <- probe.bandwidth"},
       builders::Nic::kMlx5},
      {"blame.slow",
       "both pairs of host2 carry 7 % of what the links give",
       [](FullFleet& fleet) {
         for (size_t slow : {0, 1}) fleet.probes[slow].Measures(7e9);
         fleet.probes[2].Measures(95e9);
       },
       {"FAIL blame.slow host2"},
       {"FAIL probe.bandwidth host1>host2 <- blame.slow",
        "FAIL probe.bandwidth host2>host1 <- probe.bandwidth",
        "FAIL probe.bandwidth host2>host3 <- blame.slow",
        "FAIL probe.bandwidth host3>host2 <- probe.bandwidth"},
       builders::Nic::kMlx5},
  };
}

}  // namespace roceready::checks
