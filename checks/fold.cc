// SPDX-License-Identifier: Apache-2.0
#include "checks/fold.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "checks/check.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

size_t CatalogIndex(std::string_view check_id) {
  const auto found = std::ranges::find(Catalog(), check_id, &Check::id);
  return static_cast<size_t>(found - Catalog().begin());
}

// Findings that can explain others, by check and host.
class Causes {
 public:
  explicit Causes(std::deque<Draft>& drafts) {
    for (Draft& draft : drafts) {
      if (!draft.finding.waived_by().empty()) continue;
      by_key_.emplace(draft.finding.key(), &draft);
      for (const PortKey& port : draft.explains ? *draft.explains : draft.touches) {
        by_host_[{draft.finding.check_id(), port.host}].push_back({&draft, &port});
      }
    }
  }

  const Draft* Find(const Draft& effect) const {
    for (const std::string& key : effect.follows) {
      const auto found = by_key_.find(key);
      if (found == by_key_.end() || found->second == &effect) continue;
      if (!HasFailed(effect) || HasFailed(*found->second)) return found->second;
    }
    const Check* check = FindCheck(effect.finding.check_id());
    if (check == nullptr) return nullptr;
    for (const std::string_view id : effect.explained_by.value_or(check->explained_by)) {
      if (const Draft* cause = FindOf(id, effect)) return cause;
    }
    return nullptr;
  }

 private:
  const Draft* FindOf(std::string_view check_id, const Draft& effect) const {
    for (const PortKey& port : effect.touches) {
      const auto found = by_host_.find({std::string(check_id), port.host});
      if (found == by_host_.end()) continue;
      for (const auto& [cause, touched] : found->second) {
        if (touched->Meets(port) && Explains(*cause, effect)) return cause;
      }
    }
    return nullptr;
  }

  static bool IsSetting(const Draft& draft) {
    const Check* check = FindCheck(draft.finding.check_id());
    return check != nullptr && check->is_setting && !draft.goes_with_port;
  }

  static bool HasFailed(const Draft& draft) {
    return draft.finding.status() == v1::CHECK_STATUS_FAIL;
  }

  // What is between two ports says nothing of other pairs that one of the two takes part in.
  static bool IsOfAnotherPair(const Draft& cause, const Draft& effect) {
    if (cause.finding.subject().peer_host().empty() ||
        effect.finding.subject().peer_host().empty()) {
      return false;
    }
    return !std::ranges::all_of(effect.touches, [&](const PortKey& port) {
      return std::ranges::any_of(cause.touches,
                                 [&](const PortKey& touched) { return touched.Meets(port); });
    });
  }

  static bool Explains(const Draft& cause, const Draft& effect) {
    if (&cause == &effect || IsOfAnotherPair(cause, effect)) return false;
    const bool failed = HasFailed(cause);
    const Check* check = FindCheck(cause.finding.check_id());
    const bool takes_away = check != nullptr && check->takes_readings_away;
    if (HasFailed(effect)) return failed && !(takes_away && IsSetting(effect));
    if (!failed || effect.finding.scope() != v1::SCOPE_HOST) return true;
    return takes_away || (check != nullptr && check->scope != v1::SCOPE_HOST);
  }

  std::map<std::string, const Draft*, std::less<>> by_key_;
  // With the port of that host: a cause may touch all hosts, and is not searched for each effect.
  std::map<std::pair<std::string, std::string>,
           std::vector<std::pair<const Draft*, const PortKey*>>>
      by_host_;
};

using ByKey = std::map<std::string_view, const v1::Finding*>;

const v1::Finding& RootOf(const v1::Finding& finding, const ByKey& by_key) {
  const v1::Finding* root = &finding;
  // A chain is no longer than the catalogue: `explained_by` has no cycle.
  for (size_t step = 0; step < Catalog().size() && !root->caused_by().empty(); ++step) {
    const auto cause = by_key.find(root->caused_by());
    if (cause == by_key.end()) break;
    root = cause->second;
  }
  return *root;
}

// What makes two roots one block: they say the same of different subjects.
auto StoryOf(const v1::Finding& root) {
  return std::tuple(root.check_id(), root.status(), root.severity(), root.on_unknown(),
                    root.waived_by(), root.expected(), root.actual(), root.reason());
}

void Worsen(Block& block, const v1::Finding& finding) {
  if (finding.status() == v1::CHECK_STATUS_FAIL) {
    // BLOCKS is the smallest number.
    block.severity = std::min(block.severity, finding.severity());
  } else if (finding.on_unknown() == v1::ON_UNKNOWN_BLOCK) {
    block.blocks_unknown |= block.status == v1::CHECK_STATUS_UNKNOWN;
  }
}

int RankOf(const Block& block) {
  if (block.waived) return 5;
  if (block.status == v1::CHECK_STATUS_FAIL) {
    if (block.severity == v1::SEVERITY_BLOCKS) return 0;
    return block.severity == v1::SEVERITY_DEGRADES ? 2 : 3;
  }
  return block.blocks_unknown ? 1 : 4;
}

bool SubjectLess(const v1::Finding* a, const v1::Finding* b) {
  const v1::Subject &x = a->subject(), &y = b->subject();
  if (x.host() != y.host()) return HostNameLess(x.host(), y.host());
  if (x.peer_host() != y.peer_host()) return HostNameLess(x.peer_host(), y.peer_host());
  return a->key() < b->key();
}

bool BlockLess(const Block& a, const Block& b) {
  const v1::Finding &x = *a.roots.front(), &y = *b.roots.front();
  const auto order = [](const Block& block, const v1::Finding& root) {
    // A site's own checks come behind the catalogue's, by their ids.
    const size_t index = CatalogIndex(root.check_id());
    return std::tuple(RankOf(block), index, index < Catalog().size() ? "" : root.check_id());
  };
  if (order(a, x) != order(b, y)) return order(a, x) < order(b, y);
  return SubjectLess(&x, &y);
}

}  // namespace

void FoldFindings(std::deque<Draft>& drafts) {
  const Causes causes(drafts);
  for (Draft& draft : drafts) {
    if (!draft.finding.waived_by().empty()) continue;
    const Draft* cause = causes.Find(draft);
    if (cause != nullptr) draft.finding.set_caused_by(cause->finding.key());
  }
}

std::vector<Block> BlocksOf(const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  ByKey by_key;
  for (const v1::Finding& finding : findings) by_key.emplace(finding.key(), &finding);
  std::map<decltype(StoryOf(std::declval<v1::Finding>())), Block> by_story;
  for (const v1::Finding& finding : findings) {
    const v1::Finding& root = RootOf(finding, by_key);
    Block& block = by_story[StoryOf(root)];
    block.status = root.status();
    block.waived = !root.waived_by().empty();
    (&root == &finding ? block.roots : block.folded).push_back(&finding);
    Worsen(block, finding);
  }
  std::vector<Block> blocks;
  for (auto& [story, block] : by_story) {
    std::ranges::sort(block.roots, SubjectLess);
    std::ranges::sort(block.folded, SubjectLess);
    blocks.push_back(std::move(block));
  }
  std::ranges::sort(blocks, BlockLess);
  return blocks;
}

}  // namespace roceready::checks
