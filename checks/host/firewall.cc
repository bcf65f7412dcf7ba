// SPDX-License-Identifier: Apache-2.0
// firewall.roce-port: the host's own packet filter lets RoCE through, where it sees it at all.
#include <algorithm>

#include "checks/check.h"
#include "checks/host/packet_filter.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// A filter of many chains has many doubts, and each is of the same kind.
constexpr size_t kMostTold = 4;

std::string Told(std::vector<std::string> sentences) {
  const size_t all = sentences.size();
  if (all > kMostTold) {
    sentences.resize(kMostTold - 1);
    sentences.push_back(fmt::format("{} more", all - sentences.size()));
  }
  return JoinWords(sentences);
}

bool IsAbsent(const v1::Reading& reading) { return reading.outcome() == v1::OUTCOME_ABSENT; }

// What the older ip_tables may do, whose rules are not read.
std::vector<std::string> LegacyDoubts(const v1::Firewall& firewall, bool wants_ipv6) {
  const v1::Reading reading = ScanReading(firewall.has_legacy(), firewall.legacy());
  if (!IsOk(reading) && !IsAbsent(reading)) {
    return {fmt::format("the tables of ip_tables are not known: {}", ReasonOf(reading))};
  }
  std::vector<std::string> doubts;
  for (const std::string& table : firewall.legacy_tables()) {
    if (table.starts_with("ip6 ") != wants_ipv6) continue;
    doubts.push_back(fmt::format("ip_tables has its table {}, whose rules are not read", table));
  }
  return doubts;
}

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
  const bool wants_ipv6 = host.intent().ip_family() == "ipv6";
  const std::vector<std::string> legacy = LegacyDoubts(firewall, wants_ipv6);
  // There is no packet filter in this kernel.
  const bool has_none = IsAbsent(question.reading);
  if (has_none && legacy.empty()) return judge.NotApplicable();
  if (!has_none && IsUnanswered(host, judge, question)) return;
  PacketFilter filter(firewall, wants_ipv6);
  filter.Judge();
  filter.doubts.insert(filter.doubts.end(), legacy.begin(), legacy.end());
  if (!filter.faults.empty()) {
    FailOn(host, judge, question, Told(filter.faults))
        .MendedBy(
            "Accept UDP port 4791 between the hosts of the fabric, also in the filter's file.");
  } else if (!filter.doubts.empty()) {
    judge.Unknown(question.subject, Told(filter.doubts))
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
          "Only for software RDMA devices: a NIC takes RoCE past the kernel. A packet to UDP port "
          "4791 is led through each chain that packets of the host pass, in the order of its rules "
          "and through the chains they jump to. A chain that drops each such packet, by a rule or "
          "by its policy, is FAIL. One that may drop some is UNKNOWN: what addresses, interfaces, "
          "states and sets take is not worked out, nor what a map, NAT or a queue does with it, "
          "nor which net device the chains of one see, nor the rules of the older ip_tables. "
          "Without a packet filter there is nothing to judge.",
      .fix = "nft insert rule inet filter input udp dport 4791 accept, and the same for output.",
      .sources = {"nfnetlink NFT_MSG_GETCHAIN and NFT_MSG_GETRULE",
                  "/proc/net/ip_tables_names and ip6_tables_names",
                  "IANA service names: roce, UDP port 4791"},
      .explained_by = {},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
