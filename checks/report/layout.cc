// SPDX-License-Identifier: Apache-2.0
#include "checks/report/layout.h"

#include <fmt/core.h>

#include <algorithm>

namespace roceready::report {
namespace {

// Room for "unseen" and the like, so that texts stand under each other.
constexpr size_t kNameWidth = 8;

}  // namespace

std::string Styled(std::string_view text, Style style, bool color) {
  if (!color || style == Style::kPlain) return std::string(text);
  // ECMA-48, select graphic rendition.
  const std::string_view code = style == Style::kBold     ? "1"
                                : style == Style::kRed    ? "1;31"
                                : style == Style::kYellow ? "1;33"
                                : style == Style::kGreen  ? "1;32"
                                                          : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string Harmless(std::string_view text) {
  std::string harmless(text);
  for (char& c : harmless) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return harmless;
}

size_t WidthOf(std::string_view text) {
  // Bytes that continue a UTF-8 character take no column.
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> Wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    if (!line.empty() && WidthOf(line) + 1 + WidthOf(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

void Page::Line(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

void Page::Field(size_t indent, std::string_view name, std::string_view text) {
  const size_t start = indent + kNameWidth;
  std::string lead = fmt::format("{:{}}{:<{}}", "", indent, name, kNameWidth);
  for (const std::string& line : Wrap(Harmless(text), width_ - start)) {
    Line(lead + line);
    lead.assign(start, ' ');
  }
}

void Page::Heading(std::string_view symbol, Style style, std::string_view left,
                   std::string_view right) {
  const std::string lead = fmt::format("{} ", symbol);
  const std::string subject = Harmless(right);
  const std::vector<std::string> lines = Wrap(Harmless(left), width_ - WidthOf(lead));
  const size_t used = WidthOf(lead) + (lines.empty() ? 0 : WidthOf(lines.front()));
  const bool fits = lines.size() == 1 && used + 2 + WidthOf(subject) <= width_;
  bool first = true;
  for (const std::string& line : lines) {
    std::string text = first ? Styled(lead, style, color_) : std::string(WidthOf(lead), ' ');
    text += Styled(line, style, color_);
    if (fits) text += std::string(width_ - used - WidthOf(subject), ' ') + subject;
    Line(text);
    first = false;
  }
  if (!fits) Field(WidthOf(lead), "at", subject);
}

}  // namespace roceready::report
