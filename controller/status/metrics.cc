// SPDX-License-Identifier: Apache-2.0
#include "controller/status/metrics.h"

#include <prometheus/text_serializer.h>

#include "proto/process/build_info.h"

namespace roceready::status {
namespace {

void AddController(const Sources& sources, const std::vector<Condition>& conditions,
                   Families* families) {
  Family::Gauge("roceready_build_info", "Always 1; its label says which software this is.")
      .Add(1, {{"version", std::string(SoftwareVersion())}})
      .AppendTo(families);
  Family::Gauge("roceready_controller_epoch", "Raised by one at each start of the controller.")
      .Add(static_cast<double>(sources.version.epoch))
      .AppendTo(families);
  Family::Gauge("roceready_controller_start_time_seconds", "When this controller started.")
      .Add(Seconds(sources.version.started))
      .AppendTo(families);
  Family::Gauge("roceready_ready", "1 where /readyz says ready; /readyz says why it is not.")
      .Add(AllHold(conditions) ? 1 : 0)
      .AppendTo(families);
  Family ready =
      Family::Gauge("roceready_ready_condition", "The conditions of /readyz, 1 where it holds.");
  for (const Condition& condition : conditions) {
    ready.Add(condition.ok ? 1 : 0, {{"condition", condition.name}});
  }
  ready.AppendTo(families);
}

void AddPolicies(const Sources& sources, Families* families) {
  Family::Gauge("roceready_policies", "Policies in force.")
      .Add(static_cast<double>(sources.policies->Names().size()))
      .AppendTo(families);
  Family::Gauge("roceready_policy_load_success_time_seconds",
                "When the policies that are in force were read.")
      .Add(Seconds(sources.loads->last_success))
      .AppendTo(families);
  Family::Gauge("roceready_policy_load_ok",
                "1 where the policy folder could be loaded the last time that was tried.")
      .Add(sources.loads->failing ? 0 : 1)
      .AppendTo(families);
  Family::Counter("roceready_policy_load_failures_total",
                  "Times that the policy folder could not be loaded.")
      .Add(static_cast<double>(sources.loads->failures))
      .AppendTo(families);
}

void AddLoop(const Sources& sources, Families* families) {
  Family::Gauge("roceready_event_loop_tasks_waiting", "Tasks that wait for the event loop.")
      .Add(static_cast<double>(sources.loop->waiting()))
      .AppendTo(families);
  Family::Gauge("roceready_event_loop_tasks_max",
                "So many tasks may wait; what comes then is refused.")
      .Add(static_cast<double>(sources.loop->capacity()))
      .AppendTo(families);
  Family::Histogram("roceready_event_loop_delay_seconds",
                    "How long a task waited for the event loop, looked at once a second.")
      .Add(sources.watch->delays())
      .AppendTo(families);
}

}  // namespace

Families Gather(const Sources& sources, const std::vector<Condition>& conditions) {
  Families families;
  AddController(sources, conditions, &families);
  AddFleet(sources, &families);
  AddAudits(*sources.audits, *sources.fleet, &families);
  AddProbes(*sources.prober, &families);
  AddVerdicts(sources.api->verdict_counters(), &families);
  AddPolicies(sources, &families);
  AddLoop(sources, &families);
  return families;
}

std::string TextOf(const Families& families) {
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace roceready::status
