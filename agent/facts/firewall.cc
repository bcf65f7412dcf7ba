// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firewall.h"

#include <google/protobuf/util/message_differencer.h>
#include <linux/netfilter.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {
namespace {

constexpr v1::Source kSource = v1::SOURCE_NETFILTER;
constexpr uint16_t kRocePort = 4791;
constexpr uint32_t kPolicyDrop = 0;

using TableKey = std::pair<uint8_t, std::string_view>;
using ChainKey = std::tuple<uint8_t, std::string_view, std::string_view>;

bool MayDecideAboutRoce(const netlink::NftRule& rule) {
  const bool is_ip = rule.family == NFPROTO_IPV4 || rule.family == NFPROTO_IPV6;
  const bool can_be = !is_ip || rule.network.value_or(rule.family) == rule.family;
  return can_be && !rule.verdict.empty() && rule.MayTakeUdpPort(kRocePort);
}

v1::FirewallRule RowOf(const netlink::NftRule& rule) {
  v1::FirewallRule row;
  row.set_family(netlink::NftFamilyWord(rule.family));
  row.set_table(rule.table);
  row.set_chain(rule.chain);
  row.set_verdict(rule.verdict);
  row.set_every_packet(!rule.conditional);
  if (!rule.target.empty()) row.set_target(rule.target);
  if (rule.network) row.set_network(netlink::NftFamilyWord(*rule.network));
  return row;
}

void AddRows(const std::vector<netlink::NftRule>& rules, const std::set<TableKey>& dormant,
             v1::Firewall* firewall) {
  v1::FirewallRule latest;
  uint32_t left_out = 0;
  for (const netlink::NftRule& rule : rules) {
    if (!MayDecideAboutRoce(rule) || dormant.contains({rule.family, rule.table})) continue;
    const v1::FirewallRule row = RowOf(rule);
    const bool same = google::protobuf::util::MessageDifferencer::Equals(row, latest);
    latest = row;
    if (same) {
      // A row that was left out is counted once as well.
      if (left_out > 0) continue;
      v1::FirewallRule& last = *firewall->mutable_roce_rules()->rbegin();
      last.set_rules(last.rules() + 1);
    } else if (firewall->roce_rules_size() == kMostFirewallRows) {
      ++left_out;
    } else {
      *firewall->add_roce_rules() = row;
      firewall->mutable_roce_rules()->rbegin()->set_rules(1);
    }
  }
  if (left_out > 0) firewall->set_roce_rules_left_out(left_out);
}

enum class Presence { kThere, kNotThere, kNotTold };

// A module shows in sysfs while it is loaded; what is built into the kernel need not show there,
// but its build lists it. Without the list (in a container) the kernel's own end of nfnetlink
// tells: nf_tables does not run without it.
Presence PresenceOfNfTables(const HostRoot& root) {
  if (root.Exists("/sys/module/nf_tables")) return Presence::kThere;
  const absl::StatusOr<std::string> release = root.ReadWord("/proc/sys/kernel/osrelease");
  if (release.ok() && !release->empty()) {
    const auto built_in = root.Read(fmt::format("/lib/modules/{}/modules.builtin", *release));
    if (built_in.ok()) {
      const bool there = built_in->find("/nf_tables.ko") != std::string::npos;
      return there ? Presence::kThere : Presence::kNotThere;
    }
  }
  const absl::StatusOr<std::string> sockets = root.Read("/proc/net/netlink");
  if (!sockets.ok()) return Presence::kNotTold;
  // "sk Eth Pid ...": the kernel's own sockets have port 0.
  constexpr std::string_view kNetfilter = "12", kKernel = "0";
  for (const std::string_view line : Lines(*sockets)) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() > 2 && words[1] == kNetfilter && words[2] == kKernel) {
      return Presence::kNotTold;
    }
  }
  return Presence::kNotThere;
}

