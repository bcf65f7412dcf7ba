// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firewall.h"

#include <algorithm>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_NETFILTER;
constexpr uint16_t kRocePort = 4791;
constexpr uint8_t kUdp = 17;
constexpr uint32_t kPolicyDrop = 0;

bool NamesRoce(const netlink::NftRule& rule) {
  if (rule.protocol.value_or(kUdp) != kUdp) return false;
  return std::ranges::any_of(rule.destination_ports, [](const netlink::NftRule::Ports& ports) {
    return ports.first <= kRocePort && kRocePort <= ports.last;
  });
}

}  // namespace

v1::Firewall FirewallOf(const std::vector<netlink::NftChain>& chains,
                        const std::vector<netlink::NftRule>& rules) {
  v1::Firewall firewall;
  *firewall.mutable_reading() = OkReading(kSource);
  for (const netlink::NftChain& chain : chains) {
    if (!chain.hook) continue;
    v1::FirewallChain* row = firewall.add_chains();
    row->set_family(netlink::NftFamilyWord(chain.family));
    row->set_table(chain.table);
    row->set_name(chain.name);
    row->set_hook(netlink::NftHookWord(chain.family, *chain.hook));
    if (chain.policy) row->set_policy(*chain.policy == kPolicyDrop ? "drop" : "accept");
    row->set_rules(
        static_cast<uint32_t>(std::ranges::count_if(rules, [&chain](const netlink::NftRule& rule) {
          return rule.family == chain.family && rule.table == chain.table &&
                 rule.chain == chain.name;
        })));
  }
  for (const netlink::NftRule& rule : rules) {
    if (!NamesRoce(rule)) continue;
    v1::FirewallRule* row = firewall.add_roce_rules();
    row->set_family(netlink::NftFamilyWord(rule.family));
    row->set_table(rule.table);
    row->set_chain(rule.chain);
    if (rule.rejects) {
      row->set_verdict("reject");
    } else if (rule.verdict) {
      row->set_verdict(netlink::NftVerdictWord(*rule.verdict));
    }
  }
  return firewall;
}

v1::Firewall ReadFirewall(const Sources& sources) {
  v1::Firewall firewall;
  if (!sources.root().Exists("/sys/module/nf_tables")) {
    const bool old_one = sources.root().Exists("/sys/module/ip_tables");
    *firewall.mutable_reading() =
        MissingReading(old_one ? v1::OUTCOME_UNSUPPORTED : v1::OUTCOME_ABSENT, kSource,
                       old_one ? "nf_tables is not loaded; the rules of ip_tables are not read"
                               : "nf_tables is not loaded: no packet filter");
    return firewall;
  }
  const auto netfilter = sources.OpenNetlink(netlink::Protocol::kNetfilter);
  if (!netfilter.ok()) {
    *firewall.mutable_reading() = ReadingOf(netfilter.status(), kSource, kReadFirewall);
    return firewall;
  }
  const auto chains = netlink::ReadNftChains(**netfilter);
  const auto rules = chains.ok() ? netlink::ReadNftRules(**netfilter) : chains.status();
  if (rules.ok()) return FirewallOf(*chains, *rules);
  *firewall.mutable_reading() = ReadingOf(rules.status(), kSource, kReadFirewall);
  return firewall;
}

}  // namespace roceready::facts
