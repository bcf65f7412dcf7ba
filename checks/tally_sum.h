// SPDX-License-Identifier: Apache-2.0
// What checks counted, summed up so that a part can be taken out again when it is judged anew.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "roceready/v1/finding.pb.h"

namespace roceready::checks {

// By check id.
using Tallies = std::map<std::string, v1::CheckTally, std::less<>>;

// Adds one check's counts to the tallies under its id.
void AddTally(Tallies& tallies, std::string_view check_id, const v1::CheckTally& tally);

class TallySum {
 public:
  void Add(std::string_view check_id, const v1::CheckTally& part);
  // `part` was added before.
  void Remove(std::string_view check_id, const v1::CheckTally& part);

  // A check of which no part is left is not among them.
  void AddTo(Tallies& tallies) const;

 private:
  struct Sum {
    v1::CheckTally tally;
    size_t parts = 0;
  };
  std::map<std::string, Sum, std::less<>> sums_;
};

}  // namespace roceready::checks
