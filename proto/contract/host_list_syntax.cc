// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/host_list_syntax.h"

#include <absl/strings/cord.h>

#include <algorithm>
#include <charconv>

#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::host_list {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameCharacter(char c) {
  return IsDigit(c) || IsLetter(c) || c == '-' || c == '.' || c == '_';
}
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr absl::string_view kColumnPayload = "roceready/host-list-column";
// How much of a long list is shown on either side of a mistake.
constexpr std::size_t kShownAround = 35;

// How a character is shown in an error: itself, or its code where it would garble a terminal.
std::string Show(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code >= 0x21 && code < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", code);
}

class Parser {
 public:
  Parser(std::string_view list, Wildcards wildcards) : list_(list), wildcards_(wildcards) {}

  absl::StatusOr<std::vector<Item>> Run() {
    if (list_.size() > kMaxHostListBytes) {
      return InvalidArgument("host list: {} bytes are more than the {} allowed", list_.size(),
                             kMaxHostListBytes);
    }
    std::vector<Item> items;
    SkipSpaces();
    if (AtEnd()) return Fail("no host name found, expected one such as gpu001 or gpu[001-128]");
    while (true) {
      ASSIGN_OR_RETURN(Item item, ParseItem());
      if (items.size() == kMaxHostNames) {
        return FailAt(item.column - 1, fmt::format("more than {} names", kMaxHostNames));
      }
      items.push_back(std::move(item));
      SkipSpaces();
      if (AtEnd()) return items;
      if (Peek() != ',') continue;
      ++at_;
      SkipSpaces();
      if (AtEnd()) return Fail("the list ends with a comma, expected a host name after it");
    }
  }

 private:
  bool AtEnd() const { return at_ == list_.size(); }
  char Peek() const { return list_[at_]; }
  void SkipSpaces() {
    while (!AtEnd() && IsSpace(Peek())) ++at_;
  }

  static absl::Status FailAt(std::size_t at, std::string_view text) {
    return ErrorAtColumn(at + 1, text);
  }
  absl::Status Fail(std::string_view text) const { return FailAt(at_, text); }

  absl::StatusOr<Item> ParseItem() {
    Item item{.column = at_ + 1, .segments = {}};
    const std::size_t start = at_;
    while (!AtEnd() && !IsSpace(Peek()) && Peek() != ',') {
      if (Peek() == '[') {
        ASSIGN_OR_RETURN(Segment segment, ParseBrackets());
        item.segments.push_back(std::move(segment));
      } else if (Peek() == '*' && wildcards_ == Wildcards::kAllowed) {
        ++at_;
        item.segments.push_back({.kind = Segment::Kind::kAnything, .text = {}, .ranges = {}});
      } else {
        ASSIGN_OR_RETURN(Segment segment, ParseText());
        item.segments.push_back(std::move(segment));
      }
    }
    if (item.segments.empty()) return Fail("',' found, expected a host name");
    const char first = list_[start];
    if (first == '-' || first == '.') {
      return FailAt(start, fmt::format("a host name cannot begin with {}", Show(first)));
    }
    const char last = list_[at_ - 1];
    if (last == '-' || last == '.') {
      return FailAt(at_ - 1, fmt::format("a host name cannot end with {}", Show(last)));
    }
    return item;
  }

  absl::StatusOr<Segment> ParseText() {
    Segment segment;
    while (!AtEnd() && IsNameCharacter(Peek())) segment.text += Lower(list_[at_++]);
    if (!segment.text.empty()) return segment;
    if (Peek() == ']') return Fail("']' found without a '[' before it");
    if (Peek() == '*') return Fail("'*' found: patterns are understood in policies only");
    return Fail(fmt::format("{} found, expected a letter, digit, '-', '.', '_', '[' or a comma",
                            Show(Peek())));
  }

