// SPDX-License-Identifier: Apache-2.0
// What the last audit of each host said of it. Belongs to the event loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/fleet/fleet.h"
#include "roceready/v1/finding.pb.h"
#include "roceready/v1/fleet.pb.h"

namespace roceready {

class LastVerdicts {
 public:
  // An audit of `hosts` has ended: NOT_READY is who holds back the set (Verdict.hosts_blocked),
  // UNDETERMINED who could not be judged, READY the rest. Nothing is learned from an audit without
  // a verdict. Only hosts of the fleet are kept: an audit may name anything.
  void Note(const std::vector<std::string>& hosts, const v1::Audit& audit, const Fleet& fleet);

  // How many hosts are how; those that no audit has judged are in none.
  std::map<v1::Readiness, std::size_t> Count() const;

 private:
  std::map<std::string, v1::Readiness, std::less<>> last_;
};

}  // namespace roceready
