// SPDX-License-Identifier: Apache-2.0
// roceready_accuracy ROOT [GROUP[/NAME] ...]: judges the labelled cases of
// ROOT/tests/accuracy/cases and prints precision, recall and confusions. 1: a figure is below the
// bar. 2: a case is wrong.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "proto/contract/errors.h"
#include "tests/accuracy/case_audit.h"
#include "tests/accuracy/case_file.h"
#include "tests/accuracy/score.h"

namespace {

namespace fs = std::filesystem;
namespace accuracy = roceready::accuracy;

// What a change may not fall under.
constexpr double kLeastPrecision = 0.98;
constexpr double kLeastRecall = 0.98;
constexpr double kLeastVerdicts = 0.98;

bool IsWanted(const accuracy::Case& one, const std::set<std::string>& wanted) {
  return wanted.empty() || wanted.contains(one.group) ||
         wanted.contains(one.group + "/" + one.name);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: {} ROOT [GROUP[/NAME] ...]\n", words[0]);
    return 2;
  }
  const accuracy::Corpus corpus{.root = words[1]};
  const std::set<std::string> wanted(words + 2, words + count);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(corpus.folder() / "cases")) {
    if (entry.path().filename() == "case.yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<accuracy::Outcome> outcomes;
  bool all_readable = true;
  for (const fs::path& file : files) {
    const auto one = accuracy::ReadCase(file);
    if (one.ok() && !IsWanted(*one, wanted)) continue;
    const auto audit = one.ok() ? accuracy::AuditCase(*one, corpus) : one.status();
    if (audit.ok()) {
      outcomes.push_back(accuracy::Compare(*one, *audit));
      continue;
    }
    all_readable = false;
    fmt::print(stderr, "{}\n", roceready::Message(audit.status()));
  }
  if (!all_readable) return 2;
  if (outcomes.empty()) {
    fmt::print(stderr, "no case of this name\n");
    return 2;
  }
  fmt::print("{}", accuracy::Render(outcomes));
  accuracy::Tally all;
  for (const accuracy::Outcome& outcome : outcomes) all += outcome;
  const bool good = all.Precision() >= kLeastPrecision && all.Recall() >= kLeastRecall &&
                    all.Verdicts() >= kLeastVerdicts;
  if (!good) {
    fmt::print("\nunder the bar: precision {}, recall {}, verdicts {}\n", kLeastPrecision,
               kLeastRecall, kLeastVerdicts);
  }
  return good ? 0 : 1;
}
