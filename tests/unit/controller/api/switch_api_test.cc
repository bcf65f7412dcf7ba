// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/api/fleet_api.h"
#include "proto/contract/errors.h"
#include "tests/support/builders/switch_builder.h"
#include "tests/support/controller_world.h"
#include "tests/support/held_worker.h"

namespace roceready {
namespace {

using builders::SwitchBuilder;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

const Caller kViewer{"vera", Role::kViewer};
const Caller kOperator{"otto", Role::kOperator};

using Imported = absl::StatusOr<v1::ImportSwitchesResponse>;

class SwitchApi : public testing::Test {
 protected:
  FleetApi ApiWith(Worker* worker) {
    return {{.fleet = &world_.fleet,
             .audits = world_.book.get(),
             .verdicts = world_.verdicts.get(),
             .policies = &world_.policies,
             .switches = &world_.switches,
             .switch_archive = &world_.switch_archive,
             .worker = worker,
             .finder = worker,
             .clock = &world_.clock},
            {.default_policy = "lab"}};
  }

  static v1::ImportSwitchesRequest RequestOf(const std::vector<SwitchBuilder>& switches) {
    v1::ImportSwitchesRequest request;
    for (const SwitchBuilder& one : switches) *request.add_switches() = one.facts();
    return request;
  }

  Imported Send(const v1::ImportSwitchesRequest& request, const Caller& caller = kOperator) {
    Imported imported = absl::UnknownError("not answered");
    api_.ImportSwitches(caller, request, [&](Imported answer) { imported = std::move(answer); });
    world_.loop.RunPending();
    return imported;
  }

  Imported Import(const std::vector<SwitchBuilder>& switches) { return Send(RequestOf(switches)); }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto response = api_.ListSwitches(kViewer, {});
    for (const v1::Switch& one : response->switches()) names.push_back(one.name());
    return names;
  }

  template <typename T>
  static std::string TextOf(const absl::StatusOr<T>& result) {
    return std::string(Message(result.status()));
  }

