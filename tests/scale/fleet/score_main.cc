// SPDX-License-Identifier: Apache-2.0
// Holds the report of an audit of simulated hosts against the faults of their mix:
//   roceready_fleetsim_score MIX SEED HOSTS RAILS REPORT.json
// Prints what is named and what is not, and fails where the two differ.
#include <fmt/core.h>
#include <google/protobuf/util/json_util.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <vector>

#include "tests/scale/blame/audit_of_mix.h"
#include "tests/scale/blame/mix_files.h"

namespace roceready::scale {
namespace {

int Score(Mix mix, size_t seed, const std::string& report_file) {
  std::ifstream file(report_file);
  std::stringstream text;
  text << file.rdbuf();
  v1::AuditReport report;
  google::protobuf::util::JsonParseOptions lenient;
  lenient.ignore_unknown_fields = true;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text.str(), &report, lenient);
  if (!parsed.ok()) {
    std::cerr << report_file << ": " << parsed << "\n";
    return EXIT_FAILURE;
  }
  Mix ring = mix;
  ring.degree = 2;
  std::mt19937_64 random(SeedOf(mix, seed));
  std::set<std::string> expected;
  // Not the fabric's own expectation: that leaves out pairs which are busy in a ring of its own.
  const std::vector<Fault> faults = mix.expected ? *mix.expected : MakeFabric(ring, random).faults;
  for (const Fault& fault : faults) expected.insert(NameOf(fault));
  const std::set<std::string> named = NamedIn(report, Hosts(mix));
  for (const std::string& name : expected) {
    std::cout << (named.contains(name) ? "named:     " : "not named: ") << name << "\n";
  }
  for (const std::string& name : named) {
    if (!expected.contains(name)) std::cout << "wrong:     " << name << "\n";
  }
  return expected == named ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace roceready::scale

int main(int count, char** words) {
  using namespace roceready::scale;
  if (count != 6) {
    std::cerr << "usage: roceready_fleetsim_score MIX SEED HOSTS RAILS REPORT.json\n";
    return EXIT_FAILURE;
  }
  auto mix = LoadMix(words[1]);
  if (!mix.ok()) {
    std::cerr << mix.status() << "\n";
    return EXIT_FAILURE;
  }
  mix->hosts = std::strtoul(words[3], nullptr, 10);
  mix->rails = std::strtoul(words[4], nullptr, 10);
  return Score(*std::move(mix), std::strtoul(words[2], nullptr, 10), words[5]);
}
