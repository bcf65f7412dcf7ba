// SPDX-License-Identifier: Apache-2.0
#include "checks/tally_sum.h"

namespace roceready::checks {
namespace {

void AddCounts(v1::CheckTally& sum, const v1::CheckTally& part) {
  sum.set_evaluated(sum.evaluated() + part.evaluated());
  sum.set_pass(sum.pass() + part.pass());
  sum.set_fail(sum.fail() + part.fail());
  sum.set_unknown(sum.unknown() + part.unknown());
  sum.set_not_applicable(sum.not_applicable() + part.not_applicable());
}

}  // namespace

void AddTally(Tallies& tallies, std::string_view check_id, const v1::CheckTally& tally) {
  auto sum = tallies.find(check_id);
  if (sum == tallies.end()) {
    sum = tallies.emplace(std::string(check_id), v1::CheckTally()).first;
    sum->second.set_check_id(std::string(check_id));
  }
  AddCounts(sum->second, tally);
}

void TallySum::Add(std::string_view check_id, const v1::CheckTally& part) {
  auto sum = sums_.find(check_id);
  if (sum == sums_.end()) sum = sums_.emplace(std::string(check_id), Sum()).first;
  AddCounts(sum->second.tally, part);
  ++sum->second.parts;
}

void TallySum::Remove(std::string_view check_id, const v1::CheckTally& part) {
  const auto sum = sums_.find(check_id);
  if (--sum->second.parts == 0) {
    sums_.erase(sum);
    return;
  }
  v1::CheckTally& tally = sum->second.tally;
  tally.set_evaluated(tally.evaluated() - part.evaluated());
  tally.set_pass(tally.pass() - part.pass());
  tally.set_fail(tally.fail() - part.fail());
  tally.set_unknown(tally.unknown() - part.unknown());
  tally.set_not_applicable(tally.not_applicable() - part.not_applicable());
}

void TallySum::AddTo(Tallies& tallies) const {
  for (const auto& [check_id, sum] : sums_) AddTally(tallies, check_id, sum.tally);
}

}  // namespace roceready::checks
