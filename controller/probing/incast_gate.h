// SPDX-License-Identifier: Apache-2.0
// Holds the pairs of an incast back until every one of them has come to the same step, or has ended
// before. Runs on the event loop.
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

  // `go` is called once, as soon as nobody is awaited any more; with false where it would go alone,
  // and at once with false where the others have gone already. The last to come is called before
  // this returns.
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

// What all pairs of one incast share: they arm their phase together, and when all have armed it,
// they run it.
struct IncastGates {
  explicit IncastGates(std::size_t pairs) : arm(pairs), run(pairs) {}

  IncastGate arm;
  IncastGate run;

  void Leave(const std::string& probe_id) {
    arm.Leave(probe_id);
    run.Leave(probe_id);
  }
};

}  // namespace roceready
