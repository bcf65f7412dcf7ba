// SPDX-License-Identifier: Apache-2.0
// The suspects that some bad way passes, each with all ways that pass it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "checks/blame/suspect.h"

namespace roceready::checks {

struct Candidate {
  Suspect suspect;
  // Ordered by pair.
  std::vector<size_t> ways;
};

class Candidates {
 public:
  Candidates(const std::vector<Place>& places, const std::vector<Way>& ways);

  const std::vector<Candidate>& all() const { return all_; }

 private:
  void ForEachSuspect(const Way& way, const std::function<void(const Suspect&)>& visit) const;
  void VisitEnd(const Way& way, bool sender,
                const std::function<void(const Suspect&)>& visit) const;
  void VisitLeaves(const Way& way, const std::function<void(const Suspect&)>& visit) const;

  const std::vector<Place>& places_;
  std::map<size_t, size_t> ports_of_adapter_, ports_of_host_;
  std::vector<Candidate> all_;
};

}  // namespace roceready::checks
