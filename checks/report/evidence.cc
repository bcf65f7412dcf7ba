// SPDX-License-Identifier: Apache-2.0
#include "checks/report/evidence.h"

#include <fmt/core.h>

#include <vector>

#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/counters.h"

namespace roceready::report {
namespace {

using checks::Grouped, checks::JoinWords;

std::string CounterWords(const v1::Evidence& evidence) {
  std::vector<std::string> words;
  for (const v1::CounterSample& sample : evidence.counters()) {
    const CounterInfo* info = FindCounter(sample.id());
    words.push_back(
        fmt::format("{} {}", info == nullptr ? "counter" : info->name, Grouped(sample.delta())));
  }
  return JoinWords(words, ", ");
}

bool IsUndatedFact(const v1::Evidence& evidence) {
  // What a whole list holds was not read at one time.
  const bool is_of_a_part = evidence.fact_path().find_first_of(".[") != std::string::npos;
  return !evidence.has_age() && !evidence.host().empty() && is_of_a_part &&
         evidence.switch_name().empty() && checks::IsOk(evidence.reading());
}

}  // namespace

std::string AgeWords(int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  const int64_t hours = seconds / 3600;
  if (hours >= 48) return checks::Counted(static_cast<uint64_t>(hours / 24), "day");
  return fmt::format("{} h {} min", hours, seconds / 60 % 60);
}

std::string EvidenceWords(const v1::Evidence& evidence) {
  std::string text;
  if (!evidence.probe_id().empty()) {
    text = fmt::format("{}: {}", evidence.host(),
                       evidence.value().empty() ? "probe" : evidence.value());
    const std::string counters = CounterWords(evidence);
    return counters.empty() ? text : text + ", " + counters;
  }
  const size_t row = evidence.fact_path().rfind("].");
  text = row == std::string::npos ? evidence.fact_path() : evidence.fact_path().substr(row + 2);
  if (!evidence.value().empty()) text += " = " + evidence.value();
  const std::string counters = CounterWords(evidence);
  if (!counters.empty()) text = counters;
  std::vector<std::string> notes;
  const v1::Reading& reading = evidence.reading();
  // Of a switch's configuration the place in the file says more than its kind.
  const std::string source = reading.source() == v1::SOURCE_SWITCH_CONFIG
                                 ? reading.locator()
                                 : checks::WordOf(reading.source());
  if (!source.empty()) notes.push_back(source);
  if (evidence.has_age()) notes.push_back(AgeWords(evidence.age().seconds()) + " old");
  // Of a host's saved facts that do not say when they were recorded.
  if (IsUndatedFact(evidence)) notes.push_back("age unknown");
  return notes.empty() ? text : fmt::format("{} ({})", text, JoinWords(notes, ", "));
}

}  // namespace roceready::report
