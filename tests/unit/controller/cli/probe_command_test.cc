// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/probe_command.h"

#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

TEST(ProbeStop, SaysWhatWasStoppedAndThatNobodySends) {
  v1::StopProbesResponse stopped;
  EXPECT_EQ(RenderStop(stopped), "no audit had probes to stop\nno probe sends any more\n");
  stopped.set_pairs_ended(1);
  stopped.set_pairs_not_begun(1200);
  stopped.add_audit_ids("a7-2");
  stopped.add_audit_ids("a7-1");
  EXPECT_EQ(RenderStop(stopped),
            "1 pair ended, 1,200 not begun, of 2 audits: a7-2 and a7-1\nno probe sends any more\n");
}

TEST(ProbeStop, SaysOfWhomItIsNotSure) {
  v1::StopProbesResponse stopped;
  stopped.set_pairs_ended(3);
  stopped.add_audit_ids("a7-2");
  for (const char* host : {"gpu001", "gpu002", "gpu007"}) stopped.add_hosts_unsure(host);
  EXPECT_EQ(RenderStop(stopped),
            "3 pairs ended, 0 not begun, of 1 audit: a7-2\n"
            "not sure of gpu[001-002,007]: no word that the probe there ended; it does by its own "
            "deadline, or when the controller is away\n");
}

}  // namespace
}  // namespace roceready::cli
