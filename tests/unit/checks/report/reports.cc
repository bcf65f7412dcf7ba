// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/report/reports.h"

#include "tests/unit/checks/audit.h"

namespace roceready::report {

using builders::EndOf, builders::ProbeBuilder;
using checks::AuditOf, checks::HealthyLab;

v1::AuditReport SickReport() {
  AuditOf audit = HealthyLab();
  audit.host(1).WithPfc({}).WithMtu(1500, 1024);
  audit.input(1).fact_ages = {{"net_devices/pci:0000:30:00.0/0/dcb", std::chrono::seconds(4)}};
  audit.host(2).net().mutable_ethernet()->set_speed_mbps(25'000);
  audit.With({.host = "gpu9",
              .state = v1::HOST_STATE_MISSING,
              .state_reason = "not heard for 2 h 14 min, agent 0.4.1"});
  ProbeBuilder probe(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  probe.DropsFromAToB();
  audit.Probed(probe);
  return audit.Report();
}

v1::AuditReport HealthyReport() {
  AuditOf audit = HealthyLab();
  ProbeBuilder first(EndOf(audit.host(0).facts()), EndOf(audit.host(1).facts()));
  ProbeBuilder second(EndOf(audit.host(1).facts()), EndOf(audit.host(2).facts()));
  ProbeBuilder third(EndOf(audit.host(2).facts()), EndOf(audit.host(0).facts()));
  return audit.Probed(first).Probed(second).Probed(third).Report();
}

}  // namespace roceready::report