  absl::StatusOr<Segment> ParseBrackets() {
    const std::size_t open = at_++;
    Segment segment{.kind = Segment::Kind::kRanges, .text = {}, .ranges = {}};
    while (true) {
      ASSIGN_OR_RETURN(Range range, ParseRange(open));
      segment.ranges.push_back(range);
      SkipSpaces();
      if (AtEnd()) return FailAt(open, "this '[' is never closed, expected a ']'");
      const char found = Peek();
      if (found == 'x' || found == 'X') {
        return Fail(
            "'x' found: ranges over several dimensions ([000x333]) are not understood, "
            "write one bracket for each number");
      }
      if (found != ',' && found != ']') {
        return Fail(fmt::format("{} found, expected ',', '-' or ']'", Show(found)));
      }
      ++at_;
      if (found == ']') return segment;
    }
  }

  absl::StatusOr<Range> ParseRange(std::size_t open) {
    SkipSpaces();
    const std::size_t first_at = at_;
    ASSIGN_OR_RETURN(const std::string_view first, ParseNumber(open));
    Range range{.first = Value(first), .last = Value(first), .width = first.size()};
    SkipSpaces();
    if (AtEnd() || Peek() != '-') return range;
    ++at_;
    SkipSpaces();
    const std::size_t last_at = at_;
    ASSIGN_OR_RETURN(const std::string_view last, ParseNumber(open));
    range.last = Value(last);
    if (range.last < range.first) {
      return FailAt(first_at,
                    fmt::format("range {0}-{1} runs backwards, expected {1}-{0}", first, last));
    }
    if (last.front() == '0' && last.size() > first.size()) {
      return FailAt(last_at, fmt::format("{} has more digits than {}: pad both ends alike, or none",
                                         last, first));
    }
    return range;
  }

  absl::StatusOr<std::string_view> ParseNumber(std::size_t open) {
    const std::size_t start = at_;
    while (!AtEnd() && IsDigit(Peek())) ++at_;
    if (at_ == start) {
      if (AtEnd()) return FailAt(open, "this '[' is never closed, expected a ']'");
      if (Peek() == '[') return Fail("'[' found inside brackets: they do not nest");
      return Fail(fmt::format("{} found, expected a number", Show(Peek())));
    }
    if (at_ - start > kMaxDigits) {
      return FailAt(start, fmt::format("a number of {} digits, at most {} are understood",
                                       at_ - start, kMaxDigits));
    }
    return list_.substr(start, at_ - start);
  }

  static std::uint64_t Value(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  std::string_view list_;
  Wildcards wildcards_;
  std::size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Item>> Parse(std::string_view list, Wildcards wildcards) {
  return Parser(list, wildcards).Run();
}

absl::Status ErrorAtColumn(std::size_t column, std::string_view text) {
  absl::Status status = InvalidArgument("host list, column {}: {}", column, text);
  // By string_view: clang gives the std::string constructor another symbol than Debian's g++ did.
  const std::string digits = std::to_string(column);
  status.SetPayload(kColumnPayload, absl::Cord(absl::string_view(digits)));
  return status;
}

std::string Pad(std::uint64_t value, std::size_t width) {
  return fmt::format("{:0{}}", value, width);
}

}  // namespace roceready::host_list

namespace roceready {

std::string PointAt(std::string_view list, const absl::Status& error) {
  const absl::optional<absl::Cord> payload = error.GetPayload(host_list::kColumnPayload);
  if (!payload.has_value()) return "";
  const std::string digits(*payload);
  std::size_t column = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), column);
  const std::size_t offset = std::min(column - 1, list.size());
  const std::size_t begin = offset > host_list::kShownAround ? offset - host_list::kShownAround : 0;
  std::string shown(list.substr(begin, offset - begin + host_list::kShownAround));
  // A column each, whatever a terminal would make of it.
  for (char& c : shown) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return fmt::format("{}\n{:>{}}\n", shown, '^', offset - begin + 1);
}

}  // namespace roceready
