// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/scalar.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace roceready::yaml {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

template <typename Number>
std::optional<Number> Convert(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// Reads a text from its front, piece by piece; after the first miss nothing matches any more.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  int Digits(std::size_t count) {
    const std::string_view digits = rest_.substr(0, count);
    if (digits.size() != count || !AllDigits(digits)) return Miss();
    rest_.remove_prefix(count);
    return *Convert<int>(digits, 10);
  }
  bool Take(char c) {
    if (missed_ || rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Want(char c) {
    if (!Take(c)) Miss();
  }
  std::string_view AnyDigits() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsDigit);
    const std::string_view digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(digits.size());
    return digits;
  }
  int Miss() {
    missed_ = true;
    return 0;
  }
  bool AtEnd() const { return !missed_ && rest_.empty(); }
  bool missed() const { return missed_; }

 private:
  std::string_view rest_;
  bool missed_ = false;
};

// Decimals as billionths: "5" -> 500,000,000. Empty beyond nine digits.
std::optional<std::int64_t> Billionths(std::string_view decimals) {
  if (decimals.empty() || decimals.size() > 9 || !AllDigits(decimals)) return std::nullopt;
  std::int64_t value = *Convert<std::int64_t>(decimals, 10);
  for (std::size_t i = decimals.size(); i < 9; ++i) value *= 10;
  return value;
}

}  // namespace

std::optional<std::uint64_t> ParseUnsigned(std::string_view text) {
  if (text.substr(0, 2) == "0x") return Convert<std::uint64_t>(text.substr(2), 16);
  if (!AllDigits(text) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return Convert<std::uint64_t>(text, 10);
}

std::optional<std::int64_t> ParseSigned(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const auto size = ParseUnsigned(negative ? text.substr(1) : text);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!size || *size > kMax) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(*size) : static_cast<std::int64_t>(*size);
}

std::optional<double> ParseDouble(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<google::protobuf::Duration> ParseDuration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr Unit kUnits[] = {{"us", 1'000},
                             {"ms", 1'000'000},
                             {"s", 1'000'000'000},
                             {"m", 60'000'000'000},
                             {"h", 3'600'000'000'000}};
  constexpr std::int64_t kBillion = 1'000'000'000;
  constexpr std::int64_t kMaxSeconds = 315'576'000'000;

  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) return std::nullopt;
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const Unit& u) { return u.name == text.substr(end); });
  if (unit == std::end(kUnits)) return std::nullopt;

  const std::string_view number = text.substr(0, end);
  const std::size_t dot = number.find('.');
  const auto whole = ParseUnsigned(number.substr(0, dot));
  std::optional<std::int64_t> billionths = 0;
  if (dot != std::string_view::npos) billionths = Billionths(number.substr(dot + 1));
  if (!whole || !billionths) return std::nullopt;

  __extension__ using Wide = __int128;
  const Wide max_units = Wide{kMaxSeconds} * kBillion / unit->nanoseconds;
  if (*whole > max_units) return std::nullopt;
  // Below 10^30 by the check above.
  const Wide scaled = (Wide{*whole} * kBillion + *billionths) * unit->nanoseconds;
  if (scaled % kBillion != 0) return std::nullopt;
  const Wide nanoseconds = scaled / kBillion;
  if (nanoseconds / kBillion > kMaxSeconds) return std::nullopt;
  google::protobuf::Duration duration;
  duration.set_seconds(static_cast<std::int64_t>(nanoseconds / kBillion));
  duration.set_nanos(static_cast<std::int32_t>(nanoseconds % kBillion));
  return duration;
}

std::optional<google::protobuf::Timestamp> ParseTimestamp(std::string_view text) {
  using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
  Reader reader(text);
  const int year = reader.Digits(4);
  reader.Want('-');
  const int month = reader.Digits(2);
  reader.Want('-');
  const int day = reader.Digits(2);
  if (reader.missed()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year == 0) return std::nullopt;
  seconds since_epoch = std::chrono::sys_days(date).time_since_epoch();
  std::int64_t nanoseconds = 0;

  if (!reader.AtEnd()) {
    reader.Want('T');
    const int hour = reader.Digits(2);
    reader.Want(':');
    const int minute = reader.Digits(2);
    reader.Want(':');
    const int second = reader.Digits(2);
    if (reader.Take('.')) {
      const auto billionths = Billionths(reader.AnyDigits());
      if (!billionths) return std::nullopt;
      nanoseconds = *billionths;
    }
    int offset_minutes = 0;
    if (!reader.Take('Z')) {
      const int sign = reader.Take('-') ? -1 : 1;
      if (sign > 0) reader.Want('+');
      const int offset_hour = reader.Digits(2);
      reader.Want(':');
      const int offset_minute = reader.Digits(2);
      if (offset_hour > 23 || offset_minute > 59) return std::nullopt;
      offset_minutes = sign * (offset_hour * 60 + offset_minute);
    }
    if (!reader.AtEnd() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    since_epoch += hours(hour) + minutes(minute - offset_minutes) + seconds(second);
  }
  // An offset can carry the first and last days beyond what a Timestamp holds.
  constexpr std::int64_t kYear1 = -62'135'596'800;
  constexpr std::int64_t kEndOfYear9999 = 253'402'300'799;
  if (since_epoch.count() < kYear1 || since_epoch.count() > kEndOfYear9999) return std::nullopt;
  google::protobuf::Timestamp time;
  time.set_seconds(since_epoch.count());
  time.set_nanos(static_cast<std::int32_t>(nanoseconds));
  return time;
}

}  // namespace roceready::yaml
