// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/plan_option.h"

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "proto/contract/errors.h"
#include "proto/yaml/problem.h"

namespace roceready::cli {
namespace {

struct KindWord {
  std::string_view word;
  v1::PlanKind kind;
  // What the number after the word counts; empty: there is none.
  std::string_view counts;
};

constexpr std::array<KindWord, 7> kKinds = {{
    {"none", v1::PLAN_KIND_NONE, ""},
    {"pair", v1::PLAN_KIND_PAIR, ""},
    {"ring", v1::PLAN_KIND_RING, ""},
    {"sparse", v1::PLAN_KIND_SPARSE, "peers for each port"},
    {"rail", v1::PLAN_KIND_RAIL, ""},
    {"full", v1::PLAN_KIND_FULL, ""},
    {"incast", v1::PLAN_KIND_INCAST, "senders to one receiver"},
}};
constexpr std::uint32_t kLeastDegree = 2;
constexpr std::uint32_t kLargestDegree = 100'000;

}  // namespace

absl::StatusOr<v1::ProbePlan> ParsePlan(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  std::vector<std::string> words;
  for (const KindWord& one : kKinds) {
    words.emplace_back(one.word);
    if (one.word != word) continue;
    v1::ProbePlan plan;
    plan.set_kind(one.kind);
    if (one.counts.empty()) {
      if (colon == std::string_view::npos) return plan;
      return InvalidArgument("found {}, expected {} without a number", yaml::Quote(text), one.word);
    }
    const std::string_view number =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    std::uint32_t degree = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), degree);
    if (error != std::errc() || end != number.data() + number.size() || degree < kLeastDegree ||
        degree > kLargestDegree) {
      return InvalidArgument("found {}, expected {}:N with the number of {}, from {} to {}",
                             yaml::Quote(text), one.word, one.counts, kLeastDegree, kLargestDegree);
    }
    plan.set_degree(degree);
    return plan;
  }
  return InvalidArgument("found {}, expected {} (sparse:8, incast:4){}", yaml::Quote(text),
                         yaml::OneOf(words), yaml::DidYouMean(word, words));
}

}  // namespace roceready::cli
