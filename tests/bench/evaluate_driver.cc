// SPDX-License-Identifier: Apache-2.0
// Judges a composed fleet of healthy hosts with 8 ports each, and again after one host changed,
// with all host and fleet checks, and prints the processor time of each on one core: `hosts=N
// all_ms=N changed_ms=N findings=N`. Then of the same hosts, of which none tells its queue pairs
// (one group of as many UNKNOWNs as there are ports): what follows from all of them anew, and where
// all are replaced at once in what is kept: `anew_ms=N replaced_ms=N`.
#include <fmt/core.h>

#include <charconv>
#include <ctime>
#include <iostream>

#include "checks/evaluate.h"
#include "checks/fleet_judgement.h"
#include "tests/support/builders/large_fleet.h"

namespace roceready {
namespace {

constexpr int kRails = 8;

double ProcessorMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

builders::HostBuilder HostNumber(uint32_t number) {
  return builders::HostOfLargeFleet(fmt::format("gpu{:05}", number), number, kRails);
}

checks::HostJudgementPtr Judgement(builders::HostBuilder& host, const EffectivePolicy& policy) {
  checks::HostInput input;
  input.host = host.facts().identity().host();
  input.facts = &host.facts();
  input.counters = &host.counters();
  input.policy = &policy;
  return checks::JudgeHost(input);
}

// Of hosts whose odd one out cannot be told, all at once and for the second time.
std::string MeasureReplaced(uint32_t hosts, const EffectivePolicy& policy) {
  std::vector<checks::HostJudgementPtr> first, second;
  for (uint32_t number = 0; number < hosts; ++number) {
    builders::HostBuilder host = HostNumber(number);
    for (v1::RdmaDevice& device : *host.facts().mutable_rdma_devices()) {
      *device.mutable_attributes()->mutable_reading() =
          builders::Unanswered(v1::OUTCOME_DENIED, v1::SOURCE_VERBS);
    }
    first.push_back(Judgement(host, policy));
    second.push_back(Judgement(host, policy));
  }
  checks::FleetJudgement judged(std::move(first), policy, nullptr);
  double began = ProcessorMilliseconds();
  const checks::FleetJudgement anew(second, policy, nullptr);
  const double anew_ms = ProcessorMilliseconds() - began;
  began = ProcessorMilliseconds();
  judged.Replace(std::move(second));
  const double replaced_ms = ProcessorMilliseconds() - began;
  return fmt::format("anew_ms={:.1f} replaced_ms={:.1f}", anew_ms, replaced_ms);
}

void Measure(uint32_t hosts) {
  const EffectivePolicy policy = builders::HealthyPolicy();
  checks::FleetInput fleet;
  fleet.policy = &policy;
  fleet.now = std::chrono::system_clock::now();
  std::vector<checks::HostJudgementPtr> judgements;
  judgements.reserve(hosts);
  double all = 0;
  // One host's facts at a time: making them is not what is measured.
  for (uint32_t number = 0; number < hosts; ++number) {
    builders::HostBuilder host = HostNumber(number);
    const double began = ProcessorMilliseconds();
    judgements.push_back(Judgement(host, policy));
    all += ProcessorMilliseconds() - began;
  }
  double began = ProcessorMilliseconds();
  checks::FleetJudgement judged(std::move(judgements), policy, nullptr);
  const v1::AuditReport report = judged.Conclude(fleet);
  all += ProcessorMilliseconds() - began;

  builders::HostBuilder changed = HostNumber(hosts / 2);
  changed.WithPfc({});
  began = ProcessorMilliseconds();
  judged.Replace(Judgement(changed, policy));
  const v1::AuditReport again = judged.Conclude(fleet);
  const double one = ProcessorMilliseconds() - began;
  if (again.verdict().readiness() != v1::READINESS_NOT_READY) {
    std::cerr << "a host without PFC went by: this measures nothing\n";
    std::exit(1);
  }
  std::cout << fmt::format("hosts={} all_ms={:.1f} changed_ms={:.1f} findings={} {}\n", hosts, all,
                           one, report.findings_size(), MeasureReplaced(hosts, policy));
}

}  // namespace
}  // namespace roceready

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    uint32_t hosts = 0;
    const std::string_view word = argv[i];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), hosts);
    if (error != std::errc() || end != word.data() + word.size() || hosts == 0) {
      std::cerr << "usage: evaluate_driver HOSTS...\n";
      return 64;
    }
    roceready::Measure(hosts);
  }
}
