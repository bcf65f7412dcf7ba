// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/report/report.h"
#include "tests/unit/checks/report/golden.h"
#include "tests/unit/checks/report/reports.h"

namespace roceready::report {
namespace {

using ::testing::HasSubstr, ::testing::Not;

v1::AuditReport ReportOf(v1::CheckStatus status, const std::string& what) {
  v1::AuditReport report;
  v1::Finding& finding = *report.add_findings();
  finding.set_key("k");
  finding.set_check_id("mtu.netdev");
  finding.set_status(status);
  finding.set_severity(v1::SEVERITY_DEGRADES);
  finding.set_on_unknown(v1::ON_UNKNOWN_NOTE);
  finding.mutable_subject()->set_host("gpu1");
  finding.mutable_subject()->set_label("gpu1 eth0");
  (status == v1::CHECK_STATUS_FAIL ? *finding.mutable_actual() : *finding.mutable_reason()) = what;
  return report;
}

TEST(Junit, ShowsASickFleet) { EXPECT_EQ(RenderJunit(SickReport()), Golden("sick.xml")); }

TEST(Junit, ShowsAHealthyFleetAsTheChecksThatItPassed) {
  EXPECT_EQ(RenderJunit(HealthyReport()), Golden("healthy.xml"));
}

TEST(Junit, TellsFailErrorAndSkippedApart) {
  const std::string fail = RenderJunit(ReportOf(v1::CHECK_STATUS_FAIL, "MTU 1500"));
  EXPECT_THAT(fail, HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(fail, HasSubstr("<failure type=\"degrades\" message=\"MTU 1500\"/>"));

  const std::string unknown = RenderJunit(ReportOf(v1::CHECK_STATUS_UNKNOWN, "DENIED"));
  EXPECT_THAT(unknown, HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(unknown, HasSubstr("<error type=\"unknown-noted\" message=\"DENIED\"/>"));

  v1::AuditReport must_be_known = ReportOf(v1::CHECK_STATUS_UNKNOWN, "DENIED");
  must_be_known.mutable_findings(0)->set_on_unknown(v1::ON_UNKNOWN_BLOCK);
  EXPECT_THAT(RenderJunit(must_be_known), HasSubstr("<error type=\"unknown-blocks\""));

  const std::string idle = RenderJunit(ReportOf(v1::CHECK_STATUS_NOT_APPLICABLE, "a loopback"));
  EXPECT_THAT(idle, HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(idle, HasSubstr("<skipped message=\"a loopback\"/>"));
}

TEST(Junit, SkipsWhatIsWaivedAndSaysByWhich) {
  v1::AuditReport report = ReportOf(v1::CHECK_STATUS_FAIL, "MTU 1500");
  report.mutable_findings(0)->set_waived_by("OPS-211");

  EXPECT_THAT(RenderJunit(report), HasSubstr("<skipped message=\"waived (OPS-211): MTU 1500\"/>"));
}

TEST(Junit, HasAnErrorForAnAuditThatDidNotEnd) {
  EXPECT_THAT(
      RenderJunit({}, "the audit did not end: interrupted"),
      HasSubstr("<error type=\"unfinished\" message=\"the audit did not end: interrupted\"/>"));
  EXPECT_THAT(RenderJunitError("no controller at a:1"),
              HasSubstr("<error type=\"error\" message=\"no controller at a:1\"/>"));
}

TEST(Junit, KeepsTextsFromBecomingMarkup) {
  v1::AuditReport report =
      ReportOf(v1::CHECK_STATUS_FAIL, "<a href=\"x\">&\x01\x1b]]>\t\xef\xbf\xbe\xc3\xa9");
  report.mutable_findings(0)->set_expected("]]></failure>\nsecond\x02 line");
  report.mutable_findings(0)->mutable_subject()->set_host("<gpu1>");

  const std::string xml = RenderJunit(report);

  EXPECT_THAT(xml, HasSubstr("message=\"&lt;a href=&quot;x&quot;&gt;&amp;  ]]&gt; "
                             "\xef\xbf\xbd\xc3\xa9\""));
  EXPECT_THAT(xml, HasSubstr("wanted: ]]&gt;&lt;/failure&gt; second  line\n"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"host &lt;gpu1&gt;\""));
  for (const char c : xml) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  }
}

}  // namespace
}  // namespace roceready::report
