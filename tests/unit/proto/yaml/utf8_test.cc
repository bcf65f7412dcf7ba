// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/utf8.h"

#include <gtest/gtest.h>

namespace roceready::yaml {
namespace {

using std::string_view_literals::operator""sv;

TEST(FindUnprintable, PassesTextInAnyLanguage) {
  EXPECT_EQ(FindUnprintable("a\tb\r\n\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), std::nullopt);
}

TEST(FindUnprintable, FindsBrokenCharacters) {
  EXPECT_EQ(FindUnprintable("ab\xff"), 2u);
  EXPECT_EQ(FindUnprintable("a\x80"), 1u) << "continuation without a start";
  EXPECT_EQ(FindUnprintable("a\xe2\x82"), 1u) << "cut off";
  EXPECT_EQ(FindUnprintable("a\xc0\xaf"), 1u) << "overlong";
  EXPECT_EQ(FindUnprintable("a\xed\xa0\x80"), 1u) << "surrogate";
  EXPECT_EQ(FindUnprintable("a\xf4\x90\x80\x80"), 1u) << "beyond Unicode";
}

TEST(FindUnprintable, FindsControlCharacters) {
  EXPECT_EQ(FindUnprintable("ab\0c"sv), 2u);
  EXPECT_EQ(FindUnprintable("a\x1b[31m"), 1u);
  EXPECT_EQ(FindUnprintable("a\x7f"), 1u);
  EXPECT_EQ(FindUnprintable("a\xc2\x9b"), 1u) << "C1: a terminal takes it for an escape";
}

TEST(Lines, CountsCharactersNotBytes) {
  const Lines lines("one\n\xc3\xa4\xc3\xb6x\n");

  EXPECT_EQ(lines.At(0), (Position{1, 1}));
  EXPECT_EQ(lines.At(4), (Position{2, 1}));
  EXPECT_EQ(lines.At(8), (Position{2, 3}));
  EXPECT_EQ(lines.At(10), (Position{3, 1}));
  EXPECT_EQ(lines.At(1, 4), (Position{2, 3}));
}

TEST(Lines, StaysInsideTheText) {
  const Lines lines("a");

  EXPECT_EQ(lines.At(7, 9), (Position{1, 2}));
  EXPECT_EQ(Lines("").At(0), (Position{1, 1}));
}

}  // namespace
}  // namespace roceready::yaml
