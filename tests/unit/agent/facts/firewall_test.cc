// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firewall.h"

#include <gtest/gtest.h>

#include "agent/facts/recorded.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using netlink::NftChain;
using netlink::NftRule;

NftRule RuleFor(uint16_t first, uint16_t last, std::string verdict) {
  NftRule rule{.family = 1, .table = "filter", .chain = "input"};
  rule.destination_ports = {{first, last}};
  rule.verdict = std::move(verdict);
  return rule;
}

TEST(Firewall, TellsBaseChainsAndTheRulesThatMayDecideAboutRoce) {
  const std::vector<NftChain> chains = {{1, "filter", "input", 1, 0},
                                        {1, "filter", "helper", std::nullopt, std::nullopt}};
  NftRule tcp = RuleFor(4791, 4791, "drop");
  tcp.takes_udp = false;
  NftRule jump = RuleFor(0, 65535, "jump");
  jump.target = "helper";
  jump.network = 10;
  jump.conditional = true;
  const std::vector<NftRule> rules = {RuleFor(22, 22, "accept"), RuleFor(4791, 4791, "drop"), tcp,
                                      RuleFor(0, 65535, ""), jump};
  const v1::Firewall firewall = FirewallOf({}, chains, rules);
  ASSERT_EQ(firewall.chains_size(), 1);
  EXPECT_EQ(firewall.chains(0).family(), "inet");
  EXPECT_EQ(firewall.chains(0).hook(), "input");
  EXPECT_EQ(firewall.chains(0).policy(), "drop");
  EXPECT_EQ(firewall.chains(0).rules(), 5u);
  ASSERT_EQ(firewall.roce_rules_size(), 2);
  EXPECT_EQ(firewall.roce_rules(0).verdict(), "drop");
  EXPECT_TRUE(firewall.roce_rules(0).every_packet());
  EXPECT_FALSE(firewall.roce_rules(0).has_network());
  EXPECT_EQ(firewall.roce_rules(1).target(), "helper");
  EXPECT_EQ(firewall.roce_rules(1).network(), "ip6");
  EXPECT_TRUE(firewall.roce_rules(1).has_every_packet());
  EXPECT_FALSE(firewall.roce_rules(1).every_packet());
}

TEST(Firewall, WhatIsInADormantTableSeesNoPacket) {
  const std::vector<NftChain> chains = {{1, "asleep", "input", 1, 0}, {1, "awake", "input", 1, 1}};
  NftRule asleep = RuleFor(4791, 4791, "drop");
  asleep.table = "asleep";
  NftRule awake = RuleFor(4791, 4791, "accept");
  awake.table = "awake";
  const std::vector<netlink::NftTable> tables = {{1, "asleep", true}, {1, "awake", false}};

  const v1::Firewall firewall = FirewallOf(tables, chains, {asleep, awake});

  ASSERT_EQ(firewall.chains_size(), 1);
  EXPECT_EQ(firewall.chains(0).table(), "awake");
  ASSERT_EQ(firewall.roce_rules_size(), 1);
  EXPECT_EQ(firewall.roce_rules(0).table(), "awake");
}

// A table of another family may have the same name.
TEST(Firewall, ADormantTableIsOneOfItsFamily) {
  const std::vector<NftChain> chains = {{2, "filter", "input", 1, 0}};
  EXPECT_EQ(FirewallOf({{10, "filter", true}}, chains, {}).chains_size(), 1);
  EXPECT_EQ(FirewallOf({{2, "filter", true}}, chains, {}).chains_size(), 0);
}

TEST(Firewall, RulesThatFollowEachOtherAndSayTheSameAreOneRow) {
  const std::vector<NftRule> rules = {RuleFor(4791, 4791, "accept"), RuleFor(22, 22, "drop"),
                                      RuleFor(4000, 5000, "accept"), RuleFor(0, 65535, "drop"),
                                      RuleFor(4791, 4791, "accept")};
  const v1::Firewall firewall = FirewallOf({}, {}, rules);
  ASSERT_EQ(firewall.roce_rules_size(), 3);
  EXPECT_EQ(firewall.roce_rules(0).rules(), 2u);
  EXPECT_EQ(firewall.roce_rules(1).verdict(), "drop");
  EXPECT_EQ(firewall.roce_rules(2).rules(), 1u);
  EXPECT_FALSE(firewall.has_roce_rules_left_out());
}

