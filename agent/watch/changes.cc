// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/changes.h"

#include <utility>

namespace roceready::watch {

Changes Changes::Everything() {
  Changes changes;
  changes.everything_ = true;
  return changes;
}

void Changes::Add(Concern concern) {
  if (everything_) return;
  concerns_.insert(std::move(concern));
  if (concerns_.size() > kMostConcerns) *this = Everything();
}

void Changes::Merge(const Changes& other) {
  if (other.everything_) *this = Everything();
  for (const Concern& concern : other.concerns_) Add(concern);
}

}  // namespace roceready::watch
