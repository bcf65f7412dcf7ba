// SPDX-License-Identifier: Apache-2.0
#include "controller/audit/audit_id.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(AuditId, IsReadAsItIsWritten) {
  const AuditId id{7, 12};
  EXPECT_EQ(id.Text(), "a7-12");
  EXPECT_EQ(ParseAuditId(id.Text()), id);
  const AuditId largest{UINT64_MAX, UINT64_MAX};
  EXPECT_EQ(ParseAuditId(largest.Text()), largest);
}

TEST(AuditId, NothingElseIsOne) {
  for (const char* text : {"", "a", "a7", "a7-", "a-12", "7-12", "b7-12", "a7-12 ", " a7-12",
                           "a07-12", "a7-012", "a7-0", "a0-1", "a7--12", "a7-+12", "a7-12x",
                           "a99999999999999999999-1", "a7-99999999999999999999"}) {
    EXPECT_EQ(ParseAuditId(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace roceready
