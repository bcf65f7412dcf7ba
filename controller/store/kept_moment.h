// SPDX-License-Identifier: Apache-2.0
// Moments that outlive the process, and how old they are. The wall clock may be set meanwhile, so a
// moment is kept by the monotonic clock of its boot as well, and what cannot be told is taken to be
// old: nothing is ever younger than it is, but where a machine was restarted with its clock set
// back by less than the time in between.
#pragma once

#include <chrono>
#include <string>

#include "proto/process/clock.h"

namespace roceready {

struct KeptMoment {
  WallTime wall{};
  // The boot whose monotonic clock this is; empty where it is not known.
  std::string boot;
  MonotonicTime monotonic{};

  bool operator==(const KeptMoment&) const = default;
};

// The age of a moment that lies in the future: the clock was set back, nobody knows how far.
inline constexpr Duration kAgeUnknown = std::chrono::hours(24 * 365);

// Not below zero; kAgeUnknown is only what nobody knows, and more than a year is a little less.
Duration AgeOf(const KeptMoment& then, const KeptMoment& now);

// Of this machine: /proc/sys/kernel/random/boot_id, empty where that cannot be read.
std::string ThisBoot();

// Moments of this process.
class MomentClock {
 public:
  // The clock is not owned.
  MomentClock(const Clock* clock, std::string boot) : clock_(clock), boot_(std::move(boot)) {}

  KeptMoment Now() const { return At(clock_->Now()); }
  KeptMoment At(MonotonicTime then) const {
    return {clock_->Wall() - (clock_->Now() - then), boot_, then};
  }

 private:
  const Clock* clock_;
  std::string boot_;
};

}  // namespace roceready
