// SPDX-License-Identifier: Apache-2.0
// One question to one host's facts: whose it is, where the answer stands and what is wanted of it.
#pragma once

#include "checks/fact_path.h"
#include "checks/host_view.h"
#include "checks/judge.h"
#include "checks/reading.h"

namespace roceready::checks {

struct Question {
  v1::Subject subject;
  std::string path;
  v1::Reading reading;
  std::string expected;
  std::string_view policy_path = {};
};

// Says UNKNOWN where the kernel did not answer, or its answer does not hold the value. True if so.
inline bool IsUnanswered(const HostView& host, Judge& judge, const Question& question,
                         bool has_value = true) {
  if (IsOk(question.reading) && has_value) return false;
  v1::Evidence evidence = host.EvidenceAt(question.path, {}, question.reading);
  Draft& draft = IsOk(question.reading)
                     ? judge.Unknown(question.subject, "the answer does not hold this value")
                           .RestsOn(std::move(evidence))
                     : judge.Unread(question.subject, std::move(evidence));
  draft.Expected(question.expected, question.policy_path);
  return true;
}

// FAIL with the answer as its evidence.
inline Draft& FailOn(const HostView& host, Judge& judge, const Question& question,
                     std::string actual, std::string value = {}) {
  if (value.empty()) value = actual;
  return judge.Fail(question.subject)
      .Expected(question.expected, question.policy_path)
      .Actual(std::move(actual))
      .RestsOn(host.EvidenceAt(question.path, std::move(value), question.reading));
}

}  // namespace roceready::checks
