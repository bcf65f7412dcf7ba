// SPDX-License-Identifier: Apache-2.0
// Leads a packet to UDP port 4791 through the chains of a host's packet filter.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

class PacketFilter {
 public:
  PacketFilter(const v1::Firewall& firewall, bool wants_ipv6);
  void Judge();

  // Each as "ip filter INPUT drops UDP port 4791". Faults hold for each packet, doubts may.
  std::vector<std::string> faults, doubts;

 private:
  // Family, table and chain.
  using ChainKey = std::tuple<std::string, std::string, std::string>;

  // What may become of packets that enter a chain. Where a rule takes some, both ways are gone.
  struct Fate {
    bool accepted = false;
    bool dropped = false;
    // Something else decides.
    bool unclear = false;
    // They come out at the chain's end, or return before it.
    bool come_out = false;
    // Where they are dropped, and by what else it is decided.
    std::vector<std::string> words;

    // Also this, but for where they come out.
    void AddDecisionsOf(const Fate& other);
  };

  static std::string WordsOf(const ChainKey& key);
  bool SeesRoce(std::string_view family) const;
  // Of a chain with all its rules; the same wherever it is entered.
  const Fate& FateIn(const ChainKey& key, int jumps);
  Fate WalkRules(const ChainKey& key, int jumps);
  // Whether packets go on to the chain's next rule.
  bool TakeRule(const v1::FirewallRule& rule, const ChainKey& key, int jumps, Fate* fate);
  void JudgeHooked(const v1::FirewallChain& chain);

  const v1::Firewall& firewall_;
  const bool wants_ipv6_;
  std::map<ChainKey, std::vector<const v1::FirewallRule*>> rules_;
  std::map<ChainKey, Fate> fates_;
  // Chains that are being walked.
  std::set<ChainKey> entered_;
};

}  // namespace roceready::checks
