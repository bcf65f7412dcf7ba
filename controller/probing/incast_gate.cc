// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/incast_gate.h"

#include <utility>

namespace roceready {

void IncastGate::Arrive(const std::string& probe_id, Go go) {
  if (open_) return go(false);
  waiting_[probe_id] = std::move(go);
  settled_.insert(probe_id);
  OpenIfComplete();
}

void IncastGate::Leave(const std::string& probe_id) {
  waiting_.erase(probe_id);
  settled_.insert(probe_id);
  OpenIfComplete();
}

void IncastGate::OpenIfComplete() {
  if (open_ || settled_.size() < pairs_) return;
  open_ = true;
  const std::map<std::string, Go> waiting = std::exchange(waiting_, {});
  for (const auto& [probe_id, go] : waiting) go(waiting.size() > 1);
}

}  // namespace roceready
