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

  event.clear_progress();
  event.set_state(v1::AUDIT_STATE_QUEUED);
  EXPECT_EQ(ProgressLine(event), "queued");
}

}  // namespace
}  // namespace roceready::cli