  ControllerWorld world_;
  FleetApi api_ = ApiWith(&world_.worker);
};

TEST_F(SwitchApi, KeepsSwitchesAndJudgesThem) {
  SwitchBuilder sick("leaf2");
  sick.WithPfc({});

  const auto judged = Import({SwitchBuilder("leaf1", 2), sick});

  ASSERT_TRUE(judged.ok()) << judged.status();
  ASSERT_EQ(judged->summaries_size(), 2);
  EXPECT_EQ(judged->summaries(0).name(), "leaf1");
  EXPECT_EQ(judged->report().verdict().readiness(), v1::READINESS_NOT_READY);
  EXPECT_EQ(judged->report().findings(0).subject().switch_name(), "leaf2");
  EXPECT_THAT(Names(), ElementsAre("leaf1", "leaf2"));
}

TEST_F(SwitchApi, AnswersOthersWhileSwitchesAreBeingJudged) {
  HeldWorker worker;
  FleetApi api = ApiWith(&worker);
  std::optional<Imported> imported;

  api.ImportSwitches(kOperator, RequestOf({SwitchBuilder("leaf1", 2)}),
                     [&](Imported answer) { imported = std::move(answer); });

  EXPECT_FALSE(imported.has_value());
  EXPECT_EQ(api.ListSwitches(kViewer, {})->switches_size(), 1);
  worker.DoAll();
  ASSERT_TRUE(imported.has_value() && imported->ok());
  EXPECT_EQ((*imported)->summaries_size(), 1);
}

TEST_F(SwitchApi, RefusesAnImportWhereTooManyWait) {
  HeldWorker worker;
  FleetApi api = ApiWith(&worker);
  std::size_t judged = 0;
  for (std::size_t i = 0; i < FleetApi::kMaxImportsAtOnce; ++i) {
    api.ImportSwitches(kOperator, RequestOf({SwitchBuilder(fmt::format("leaf{}", i))}),
                       [&](const Imported& answer) { judged += answer.ok(); });
  }
  absl::Status refused;
  const auto import_one_more = [&] {
    api.ImportSwitches(kOperator, RequestOf({SwitchBuilder("spine1")}),
                       [&](const Imported& answer) { refused = answer.status(); });
  };

  import_one_more();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(world_.switches.switches().contains("spine1"));

  worker.DoAll();
  EXPECT_EQ(judged, FleetApi::kMaxImportsAtOnce);
  import_one_more();
  worker.DoAll();
  EXPECT_TRUE(refused.ok()) << refused;
}

TEST_F(SwitchApi, AnotherImportReplacesTheSwitchAndItsAge) {
  ASSERT_TRUE(Import({SwitchBuilder("leaf1", 2)}).ok());
  world_.Pass(std::chrono::minutes(5));
  EXPECT_EQ(api_.ListSwitches(kViewer, {})->switches(0).age().seconds(), 300);

  ASSERT_TRUE(Import({SwitchBuilder("leaf1", 3)}).ok());

  const auto list = api_.ListSwitches(kViewer, {});
  ASSERT_EQ(list->switches_size(), 1);
  EXPECT_EQ(list->switches(0).ports(), 3u);
  EXPECT_EQ(list->switches(0).age().seconds(), 0);
  EXPECT_EQ(list->switches(0).imported_by(), "otto");
}

TEST_F(SwitchApi, AuditsJudgeTheSwitchesTheirHostsArePluggedInto) {
  SwitchBuilder leaf("leaf1", 2);
  leaf.Plan("gpu1", "eth0");
  leaf.port().set_mtu_bytes(1500);
  ASSERT_TRUE(Import({leaf}).ok());
  world_.Connect("gpu1", 1);

  absl::StatusOr<v1::CreateAuditResponse> created = absl::UnknownError("not answered yet");
  api_.CreateAudit(
      kOperator, ControllerWorld::Ask("gpu1", v1::PLAN_KIND_NONE),
      [&](absl::StatusOr<v1::CreateAuditResponse> answer) { created = std::move(answer); });
  ASSERT_TRUE(created.ok()) << created.status();
  world_.Pass(std::chrono::seconds(60));

  v1::ListFindingsRequest request;
  request.set_audit_id(created->audit().audit_id());
  absl::StatusOr<v1::ListFindingsResponse> findings = absl::UnknownError("not answered yet");
  api_.ListFindings(kViewer, request, [&](absl::StatusOr<v1::ListFindingsResponse> given) {
    findings = std::move(given);
  });
  ASSERT_TRUE(findings.ok()) << findings.status();
  std::vector<std::string> ids;
  for (const v1::Finding& finding : findings->findings()) {
    if (finding.status() == v1::CHECK_STATUS_FAIL) ids.push_back(finding.check_id());
  }
  EXPECT_THAT(ids, ElementsAre("switch.mtu", "switch.host-mtu"));
}

TEST_F(SwitchApi, RefusesAllWhereOneCannotBeKept) {
  EXPECT_THAT(TextOf(Import({SwitchBuilder("leaf1"), SwitchBuilder("leaf1")})),
              HasSubstr("given twice"));
  EXPECT_THAT(TextOf(Import({SwitchBuilder("leaf1"), SwitchBuilder("Leaf/2")})),
              HasSubstr("no name of a switch"));
  EXPECT_THAT(TextOf(Import({SwitchBuilder("leaf1", 0)})), HasSubstr("has no port"));
  EXPECT_THAT(TextOf(Import({})), HasSubstr("none is given"));
  v1::ImportSwitchesRequest request;
  *request.add_switches() = SwitchBuilder("leaf1").facts();
  request.set_policy("nonsense");
  EXPECT_EQ(Send(request).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(SwitchApi, OnlyOperatorsChangeWhatIsKept) {
  v1::ImportSwitchesRequest request;
  *request.add_switches() = SwitchBuilder("leaf1").facts();
  EXPECT_EQ(Send(request, kViewer).status().code(), absl::StatusCode::kPermissionDenied);
  ASSERT_TRUE(Send(request).ok());
  v1::RemoveSwitchRequest remove;
  remove.set_name("leaf1");
  EXPECT_EQ(api_.RemoveSwitch(kViewer, remove).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(api_.RemoveSwitch(kOperator, remove).ok());
  EXPECT_EQ(api_.RemoveSwitch(kOperator, remove).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace roceready
