// SPDX-License-Identifier: Apache-2.0
// The rule above all others: what was not read passes no check, and fails none either.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

// It needs gtest before it.
#include <rapidcheck/gtest.h>

#include <set>

#include "checks/check.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using google::protobuf::FieldDescriptor, google::protobuf::Message, google::protobuf::Reflection;

// All messages below `message` that hold a reading: each is one answer of the kernel.
void CollectAnswers(Message& message, std::vector<Message*>& answers) {
  const Reflection* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (field->name() == "reading") {
      answers.push_back(&message);
      continue;
    }
    if (!field->is_repeated()) {
      CollectAnswers(*reflection->MutableMessage(&message, field), answers);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      CollectAnswers(*reflection->MutableRepeatedMessage(&message, field, i), answers);
    }
  }
}

// As an agent gives an answer that it did not get: no values, only why. Row keys, names and what
// has an answer of its own stay.
void LoseAnswer(Message& answer, v1::Outcome outcome) {
  const Reflection* reflection = answer.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(answer, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field->name() != "reading") {
      const auto* type = field->message_type();
      if (type->FindFieldByName("reading") != nullptr) continue;
    }
    const bool is_row_key = !field->is_repeated() && !field->has_presence();
    if (field->name() != "reading" && !is_row_key) reflection->ClearField(&answer, field);
  }
  auto* reading = static_cast<v1::Reading*>(
      reflection->MutableMessage(&answer, answer.GetDescriptor()->FindFieldByName("reading")));
  reading->set_outcome(outcome);
  reading->set_detail("lost by the test");
}

std::vector<std::string> Failures(const v1::AuditReport& report) {
  std::vector<std::string> failures;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.status() == v1::CHECK_STATUS_FAIL) failures.push_back(finding.DebugString());
  }
  return failures;
}

v1::Outcome AnyOutcomeButOk() {
  return *rc::gen::element(v1::OUTCOME_UNSUPPORTED, v1::OUTCOME_DENIED, v1::OUTCOME_ABSENT,
                           v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT, v1::OUTCOME_SKIPPED,
                           v1::OUTCOME_NOT_COLLECTED, static_cast<v1::Outcome>(77));
}

RC_GTEST_PROP(MissingFacts, FailNothingOnAHostThatIsRight, ()) {
  FullFleet fleet;
  std::vector<Message*> answers;
  CollectAnswers(fleet.host2().facts(), answers);
  Message& answer = *answers[*rc::gen::inRange<size_t>(0, answers.size())];
  const v1::Outcome outcome = AnyOutcomeButOk();
  // A verbs node that is not there is a fault: it is the answer, not a missing one.
  RC_PRE(outcome != v1::OUTCOME_ABSENT || answer.GetDescriptor() != v1::UverbsAccess::descriptor());
  LoseAnswer(answer, outcome);

  const v1::AuditReport report = fleet.Report();

  RC_LOG() << answer.GetDescriptor()->name() << " lost";
  RC_ASSERT(Failures(report) == std::vector<std::string>{});
}

RC_GTEST_PROP(MissingFacts, PassNothingThatFailedBefore, ()) {
  const std::vector<Case>& cases = Cases();
  const Case& sick = cases[*rc::gen::inRange<size_t>(0, cases.size())];
  FullFleet before = sick.Fleet(), after = sick.Fleet();
  sick.breaks(before);
  sick.breaks(after);
  std::vector<Message*> answers;
  CollectAnswers(after.host2().facts(), answers);
  const size_t lost = *rc::gen::inRange<size_t>(1, 4);
  for (size_t i = 0; i < lost; ++i) {
    LoseAnswer(*answers[*rc::gen::inRange<size_t>(0, answers.size())], AnyOutcomeButOk());
  }

  const v1::AuditReport clear = before.Report(), blurred = after.Report();

  RC_LOG() << sick.check_id << ": " << sick.what;
  for (const v1::CheckTally& tally : blurred.verdict().tallies()) {
    // Which pairs are neighbours on a rail follows from the facts: others may be compared.
    if (FindCheck(tally.check_id())->pair != nullptr) continue;
    const v1::CheckTally known = TallyOf(clear, tally.check_id());
    if (tally.pass() > known.pass()) RC_LOG() << "; passed more: " << tally.check_id();
    RC_ASSERT(tally.pass() <= known.pass());
  }
}

}  // namespace
}  // namespace roceready::checks
