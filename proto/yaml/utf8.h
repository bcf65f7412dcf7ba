// SPDX-License-Identifier: Apache-2.0
// Positions in UTF-8 text, and where such a text is not printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"

namespace roceready::yaml {

// Bytes to characters: what an editor calls the column.
class Lines {
 public:
  // The text must outlive this.
  explicit Lines(std::string_view text);

  // Of a byte offset into the text.
  Position At(std::size_t offset) const;

  // Of a byte of a line, both from 0.
  Position At(std::size_t line, std::size_t byte) const;

  // Byte offset of the same place.
  std::size_t OffsetOf(std::size_t line, std::size_t byte) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
  // [i]: characters that begin before byte i. A table, for a line can be the whole file and be
  // asked for often.
  std::vector<std::uint32_t> characters_;
};

// Offset of the first byte that is no part of a valid UTF-8 character (RFC 3629), or that begins a
// control character other than tab, line feed and carriage return.
std::optional<std::size_t> FindUnprintable(std::string_view text);

}  // namespace roceready::yaml
