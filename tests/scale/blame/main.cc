// SPDX-License-Identifier: Apache-2.0
// Judges mixes of faults and prints how often the right one is named.
//   roceready_blame_scale DIR [SEEDS]     at most so many seeds of each mix
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/scale/blame/audit_of_mix.h"
#include "tests/scale/blame/mix_files.h"
#include "tests/scale/blame/score.h"

namespace roceready::scale {
namespace {

constexpr double kGate = 0.95;

// By the plan's pairs alone, and with those that were added to tell who is to blame.
struct Stages {
  Score alone, all;
  size_t runs = 0, retests = 0;

  void Add(const std::set<std::string>& expected, const std::set<std::string>& named_alone,
           const std::set<std::string>& named, size_t more) {
    alone.Add(expected, named_alone);
    all.Add(expected, named);
    retests += more;
    ++runs;
  }
};

struct Total {
  // With faults: all, and by plan; of mixes that the plan alone does not leave open.
  Stages faulty, ring, sparse, told;
  Stages healthy;
};

void Print(const Mix& mix, size_t seed, const std::set<std::string>& expected,
           const std::set<std::string>& named) {
  if (expected == named) return;
  fmt::print("{} seed {}\n", mix.name, seed);
  for (const std::string& name : expected) {
    if (!named.contains(name)) fmt::print("  not named: {}\n", name);
  }
  for (const std::string& name : named) {
    if (!expected.contains(name)) fmt::print("  wrong:     {}\n", name);
  }
}

void Print(std::string_view plan, const Stages& stages) {
  const auto row = [&](std::string_view stage, const Score& score) {
    fmt::print("{:8} {:20} {:>5} {:>8} {:>6} {:>10.3f} {:>7.3f}\n", plan, stage, stages.runs,
               score.expected(), score.named(), score.Precision(), score.Recall());
  };
  row("plan alone", stages.alone);
  row(fmt::format("and {} more", stages.retests), stages.all);
}

void Run(const Mix& mix, size_t most_seeds, Total& total) {
  const Hosts hosts(mix);
  for (size_t seed = 0; seed < std::min(mix.seeds, most_seeds); ++seed) {
    std::mt19937_64 random(SeedOf(mix, seed));
    const Fabric fabric = MakeFabric(mix, random);
    std::set<std::string> expected;
    for (const Fault& fault : fabric.expected) expected.insert(NameOf(fault));
    const MixAudit audit = Audit(mix, fabric, hosts, random);
    const std::set<std::string> named_alone = NamedIn(audit.of_plan_alone, hosts);
    const std::set<std::string> named = NamedIn(audit.report, hosts);
    Print(mix, seed, expected, named);
    const auto add = [&](Stages& stages) {
      stages.Add(expected, named_alone, named, audit.retests);
    };
    if (fabric.faults.empty()) {
      add(total.healthy);
      continue;
    }
    add(total.faulty);
    add(IsRing(mix) ? total.ring : total.sparse);
    if (!mix.open) add(total.told);
  }
}

bool IsGoodEnough(const Score& score) {
  return score.Precision() >= kGate && score.Recall() >= kGate;
}

int Main(const std::filesystem::path& folder, size_t most_seeds) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".mix") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  Total total;
  for (const std::filesystem::path& path : paths) {
    const absl::StatusOr<Mix> mix = LoadMix(path);
    if (!mix.ok()) {
      fmt::print(stderr, "{}\n", std::string(mix.status().message()));
      return EXIT_FAILURE;
    }
    Run(*mix, most_seeds, total);
  }
  fmt::print("{}\n{:8} {:20} {:>5} {:>8} {:>6} {:>10} {:>7}\n", total.faulty.all.Table(), "plan",
             "pairs", "runs", "to name", "named", "precision", "recall");
  Print("ring", total.ring);
  Print("sparse", total.sparse);
  Print("both", total.faulty);
  fmt::print("{} healthy runs: {} named by the plan alone, {} with {} more pairs\n",
             total.healthy.runs, total.healthy.alone.named(), total.healthy.all.named(),
             total.healthy.retests);
  const bool enough = total.faulty.runs > 0 && total.healthy.runs > 0;
  const bool passed = enough && IsGoodEnough(total.faulty.all) && IsGoodEnough(total.told.alone) &&
                      total.healthy.alone.named() + total.healthy.all.named() == 0;
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace roceready::scale

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    fmt::print(stderr, "usage: roceready_blame_scale DIR [SEEDS]\n");
    return EXIT_FAILURE;
  }
  const size_t seeds = count == 3 ? std::strtoul(words[2], nullptr, 10) : SIZE_MAX;
  return roceready::scale::Main(words[1], seeds);
}
