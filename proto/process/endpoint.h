// SPDX-License-Identifier: Apache-2.0
// "host:port", "192.0.2.1:7471", "[2001:db8::1]:7471".
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

namespace roceready {

// The host alone, without brackets; a text without a port is all host.
std::string_view HostOfEndpoint(std::string_view endpoint);

// kInvalidArgument unless it is a host name or an address with a port from 1 to 65535.
absl::Status CheckEndpoint(std::string_view endpoint);

// 127.0.0.0/8, ::1, "localhost": the only places where plain text may be allowed.
bool IsLoopback(std::string_view endpoint);

// The 4 or 16 octets of an address; empty where the text is none.
std::string AddressOctets(std::string_view text);

}  // namespace roceready
