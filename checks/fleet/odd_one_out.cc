// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/odd_one_out.h"

#include <algorithm>
#include <utility>

#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

using Speakers = std::vector<const Observation*>;

std::string HostsOf(const Speakers& speakers) {
  std::vector<std::string> hosts;
  for (const Observation* one : speakers) hosts.push_back(one->subject.host());
  return FoldHostList(std::move(hosts));
}

// No value has the most: nobody can be called odd, so the group is the subject.
void JudgeTie(const FleetGroup& group, std::string_view expected, std::string_view fix,
              Judge& judge) {
  v1::Subject subject;
  subject.set_group(std::string(group.name));
  subject.set_label(std::string(group.name));
  std::vector<std::string> camps;
  Draft& draft = judge.Fail(subject);
  for (const auto& [value, speakers] : group.by_value) {
    camps.push_back(fmt::format("{} on {}", value, HostsOf(speakers)));
    draft.RestsOn(speakers.front()->evidence);
    for (const Observation* one : speakers) {
      for (PortKey& port : PortsOfSubject(one->subject)) draft.touches.push_back(std::move(port));
    }
  }
  draft.Expected(std::string(expected)).Actual(JoinWords(camps, ", ")).MendedBy(std::string(fix));
}

}  // namespace

void JudgeOddOneOut(const FleetGroup& group, std::string_view expected, std::string_view fix,
                    Judge& judge) {
  for (const Observation* one : group.unknown) {
    judge.Unknown(one->subject, one->unknown)
        .Expected(std::string(expected))
        .RestsOn(one->evidence);
  }
  if (group.by_value.empty()) return;
  const bool alone = group.by_value.size() == 1 && group.by_value.begin()->second.size() == 1;
  if (alone) return judge.NotApplicable();
  const auto size = [](const auto& camp) { return camp.second.size(); };
  const auto most = std::ranges::max_element(group.by_value, {}, size);
  if (std::ranges::count(group.by_value, size(*most), size) > 1) {
    return JudgeTie(group, expected, fix, judge);
  }
  for (const auto& [value, speakers] : group.by_value) {
    for (const Observation* one : speakers) {
      if (value == most->first) {
        judge.Pass();
        continue;
      }
      judge.Fail(one->subject)
          .Expected(std::string(expected))
          .Actual(fmt::format("{}, where {} have {}", value, Counted(most->second.size(), "other"),
                              most->first))
          .RestsOn(one->evidence)
          .MendedBy(std::string(fix));
    }
  }
}

}  // namespace roceready::checks
