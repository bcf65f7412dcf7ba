// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/words.h"

#include <fmt/core.h>

#include <initializer_list>
#include <string_view>

namespace roceready::netlink {
namespace {

struct Word {
  uint32_t number;
  std::string_view text;
};

std::string Find(std::string_view kind, uint32_t number, std::initializer_list<Word> words) {
  for (const Word& word : words) {
    if (word.number == number) return std::string(word.text);
  }
  return fmt::format("{}-{}", kind, number);
}

}  // namespace

// RFC 2863, include/uapi/linux/if.h IF_OPER_*.
std::string OperstateWord(uint8_t operstate) {
  return Find("operstate", operstate,
              {{0, "UNKNOWN"},
               {1, "NOTPRESENT"},
               {2, "DOWN"},
               {3, "LOWERLAYERDOWN"},
               {4, "TESTING"},
               {5, "DORMANT"},
               {6, "UP"}});
}

// include/uapi/linux/if_bonding.h BOND_MODE_*.
std::string BondModeWord(uint8_t mode) {
  return Find("bond-mode", mode,
              {{0, "balance-rr"},
               {1, "active-backup"},
               {2, "balance-xor"},
               {3, "broadcast"},
               {4, "802.3ad"},
               {5, "balance-tlb"},
               {6, "balance-alb"}});
}

// include/uapi/linux/if_bonding.h BOND_XMIT_POLICY_*.
std::string BondHashWord(uint8_t policy) {
  return Find("hash-policy", policy,
              {{0, "layer2"},
               {1, "layer3+4"},
               {2, "layer2+3"},
               {3, "encap2+3"},
               {4, "encap3+4"},
               {5, "vlan+srcmac"}});
}

std::string BondLacpRateWord(uint8_t rate) {
  return Find("lacp-rate", rate, {{0, "slow"}, {1, "fast"}});
}

// include/uapi/linux/if_bonding.h BOND_STATE_*.
std::string BondMemberStateWord(uint8_t state) {
  return Find("member-state", state, {{0, "ACTIVE"}, {1, "BACKUP"}});
}

// include/uapi/linux/if_bonding.h BOND_LINK_*.
std::string BondMiiWord(uint8_t status) {
  return Find("mii-status", status, {{0, "UP"}, {1, "GOING_DOWN"}, {2, "DOWN"}, {3, "GOING_BACK"}});
}

// include/uapi/linux/if_ether.h ETH_P_8021Q, ETH_P_8021AD.
std::string VlanProtocolWord(uint16_t protocol) {
  if (protocol == 0x8100) return "802.1Q";
  if (protocol == 0x88a8) return "802.1ad";
  return fmt::format("vlan-protocol-0x{:04x}", protocol);
}

// include/uapi/linux/if_link.h IFLA_VF_LINK_STATE_*.
std::string VfLinkStateWord(uint32_t state) {
  return Find("vf-link-state", state, {{0, "auto"}, {1, "enable"}, {2, "disable"}});
}

// include/uapi/linux/rtnetlink.h enum rt_scope_t.
std::string AddressScopeWord(uint8_t scope) {
  return Find("scope", scope,
              {{0, "global"}, {200, "site"}, {253, "link"}, {254, "host"}, {255, "nowhere"}});
}

// include/uapi/linux/rtnetlink.h RTN_*.
std::string RouteTypeWord(uint8_t type) {
  return Find("route-type", type,
              {{0, "unspec"},
               {1, "unicast"},
               {2, "local"},
               {3, "broadcast"},
               {4, "anycast"},
               {5, "multicast"},
               {6, "blackhole"},
               {7, "unreachable"},
               {8, "prohibit"},
               {9, "throw"},
               {10, "nat"},
               {11, "xresolve"}});
}

// include/uapi/linux/neighbour.h NUD_*.
std::string NeighbourStateWord(uint16_t state) {
  if (state == 0) return "NONE";
  std::string words;
  for (uint32_t bit = 1; bit <= 0x8000; bit <<= 1) {
    if ((state & bit) == 0) continue;
    if (!words.empty()) words += '|';
    words += Find("neighbour-state", bit,
                  {{0x01, "INCOMPLETE"},
                   {0x02, "REACHABLE"},
                   {0x04, "STALE"},
                   {0x08, "DELAY"},
                   {0x10, "PROBE"},
                   {0x20, "FAILED"},
                   {0x40, "NOARP"},
                   {0x80, "PERMANENT"}});
  }
  return words;
}

// include/uapi/linux/dcbnl.h IEEE_8021QAZ_TSA_*.
std::string TsaWord(uint8_t algorithm) {
  return Find("tsa", algorithm, {{0, "strict"}, {1, "cbs"}, {2, "ets"}, {255, "vendor"}});
}

// include/uapi/linux/dcbnl.h IEEE_8021QAZ_APP_SEL_*, DCB_APP_SEL_PCP.
std::string DcbSelectorWord(uint8_t selector) {
  return Find("selector", selector,
              {{1, "ethertype"},
               {2, "tcp-port"},
               {3, "udp-port"},
               {4, "any-port"},
               {5, "dscp"},
               {255, "pcp"}});
}

// include/uapi/linux/dcbnl.h DCB_CAP_DCBX_*.
std::vector<std::string> DcbxWords(uint8_t modes) {
  std::vector<std::string> words;
  for (uint32_t bit = 0; bit < 8; ++bit) {
    if ((modes >> bit & 1) == 0) continue;
    words.push_back(
        Find("dcbx-bit", bit,
             {{0, "host"}, {1, "lld-managed"}, {2, "cee"}, {3, "ieee"}, {4, "static"}}));
  }
  return words;
}

// include/rdma/ib_verbs.h enum rdma_node_type.
std::string RdmaNodeTypeWord(uint8_t type) {
  return Find(
      "node-type", type,
      {{1, "ca"}, {2, "switch"}, {3, "router"}, {4, "rnic"}, {5, "usnic"}, {6, "usnic_udp"}});
}

// include/rdma/ib_verbs.h enum ib_port_state.
std::string RdmaPortStateWord(uint8_t state) {
  return Find(
      "port-state", state,
      {{0, "NOP"}, {1, "DOWN"}, {2, "INIT"}, {3, "ARMED"}, {4, "ACTIVE"}, {5, "ACTIVE_DEFER"}});
}

// include/rdma/ib_verbs.h enum ib_port_phys_state, opa_port_info.h.
std::string RdmaPhysicalStateWord(uint8_t state) {
  return Find("physical-state", state,
              {{1, "SLEEP"},
               {2, "POLLING"},
               {3, "DISABLED"},
               {4, "ARMED"},
               {5, "LINK_UP"},
               {6, "LINK_ERROR_RECOVER"},
               {7, "PHY_TEST"},
               {9, "OPA_OFFLINE"},
               {11, "OPA_TEST"}});
}

std::string RdmaNetnsModeWord(uint8_t mode) {
  return Find("netns-mode", mode, {{0, "exclusive"}, {1, "shared"}});
}

// include/rdma/ib_verbs.h enum ib_qp_type.
std::string RdmaQpTypeWord(uint8_t type) {
  return Find("qp-type", type,
              {{0, "SMI"},
               {1, "GSI"},
               {2, "RC"},
               {3, "UC"},
               {4, "UD"},
               {5, "RAW_IPV6"},
               {6, "RAW_ETHERTYPE"},
               {8, "RAW_PACKET"},
               {9, "XRC_INI"},
               {10, "XRC_TGT"},
               {255, "DRIVER"}});
}

// include/rdma/ib_verbs.h enum ib_qp_state.
std::string RdmaQpStateWord(uint8_t state) {
  return Find(
      "qp-state", state,
      {{0, "RESET"}, {1, "INIT"}, {2, "RTR"}, {3, "RTS"}, {4, "SQD"}, {5, "SQE"}, {6, "ERR"}});
}

std::string RdmaGuidText(uint64_t guid) {
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48 & 0xffff, guid >> 32 & 0xffff,
                     guid >> 16 & 0xffff, guid & 0xffff);
}

