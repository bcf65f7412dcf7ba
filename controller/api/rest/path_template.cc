// SPDX-License-Identifier: Apache-2.0
#include "controller/api/rest/path_template.h"

#include "proto/contract/errors.h"

namespace roceready::rest {
namespace {

std::vector<std::string_view> SplitOn(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) {
      pieces.push_back(text.substr(begin));
      return pieces;
    }
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

absl::StatusOr<PathTemplate> PathTemplate::Parse(std::string_view text) {
  if (!text.starts_with('/'))
    return InvalidArgument("path template \"{}\" must begin with /", text);
  PathTemplate result;
  result.text_ = text;
  for (const std::string_view piece : SplitOn(text.substr(1), '/')) {
    const bool variable = piece.size() > 2 && piece.front() == '{' && piece.back() == '}';
    const std::string_view name = variable ? piece.substr(1, piece.size() - 2) : piece;
    if (name.empty() || name.find_first_of("{}*=:") != std::string_view::npos) {
      return InvalidArgument(
          "path template \"{}\": segment \"{}\" is not a plain word or a {{variable}}", text,
          piece);
    }
    result.segments_.push_back({variable, std::string(name)});
  }
  return result;
}

std::optional<std::map<std::string, std::string>> PathTemplate::Match(std::string_view path) const {
  if (!path.starts_with('/')) return std::nullopt;
  const std::vector<std::string_view> pieces = SplitOn(path.substr(1), '/');
  if (pieces.size() != segments_.size()) return std::nullopt;
  std::map<std::string, std::string> variables;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Segment& segment = segments_[i];
    if (!segment.variable) {
      if (pieces[i] != segment.text) return std::nullopt;
      continue;
    }
    std::optional<std::string> value = PercentDecode(pieces[i], /*plus_is_space=*/false);
    if (!value || value->empty()) return std::nullopt;
    variables[segment.text] = *std::move(value);
  }
  return variables;
}

std::vector<std::string> PathTemplate::Variables() const {
  std::vector<std::string> names;
  for (const Segment& segment : segments_) {
    if (segment.variable) names.push_back(segment.text);
  }
  return names;
}

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::optional<std::vector<std::pair<std::string, std::string>>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (query.empty()) return pairs;
  for (const std::string_view piece : SplitOn(query, '&')) {
    if (piece.empty()) continue;
    const size_t equals = piece.find('=');
    auto name = PercentDecode(piece.substr(0, equals), /*plus_is_space=*/true);
    auto value = equals == std::string_view::npos
                     ? std::optional<std::string>("")
                     : PercentDecode(piece.substr(equals + 1), /*plus_is_space=*/true);
    if (!name || !value) return std::nullopt;
    pairs.emplace_back(*std::move(name), *std::move(value));
  }
  return pairs;
}

}  // namespace roceready::rest
