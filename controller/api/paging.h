// SPDX-License-Identifier: Apache-2.0
// Pages of a list: a token is where the next page begins, in digits.
#pragma once

#include <absl/status/statusor.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/contract/errors.h"

namespace roceready {

inline constexpr std::size_t kDefaultPage = 1000;
inline constexpr std::size_t kMaxPage = 10'000;

struct Page {
  std::size_t begin = 0;
  std::size_t end = 0;
  // Empty on the last page.
  std::string next_token;
};

// The page of a list of `total` rows. kInvalidArgument for a token that is not one of ours.
inline absl::StatusOr<Page> PageOf(std::size_t total, std::uint32_t page_size,
                                   const std::string& token) {
  Page page;
  if (!token.empty()) {
    const char* end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, page.begin);
    if (error != std::errc() || stop != end) {
      return InvalidArgument("page_token '{}' is not one that a list gave", token);
    }
  }
  const std::size_t size =
      page_size == 0 ? kDefaultPage : std::min<std::size_t>(page_size, kMaxPage);
  page.begin = std::min(page.begin, total);
  page.end = std::min(total, page.begin + size);
  if (page.end < total) page.next_token = std::to_string(page.end);
  return page;
}

}  // namespace roceready
