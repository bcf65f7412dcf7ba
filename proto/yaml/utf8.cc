// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/utf8.h"

#include <algorithm>
#include <cstdint>

namespace roceready::yaml {
namespace {

// Length of the valid character at `at`, or 0.
std::size_t CharacterLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if ((first & 0xE0) == 0xC0) {
    length = 2, code = first & 0x1F, least = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3, code = first & 0x0F, least = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4, code = first & 0x07, least = 0x10000;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  // 0x80-0x9F are the C1 controls.
  if (code < least || surrogate || code > 0x10FFFF || (code >= 0x80 && code < 0xA0)) return 0;
  return length;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

Lines::Lines(std::string_view text) : text_(text), starts_({0}) {
  characters_.reserve(text.size() + 1);
  characters_.push_back(0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') starts_.push_back(at + 1);
    const bool continues = (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    characters_.push_back(characters_.back() + (continues ? 0 : 1));
  }
}

Position Lines::At(std::size_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::size_t>(next - starts_.begin()) - 1;
  return At(line, offset - starts_[line]);
}

Position Lines::At(std::size_t line, std::size_t byte) const {
  line = std::min(line, starts_.size() - 1);
  const std::uint32_t before = characters_[OffsetOf(line, byte)] - characters_[starts_[line]];
  return {static_cast<int>(line) + 1, static_cast<int>(before) + 1};
}

std::size_t Lines::OffsetOf(std::size_t line, std::size_t byte) const {
  return std::min(starts_[std::min(line, starts_.size() - 1)] + byte, text_.size());
}

std::optional<std::size_t> FindUnprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = CharacterLength(text, at);
    if (length == 0 || IsControl(text[at])) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace roceready::yaml
