// SPDX-License-Identifier: Apache-2.0
#include "checks/host/packet_filter.h"

#include <fmt/core.h>

#include <algorithm>

#include "checks/words.h"

namespace roceready::checks {
namespace {

// Kernel include/net/netfilter/nf_tables.h NFT_JUMP_STACK_SIZE.
constexpr int kMostJumps = 16;

// Packets of the host itself do not pass "forward".
bool IsOnTheWay(const v1::FirewallChain& chain) { return chain.hook() != "forward"; }

// Chains of one net device, which the facts do not name.
bool IsOfANetDevice(const v1::FirewallChain& chain) {
  return chain.family() == "netdev" || chain.hook() == "ingress" || chain.hook() == "egress";
}

}  // namespace

void PacketFilter::Fate::AddDecisionsOf(const Fate& other) {
  accepted |= other.accepted;
  dropped |= other.dropped;
  unclear |= other.unclear;
  for (const std::string& sentence : other.words) {
    if (std::ranges::find(words, sentence) == words.end()) words.push_back(sentence);
  }
}

PacketFilter::PacketFilter(const v1::Firewall& firewall, bool wants_ipv6)
    : firewall_(firewall), wants_ipv6_(wants_ipv6) {
  for (const v1::FirewallRule& rule : firewall.roce_rules()) {
    const bool other_network = rule.has_network() && rule.network() != (wants_ipv6 ? "ip6" : "ip");
    if (other_network || !SeesRoce(rule.family())) continue;
    rules_[{rule.family(), rule.table(), rule.chain()}].push_back(&rule);
  }
}

std::string PacketFilter::WordsOf(const ChainKey& key) {
  return fmt::format("{} {} {}", std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

bool PacketFilter::SeesRoce(std::string_view family) const {
  return family == "inet" || family == "netdev" || family == (wants_ipv6_ ? "ip6" : "ip");
}

void PacketFilter::Judge() {
  for (const v1::FirewallChain& chain : firewall_.chains()) {
    if (SeesRoce(chain.family()) && IsOnTheWay(chain)) JudgeHooked(chain);
  }
  if (firewall_.roce_rules_left_out() > 0) {
    doubts.push_back(
        fmt::format("{} more may decide", Counted(firewall_.roce_rules_left_out(), "rule")));
  }
}

void PacketFilter::JudgeHooked(const v1::FirewallChain& chain) {
  const ChainKey key(chain.family(), chain.table(), chain.name());
  Fate fate = FateIn(key, 0);
  if (fate.come_out) {
    if (chain.policy() == "drop") {
      fate.dropped = true;
      fate.words.push_back(
          chain.has_rules() && chain.rules() == 0
              ? fmt::format("{} drops everything", WordsOf(key))
              : fmt::format("{} drops by its policy what no rule accepts", WordsOf(key)));
    } else if (chain.policy() == "accept") {
      fate.accepted = true;
    } else {
      fate.unclear = true;
      fate.words.push_back(fmt::format("the policy of {} is not known", WordsOf(key)));
    }
  }
  const bool is_fault = fate.dropped && !fate.accepted && !fate.unclear && !IsOfANetDevice(chain);
  std::vector<std::string>& told = is_fault ? faults : doubts;
  for (std::string& sentence : fate.words) {
    if (!is_fault && fate.dropped) sentence += ", at least some packets";
    if (std::ranges::find(told, sentence) == told.end()) told.push_back(std::move(sentence));
  }
}

const PacketFilter::Fate& PacketFilter::FateIn(const ChainKey& key, int jumps) {
  const auto known = fates_.find(key);
  if (known != fates_.end()) return known->second;
  return fates_.insert_or_assign(key, WalkRules(key, jumps)).first->second;
}

PacketFilter::Fate PacketFilter::WalkRules(const ChainKey& key, int jumps) {
  Fate fate;
  const auto rules = rules_.find(key);
  // The kernel takes no such rules; facts may come from anywhere.
  if (jumps > kMostJumps || !entered_.insert(key).second) {
    fate.unclear = fate.come_out = true;
    fate.words.push_back(fmt::format("{} is jumped to too often", WordsOf(key)));
    return fate;
  }
  bool go_on = true;
  for (size_t i = 0; rules != rules_.end() && go_on && i < rules->second.size(); ++i) {
    go_on = TakeRule(*rules->second[i], key, jumps, &fate);
  }
  entered_.erase(key);
  fate.come_out |= go_on;
  // What the rules say that are not among the rows may come before that.
  if (go_on && firewall_.roce_rules_left_out() > 0) fate.accepted = true;
  return fate;
}

bool PacketFilter::TakeRule(const v1::FirewallRule& rule, const ChainKey& key, int jumps,
                            Fate* fate) {
  const std::string& verdict = rule.verdict();
  const bool some_go_on = !rule.every_packet();
  if (verdict == "accept") {
    fate->accepted = true;
  } else if (verdict == "drop" || verdict == "reject") {
    fate->dropped = true;
    fate->AddDecisionsOf({.words = {fmt::format("{} {}s UDP port 4791", WordsOf(key), verdict)}});
  } else if (verdict == "return") {
    fate->come_out = true;
  } else if (verdict == "jump" || verdict == "goto") {
    const Fate& inside = FateIn({rule.family(), rule.table(), rule.target()}, jumps + 1);
    fate->AddDecisionsOf(inside);
    // From a chain that was gone to they come out where this one would end.
    if (verdict == "jump") return some_go_on || inside.come_out;
    fate->come_out |= inside.come_out;
  } else {
    fate->unclear = true;
    fate->AddDecisionsOf(
        {.words = {fmt::format("{} leaves UDP port 4791 to {}", WordsOf(key),
                               verdict.empty() ? "something that is not told" : verdict)}});
  }
  return some_go_on;
}

}  // namespace roceready::checks
