// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/assignments.h"

namespace roceready {
namespace {

bool IsNameStart(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool IsName(char c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// One line, read as a shell reads words.
class Line {
 public:
  Line(std::string_view text, int number) : text_(text), number_(number) {}

  void Read(std::vector<Assignment>& all) {
    while (true) {
      while (at_ < text_.size() && (IsBlank(text_[at_]) || text_[at_] == ';')) ++at_;
      // A '#' begins a comment where a word could begin.
      if (at_ >= text_.size() || text_[at_] == '#') return;
      Assignment one;
      one.at = {number_, static_cast<int>(at_) + 1};
      const bool is_assignment = ReadName(one.name);
      ReadWord(one);
      if (is_assignment) all.push_back(std::move(one));
    }
  }

 private:
  // Goes behind '=' where a name and a '=' stand here, else nowhere.
  bool ReadName(std::string& name) {
    std::size_t end = at_;
    if (!IsNameStart(text_[end])) return false;
    while (end < text_.size() && IsName(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '=') return false;
    name = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  void ReadWord(Assignment& one) {
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote == 0 && (IsBlank(c) || c == ';')) return;
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == '\\' && quote != '\'' && at_ + 1 < text_.size()) {
        one.value += text_[++at_];
      } else {
        if (quote != '\'' && (c == '$' || c == '`')) {
          one.problem = "expected the value itself: nothing is expanded here";
        }
        one.value += c;
      }
    }
    if (quote != 0) one.problem = "expected the quote to be closed on this line";
  }

  const std::string_view text_;
  const int number_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Assignment> ParseAssignments(std::string_view text) {
  std::vector<Assignment> all;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    Line(line, number).Read(all);
  }
  return all;
}

}  // namespace roceready