v1::Firewall ReadNfTables(const Sources& sources) {
  v1::Firewall firewall;
  const Presence presence = PresenceOfNfTables(sources.root());
  if (presence == Presence::kNotThere) {
    *firewall.mutable_reading() =
        MissingReading(v1::OUTCOME_ABSENT, kSource, "nf_tables is not loaded: no packet filter");
    return firewall;
  }
  if (presence == Presence::kNotTold) {
    *firewall.mutable_reading() = MissingReading(
        v1::OUTCOME_SKIPPED, kSource,
        "asking would load nf_tables, and whether it is built into the kernel is not known: there "
        "is no modules.builtin of the running kernel");
    return firewall;
  }
  const auto netfilter = sources.OpenNetlink(netlink::Protocol::kNetfilter);
  if (!netfilter.ok()) {
    *firewall.mutable_reading() = ReadingOf(netfilter.status(), kSource, kReadFirewall);
    return firewall;
  }
  const auto chains = netlink::ReadNftChains(**netfilter);
  const auto rules = chains.ok() ? netlink::ReadNftRules(**netfilter) : chains.status();
  const auto tables = rules.ok() ? netlink::ReadNftTables(**netfilter) : rules.status();
  if (tables.ok()) return FirewallOf(*tables, *chains, *rules);
  *firewall.mutable_reading() = ReadingOf(tables.status(), kSource, kReadFirewall);
  return firewall;
}

// A line for each table (kernel net/netfilter/x_tables.c xt_proto_init); there only while the
// module is.
void ReadLegacyTables(const HostRoot& root, v1::Firewall* firewall) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFiles = {
      {{"ip", "/proc/net/ip_tables_names"}, {"ip6", "/proc/net/ip6_tables_names"}}};
  v1::Reading& reading = *firewall->mutable_legacy();
  reading = MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_PROCFS,
                           "neither ip_tables nor ip6_tables is loaded");
  for (const auto& [family, path] : kFiles) {
    const absl::StatusOr<std::string> names = root.Read(path);
    const v1::Reading one = ReadingOf(names.status(), v1::SOURCE_PROCFS, kReadLegacyTables);
    if (one.outcome() == v1::OUTCOME_ABSENT) continue;
    const bool failed_before = reading.outcome() != v1::OUTCOME_ABSENT &&  //
                               reading.outcome() != v1::OUTCOME_OK;
    if (!failed_before) reading = one;
    if (!names.ok()) continue;
    for (const std::string_view name : Lines(*names)) {
      firewall->add_legacy_tables(fmt::format("{} {}", family, Trim(name)));
    }
  }
}

}  // namespace

v1::Firewall FirewallOf(const std::vector<netlink::NftTable>& tables,
                        const std::vector<netlink::NftChain>& chains,
                        const std::vector<netlink::NftRule>& rules) {
  v1::Firewall firewall;
  *firewall.mutable_reading() = OkReading(kSource);
  std::set<TableKey> dormant;
  for (const netlink::NftTable& table : tables) {
    if (table.is_dormant) dormant.emplace(table.family, table.name);
  }
  std::map<ChainKey, uint32_t> counts;
  for (const netlink::NftRule& rule : rules) ++counts[{rule.family, rule.table, rule.chain}];
  for (const netlink::NftChain& chain : chains) {
    if (!chain.hook || dormant.contains({chain.family, chain.table})) continue;
    v1::FirewallChain* row = firewall.add_chains();
    row->set_family(netlink::NftFamilyWord(chain.family));
    row->set_table(chain.table);
    row->set_name(chain.name);
    row->set_hook(netlink::NftHookWord(chain.family, *chain.hook));
    if (chain.policy) row->set_policy(*chain.policy == kPolicyDrop ? "drop" : "accept");
    row->set_rules(counts[{chain.family, chain.table, chain.name}]);
  }
  AddRows(rules, dormant, &firewall);
  return firewall;
}

v1::Firewall ReadFirewall(const Sources& sources) {
  v1::Firewall firewall = ReadNfTables(sources);
  ReadLegacyTables(sources.root(), &firewall);
  return firewall;
}

}  // namespace roceready::facts
