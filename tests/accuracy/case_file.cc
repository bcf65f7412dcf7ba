// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/case_file.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "proto/contract/errors.h"
#include "proto/yaml/config_file.h"

namespace roceready::accuracy {
namespace {

using yaml::Node;
using Take = std::function<void(const Node&)>;

// Takes a map apart by its keys; whatever is not as expected becomes a problem.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  std::optional<Node> Tree(std::string_view text) {
    return yaml::ParseTree(text, file_, problems_);
  }

  void Map(const Node& node, const std::map<std::string, Take>& takers,
           const std::set<std::string>& required) {
    if (node.kind != Node::Kind::kMap) return Fail(node, "expected a map");
    std::set<std::string> missing = required;
    std::set<std::string> seen;
    for (size_t i = 0; i < node.keys.size(); ++i) {
      const Node& key = node.keys[i];
      const auto taker = takers.find(key.text);
      if (taker == takers.end()) {
        std::vector<std::string> known;
        for (const auto& [name, take] : takers) known.push_back(name);
        const std::string hint = yaml::DidYouMean(key.text, known);
        Fail(key, "found the unknown key " + yaml::Quote(key.text) +
                      (hint.empty() ? ", expected " + yaml::OneOf(known) : hint));
        continue;
      }
      if (!seen.insert(key.text).second) Fail(key, yaml::Quote(key.text) + " stands here twice");
      missing.erase(key.text);
      taker->second(node.items[i]);
    }
    for (const std::string& key : missing) Fail(node, "the key " + key + " is missing");
  }

  Take TextInto(Text& to) {
    return [this, &to](const Node& node) {
      if (node.kind != Node::Kind::kScalar) return Fail(node, "expected a text");
      to = {node.text, node.at};
    };
  }
  Take TextsInto(std::vector<Text>& to) {
    return EachOf([this, &to](const Node& node) { TextInto(to.emplace_back())(node); });
  }
  Take EachOf(Take take) {
    return [this, take](const Node& node) {
      if (node.kind != Node::Kind::kList) return Fail(node, "expected a list");
      for (const Node& item : node.items) take(item);
    };
  }
  // The three kinds of change beside other keys.
  std::map<std::string, Take> ChangesInto(Changes& changes, std::map<std::string, Take> others) {
    using Kind = Change::Kind;
    for (const auto& [key, kind] : std::map<std::string, Kind>{
             {"set", Kind::kSet}, {"delete", Kind::kDelete}, {"unread", Kind::kUnread}}) {
      others.emplace(key, [this, kind, &changes](const Node& node) {
        ReadChanges(kind, node, file_, changes, problems_);
      });
    }
    return others;
  }
  // Entries whose own keys are `keys`, all of them required.
  Take EntriesInto(std::vector<Entry>& to, const std::map<std::string, Text Entry::*>& keys) {
    return EachOf([this, &to, keys](const Node& node) {
      Entry& entry = to.emplace_back();
      entry.at = node.at;
      std::map<std::string, Take> takers;
      std::set<std::string> required;
      for (const auto& [key, member] : keys) {
        takers.emplace(key, TextInto(entry.*member));
        required.insert(key);
      }
      Map(node, ChangesInto(entry.changes, std::move(takers)), required);
    });
  }

  void Fail(const Node& node, std::string text) {
    problems_.push_back({file_, node.at, "", std::move(text)});
  }

  absl::Status status() {
    yaml::SortByPosition(problems_);
    return yaml::ToStatus(problems_);
  }

 private:
  const std::string file_;
  std::vector<yaml::Problem> problems_;
};

}  // namespace

absl::StatusOr<Case> ReadCase(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(file));
  Reader reader(file.string());
  Case one;
  one.file = file;
  one.name = file.parent_path().filename();
  one.group = file.parent_path().parent_path().filename();
  if (const auto tree = reader.Tree(text)) {
    const Take policy_edit = [&](const Node& node) {
      reader.Map(node, reader.ChangesInto(one.policy_changes, {}), {});
    };
    reader.Map(*tree,
               {{"mode", reader.TextInto(one.mode)},
                {"about", reader.TextInto(one.about)},
                {"hosts",
                 reader.EntriesInto(one.hosts, {{"base", &Entry::base}, {"names", &Entry::hosts}})},
                {"edits", reader.EntriesInto(one.edits, {{"hosts", &Entry::hosts}})},
                {"silent", reader.TextInto(one.silent)},
                {"policy", reader.TextInto(one.policy)},
                {"policy_edit", policy_edit},
                {"switches", reader.EntriesInto(one.switches, {{"file", &Entry::base}})},
                {"probes", reader.EntriesInto(one.probes, {{"between", &Entry::between},
                                                           {"device", &Entry::device},
                                                           {"result", &Entry::base}})},
                {"verdict", reader.TextInto(one.verdict)},
                {"findings", reader.TextsInto(one.findings)},
                {"unknown", reader.TextsInto(one.unknown)}},
               {"mode", "about", "hosts", "policy", "verdict"});
  }
  RETURN_IF_ERROR(reader.status());
  return one;
}

absl::StatusOr<Base> ReadBase(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(file));
  Reader reader(file.string());
  Base base;
  base.file = file;
  if (const auto tree = reader.Tree(text)) {
    reader.Map(*tree,
               reader.ChangesInto(base.changes, {{"recorded", reader.TextInto(base.recorded)}}),
               {"recorded"});
  }
  RETURN_IF_ERROR(reader.status());
  return base;
}

}  // namespace roceready::accuracy
