// SPDX-License-Identifier: Apache-2.0
// The errors of a log, counted by what they say of whom. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "controller/why/error_lines.h"

namespace roceready::why {

// Lines that say the same of the same two ends.
struct Trouble {
  ErrorLine first;
  std::size_t lines = 0;
  // What the log calls them: an address, or HOST/DEVICE, or a host; empty: it does not say.
  std::string local, remote;
};

class Troubles {
 public:
  // A job in which every host fails towards every other one has a million of them; each is kept
  // with its first line, so that some 10 MB hold these.
  static constexpr std::size_t kMaxDistinct = 10'000;

  void Add(ErrorLine error);

  // The most frequent first, then in the order of the log.
  std::vector<Trouble> MostFrequentFirst() &&;
  // Lines of further troubles, after kMaxDistinct had been found.
  std::size_t uncounted_lines() const { return uncounted_lines_; }

 private:
  std::vector<Trouble> troubles_;
  std::map<std::tuple<ErrorKind, std::string, std::string>, std::size_t> places_;
  std::size_t uncounted_lines_ = 0;
};

}  // namespace roceready::why