// include/uapi/linux/devlink.h enum devlink_health_reporter_state (net/devlink.h).
std::string DevlinkHealthWord(uint8_t state) {
  return Find("health-state", state, {{0, "healthy"}, {1, "error"}});
}

// include/uapi/linux/devlink.h enum devlink_param_cmode.
std::string DevlinkModeWord(uint8_t mode) {
  return Find("param-mode", mode, {{0, "runtime"}, {1, "driverinit"}, {2, "permanent"}});
}

// include/uapi/linux/devlink.h enum devlink_eswitch_mode, _inline_mode, _encap_mode.
std::string EswitchModeWord(uint16_t mode) {
  return Find("eswitch-mode", mode, {{0, "legacy"}, {1, "switchdev"}});
}

std::string EswitchInlineWord(uint8_t mode) {
  return Find("inline-mode", mode, {{0, "none"}, {1, "link"}, {2, "network"}, {3, "transport"}});
}

std::string EswitchEncapWord(uint8_t mode) {
  return Find("encap-mode", mode, {{0, "none"}, {1, "basic"}});
}

// include/uapi/linux/ethtool.h enum ethtool_link_ext_state, in ethtool's words.
std::string EthtoolExtendedStateWord(uint8_t state) {
  return Find("link-state", state,
              {{0, "Autoneg"},
               {1, "Link training failure"},
               {2, "Logical mismatch"},
               {3, "Bad signal integrity"},
               {4, "No cable"},
               {5, "Cable issue"},
               {6, "EEPROM issue"},
               {7, "Calibration failure"},
               {8, "Power budget exceeded"},
               {9, "Overheat"},
               {10, "Module"}});
}

