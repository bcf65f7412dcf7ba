// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders/probe_builder.h"

namespace roceready::cli {
namespace {

using builders::ProbeBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kDevice[] = "pci:0000:3b:00.0";

v1::ProbeEnd End(const std::string& host) {
  v1::ProbeEnd end;
  end.set_host(host);
  end.set_rdma_device_id(kDevice);
  end.set_port(1);
  return end;
}

// With the GIDs that the two used.
v1::ProbeResult ResultBetween(const std::string& a, const std::string& b) {
  ProbeBuilder probe(End(a), End(b));
  v1::ProbeResult result = probe.result();
  result.mutable_a()->mutable_used()->set_gid("0000:0000:0000:0000:0000:ffff:0a4d:0001");
  result.mutable_a()->mutable_used()->set_gid_index(1);
  result.mutable_b()->mutable_used()->set_gid("::ffff:10.77.0.2");
  result.mutable_b()->mutable_used()->set_gid_index(3);
  return result;
}

v1::Finding FindingOn(const std::string& check, const std::string& host, const std::string& peer) {
  v1::Finding finding;
  finding.set_key(check + " " + host + " " + peer);
  finding.set_check_id(check);
  finding.set_scope(v1::SCOPE_PROBE);
  finding.set_status(v1::CHECK_STATUS_FAIL);
  finding.mutable_subject()->set_host(host);
  finding.mutable_subject()->set_device_id(kDevice);
  finding.mutable_subject()->set_peer_host(peer);
  finding.mutable_subject()->set_peer_device_id(kDevice);
  return finding;
}

std::vector<std::string> WordsOf(const v1::ProbeReport& report) {
  std::vector<std::string> words;
  for (const v1::ProbeWay& way : report.ways()) {
    words.push_back(way.from().host() + " " + way.to().host());
  }
  return words;
}

ProbeWays Named(std::vector<v1::ProbeResult> results) {
  ProbeWays ways;
  for (const v1::ProbeResult& result : results) ways.Add(result);
  ways.NameDevices([](const std::string&, const std::string&) { return "mlx5_0"; });
  return ways;
}

TEST(ProbeWays, StandInTheOrderOfTheirHosts) {
  const ProbeWays ways = Named({ResultBetween("gpu10", "gpu2"), ResultBetween("gpu1", "gpu2")});
  EXPECT_EQ(ways.results(), 2u);
  EXPECT_THAT(WordsOf(ProbeReportOf({}, ways)),
              ElementsAre("gpu1 gpu2", "gpu2 gpu1", "gpu2 gpu10", "gpu10 gpu2"));
  EXPECT_THAT(ways.Hosts(), ElementsAre("gpu1", "gpu10", "gpu2"));
}

TEST(ProbeWays, OfSeveralResultsOfAPairTheLastCounts) {
  v1::ProbeResult refused = ResultBetween("gpu1", "gpu2");
  refused.clear_a();
  refused.set_refusal(v1::REFUSAL_REASON_BUSY);
  const ProbeWays ways = Named({refused, ResultBetween("gpu1", "gpu2")});
  EXPECT_EQ(ways.results(), 1u);
  for (const v1::ProbeWay* way : ways.Sorted()) {
    EXPECT_EQ(way->write().status(), v1::CHECK_STATUS_PASS);
  }
}

TEST(ProbeWays, APairWithoutAResultTakesNoResultsPlace) {
  AuditResult audit;
  for (const char* peer : {"gpu2", "gpu3"}) {
    v1::Finding finding = FindingOn("probe.write", "gpu1", peer);
    finding.set_status(v1::CHECK_STATUS_UNKNOWN);
    finding.set_reason("stopped");
    finding.mutable_subject()->set_port(1);
    *audit.report.add_findings() = finding;
  }
  ProbeWays ways = Named({ResultBetween("gpu1", "gpu2")});
  ways.AddNotProbed(audit.report.findings());
  const v1::ProbeReport report = ProbeReportOf(audit, ways);
  EXPECT_THAT(WordsOf(report), ElementsAre("gpu1 gpu2", "gpu1 gpu3", "gpu2 gpu1"));
  EXPECT_EQ(report.ways(0).write().status(), v1::CHECK_STATUS_PASS);
  EXPECT_EQ(report.ways(1).write().bandwidth_unknown(), "stopped");
}

TEST(ProbeReport, ABadWayHasTheCommandsThatShowIt) {
  AuditResult audit;
  *audit.report.add_findings() = FindingOn("probe.bandwidth", "gpu1", "gpu2");
  const v1::ProbeReport report = ProbeReportOf(audit, Named({ResultBetween("gpu1", "gpu2")}));
  ASSERT_THAT(report.ways(), SizeIs(2));
  ASSERT_THAT(report.ways(0).reproduce(), SizeIs(2));
  const v1::WayCommand& server = report.ways(0).reproduce(0);
  EXPECT_EQ(server.run_on(), "gpu2");
  EXPECT_EQ(server.command(),
            "ib_write_bw -d mlx5_0 -i 1 -x 3 --report_gbits -D 5 --tclass=106 -m 4096");
  const v1::WayCommand& client = report.ways(0).reproduce(1);
  EXPECT_EQ(client.run_on(), "gpu1");
  EXPECT_EQ(client.command(),
            "ib_write_bw -d mlx5_0 -i 1 -x 1 --report_gbits -D 5 --tclass=106 -m 4096 10.77.0.2");
  EXPECT_THAT(report.ways(1).reproduce(), IsEmpty()) << "the other way is well";
}

TEST(ProbeReport, AReadThatFailsIsReadAgain) {
  AuditResult audit;
  // gpu2 reads from gpu1: the payload goes from gpu1 to gpu2.
  *audit.report.add_findings() = FindingOn("probe.read", "gpu2", "gpu1");
  ProbeBuilder probe(End("gpu1"), End("gpu2"));
  probe.Fails(v1::PROBE_OPERATION_READ, v1::PROBE_SIDE_B, builders::kSmallBytes, {}, {});
  v1::ProbeResult result = probe.result();
  *result.mutable_a()->mutable_used() = ResultBetween("gpu1", "gpu2").a().used();
  *result.mutable_b()->mutable_used() = ResultBetween("gpu1", "gpu2").b().used();
  const v1::ProbeReport report = ProbeReportOf(audit, Named({result}));
  ASSERT_THAT(report.ways(0).reproduce(), SizeIs(2));
  EXPECT_EQ(report.ways(0).reproduce(0).run_on(), "gpu1") << "it is read from";
  EXPECT_THAT(report.ways(0).reproduce(1).command(), testing::StartsWith("ib_read_bw "));
  EXPECT_THAT(report.ways(0).reproduce(1).command(), testing::EndsWith(" 10.77.0.1"));
}

TEST(ProbeReport, WithoutNamesThereIsNoCommand) {
  AuditResult audit;
  *audit.report.add_findings() = FindingOn("probe.loss", "gpu1", "gpu2");
  ProbeWays ways;
  ways.Add(ResultBetween("gpu1", "gpu2"));
  EXPECT_THAT(ProbeReportOf(audit, ways).ways(0).reproduce(), IsEmpty());
  EXPECT_THAT(BadWays(audit.report.findings()), SizeIs(1)) << "the table says that there is none";
}

TEST(ProbeReport, HasTheFindingsOfProbesAndWhatTheyFollowFrom) {
  AuditResult audit;
  v1::Finding mtu;
  mtu.set_key("mtu gpu1");
  mtu.set_check_id("mtu.netdev");
  mtu.set_scope(v1::SCOPE_HOST);
  v1::Finding alone = mtu;
  alone.set_key("pfc gpu1");
  v1::Finding large = FindingOn("probe.large-only", "gpu1", "gpu2");
  large.set_caused_by("mtu gpu1");
  v1::Finding blame;
  blame.set_key("blame gpu3");
  blame.set_scope(v1::SCOPE_FLEET);
  blame.add_evidence()->set_probe_id("a1-1-1");
  for (const v1::Finding* one : {&alone, &mtu, &large, &blame}) *audit.report.add_findings() = *one;
  const v1::ProbeReport report = ProbeReportOf(audit, {});
  std::vector<std::string> keys;
  for (const v1::Finding& finding : report.findings()) keys.push_back(finding.key());
  EXPECT_THAT(keys, ElementsAre("mtu gpu1", large.key(), "blame gpu3"));
}

}  // namespace
}  // namespace roceready::cli
