// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/mix.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <sstream>

namespace roceready::scale {
namespace {

constexpr std::array<std::string_view, 4> kWrong = {"dead", "large", "loss", "slow"};
constexpr std::array<std::string_view, 7> kPart = {"port",    "host", "pair", "between",
                                                   "uplinks", "leaf", "rail"};
constexpr std::array<std::string_view, 3> kWay = {"both", "sending", "receiving"};

template <typename Word, size_t kCount>
bool Take(const std::array<std::string_view, kCount>& words, std::string_view text, Word& word) {
  for (size_t i = 0; i < kCount; ++i) {
    if (words[i] != text) continue;
    word = static_cast<Word>(i);
    return true;
  }
  return false;
}

template <typename Number>
bool TakeNumber(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool TakeOption(std::string_view text, Fault& fault) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return Take(kWay, text, fault.way);
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "rate") return TakeNumber(value, fault.rate);
  if (name == "share") return TakeNumber(value, fault.share);
  size_t number = 0;
  if (!TakeNumber(value, number)) return false;
  if (name == "host") fault.host = number;
  if (name == "rail") fault.rail = number;
  if (name == "peer") fault.peer = number;
  if (name == "leaf") fault.leaf = number;
  if (name == "to") fault.to = number;
  return name == "host" || name == "rail" || name == "peer" || name == "leaf" || name == "to";
}

// "loss port sending rate=0.01 host=3".
bool TakeFault(std::istringstream& words, Fault& fault) {
  std::string wrong, part, option;
  words >> wrong >> part;
  if (!Take(kWrong, wrong, fault.wrong) || !Take(kPart, part, fault.part)) return false;
  while (words >> option) {
    if (!TakeOption(option, fault)) return false;
  }
  return true;
}

bool TakeLine(const std::string& line, Mix& mix) {
  std::istringstream words(line);
  std::string name, value;
  if (!(words >> name) || name.starts_with('#')) return true;
  if (name == "fault") return TakeFault(words, mix.faults.emplace_back());
  if (name == "expect") {
    if (!mix.expected) mix.expected.emplace();
    if (line.ends_with("nothing")) return true;
    return TakeFault(words, mix.expected->emplace_back());
  }
  if (name == "blind") return mix.blind = true;
  if (name == "idle") return mix.idle = true;
  if (name == "open") return mix.open = true;
  if (name == "busy") {
    auto& [one, other] = mix.always_busy.emplace_back();
    return static_cast<bool>(words >> one >> other);
  }
  words >> value;
  if (name == "hosts") return TakeNumber(value, mix.hosts);
  if (name == "rails") return TakeNumber(value, mix.rails);
  if (name == "leaf") return TakeNumber(value, mix.leaf);
  if (name == "degree") return TakeNumber(value, mix.degree);
  if (name == "seeds") return TakeNumber(value, mix.seeds);
  return false;
}

}  // namespace

absl::StatusOr<Mix> ReadMix(std::string name, std::string_view text) {
  Mix mix;
  mix.name = std::move(name);
  std::istringstream lines{std::string(text)};
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    if (TakeLine(line, mix)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{}:{}: \"{}\" is no line of a mix: see tests/scale/README.md", mix.name, number, line));
  }
  if (mix.hosts < 2 || mix.rails < 1 || mix.degree < 2) {
    return absl::InvalidArgumentError(
        fmt::format("{}: a fabric has 2 hosts, 1 rail and 2 peers a port at least", mix.name));
  }
  return mix;
}

std::string_view WordOf(Wrong wrong) { return kWrong[static_cast<size_t>(wrong)]; }
std::string_view WordOf(Part part) { return kPart[static_cast<size_t>(part)]; }
std::string_view WordOf(Way way) { return kWay[static_cast<size_t>(way)]; }

}  // namespace roceready::scale
