// SPDX-License-Identifier: Apache-2.0
// Holds the pairs of an incast back until every one of them has come to the phase that they run
// together, or has ended without. Runs on the event loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace roceready {

class IncastGate {
 public:
  using Go = std::function<void(bool together)>;

  explicit IncastGate(std::size_t pairs) : pairs_(pairs) {}

  // `go` is called once: with true as soon as nobody is awaited any more, with false at once where
  // the others have begun already. The last to come is called before this returns.
  void Arrive(const std::string& probe_id, Go go);

  // It has ended: the others do not wait for it, and it is not called any more.
  void Leave(const std::string& probe_id);

 private:
  void OpenIfComplete();

  const std::size_t pairs_;
  std::set<std::string> settled_;  // have come, or will not
  std::map<std::string, Go> waiting_;
  bool open_ = false;
};

}  // namespace roceready
