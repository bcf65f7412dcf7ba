// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/api/fleet_api.h"
#include "proto/contract/errors.h"
#include "tests/support/controller_world.h"
#include "tests/support/memory_maintenance.h"

namespace roceready {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

const Caller kViewer{"vera", Role::kViewer};
const Caller kOperator{"otto", Role::kOperator};

class MaintenanceApi : public testing::Test {
 protected:
  absl::StatusOr<v1::SetMaintenanceResponse> Set(const std::string& hosts,
                                                 const Caller& caller = kOperator) {
    v1::SetMaintenanceRequest request;
    request.set_hosts(hosts);
    request.set_reason("new optics");
    request.mutable_duration()->set_seconds(3600);
    absl::StatusOr<v1::SetMaintenanceResponse> response = absl::UnknownError("not answered");
    api_.SetMaintenance(caller, request, [&](auto answer) { response = std::move(answer); });
    return response;
  }

  absl::StatusOr<v1::EndMaintenanceResponse> End(const std::string& hosts,
                                                 const Caller& caller = kOperator) {
    v1::EndMaintenanceRequest request;
    request.set_hosts(hosts);
    absl::StatusOr<v1::EndMaintenanceResponse> response = absl::UnknownError("not answered");
    api_.EndMaintenance(caller, request, [&](auto answer) { response = std::move(answer); });
    return response;
  }

  std::vector<std::string> SetAside(std::uint32_t page_size = 0) {
    v1::ListMaintenanceRequest request;
    request.set_page_size(page_size);
    std::vector<std::string> hosts;
    do {
      const auto page = api_.ListMaintenance(kViewer, request);
      EXPECT_TRUE(page.ok()) << page.status();
      for (const v1::MaintenanceMark& mark : page->marks()) hosts.push_back(mark.host());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    return hosts;
  }

  v1::Host Row(const std::string& host) {
    v1::ListHostsRequest request;
    request.set_hosts(host);
    return api_.ListHosts(kViewer, request)->hosts(0);
  }

  ControllerWorld world_;
  MemoryMaintenance archive_;
  FleetApi api_{{.fleet = &world_.fleet,
                 .audits = world_.book.get(),
                 .verdicts = world_.verdicts.get(),
                 .policies = &world_.policies,
                 .switches = &world_.switches,
                 .maintenance = &archive_,
                 .worker = &world_.worker,
                 .finder = &world_.worker,
                 .clock = &world_.clock},
                {.default_policy = "lab"}};
};

TEST_F(MaintenanceApi, SetsHostsAsideAndSaysSo) {
  world_.Connect("h1", 1);
  const auto set = Set("h[1-2]");
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_THAT(set->marks(), SizeIs(2));
  EXPECT_EQ(set->marks(0).set_by(), "otto");
  EXPECT_EQ(set->marks(0).until().seconds() - set->marks(0).set_at().seconds(), 3600);
  EXPECT_THAT(archive_.put, SizeIs(2));
  EXPECT_EQ(Row("h1").state(), v1::HOST_STATE_MAINTENANCE);
  EXPECT_THAT(Row("h1").state_reason(), HasSubstr("set aside by otto"));
  EXPECT_EQ(Row("h2").state(), v1::HOST_STATE_MAINTENANCE) << "nobody has heard of it";
  EXPECT_THAT(SetAside(), ElementsAre("h1", "h2"));

  world_.clock.Advance(std::chrono::seconds(3600));
  EXPECT_NE(Row("h1").state(), v1::HOST_STATE_MAINTENANCE);
  EXPECT_THAT(SetAside(), IsEmpty());
}

TEST_F(MaintenanceApi, TakesHostsBack) {
  ASSERT_TRUE(Set("h[1-3]").ok());
  const auto ended = End("h[2-9]");
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->ended(), "h[2-3]");
  EXPECT_THAT(archive_.removed, SizeIs(8)) << "what is on disk and not known here as well";
  EXPECT_THAT(SetAside(), ElementsAre("h1"));
  EXPECT_EQ(End("h[2-9]")->ended(), "");
}

TEST_F(MaintenanceApi, ListsInPages) {
  ASSERT_TRUE(Set("h[1-12]").ok());
  EXPECT_THAT(SetAside(5), SizeIs(12));
}

TEST_F(MaintenanceApi, IsForOperators) {
  EXPECT_EQ(Set("h1", kViewer).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(End("h1", kViewer).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(api_.ListMaintenance({"nobody", {}}, {}).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(SetAside(), IsEmpty());
}

TEST_F(MaintenanceApi, RefusesAListThatIsNone) {
  EXPECT_EQ(Set("h[1-").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(End("h[1-").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(End("").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(MaintenanceApi, WhatIsNotOnDiskHasNotHappened) {
  ASSERT_TRUE(Set("h1").ok());
  archive_.answer = MakeError(absl::StatusCode::kResourceExhausted, "the disk is full");
  EXPECT_EQ(Set("h2").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(End("h1").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(SetAside(), ElementsAre("h1"));
}

// No answer for the two minutes after a start, until all have sent their facts.
TEST_F(MaintenanceApi, ASetIsJudgedAfterAStartWithoutThoseThatAreSetAside) {
  world_.Connect("h1", 1);
  ASSERT_TRUE(Set("h2").ok());
  v1::GetVerdictRequest request;
  request.set_hosts("h[1-2]");
  absl::StatusOr<v1::GetVerdictResponse> verdict = absl::UnknownError("not answered");
  api_.GetVerdict(kViewer, request, [&](auto answer) { verdict = std::move(answer); });
  world_.loop.RunPending();
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->verdict().readiness(), v1::READINESS_READY);
  EXPECT_THAT(verdict->verdict().coverage().hosts_in_maintenance(), ElementsAre("h2"));
}

}  // namespace
}  // namespace roceready
