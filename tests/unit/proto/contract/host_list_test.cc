// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

Names Expand(std::string_view list) {
  const auto names = ExpandHostList(list);
  EXPECT_TRUE(names.ok()) << list << ": " << names.status();
  return names.ok() ? *names : Names{};
}

std::string ErrorOf(std::string_view list) {
  const auto names = ExpandHostList(list);
  if (names.ok()) return "no error";
  EXPECT_EQ(names.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(names.status()));
}

TEST(ExpandHostList, TakesNamesApartAtCommasAndWhiteSpace) {
  EXPECT_THAT(Expand("gpu1,gpu2 , gpu3\n\tgpu4 gpu5\n"),
              ElementsAre("gpu1", "gpu2", "gpu3", "gpu4", "gpu5"));
}

TEST(ExpandHostList, CountsThroughRangesAndSingleNumbers) {
  EXPECT_THAT(Expand("n[1-4,7,9-11]x"),
              ElementsAre("n1x", "n2x", "n3x", "n4x", "n7x", "n9x", "n10x", "n11x"));
}

TEST(ExpandHostList, KeepsThePaddingOfTheFirstNumber) {
  EXPECT_THAT(Expand("n[09-11]"), ElementsAre("n09", "n10", "n11"));
}

TEST(ExpandHostList, ReadsAShortEndOfAPaddedRangeAsSlurmDoes) {
  EXPECT_THAT(Expand("n[001-3]"), ElementsAre("n001", "n002", "n003"));
}

TEST(ExpandHostList, MultipliesSeveralBracketsInOneName) {
  EXPECT_THAT(Expand("r[1-2]n[1-2].lab"),
              ElementsAre("r1n1.lab", "r1n2.lab", "r2n1.lab", "r2n2.lab"));
}

TEST(ExpandHostList, AllowsWhiteSpaceInsideBrackets) {
  EXPECT_THAT(Expand("n[ 1 - 2, 4 ]"), ElementsAre("n1", "n2", "n4"));
}

TEST(ExpandHostList, MakesNamesLowerCaseAsCertificatesHaveThem) {
  EXPECT_THAT(Expand("GPU[1-2].Example.ORG"), ElementsAre("gpu1.example.org", "gpu2.example.org"));
}

TEST(ExpandHostList, NamesEachHostOnceInNaturalOrder) {
  EXPECT_THAT(Expand("n10,n9,n[8-10],a1"), ElementsAre("a1", "n8", "n9", "n10"));
}

struct Malformed {
  std::string list;
  std::string error;
};

class MalformedHostList : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedHostList, IsRefusedWithItsColumn) {
  EXPECT_THAT(ErrorOf(GetParam().list), HasSubstr(GetParam().error)) << GetParam().list;
}

INSTANTIATE_TEST_SUITE_P(
    Every, MalformedHostList,
    ::testing::Values(
        Malformed{"", "column 1: no host name found"}, Malformed{" \n", "column 3: no host name"},
        Malformed{"a,,b", "column 3: ',' found, expected a host name"},
        Malformed{",a", "column 1: ',' found, expected a host name"},
        Malformed{"a,", "column 3: the list ends with a comma"},
        Malformed{"gpu[1-4", "column 4: this '[' is never closed, expected a ']'"},
        Malformed{"gpu[", "column 4: this '[' is never closed"},
        Malformed{"gpu[1-", "column 4: this '[' is never closed"},
        Malformed{"gpu1]", "column 5: ']' found without a '['"},
        Malformed{"gpu[]", "column 5: ']' found, expected a number"},
        Malformed{"gpu[1,]", "column 7: ']' found, expected a number"},
        Malformed{"gpu[a-c]", "column 5: 'a' found, expected a number"},
        Malformed{"gpu[1-2-3]", "column 8: '-' found, expected ','"},
        Malformed{"gpu[-1]", "column 5: '-' found, expected a number"},
        Malformed{"gpu[4-1]", "column 5: range 4-1 runs backwards, expected 1-4"},
        Malformed{"gpu[1-04]", "column 7: 04 has more digits than 1"},
        Malformed{"gpu[1-[2-3]]", "column 7: '[' found inside brackets: they do not nest"},
        Malformed{"bg[000x333]", "column 7: 'x' found: ranges over several dimensions"},
        Malformed{"gpu*", "column 4: '*' found: patterns are understood in policies only"},
        Malformed{"gpu/1", "column 4: '/' found"}, Malformed{"gpu\x1b[0m", "column 4: byte 0x1b"},
        Malformed{"g\xc3\xbc", "column 2: byte 0xc3"},
        Malformed{"-x", "column 1: a host name cannot begin with '-'"},
        Malformed{"a .b", "column 3: a host name cannot begin with '.'"},
        Malformed{"a-", "column 2: a host name cannot end with '-'"},
        Malformed{"n[1-100001]", "column 1: more than 100000 names"},
        Malformed{"a,n[1-100000]", "column 3: more than 100000 names"},
        Malformed{"n[0-999999999999999999]", "column 1: more than 100000 names"},
        Malformed{"n[1-99999][1-99999][1-99999][1-99999]", "column 1: more than 100000 names"},
        Malformed{"n[1-1234567890123456789]", "column 5: a number of 19 digits"},
        Malformed{std::string(254, 'a'), "column 1: a name longer than 253 bytes"},
        Malformed{std::string(kMaxHostListBytes + 1, 'a'), "bytes are more than"}));

