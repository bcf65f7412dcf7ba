// SPDX-License-Identifier: Apache-2.0
// The part of the API about hosts that are set aside.
#include "controller/api/fleet_api.h"
#include "controller/api/paging.h"
#include "controller/api/require.h"
#include "controller/fleet/maintenance_book.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/logging.h"

namespace roceready {

void FleetApi::SetMaintenance(const Caller& caller, const v1::SetMaintenanceRequest& request,
                              SetMaintenanceDone done) {
  if (absl::Status allowed = Require(caller, Role::kOperator); !allowed.ok()) return done(allowed);
  const WallTime now = tools_.clock->Wall();
  auto marks = tools_.fleet->maintenance().MarksOf(request, caller.name, now);
  if (!marks.ok()) return done(marks.status());
  tools_.maintenance->Put(*marks, now,
                          [this, marks = *marks, request, by = caller.name,
                           done = std::move(done)](const absl::Status& kept) {
                            if (!kept.ok()) return done(kept);
                            tools_.fleet->maintenance().Put(marks, tools_.clock->Wall());
                            LogInfo("hosts set aside", {{"hosts", request.hosts()},
                                                        {"by", by},
                                                        {"seconds", request.duration().seconds()},
                                                        {"reason", request.reason()}});
                            v1::SetMaintenanceResponse response;
                            *response.mutable_marks() = {marks.begin(), marks.end()};
                            done(std::move(response));
                          });
}

void FleetApi::EndMaintenance(const Caller& caller, const v1::EndMaintenanceRequest& request,
                              EndMaintenanceDone done) {
  if (absl::Status allowed = Require(caller, Role::kOperator); !allowed.ok()) return done(allowed);
  const auto hosts = ExpandHostList(request.hosts());
  if (!hosts.ok()) return done(hosts.status());
  tools_.maintenance->Remove(*hosts, [this, hosts = *hosts, by = caller.name,
                                      done = std::move(done)](const absl::Status& kept) {
    if (!kept.ok()) return done(kept);
    MaintenanceBook& book = tools_.fleet->maintenance();
    std::vector<std::string> ended;
    for (const std::string& host : hosts) {
      if (book.Find(host, tools_.clock->Wall()) != nullptr) ended.push_back(host);
    }
    book.Remove(hosts);
    v1::EndMaintenanceResponse response;
    response.set_ended(FoldHostList(std::move(ended)));
    LogInfo("hosts no longer set aside", {{"hosts", response.ended()}, {"by", by}});
    done(std::move(response));
  });
}

absl::StatusOr<v1::ListMaintenanceResponse> FleetApi::ListMaintenance(
    const Caller& caller, const v1::ListMaintenanceRequest& request) {
  RETURN_IF_ERROR(Require(caller, Role::kViewer));
  const MaintenanceBook::Marks marks = tools_.fleet->maintenance().MarksAt(tools_.clock->Wall());
  ASSIGN_OR_RETURN(const Page page,
                   PageOf(marks.size(), request.page_size(), request.page_token()));
  v1::ListMaintenanceResponse response;
  auto mark = std::next(marks.begin(), static_cast<std::ptrdiff_t>(page.begin));
  for (std::size_t i = page.begin; i < page.end; ++i, ++mark) {
    *response.add_marks() = mark->second;
  }
  response.set_next_page_token(page.next_token);
  return response;
}

}  // namespace roceready
