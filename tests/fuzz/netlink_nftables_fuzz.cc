// SPDX-License-Identifier: Apache-2.0
// Answers about packet filter tables, chains and rules.
#include "agent/netlink/nftables.h"
#include "tests/fuzz/netlink_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready::netlink;
  const auto input = ReadFuzzInput(data, size);
  if (!input) return 0;
  if (input->decoder % 2 == 0) {
    RequireDataLossUnlessOk(DecodeNftChain(input->message));
    RequireDataLossUnlessOk(DecodeNftTable(input->message));
    return 0;
  }
  const auto rule = DecodeNftRule(input->message);
  RequireDataLossUnlessOk(rule);
  if (!rule.ok()) return 0;
  Require(!rule->table.empty() && !rule->chain.empty());
  // Each comparison takes an expression with its value, and parts at most one range in two.
  Require(rule->destination_ports.size() * 8 <= size + 8);
  const bool leads_on = rule->verdict == "jump" || rule->verdict == "goto";
  Require(leads_on == !rule->target.empty());
  return 0;
}