std::string Pointed(const std::string& list) {
  return PointAt(list, ExpandHostList(list).status());
}

TEST(PointAt, PutsACaretUnderTheMistake) {
  EXPECT_EQ(Pointed("gpu[4-1]"), "gpu[4-1]\n    ^\n");
  EXPECT_EQ(Pointed("a,"), "a,\n  ^\n");
  EXPECT_EQ(Pointed(""), "\n^\n");
}

TEST(PointAt, ShowsOfALongListWhatIsAroundTheMistake) {
  EXPECT_EQ(
      Pointed(std::string(100, 'a') + "/" + std::string(100, 'b')),
      std::string(35, 'a') + "/" + std::string(34, 'b') + "\n" + std::string(35, ' ') + "^\n");
}

TEST(PointAt, GivesEveryByteAColumn) {
  EXPECT_EQ(Pointed("g\xc3\xbc"), "g??\n ^\n");
  EXPECT_EQ(Pointed("a\x1b"), "a?\n ^\n");
}

TEST(PointAt, SaysNothingOfOtherErrors) {
  EXPECT_EQ(PointAt("a", InvalidArgument("too long")), "");
  EXPECT_EQ(Pointed(std::string(kMaxHostListBytes + 1, 'a')), "");
}

TEST(ExpandHostList, TakesExactlyAsManyNamesAsTheLimit) {
  EXPECT_EQ(Expand("n[1-100000]").size(), kMaxHostNames);
}

TEST(ExpandHostList, RefusesMoreItemsThanNamesAllowedBeforeItBuildsThem) {
  std::string list = "a";
  for (std::size_t i = 0; i < kMaxHostNames; ++i) list += ",a";

  EXPECT_THAT(ErrorOf(list), HasSubstr("more than 100000 names"));
}

TEST(FoldHostList, WritesConsecutiveNumbersAsRanges) {
  EXPECT_EQ(FoldHostList({"gpu003", "gpu001", "gpu002", "gpu007", "gpu001"}), "gpu[001-003,007]");
}

TEST(FoldHostList, LeavesASingleNameAsItIs) {
  EXPECT_EQ(FoldHostList({"gpu001"}), "gpu001");
  EXPECT_EQ(FoldHostList({"login"}), "login");
  EXPECT_EQ(FoldHostList({}), "");
}

TEST(FoldHostList, FoldsOverSeveralNumbers) {
  EXPECT_EQ(FoldHostList({"r1n1", "r1n2", "r2n1", "r2n2"}), "r[1-2]n[1-2]");
  EXPECT_EQ(FoldHostList({"r1n1", "r1n2", "r2n1"}), "r1n[1-2],r2n1");
}

TEST(FoldHostList, FoldsTheNumberThatDiffersNotTheDomain) {
  EXPECT_EQ(FoldHostList({"gpu1.dc2.example", "gpu2.dc2.example"}), "gpu[1-2].dc2.example");
}

