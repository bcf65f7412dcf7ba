// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/progress.h"

#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

TEST(ProgressLine, SaysWhatIsGoingOnAndHowFar) {
  v1::WatchAuditResponse event;
  event.set_state(v1::AUDIT_STATE_REFRESHING);
  event.mutable_progress()->set_hosts_done(2);
  event.mutable_progress()->set_hosts_total(3);
  EXPECT_EQ(ProgressLine(event), "reading fresh facts: 2/3 hosts");

  event.set_state(v1::AUDIT_STATE_PROBING);
  event.mutable_progress()->set_probes_done(4);
  event.mutable_progress()->set_probes_total(6);
  EXPECT_EQ(ProgressLine(event), "probing: 2/3 hosts, 4/6 pairs");

  event.mutable_progress()->set_probes_done(6);
  event.mutable_progress()->set_retests_done(1);
  event.mutable_progress()->set_retests_total(4);
  EXPECT_EQ(ProgressLine(event), "probing: 2/3 hosts, 6/6 pairs, 1/4 more to tell who is to blame");

  event.clear_progress();
  event.set_state(v1::AUDIT_STATE_QUEUED);
  EXPECT_EQ(ProgressLine(event), "queued");
}

TEST(FindingLines, TellWhatFailsAndWhatOfItIsTakenBack) {
  FindingLines lines;
  v1::Finding finding;
  finding.set_key("pfc.lossless-priority host1");
  finding.set_check_id("pfc.lossless-priority");
  finding.mutable_subject()->set_label("host1 eth0");
  finding.set_status(v1::CHECK_STATUS_PASS);
  finding.set_reason("later readings no longer show it");
  EXPECT_EQ(lines.LineFor(finding), "");  // was never shown

  v1::Finding failed = finding;
  failed.set_status(v1::CHECK_STATUS_FAIL);
  failed.set_actual("no lossless priority");
  EXPECT_EQ(lines.LineFor(failed), "! host1 eth0  pfc.lossless-priority  no lossless priority");
  EXPECT_EQ(lines.LineFor(finding),
            "- host1 eth0  pfc.lossless-priority  taken back: later readings no longer show it");
  EXPECT_EQ(lines.LineFor(finding), "");

  EXPECT_NE(lines.LineFor(failed), "");
  failed.set_caused_by("port.active host1");
  EXPECT_EQ(lines.LineFor(failed),
            "- host1 eth0  pfc.lossless-priority  taken back: it follows from another finding");
}

}  // namespace
}  // namespace roceready::cli
