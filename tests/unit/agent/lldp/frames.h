// SPDX-License-Identifier: Apache-2.0
// Frames of lldpd 1.0.16 (Debian 12), recorded with a packet socket at the other end of a veth
// pair; and how further ones are composed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::lldp {

using Bytes = std::vector<uint8_t>;

// As community SONiC configures it: hostname leaf1, port id "etp1" of subtype local, no DCBX.
inline constexpr std::string_view kPlainFrame =
    "0180c200000e525400aa000188cc020704525400aa000104050765747031060200040a056c656166"
    "310c1c534f4e694320536f6674776172652056657273696f6e3a20746573740e04009c0080100c05"
    "01c000020102000000030010181102fe80000000000000505400fffebb0001020000000200080276"
    "41fe0900120f030100000000fe0900120f0100800000360000";

// With TLVs added by `lldpcli configure lldp custom-tlv add`: PFC on 3, ETS 50/50 as configuration
// and recommendation, APP (UDP 4791 -> 3, DSCP 26 -> 3), frame size 9216, VLAN 100 "RoCE", and CEE
// DCBX with PFC on 3.
inline constexpr std::string_view kDcbxFrame =
    "0180c200000e525400aa000188cc020704525400aa000104050765747031060200040a056c656166"
    "310c1c534f4e694320536f6674776172652056657273696f6e3a20746573740e04009c0080100c05"
    "01c000020102000000030010181102fe80000000000000505400fffebb0001020000000200080276"
    "41fe0900120f030100000000fe0900120f010080000036fe060080c20b0808fe190080c209000001"
    "000032320000000000000202000000000000fe190080c20a00000100003232000000000000020200"
    "0000000000fe0b0080c20c006312b765001afe0600120f042400fe0b0080c203006404526f4345fe"
    "18001b2102020a0000000000010000000106060000800008080000";

// Its last one, sent when it was ended.
inline constexpr std::string_view kShutdownFrame =
    "0180c200000e525400aa000188cc020704525400aa000104050765747031060200000000";

inline Bytes BytesOf(std::string_view hex) {
  Bytes bytes;
  std::string digits;
  for (const char digit : hex) {
    if (digit != ' ') digits += digit;
  }
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Chassis 0c:42:a1:00:00:01, port "Et1" (an interface name), TTL 120: 6 + 3 words, 19 bytes.
inline constexpr std::string_view kMandatoryTlvs = "0207 040c42a1000001 0404 05457431 0602 0078";
inline constexpr size_t kMandatoryBytes = 19;

// Composed: the mandatory TLVs, `tlvs`, the end mark.
inline Bytes LldpduWith(std::string_view tlvs) {
  return BytesOf(std::string(kMandatoryTlvs) + std::string(tlvs) + "0000");
}
// In an Ethernet frame to the nearest bridge.
inline Bytes FrameWith(std::string_view tlvs) {
  return BytesOf("0180c200000e 0c42a1000001 88cc" + std::string(kMandatoryTlvs) +
                 std::string(tlvs) + "0000");
}

}  // namespace roceready::lldp