TEST(Firewall, RowsBeyondTheBoundAreCounted) {
  std::vector<NftRule> rules;
  for (int i = 0; i < kMostFirewallRows + 3; ++i) {
    rules.push_back(RuleFor(4791, 4791, i % 2 == 0 ? "accept" : "drop"));
  }
  const v1::Firewall firewall = FirewallOf({}, {}, rules);
  EXPECT_EQ(firewall.roce_rules_size(), kMostFirewallRows);
  EXPECT_EQ(firewall.roce_rules_left_out(), 3u);
}

constexpr std::string_view kBuiltIn = "/lib/modules/6.1.0/modules.builtin";
constexpr std::string_view kKernelSockets =
    "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
    "0000000000000000 0   0          00000000 0        0        0     2        0        20\n";

FixtureTree& WithRelease(FixtureTree& tree) {
  return tree.File("/proc/sys/kernel/osrelease", "6.1.0");
}

TEST(Firewall, WithoutThePacketFilterNothingIsAsked) {
  FixtureTree tree;
  WithRelease(tree).File(kBuiltIn, "kernel/net/netfilter/nfnetlink.ko");
  const v1::Firewall none = ReadFirewall(*RecordedSources(tree.path()));
  EXPECT_EQ(none.reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(none.legacy().outcome(), v1::OUTCOME_ABSENT);
}

TEST(Firewall, BuiltIntoTheKernelItIsAsked) {
  FixtureTree tree;
  WithRelease(tree).File(kBuiltIn, "kernel/net/netfilter/nf_tables.ko");
  tree.File("/netfilter.txt", "ask 0x0a04 dump 00000000\nerror 1 ");
  EXPECT_EQ(ReadFirewall(*RecordedSources(tree.path())).reading().outcome(), v1::OUTCOME_DENIED);
}

TEST(Firewall, WhereTheListOfWhatIsBuiltInIsMissingTheKernelsSocketsTell) {
  FixtureTree tree;
  WithRelease(tree);
  EXPECT_EQ(ReadFirewall(*RecordedSources(tree.path())).reading().outcome(), v1::OUTCOME_SKIPPED);
  tree.File("/proc/net/netlink", kKernelSockets);
  EXPECT_EQ(ReadFirewall(*RecordedSources(tree.path())).reading().outcome(), v1::OUTCOME_ABSENT);
  tree.File("/proc/net/netlink", fmt::format("{}0000000000000000 12  0  0 0 0 0", kKernelSockets));
  EXPECT_EQ(ReadFirewall(*RecordedSources(tree.path())).reading().outcome(), v1::OUTCOME_SKIPPED);
}

TEST(Firewall, TheTablesOfTheOlderKindAreNamed) {
  FixtureTree tree;
  tree.File("/proc/net/ip_tables_names", "nat\nfilter").File("/proc/net/ip6_tables_names", "raw");
  const v1::Firewall firewall = ReadFirewall(*RecordedSources(tree.path()));
  EXPECT_EQ(firewall.legacy().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(
      (std::vector<std::string>(firewall.legacy_tables().begin(), firewall.legacy_tables().end())),
      (std::vector<std::string>{"ip nat", "ip filter", "ip6 raw"}));
}

TEST(Firewall, TheTablesOfTheOlderKindAreForRoot) {
  FixtureTree tree;
  tree.File("/proc/net/ip_tables_names", "").File("/errors.txt", "13 /proc/net/ip_tables_names");
  const v1::Reading legacy = ReadFirewall(*RecordedSources(tree.path())).legacy();
  EXPECT_EQ(legacy.outcome(), v1::OUTCOME_DENIED);
  EXPECT_EQ(legacy.needs(), "root");
}

TEST(Firewall, ADenialNamesTheCapability) {
  FixtureTree tree;
  tree.Folder("/sys/module/nf_tables");
  tree.File("/netfilter.txt", "ask 0x0a04 dump 00000000\nerror 1 ");
  const v1::Firewall denied = ReadFirewall(*RecordedSources(tree.path()));
  EXPECT_EQ(denied.reading().outcome(), v1::OUTCOME_DENIED);
  EXPECT_EQ(denied.reading().needs(), "CAP_NET_ADMIN");
}

}  // namespace
}  // namespace roceready::facts
