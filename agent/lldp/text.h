// SPDX-License-Identifier: Apache-2.0
// Names and addresses of LLDP as text that can be shown: printable UTF-8 whatever was sent.
#pragma once

#include <optional>
#include <string>

#include "agent/lldp/tlv.h"

namespace roceready::lldp {

// Trailing NULs cut, control characters as spaces; "0x0102..." where it is not UTF-8.
std::string TextOf(ByteView bytes);

// "0c:42:a1:00:00:01"; nullopt unless it has 6 bytes.
std::optional<std::string> MacText(ByteView bytes);

// An address after its IANA family number (1 IPv4, 2 IPv6, 6 MAC): nullopt where the size is not
// the family's, hexadecimal for other families.
std::optional<std::string> AddressText(uint8_t family, ByteView address);

}  // namespace roceready::lldp
