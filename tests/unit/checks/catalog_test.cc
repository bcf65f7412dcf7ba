// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/rail_changes.h"

namespace roceready::checks {
namespace {

using ::testing::IsEmpty, ::testing::UnorderedElementsAreArray;

TEST(Catalog, HasWordsForEachCheck) {
  for (const Check& check : Catalog()) {
    SCOPED_TRACE(check.id);
    EXPECT_FALSE(check.title.empty());
    EXPECT_FALSE(check.why.empty());
    EXPECT_FALSE(check.how.empty());
    EXPECT_FALSE(check.fix.empty());
    EXPECT_FALSE(check.sources.empty());
    for (const std::string_view text : {check.why, check.how}) EXPECT_TRUE(text.ends_with('.'));
  }
}

TEST(Catalog, HasEachIdOnce) {
  std::set<std::string_view> ids;
  for (const Check& check : Catalog()) EXPECT_TRUE(ids.insert(check.id).second) << check.id;
  EXPECT_EQ(FindCheck("no.such-check"), nullptr);
}

// With severities and words on unknown as the issue lists them.
TEST(Catalog, HasTheAgreedDefaults) {
  const auto expect = [](std::string_view id, v1::Severity severity, v1::OnUnknown on_unknown) {
    const Check* check = FindCheck(id);
    ASSERT_NE(check, nullptr) << id;
    EXPECT_EQ(check->severity, severity) << id;
    EXPECT_EQ(check->on_unknown, on_unknown) << id;
  };
  const auto note = v1::ON_UNKNOWN_NOTE, block = v1::ON_UNKNOWN_BLOCK;
  for (const char* id : {"device.rdma-present", "port.active", "gid.rocev2-ipv4", "mtu.netdev",
                         "probe.write", "probe.read"}) {
    expect(id, v1::SEVERITY_BLOCKS, block);
  }
  for (const char* id : {"mtu.rdma-active", "mtu.peer-mismatch", "pfc.lossless-priority",
                         "qos.dscp-priority", "firmware.minimum", "probe.large-only"}) {
    expect(id, v1::SEVERITY_BLOCKS, note);
  }
  for (const char* id : {"qos.vlan-priority", "ecn.dcqcn-enabled", "speed.as-planned",
                         "loss.counters-moving", "probe.loss"}) {
    expect(id, v1::SEVERITY_DEGRADES, note);
  }
  for (const char* id : {"ecn.dcqcn-parameters", "firmware.odd-one-out"}) {
    expect(id, v1::SEVERITY_ADVICE, note);
  }
}

TEST(Catalog, ExplainsFindingsByChecksThatExistAndInNoCircle) {
  // The order in which explanations end: a check is done when all that explain it are.
  std::set<std::string_view> done;
  for (size_t round = 0; round < Catalog().size(); ++round) {
    for (const Check& check : Catalog()) {
      const auto is_done = [&](std::string_view id) { return done.contains(id); };
      if (std::ranges::all_of(check.explained_by, is_done)) done.insert(check.id);
      for (const std::string_view id : check.explained_by) EXPECT_NE(FindCheck(id), nullptr) << id;
    }
  }
  EXPECT_EQ(done.size(), Catalog().size());
}

TEST(Catalog, HasForEachCheckACaseThatRaisesIt) {
  for (const Check& check : Catalog()) {
    const auto raises = [&](const Case& one) {
      return one.check_id == check.id &&
             std::ranges::any_of(one.roots, [&](const std::string& root) {
               return root.find(check.id) != std::string::npos;
             });
    };
    EXPECT_TRUE(std::ranges::any_of(Cases(), raises)) << check.id;
  }
}

// What our lab cannot show is passed by hardware: a bond, a NIC with twins, an index for the job.
TEST(Catalog, IsAllPassedByFleetsThatAreAllRight) {
  std::set<std::string_view> passed = {"fleet.duplicate-host"};  // The controller raises it or not.
  const auto expect_all_right = [&](FullFleet& fleet) {
    const v1::AuditReport report = fleet.Report();
    EXPECT_THAT(report.findings(), IsEmpty());
    EXPECT_EQ(report.verdict().readiness(), v1::READINESS_READY);
    for (const Check& check : Catalog()) {
      if (TallyOf(report, check.id).pass() > 0) passed.insert(check.id);
    }
  };
  FullFleet lab, hardware(builders::Nic::kMlx5, 2), bonds(builders::Nic::kMlx5, 2);
  for (builders::ProbeBuilder& probe : hardware.probes) probe.Measures(90e9);
  WantRails(hardware.audit.policy, {"10.77.0.0/24", "10.77.1.0/24"});
  expect_all_right(lab);
  expect_all_right(hardware);
  for (builders::HostBuilder& host : bonds.audit.hosts) host.BondRails(0, 1);
  bonds.audit.policy.job.set_gid_index(1);
  expect_all_right(bonds);
  FullFleet ipv6;
  ipv6.audit.policy.intent.set_ip_family("ipv6");
  for (builders::HostBuilder& host : ipv6.audit.hosts) {
    const std::string number = host.facts().identity().host().substr(4);
    host.WithIpv6("fd00:77::" + number);
  }
  expect_all_right(ipv6);

  for (const Check& check : Catalog()) EXPECT_TRUE(passed.contains(check.id)) << check.id;
}

class EachCase : public ::testing::TestWithParam<Case> {};

TEST_P(EachCase, FindsThatRootCauseAndNoOther) {
  FullFleet fleet = GetParam().Fleet();

  GetParam().breaks(fleet);
  const v1::AuditReport report = fleet.Report();

  EXPECT_THAT(RootsOf(report), UnorderedElementsAreArray(GetParam().roots));
  EXPECT_THAT(FoldedOf(report), UnorderedElementsAreArray(GetParam().folded));
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.check_id) + "_" + std::string(info.param.what);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Checks, EachCase, ::testing::ValuesIn(Cases()), NameOf);

}  // namespace

void PrintTo(const Case& one, std::ostream* out) { *out << one.check_id << ": " << one.what; }

}  // namespace roceready::checks