// include/uapi/linux/ethtool.h ETHTOOL_LINK_MODE_FEC_*_BIT.
std::string FecWord(uint32_t link_mode_bit) {
  return Find("fec", link_mode_bit, {{49, "None"}, {50, "RS"}, {51, "BaseR"}, {74, "LLRS"}});
}

// include/uapi/linux/ethtool.h DUPLEX_*.
std::string DuplexWord(uint8_t duplex) {
  return Find("duplex", duplex, {{0, "half"}, {1, "full"}});
}

// include/uapi/linux/fib_rules.h FR_ACT_*.
std::string RuleActionWord(uint8_t action) {
  return Find("action", action,
              {{1, "lookup"},
               {2, "goto"},
               {3, "nop"},
               {6, "blackhole"},
               {7, "unreachable"},
               {8, "prohibit"}});
}

// include/uapi/linux/netfilter.h NFPROTO_*.
std::string NftFamilyWord(uint8_t family) {
  return Find("family", family,
              {{1, "inet"}, {2, "ip"}, {3, "arp"}, {5, "netdev"}, {7, "bridge"}, {10, "ip6"}});
}

// include/uapi/linux/netfilter.h NF_INET_*, NF_NETDEV_*; netfilter_arp.h NF_ARP_*.
std::string NftHookWord(uint8_t family, uint32_t hook) {
  constexpr uint8_t kArp = 3;
  constexpr uint8_t kNetdev = 5;
  if (family == kArp) return Find("hook", hook, {{0, "input"}, {1, "output"}, {2, "forward"}});
  if (family == kNetdev) return Find("hook", hook, {{0, "ingress"}, {1, "egress"}});
  return Find("hook", hook,
              {{0, "prerouting"},
               {1, "input"},
               {2, "forward"},
               {3, "output"},
               {4, "postrouting"},
               {5, "ingress"}});
}

// include/uapi/linux/netfilter.h NF_*, nf_tables.h enum nft_verdicts.
std::string NftVerdictWord(int32_t verdict) {
  switch (verdict) {
    case -3:
      return "jump";
    case -4:
      return "goto";
    case -5:
      return "return";
    case 0:
      return "drop";
    case 1:
      return "accept";
    case 3:
      return "queue";
    default:
      return fmt::format("verdict-{}", verdict);
  }
}

}  // namespace roceready::netlink
