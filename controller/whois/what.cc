// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/what.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::whois {
namespace {

constexpr std::size_t kMaxLength = 256;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The address in what surrounds it.
std::string_view Bare(std::string_view text) {
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    return text.substr(0, text.find(']'));
  }
  text = text.substr(0, text.find('%'));
  if (const auto slash = text.find('/');
      slash != std::string_view::npos && IsNumber(text.substr(slash + 1))) {
    text = text.substr(0, slash);
  }
  const auto colon = text.find(':');
  if (text.find('.') < colon && colon != std::string_view::npos &&
      IsNumber(text.substr(colon + 1))) {
    text = text.substr(0, colon);
  }
  return text;
}

}  // namespace

std::optional<AddressBytes> AddressOf(std::string_view text) {
  const std::string word(text);
  AddressBytes bytes{};
  if (inet_pton(AF_INET6, word.c_str(), bytes.data()) == 1) return bytes;
  if (inet_pton(AF_INET, word.c_str(), bytes.data() + 12) != 1) return std::nullopt;
  bytes[10] = bytes[11] = 0xff;
  return bytes;
}

std::optional<MacBytes> MacOf(std::string_view text) {
  constexpr std::size_t kLength = 17;
  if (text.size() != kLength) return std::nullopt;
  const char separator = text[2];
  if (separator != ':' && separator != '-') return std::nullopt;
  MacBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* begin = text.data() + 3 * i;
    if (i > 0 && begin[-1] != separator) return std::nullopt;
    const auto [end, error] = std::from_chars(begin, begin + 2, bytes[i], 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
  }
  return bytes;
}

absl::StatusOr<What> ParseWhat(std::string_view text) {
  constexpr std::string_view kExpected =
      "expected an IP address or GID, a MAC, a host, or HOST/DEVICE";
  if (text.empty() || text.size() > kMaxLength) return InvalidArgument("what: {}", kExpected);
  What what;
  what.address = AddressOf(Bare(text));
  if (what.address) return what;
  what.mac = MacOf(text);
  if (what.mac) return what;
  const auto slash = text.find('/');
  const auto hosts = ExpandHostList(text.substr(0, slash));
  if (!hosts.ok() || hosts->size() != 1) {
    return InvalidArgument("what: found \"{}\", {}", text, kExpected);
  }
  what.host = hosts->front();
  if (slash != std::string_view::npos) what.device = text.substr(slash + 1);
  return what;
}

}  // namespace roceready::whois