TEST(FoldHostList, DoesNotMixPaddedAndPlainNumbers) {
  EXPECT_EQ(FoldHostList({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(FoldHostList({"n09", "n10", "n11"}), "n[09-11]");
  EXPECT_EQ(FoldHostList({"n1", "n01", "n02"}), "n[1,01-02]");
}

TEST(FoldHostList, KeepsNumbersTooLongToCount) {
  const std::string name = "n" + std::string(30, '9');
  EXPECT_EQ(FoldHostList({name}), name);
}

rc::Gen<std::string> ArbitraryHostName() {
  const auto word = rc::gen::element<std::string>("gpu", "n", "rack-a", "x.y", "_", "a");
  const auto number = rc::gen::oneOf(
      rc::gen::element<std::string>("0", "00", "1", "01", "001", "9", "09", "10", "99", "099",
                                    "100", "999999999999999999", "9999999999999999999"),
      rc::gen::map(rc::gen::inRange(0, 30), [](int value) { return std::to_string(value); }));
  return rc::gen::map(rc::gen::tuple(word, number, word, number, rc::gen::inRange(0, 4)),
                      [](const auto& parts) {
                        const auto& [a, i, b, j, shape] = parts;
                        switch (shape) {
                          case 0:
                            return a;
                          case 1:
                            return a + i;
                          case 2:
                            return i + b;
                          default:
                            return a + i + b + j;
                        }
                      });
}

RC_GTEST_PROP(FoldHostList, IsUndoneByExpandHostList, ()) {
  const auto names = *rc::gen::container<Names>(ArbitraryHostName());
  RC_PRE(!names.empty());

  const auto expanded = ExpandHostList(FoldHostList(names));

  Names sorted = names;
  std::sort(sorted.begin(), sorted.end(), HostNameLess);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  RC_ASSERT(expanded.ok());
  RC_ASSERT(*expanded == sorted);
}

RC_GTEST_PROP(HostMatcher, MatchesExactlyTheNamesTheListExpandsTo, ()) {
  const auto names = *rc::gen::container<Names>(ArbitraryHostName());
  const auto stranger = *ArbitraryHostName();
  RC_PRE(!names.empty());

  const auto matcher = HostMatcher::Parse(FoldHostList(names));

  RC_ASSERT(matcher.ok());
  for (const std::string& name : names) RC_ASSERT(matcher->Matches(name));
  RC_ASSERT(matcher->Matches(stranger) ==
            (std::find(names.begin(), names.end(), stranger) != names.end()));
}

RC_GTEST_PROP(HostNameLess, OrdersAnyThreeStringsStrictly,
              (std::string a, std::string b, std::string c)) {
  RC_ASSERT(!HostNameLess(a, a));
  if (a != b) RC_ASSERT(HostNameLess(a, b) != HostNameLess(b, a));
  if (HostNameLess(a, b) && HostNameLess(b, c)) RC_ASSERT(HostNameLess(a, c));
}

bool Matches(std::string_view list, std::string_view host) {
  const auto matches = MatchesHostList(list, host);
  EXPECT_TRUE(matches.ok()) << matches.status();
  return matches.ok() && *matches;
}

TEST(HostMatcher, ComparesNumbersInBracketsWithTheirPadding) {
  EXPECT_TRUE(Matches("gpu[001-128]", "gpu017"));
  EXPECT_FALSE(Matches("gpu[001-128]", "gpu17"));
  EXPECT_FALSE(Matches("gpu[001-128]", "gpu129"));
  EXPECT_FALSE(Matches("gpu[001-128]", "gpu017x"));
  EXPECT_FALSE(Matches("gpu[001-128]", "gpu"));
}

TEST(HostMatcher, TakesAStarForAnyText) {
  EXPECT_TRUE(Matches("*", "anything"));
  EXPECT_TRUE(Matches("gpu*.lab", "gpu12.lab"));
  EXPECT_FALSE(Matches("gpu*.lab", "gpu12.labs"));
  EXPECT_TRUE(Matches("r[1-2]*", "r1n7"));
  EXPECT_TRUE(Matches("login1,gpu*", "gpu"));
}

TEST(HostMatcher, FindsTheSplitWhereBracketsTouch) {
  EXPECT_TRUE(Matches("n[1-9][10-11]", "n110"));
  EXPECT_TRUE(Matches("n[1,11][1,11]", "n111"));
  EXPECT_FALSE(Matches("n[1,11][1,11]", "n11111"));
}

TEST(HostMatcher, NeverExpandsSoThatAHugeRangeIsFine) {
  EXPECT_TRUE(Matches("n[0-999999999999999999]", "n123456789"));
}

TEST(HostMatcher, RefusesWhatAListRefuses) {
  EXPECT_EQ(HostMatcher::Parse("gpu[1-").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MatchesHostList("", "a").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace roceready
