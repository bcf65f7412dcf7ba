// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firewall.h"

#include <gtest/gtest.h>

#include "agent/facts/recorded.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using netlink::NftChain;
using netlink::NftRule;

NftRule RuleFor(uint16_t first, uint16_t last, std::optional<uint8_t> protocol, int32_t verdict) {
  NftRule rule{.family = 1, .table = "filter", .chain = "input"};
  rule.destination_ports = {{first, last}};
  rule.protocol = protocol;
  rule.verdict = verdict;
  return rule;
}

TEST(Firewall, TellsBaseChainsAndTheRulesThatNameRoce) {
  const std::vector<NftChain> chains = {{1, "filter", "input", 1, 0},
                                        {1, "filter", "helper", std::nullopt, std::nullopt}};
  const std::vector<NftRule> rules = {
      RuleFor(22, 22, 6, 1), RuleFor(4791, 4791, 17, 0), RuleFor(4000, 5000, std::nullopt, 1),
      RuleFor(4791, 4791, 6, 0), NftRule{.family = 1, .table = "filter", .chain = "helper"}};
  const v1::Firewall firewall = FirewallOf(chains, rules);
  ASSERT_EQ(firewall.chains_size(), 1);
  EXPECT_EQ(firewall.chains(0).family(), "inet");
  EXPECT_EQ(firewall.chains(0).hook(), "input");
  EXPECT_EQ(firewall.chains(0).policy(), "drop");
  EXPECT_EQ(firewall.chains(0).rules(), 4u);
  // Not the TCP rule of the same port.
  ASSERT_EQ(firewall.roce_rules_size(), 2);
  EXPECT_EQ(firewall.roce_rules(0).verdict(), "drop");
  EXPECT_EQ(firewall.roce_rules(1).verdict(), "accept");
}

TEST(Firewall, WithoutThePacketFilterNothingIsAsked) {
  FixtureTree tree;
  const v1::Firewall none = ReadFirewall(*RecordedSources(tree.path()));
  EXPECT_EQ(none.reading().outcome(), v1::OUTCOME_ABSENT);
  tree.Folder("/sys/module/ip_tables");
  // There is a filter, and we do not read it: that is another answer than none at all.
  const v1::Reading old = ReadFirewall(*RecordedSources(tree.path())).reading();
  EXPECT_EQ(old.outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_NE(old.detail().find("ip_tables"), std::string::npos);
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
