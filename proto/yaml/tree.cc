// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/tree.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>

#include "proto/yaml/utf8.h"

namespace roceready::yaml {
namespace {

// Mostly a pattern for hosts whose quotes were forgotten.
constexpr char kAliasFound[] =
    "found an alias, expected the value itself (put a text that begins with '*' in quotes)";

constexpr std::string_view kUtf8ByteOrderMark = "\xEF\xBB\xBF";

// yaml-cpp's words for a syntax error, with help where they have none.
std::string SyntaxError(const YAML::Exception& error) {
  const std::string& words = error.msg;
  const bool is_alias =
      words.find("alias") != std::string::npos || words == YAML::ErrorMsg::UNKNOWN_ANCHOR;
  if (is_alias) return kAliasFound;
  const bool is_start = words == YAML::ErrorMsg::UNKNOWN_TOKEN;
  return "not YAML: " + words +
         (is_start ? " (put a text that begins with '@', '`' or '%' in quotes)" : "");
}

// Builds the tree from yaml-cpp's events. After the first problem it ignores the rest.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const Lines& lines) : text_(text), lines_(lines) {}

  struct Refusal {
    Position at;
    std::string text;
  };
  const std::optional<Refusal>& refusal() const { return refusal_; }
  Node TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Refuse(mark, "found a second document, expected one in a file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (Accept(mark, "", anchor)) Attach(MakeNode(Node::Kind::kNothing, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Refuse(mark, kAliasFound); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!Accept(mark, tag, anchor)) return;
    Node node = MakeNode(Node::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    if (node.quoted && SourceAt(mark).front() == '!') {
      return Refuse(mark, "found the tag \"!\", expected a value without a tag");
    }
    if (node.quoted && !IsClosed(mark)) {
      return Refuse(mark,
                    "found a quote that is never closed, expected one at the end of the text");
    }
    Attach(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, Node::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  void Refuse(const YAML::Mark& mark, std::string text) {
    if (!refusal_) refusal_ = Refusal{PositionOf(mark), std::move(text)};
  }

  Position PositionOf(const YAML::Mark& mark) const {
    return mark.line < 0 ? Position{}
                         : lines_.At(static_cast<std::size_t>(mark.line),
                                     static_cast<std::size_t>(mark.column));
  }

  // yaml-cpp 0.7 takes a quote that is still open at the end of the file for closed, if the file
  // ends with a line feed: one slip would swallow half a policy. Block scalars ("|") begin with no
  // quote.
  bool IsClosed(const YAML::Mark& mark) const {
    const std::string_view source = SourceAt(mark);
    const char quote = source.front();
    if (quote != '"' && quote != '\'') return true;
    for (std::size_t at = 1; at < source.size(); ++at) {
      if (source[at] == quote) {
        // Doubled, a single quote stands for itself.
        if (quote == '"' || at + 1 == source.size() || source[at + 1] != quote) return true;
        ++at;
      } else if (quote == '"' && source[at] == '\\') {
        ++at;
      }
    }
    return false;
  }

  // The text from a mark on, never empty.
  std::string_view SourceAt(const YAML::Mark& mark) const {
    const std::string_view source = text_.substr(lines_.OffsetOf(
        static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column)));
    return source.empty() ? "\n" : source;
  }

  // yaml-cpp gives "?" to what has no tag and "!" to a quoted scalar.
  bool Accept(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (refusal_) return false;
    if (anchor != YAML::NullAnchor) {
      Refuse(mark, "found an anchor, expected the value alone: anchors and aliases are refused");
    } else if (!tag.empty() && tag != "?" && tag != "!") {
      Refuse(mark, "found the tag " + Quote(tag) + ", expected a value without a tag");
    } else if (++nodes_ > kMaxNodes) {
      Refuse(mark, fmt::format("found more than {} values, which is the limit", kMaxNodes));
    } else if (open_.size() >= kMaxDepth) {
      Refuse(mark,
             fmt::format("found values nested more than {} deep, which is the limit", kMaxDepth));
    }
    return !refusal_;
  }

  Node MakeNode(Node::Kind kind, const YAML::Mark& mark) const {
    Node node;
    node.kind = kind;
    node.at = PositionOf(mark);
    return node;
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    if (Accept(mark, tag, anchor)) open_.push_back(MakeNode(kind, mark));
  }

  void Close() {
    if (refusal_) return;
    Node node = std::move(open_.back());
    open_.pop_back();
    Attach(std::move(node));
  }

  void Attach(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Node& parent = open_.back();
    const bool is_key =
        parent.kind == Node::Kind::kMap && parent.keys.size() == parent.items.size();
    // Where nothing was written, yaml-cpp marks what comes after it.
    if (node.kind == Node::Kind::kNothing && !is_key) {
      node.at = parent.kind == Node::Kind::kMap ? parent.keys.back().at : node.at;
    }
    (is_key ? parent.keys : parent.items).push_back(std::move(node));
  }

  std::string_view text_;
  const Lines& lines_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Node> open_;
  Node root_;
  std::optional<Refusal> refusal_;
};

}  // namespace

std::optional<Node> ParseTree(std::string_view text, std::string_view file_name,
                              std::vector<Problem>& problems) {
  const auto fail = [&](Position at, std::string what) {
    problems.push_back({std::string(file_name), at, "", std::move(what)});
    return std::nullopt;
  };
  if (text.size() > kMaxTextBytes) {
    return fail({}, fmt::format("found {} bytes, expected at most {}", text.size(), kMaxTextBytes));
  }
  if (text.substr(0, kUtf8ByteOrderMark.size()) == kUtf8ByteOrderMark) {
    text.remove_prefix(kUtf8ByteOrderMark.size());
  }
  const Lines lines(text);
  if (const auto bad = FindUnprintable(text)) {
    return fail(lines.At(*bad), fmt::format("found byte 0x{:02x}, expected printable UTF-8 text",
                                            static_cast<unsigned char>(text[*bad])));
  }
  TreeBuilder builder(text, lines);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (!builder.refusal() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (!builder.refusal()) {
      const Position at = error.mark.line < 0
                              ? Position{}
                              : lines.At(static_cast<std::size_t>(error.mark.line),
                                         static_cast<std::size_t>(error.mark.column));
      return fail(at, SyntaxError(error));
    }
  } catch (const std::exception& error) {
    return fail({}, fmt::format("not YAML: {}", error.what()));
  }
  if (builder.refusal()) return fail(builder.refusal()->at, builder.refusal()->text);
  return builder.TakeRoot();
}

}  // namespace roceready::yaml
