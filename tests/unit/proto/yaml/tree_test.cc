// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace roceready::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(std::string_view text) {
  std::vector<Problem> problems;
  const auto tree = ParseTree(text, "f", problems);
  EXPECT_EQ(tree.has_value(), problems.empty());
  return Render(problems);
}

TEST(ParseTree, KeepsOrderPositionAndQuoting) {
  std::vector<Problem> problems;
  const auto root = ParseTree("b: 1\na:\n  - 'x'\n  - {c: d}\n", "f", problems);

  ASSERT_TRUE(root);
  ASSERT_EQ(root->keys.size(), 2u);
  EXPECT_EQ(root->keys[0].text, "b");
  EXPECT_EQ(root->items[0].text, "1");
  EXPECT_EQ(root->items[0].at, (Position{1, 4}));
  EXPECT_FALSE(root->items[0].quoted);
  const Node& list = root->items[1];
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_TRUE(list.items[0].quoted);
  EXPECT_EQ(list.items[0].at, (Position{3, 5}));
  EXPECT_EQ(list.items[1].kind, Node::Kind::kMap);
  EXPECT_EQ(list.items[1].items[0].at, (Position{4, 9}));
}

TEST(ParseTree, TakesJson) {
  std::vector<Problem> problems;
  EXPECT_TRUE(ParseTree(R"({"name": "x", "list": [1, 2]})", "f", problems));
}

TEST(ParseTree, GivesNothingForAnEmptyText) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    std::vector<Problem> problems;
    const auto root = ParseTree(text, "f", problems);
    ASSERT_TRUE(root) << text;
    EXPECT_EQ(root->kind, Node::Kind::kNothing) << text;
  }
}

TEST(ParseTree, PutsAMissingValueAtItsKey) {
  std::vector<Problem> problems;
  const auto root = ParseTree("a:\nb: 1\n", "f", problems);

  ASSERT_TRUE(root);
  EXPECT_EQ(root->items[0].kind, Node::Kind::kNothing);
  EXPECT_EQ(root->items[0].at, (Position{1, 1}));
}

TEST(ParseTree, CountsColumnsInCharactersAfterAByteOrderMark) {
  std::vector<Problem> problems;
  const auto root = ParseTree("\xEF\xBB\xBF{\xc3\xa4: 1, b: 2}\n", "f", problems);

  ASSERT_TRUE(root);
  EXPECT_EQ(root->keys[1].at, (Position{1, 8}));
}

TEST(ParseTree, RefusesAnchorsAliasesAndTags) {
  EXPECT_EQ(ErrorOf("a: &x 1\nb: *x\n"),
            "f:1:4: found an anchor, expected the value alone: anchors and aliases are refused");
  EXPECT_THAT(ErrorOf("a: ! 5\n"), HasSubstr("f:1:4: found the tag \"!\""));
  EXPECT_EQ(ErrorOf("a: !!int 5\n"),
            "f:1:4: found the tag \"tag:yaml.org,2002:int\", expected a value without a tag");
  EXPECT_THAT(ErrorOf("a: &x {b: 1}\n"), HasSubstr("found an anchor"));
  EXPECT_THAT(ErrorOf("a: !foo [1]\n"), HasSubstr("found the tag"));
}

TEST(ParseTree, HelpsWhereQuotesWereForgotten) {
  for (const char* text : {"a: *\n", "a: *.lab\n", "a: [*]\n"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("put a text that begins with '*' in quotes")) << text;
  }
  EXPECT_THAT(ErrorOf("a: @x\n"), HasSubstr("f:1:4: not YAML: unknown token (put a text that"));
}

TEST(ParseTree, RefusesASecondDocument) {
  EXPECT_EQ(ErrorOf("a: 1\n---\nb: 2\n"), "f:2:1: found a second document, expected one in a file");
}

TEST(ParseTree, SaysWhereTheSyntaxBreaks) {
  EXPECT_THAT(ErrorOf("a: 1\nb: [1, 2\n"), StartsWith("f:3:1: not YAML: "));
  EXPECT_THAT(ErrorOf("a: b: c\n"), StartsWith("f:1:5: not YAML: "));
  EXPECT_THAT(ErrorOf("a:\n\t- 1\n"), StartsWith("f:2:"));
}

TEST(ParseTree, RefusesAQuoteThatIsNeverClosed) {
  const std::string error =
      "f:1:4: found a quote that is never closed, expected one at the end of the text";
  EXPECT_EQ(ErrorOf("a: \"open\nb: 1\n"), error);
  EXPECT_EQ(ErrorOf("a: 'open\nb: 1\n"), error);
  EXPECT_EQ(ErrorOf("a: 'it''s\n"), error);
  EXPECT_EQ(ErrorOf("a: \"x\\\"\n"), error);
  EXPECT_THAT(ErrorOf("a: \"open"), HasSubstr("not YAML"));
}

TEST(ParseTree, TakesQuotesInsideQuotes) {
  EXPECT_EQ(ErrorOf("a: 'it''s'\nb: \"x\\\"\"\nc: \"\"\nd: ''\ne: |\n  \"text\n"), "");
}

TEST(ParseTree, RefusesBytesThatAreNoText) {
  EXPECT_EQ(ErrorOf("a: 1\nb: \xff\n"), "f:2:4: found byte 0xff, expected printable UTF-8 text");
  EXPECT_EQ(ErrorOf("a: \x1b\n"), "f:1:4: found byte 0x1b, expected printable UTF-8 text");
}

TEST(ParseTree, BoundsSizeDepthAndNumberOfValues) {
  EXPECT_EQ(ErrorOf(std::string(kMaxTextBytes + 1, '#')),
            "f: found 1048577 bytes, expected at most 1048576");
  EXPECT_THAT(ErrorOf(std::string(40, '[') + std::string(40, ']')),
              HasSubstr("nested more than 32"));
  EXPECT_THAT(ErrorOf(std::string(100'000, '[')), StartsWith("f:1:"));
  EXPECT_THAT(ErrorOf(std::string(100'000, '{')), StartsWith("f:1:"));
  std::string many = "[";
  for (std::size_t i = 0; i < kMaxNodes; ++i) many += "1,";
  EXPECT_THAT(ErrorOf(many + "1]"), HasSubstr("found more than 100000 values"));
}

TEST(ParseTree, TakesExactlyTheDepthAllowed) {
  EXPECT_EQ(ErrorOf(fmt::format("{:[<31}1{:]>31}", "", "")), "");
}

}  // namespace
}  // namespace roceready::yaml
