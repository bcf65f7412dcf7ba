// SPDX-License-Identifier: Apache-2.0
// The kernel's numbers as the words that iproute2 and ethtool print. A number we do not know is
// shown as "word-N" ("operstate-9"), never hidden and never guessed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roceready::netlink {

// rtnetlink
std::string OperstateWord(uint8_t operstate);     // "UP", "LOWERLAYERDOWN"
std::string BondModeWord(uint8_t mode);           // "802.3ad"
std::string BondHashWord(uint8_t policy);         // "layer3+4"
std::string BondLacpRateWord(uint8_t rate);       // "slow", "fast"
std::string BondMemberStateWord(uint8_t state);   // "ACTIVE", "BACKUP"
std::string BondMiiWord(uint8_t status);          // "UP", "GOING_DOWN"
std::string VlanProtocolWord(uint16_t protocol);  // "802.1Q", "802.1ad"
std::string VfLinkStateWord(uint32_t state);      // "auto", "enable", "disable"
std::string AddressScopeWord(uint8_t scope);      // "global", "link", "host"
std::string RouteTypeWord(uint8_t type);          // "unicast", "blackhole"
std::string NeighbourStateWord(uint16_t state);   // "REACHABLE"; several bits: "A|B"
std::string RuleActionWord(uint8_t action);       // "lookup", "blackhole"

// netfilter
std::string NftFamilyWord(uint8_t family);               // "inet", "ip", "ip6"
std::string NftHookWord(uint8_t family, uint32_t hook);  // "input"; "ingress" of family netdev
std::string NftVerdictWord(int32_t verdict);             // "accept", "drop", "jump"

// DCB
std::string TsaWord(uint8_t algorithm);             // "strict", "cbs", "ets", "vendor"
std::string DcbSelectorWord(uint8_t selector);      // "ethertype", "dscp", "udp-port" ...
std::vector<std::string> DcbxWords(uint8_t modes);  // {"host", "ieee"}; unknown bit: "dcbx-bit-6"

// RDMA
std::string RdmaNodeTypeWord(uint8_t type);        // "ca"
std::string RdmaPortStateWord(uint8_t state);      // "ACTIVE"
std::string RdmaPhysicalStateWord(uint8_t state);  // "LINK_UP"
std::string RdmaNetnsModeWord(uint8_t mode);       // "shared", "exclusive"
std::string RdmaQpTypeWord(uint8_t type);          // "RC", "GSI"
std::string RdmaQpStateWord(uint8_t state);        // "RTS", "ERR"
std::string RdmaGuidText(uint64_t guid);           // "f42d:3cff:fe20:6ab6"

// devlink
std::string DevlinkHealthWord(uint8_t state);  // "healthy", "error"
std::string DevlinkModeWord(uint8_t mode);     // "runtime", "driverinit", "permanent"
std::string EswitchModeWord(uint16_t mode);    // "legacy", "switchdev"
std::string EswitchInlineWord(uint8_t mode);   // "none", "link", "network", "transport"
std::string EswitchEncapWord(uint8_t mode);    // "none", "basic"

// ethtool
std::string EthtoolExtendedStateWord(uint8_t state);  // "No cable"
std::string FecWord(uint32_t link_mode_bit);          // "None", "RS", "BaseR", "LLRS"
std::string DuplexWord(uint8_t duplex);               // "half", "full"

}  // namespace roceready::netlink
