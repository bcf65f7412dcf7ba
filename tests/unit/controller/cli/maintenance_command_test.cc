// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/maintenance_command.h"

#include <gtest/gtest.h>

namespace roceready::cli {
namespace {

v1::MaintenanceMark MarkOf(const std::string& host, const std::string& reason) {
  v1::MaintenanceMark mark;
  mark.set_host(host);
  mark.set_reason(reason);
  mark.set_set_by("ann");
  mark.mutable_until()->set_seconds(1796162400);
  mark.mutable_until()->set_nanos(7);
  return mark;
}

TEST(RenderMaintenance, PutsHostsThatWereSetAsideTogetherIntoALine) {
  EXPECT_EQ(RenderMaintenance({MarkOf("gpu1", "new optics"), MarkOf("gpu2", "new optics"),
                               MarkOf("gpu9", "no power\x1b[2J")}),
            "gpu[1-2]  until 2026-12-01T22:00:00Z, ann: new optics\n"
            "gpu9  until 2026-12-01T22:00:00Z, ann: no power [2J\n");
}

}  // namespace
}  // namespace roceready::cli
