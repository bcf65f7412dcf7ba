// SPDX-License-Identifier: Apache-2.0
#include "proto/process/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "proto/contract/errors.h"
#include "proto/process/tls_identity.h"

namespace roceready {

std::string_view HostOfEndpoint(std::string_view endpoint) {
  if (!endpoint.empty() && endpoint.front() == '[') {
    const size_t end = endpoint.find(']');
    return end == std::string_view::npos ? endpoint : endpoint.substr(1, end - 1);
  }
  // Two colons without brackets: an IPv6 address without a port.
  if (std::count(endpoint.begin(), endpoint.end(), ':') > 1) return endpoint;
  return endpoint.substr(0, endpoint.find(':'));
}

absl::Status CheckEndpoint(std::string_view endpoint) {
  const std::string_view host = HostOfEndpoint(endpoint);
  const size_t colon = endpoint.rfind(':');
  const bool bracketed = !endpoint.empty() && endpoint.front() == '[';
  const bool has_port =
      colon != std::string_view::npos && colon == (bracketed ? host.size() + 2 : host.size());
  unsigned port = 0;
  if (has_port) {
    const std::string_view digits = endpoint.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size()) port = 0;
  }
  const bool good_host = bracketed ? AddressOctets(host).size() == 16 : IsHostName(host);
  if (good_host && port >= 1 && port <= 65535) return absl::OkStatus();
  return InvalidArgument("\"{}\": expected HOST:PORT, such as controller:7471", endpoint);
}

bool IsLoopback(std::string_view endpoint) {
  const std::string_view host = HostOfEndpoint(endpoint);
  if (host == "localhost") return true;
  const std::string octets = AddressOctets(host);
  return octets.size() == 4 ? octets[0] == 127 : !octets.empty() && octets == AddressOctets("::1");
}

std::string AddressOctets(std::string_view text) {
  const std::string copy(text);
  std::string octets(16, '\0');
  if (inet_pton(AF_INET6, copy.c_str(), octets.data()) == 1) return octets;
  octets.resize(4);
  if (inet_pton(AF_INET, copy.c_str(), octets.data()) == 1) return octets;
  return {};
}

}  // namespace roceready
