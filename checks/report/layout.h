// SPDX-License-Identifier: Apache-2.0
// Lines of a fixed width for a terminal. Text from hosts is made harmless here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roceready::report {

enum class Style { kPlain, kBold, kRed, kYellow, kGreen, kDim };

// The text between escape sequences; unchanged without colour.
std::string Styled(std::string_view text, Style style, bool color);

// Without control characters: a device name must not move the cursor.
std::string Harmless(std::string_view text);

// Characters, not bytes, of UTF-8 text.
size_t WidthOf(std::string_view text);

// Words of `text` in lines of at most `width`; a longer word has a line of its own.
std::vector<std::string> Wrap(std::string_view text, size_t width);

class Page {
 public:
  Page(size_t width, bool color) : width_(width), color_(color) {}

  size_t width() const { return width_; }
  bool color() const { return color_; }

  void Line(std::string_view text);
  void Blank() { text_ += '\n'; }
  // "INDENT NAME    text", continued under the text.
  void Field(size_t indent, std::string_view name, std::string_view text);
  // `left` with `right` at the right margin; on the next line where both do not fit.
  void Heading(std::string_view symbol, Style style, std::string_view left, std::string_view right);

  std::string Take() { return std::move(text_); }

 private:
  size_t width_;
  bool color_;
  std::string text_;
};

}  // namespace roceready::report
