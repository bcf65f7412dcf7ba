// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/problem.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "proto/contract/errors.h"

namespace roceready::yaml {
namespace {

constexpr std::size_t kMaxShownCharacters = 40;
// Longer words are not compared with the known ones: the cost is their product.
constexpr std::size_t kMaxComparedWord = 64;

// Number of single-character changes between two words (Levenshtein). Upper and lower case are the
// same here, and so are '-' and '_'.
std::size_t Distance(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (plain(a[i - 1]) == plain(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Problem::Render() const {
  std::string rendered = file;
  if (at.line > 0) rendered += fmt::format(":{}:{}", at.line, at.column);
  rendered += ": ";
  if (!path.empty()) rendered += path + ": ";
  return rendered + text;
}

std::string Render(const std::vector<Problem>& problems) {
  std::string rendered;
  for (const Problem& problem : problems) {
    if (!rendered.empty()) rendered += '\n';
    rendered += problem.Render();
  }
  return rendered;
}

void SortByPosition(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    const bool a_nowhere = a.at.line == 0;
    const bool b_nowhere = b.at.line == 0;
    return a_nowhere != b_nowhere ? b_nowhere : a.at < b.at;
  });
}

absl::Status ToStatus(const std::vector<Problem>& problems) {
  if (problems.empty()) return absl::OkStatus();
  return MakeError(absl::StatusCode::kInvalidArgument, Render(problems));
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool continues = (byte & 0xC0) == 0x80;
    if (!continues && characters++ == kMaxShownCharacters) {
      quoted += "...";
      break;
    }
    if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += text[at];
    } else {
      quoted += text[at];
    }
  }
  return quoted + '"';
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kMaxComparedWord) return "";
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kMaxComparedWord) continue;
    // "rdma_mtu" is meant to be "rdma_mtu_bytes", however long the rest.
    const bool is_beginning = word.size() >= 4 && candidate.compare(0, word.size(), word) == 0;
    const std::size_t distance = is_beginning ? 1 : Distance(word, candidate);
    // A word that shares no letter is no help: "x" is not meant to be "id".
    if (distance < least && distance < std::max(word.size(), candidate.size())) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

std::string OneOf(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

}  // namespace roceready::yaml
