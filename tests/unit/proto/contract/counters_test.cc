// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/counters.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace roceready {
namespace {

TEST(Counters, EveryIdHasOneRow) {
  const google::protobuf::EnumDescriptor* ids = v1::CounterId_descriptor();
  int with_row = 0;
  for (int i = 0; i < ids->value_count(); ++i) {
    const auto id = static_cast<v1::CounterId>(ids->value(i)->number());
    if (id == v1::COUNTER_ID_UNSPECIFIED) continue;
    const CounterInfo* row = FindCounter(id);
    ASSERT_NE(row, nullptr) << ids->value(i)->name();
    EXPECT_EQ(row->id, id);
    ++with_row;
  }
  EXPECT_EQ(AllCounters().size(), static_cast<size_t>(with_row));
}

TEST(Counters, NamesAreUniqueAndRowsComplete) {
  std::set<std::string_view> names;
  for (const CounterInfo& row : AllCounters()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.unit.empty()) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Counters, AnUnknownIdHasNoRow) {
  EXPECT_EQ(FindCounter(v1::COUNTER_ID_UNSPECIFIED), nullptr);
  EXPECT_EQ(FindCounter(static_cast<v1::CounterId>(999)), nullptr);
}

}  // namespace
}  // namespace roceready
