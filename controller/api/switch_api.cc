// SPDX-License-Identifier: Apache-2.0
// The part of the API about switches.
#include "controller/api/fleet_api.h"
#include "controller/api/paging.h"
#include "controller/api/require.h"
#include "controller/fleet/switch_book.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

v1::Switch SwitchRowOf(const ImportedSwitch& one, MonotonicTime now) {
  v1::Switch row;
  row.set_name(one.facts->name());
  row.set_hardware(one.facts->identity().hardware());
  row.set_ports(static_cast<std::uint32_t>(one.facts->ports_size()));
  *row.mutable_age() = ToProto(now - one.imported_at);
  row.set_imported_by(one.imported_by);
  row.set_source(one.facts->reading().locator());
  return row;
}

}  // namespace

absl::StatusOr<FleetApi::KeptSwitches> FleetApi::KeepSwitches(
    const Caller& caller, const v1::ImportSwitchesRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kOperator));
  if (request.switches().empty()) return InvalidArgument("switches: none is given");
  KeptSwitches kept;
  ASSIGN_OR_RETURN(kept.policy, FindPolicy(request.policy()));
  if (imports_being_judged_ >= kMaxImportsAtOnce) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     fmt::format("{} imports of switches are being judged: try again later",
                                 imports_being_judged_));
  }
  RETURN_IF_ERROR(tools_.switches->Put({request.switches().begin(), request.switches().end()},
                                       caller.name, tools_.clock->Now()));
  for (const v1::SwitchFacts& facts : request.switches()) {
    kept.switches.push_back(
        {tools_.switches->switches().at(facts.name()).facts, checks::Age::zero()});
  }
  return kept;
}

void FleetApi::ImportSwitches(const Caller& caller, const v1::ImportSwitchesRequest& request,
                              ImportDone done) {
  absl::StatusOr<KeptSwitches> kept = KeepSwitches(caller, request);
  if (!kept.ok()) return done(kept.status());
  ++imports_being_judged_;
  std::vector<std::string> names;
  for (const checks::KnownSwitch& one : kept->switches) names.push_back(one.facts->name());
  tools_.switch_archive->Keep(names,
                              [this, kept = *std::move(kept), done = std::move(done)]() mutable {
                                JudgeSwitches(std::move(kept), std::move(done));
                              });
}

void FleetApi::JudgeSwitches(KeptSwitches kept, ImportDone done) {
  auto response = std::make_shared<v1::ImportSwitchesResponse>();
  tools_.worker->Run(
      [response, kept = std::move(kept), now = tools_.clock->Wall()]() mutable {
        *response = checks::PolicedSwitches(*kept.policy, std::move(kept.switches)).JudgeAlone(now);
      },
      [this, response, done = std::move(done)] {
        --imports_being_judged_;
        done(std::move(*response));
      });
}

absl::StatusOr<v1::ListSwitchesResponse> FleetApi::ListSwitches(
    const Caller& caller, const v1::ListSwitchesRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  const auto& switches = tools_.switches->switches();
  ASSIGN_OR_RETURN(const Page page,
                   PageOf(switches.size(), request.page_size(), request.page_token()));
  v1::ListSwitchesResponse response;
  auto one = std::next(switches.begin(), static_cast<std::ptrdiff_t>(page.begin));
  for (std::size_t i = page.begin; i < page.end; ++i, ++one) {
    *response.add_switches() = SwitchRowOf(one->second, tools_.clock->Now());
  }
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::RemoveSwitchResponse> FleetApi::RemoveSwitch(
    const Caller& caller, const v1::RemoveSwitchRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kOperator));
  if (!tools_.switches->Remove(request.name())) {
    return NotFound("no switch '{}' was imported", request.name());
  }
  tools_.switch_archive->Keep({request.name()}, [] {});
  return v1::RemoveSwitchResponse();
}

}  // namespace roceready
