// SPDX-License-Identifier: Apache-2.0
// firewall.roce-port: the host's own packet filter lets RoCE through, where it sees it at all.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// "input" of "table filter" of family "inet".
using ChainKey = std::tuple<std::string, std::string, std::string>;

std::string WordsOf(const ChainKey& key) {
  return fmt::format("{} {} {}", std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

// What the rules of one chain that name the port do with it.
struct PortRules {
  bool accepts = false;
  bool refuses = false;
  bool leads_on = false;
};

class Filter {
 public:
  Filter(const v1::Firewall& firewall, bool wants_ipv6)
      : firewall_(firewall), wants_ipv6_(wants_ipv6) {}

  // Each as "ip filter INPUT drops UDP port 4791".
  std::vector<std::string> faults, doubts;

  void Judge() {
    for (const v1::FirewallRule& rule : firewall_.roce_rules()) {
      if (!SeesRoce(rule.family())) continue;
      PortRules& rules = rules_[{rule.family(), rule.table(), rule.chain()}];
      rules.accepts |= rule.verdict() == "accept";
      rules.refuses |= rule.verdict() == "drop" || rule.verdict() == "reject";
      rules.leads_on |= rule.verdict() == "jump" || rule.verdict() == "goto";
      accepting_tables_[{rule.family(), rule.table()}] |= rule.verdict() == "accept";
    }
    for (const auto& [key, rules] : rules_) JudgeRules(key, rules);
    for (const v1::FirewallChain& chain : firewall_.chains()) JudgePolicy(chain);
  }

 private:
  bool SeesRoce(std::string_view family) const {
    return family == "inet" || family == "netdev" || family == (wants_ipv6_ ? "ip6" : "ip");
  }

  // Packets of the host itself do not pass "forward".
  static bool IsOnTheWay(const v1::FirewallChain& chain) { return chain.hook() != "forward"; }

  const v1::FirewallChain* HookedChain(const ChainKey& key) const {
    for (const v1::FirewallChain& chain : firewall_.chains()) {
      if (ChainKey(chain.family(), chain.table(), chain.name()) == key) return &chain;
    }
    return nullptr;
  }

  void JudgeRules(const ChainKey& key, const PortRules& rules) {
    const v1::FirewallChain* hooked = HookedChain(key);
    if (hooked != nullptr && !IsOnTheWay(*hooked)) return;
    if (rules.refuses && !rules.accepts && hooked != nullptr) {
      faults.push_back(fmt::format("{} drops UDP port 4791", WordsOf(key)));
    } else if (rules.refuses) {
      doubts.push_back(fmt::format("{} drops UDP port 4791 of some packets", WordsOf(key)));
    } else if (rules.leads_on) {
      doubts.push_back(fmt::format("{} sends UDP port 4791 to another chain", WordsOf(key)));
    }
  }

  // What no rule decides is dropped.
  void JudgePolicy(const v1::FirewallChain& chain) {
    if (!SeesRoce(chain.family()) || !IsOnTheWay(chain)) return;
    const std::string words = WordsOf({chain.family(), chain.table(), chain.name()});
    if (!chain.has_policy()) {
      doubts.push_back(fmt::format("the policy of {} is not known", words));
      return;
    }
    const auto accepting = accepting_tables_.find({chain.family(), chain.table()});
    const bool accepts = accepting != accepting_tables_.end() && accepting->second;
    if (chain.policy() != "drop" || accepts) return;
    if (chain.has_rules() && chain.rules() == 0) {
      faults.push_back(fmt::format("{} drops everything", words));
    } else {
      doubts.push_back(
          fmt::format("{} drops what its {} do not accept, and none names UDP port "
                      "4791",
                      words, Counted(chain.rules(), "rule")));
    }
  }

  const v1::Firewall& firewall_;
  const bool wants_ipv6_;
  std::map<ChainKey, PortRules> rules_;
  std::map<std::pair<std::string, std::string>, bool> accepting_tables_;
};

void JudgeHost(const HostView& host, Judge& judge) {
  const auto is_soft = [](const PortView& port) { return port.family == NicFamily::kSoft; };
  // A NIC takes its RoCE packets past the kernel.
  if (std::ranges::none_of(host.ports(), is_soft)) return judge.NotApplicable();
  const v1::Firewall& firewall = host.facts().firewall();
  const Question question{
      .subject = host.SubjectOfHost(),
      .path = "firewall.roce_rules",
      .reading = ReadingOf(host.facts().has_firewall(), firewall),
      .expected = "a packet filter that lets UDP port 4791 in and out",
  };
  // There is no packet filter in this kernel.
  if (question.reading.outcome() == v1::OUTCOME_ABSENT) return judge.NotApplicable();
  if (IsUnanswered(host, judge, question)) return;
  Filter filter(firewall, host.intent().ip_family() == "ipv6");
  filter.Judge();
  if (!filter.faults.empty()) {
    FailOn(host, judge, question, JoinWords(filter.faults))
        .MendedBy(
            "Accept UDP port 4791 between the hosts of the fabric, also in the filter's file.");
  } else if (!filter.doubts.empty()) {
    judge.Unknown(question.subject, JoinWords(filter.doubts))
        .Expected(question.expected)
        .RestsOn(host.EvidenceAt(question.path, {}, question.reading));
  } else {
    judge.Pass();
  }
}

}  // namespace

Check FirewallRocePort() {
  return {
      .id = "firewall.roce-port",
      .title = "The host's packet filter lets RoCE through",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RoCE v2 is UDP to port 4791. Where the kernel makes the packets (Soft-RoCE), a filter "
          "that allows ping and SSH alone drops them: queue pairs connect and then time out.",
      .how =
          "Only for software RDMA devices: a NIC takes RoCE past the kernel. No chain that packets "
          "of the host pass may drop port 4791 by a rule, or everything by its policy. A chain "
          "that drops by policy and has rules that do not name the port is UNKNOWN: what they "
          "match is not worked out. Without a packet filter there is nothing to judge.",
      .fix = "nft insert rule inet filter input udp dport 4791 accept, and the same for output.",
      .sources = {"nfnetlink NFT_MSG_GETCHAIN and NFT_MSG_GETRULE",
                  "IANA service names: roce, UDP port 4791"},
      .explained_by = {},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
