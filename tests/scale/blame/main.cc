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

struct Total {
  Score faulty, healthy;
  size_t faulty_runs = 0, healthy_runs = 0;
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

void Run(const Mix& mix, size_t most_seeds, Total& total) {
  const Hosts hosts(mix);
  for (size_t seed = 0; seed < std::min(mix.seeds, most_seeds); ++seed) {
    std::mt19937_64 random(SeedOf(mix, seed));
    const Fabric fabric = MakeFabric(mix, random);
    std::set<std::string> expected;
    for (const Fault& fault : fabric.expected) expected.insert(NameOf(fault));
    const std::set<std::string> named = NamedIn(Audit(mix, fabric, hosts, random), hosts);
    Print(mix, seed, expected, named);
    (fabric.faults.empty() ? total.healthy : total.faulty).Add(expected, named);
    ++(fabric.faults.empty() ? total.healthy_runs : total.faulty_runs);
  }
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
  fmt::print("{}\n{} runs with faults: {} to name, {} named; precision {:.3f}, recall {:.3f}\n",
             total.faulty.Table(), total.faulty_runs, total.faulty.expected(), total.faulty.named(),
             total.faulty.Precision(), total.faulty.Recall());
  fmt::print("{} healthy runs: {} named\n", total.healthy_runs, total.healthy.named());
  const bool enough = total.faulty_runs > 0 && total.healthy_runs > 0;
  const bool passed = enough && total.faulty.Precision() >= kGate &&
                      total.faulty.Recall() >= kGate && total.healthy.named() == 0;
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
