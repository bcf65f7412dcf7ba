// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/host_list.h"

#include <algorithm>

#include "proto/contract/errors.h"
#include "proto/contract/host_list_syntax.h"

namespace roceready {
namespace {

using host_list::Item;
using host_list::Range;
using host_list::Segment;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// How many names an item stands for, but never more than one above the limit: the product of a few
// brackets overflows any integer.
std::size_t CountNames(const Item& item) {
  std::size_t names = 1;
  for (const Segment& segment : item.segments) {
    if (segment.kind != Segment::Kind::kRanges) continue;
    std::size_t choices = 0;
    for (const Range& range : segment.ranges) {
      const std::uint64_t span = range.last - range.first;
      if (span >= kMaxHostNames) return kMaxHostNames + 1;
      choices = std::min(choices + static_cast<std::size_t>(span) + 1, kMaxHostNames + 1);
    }
    names = std::min(names * choices, kMaxHostNames + 1);
  }
  return names;
}

std::vector<std::string> Choices(const Segment& segment) {
  if (segment.kind == Segment::Kind::kText) return {segment.text};
  std::vector<std::string> choices;
  for (const Range& range : segment.ranges) {
    for (std::uint64_t value = range.first; value <= range.last; ++value) {
      choices.push_back(host_list::Pad(value, range.width));
    }
  }
  return choices;
}

absl::Status ExpandItem(const Item& item, std::vector<std::string>& names) {
  std::vector<std::string> partial = {""};
  for (const Segment& segment : item.segments) {
    const std::vector<std::string> choices = Choices(segment);
    std::vector<std::string> longer;
    longer.reserve(partial.size() * choices.size());
    for (const std::string& head : partial) {
      for (const std::string& tail : choices) {
        if (head.size() + tail.size() > kMaxHostNameBytes) {
          return host_list::ErrorAtColumn(
              item.column, fmt::format("a name longer than {} bytes", kMaxHostNameBytes));
        }
        longer.push_back(head + tail);
      }
    }
    partial = std::move(longer);
  }
  std::move(partial.begin(), partial.end(), std::back_inserter(names));
  return absl::OkStatus();
}

bool InRange(std::string_view digits, const Range& range) {
  std::uint64_t value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  return value >= range.first && value <= range.last &&
         host_list::Pad(value, range.width) == digits;
}

// Marks in `next` every position that can follow `from` when `segment` takes a piece of `host`.
void Advance(const Segment& segment, std::string_view host, std::size_t from,
             std::vector<bool>& next) {
  switch (segment.kind) {
    case Segment::Kind::kText:
      if (host.substr(from, segment.text.size()) == segment.text) {
        next[from + segment.text.size()] = true;
      }
      return;
    case Segment::Kind::kAnything:
      for (std::size_t to = from; to <= host.size(); ++to) next[to] = true;
      return;
    case Segment::Kind::kRanges:
      for (std::size_t to = from + 1;
           to <= host.size() && to - from <= host_list::kMaxDigits && IsDigit(host[to - 1]); ++to) {
        const std::string_view digits = host.substr(from, to - from);
        if (std::any_of(segment.ranges.begin(), segment.ranges.end(),
                        [&](const Range& range) { return InRange(digits, range); })) {
          next[to] = true;
        }
      }
      return;
  }
}

// All positions are followed at once, so that no list makes it backtrack for long.
bool MatchesItem(const Item& item, std::string_view host) {
  std::vector<bool> reached(host.size() + 1, false);
  reached[0] = true;
  for (const Segment& segment : item.segments) {
    std::vector<bool> next(host.size() + 1, false);
    for (std::size_t from = 0; from <= host.size(); ++from) {
      if (reached[from]) Advance(segment, host, from, next);
    }
    reached = std::move(next);
  }
  return reached[host.size()];
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandHostList(std::string_view list) {
  ASSIGN_OR_RETURN(const std::vector<Item> items,
                   host_list::Parse(list, host_list::Wildcards::kRefused));
  std::vector<std::string> names;
  std::size_t expected = 0;
  for (const Item& item : items) {
    expected += CountNames(item);
    if (expected > kMaxHostNames) {
      return host_list::ErrorAtColumn(item.column,
                                      fmt::format("more than {} names", kMaxHostNames));
    }
    RETURN_IF_ERROR(ExpandItem(item, names));
  }
  std::sort(names.begin(), names.end(), HostNameLess);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

struct HostMatcher::Items {
  std::vector<Item> items;
};

absl::StatusOr<HostMatcher> HostMatcher::Parse(std::string_view list) {
  ASSIGN_OR_RETURN(std::vector<Item> items, host_list::Parse(list, host_list::Wildcards::kAllowed));
  return HostMatcher(std::make_shared<const Items>(Items{std::move(items)}));
}

bool HostMatcher::Matches(std::string_view host) const {
  return std::any_of(items_->items.begin(), items_->items.end(),
                     [host](const Item& item) { return MatchesItem(item, host); });
}

absl::StatusOr<bool> MatchesHostList(std::string_view list, std::string_view host) {
  ASSIGN_OR_RETURN(const HostMatcher matcher, HostMatcher::Parse(list));
  return matcher.Matches(host);
}

}  // namespace roceready
