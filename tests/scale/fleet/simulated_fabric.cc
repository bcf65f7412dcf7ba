// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/fleet/simulated_fabric.h"

#include <cstdint>

#include "tests/scale/blame/audit_of_mix.h"
#include "tests/scale/blame/mix_files.h"
#include "tests/scale/blame/probe_of_truth.h"
#include "tests/support/builders/probe_builder.h"

namespace roceready::scale {
namespace {

// "host12"
size_t NumberOf(const std::string& host) {
  return std::stoul(host.substr(host.find_first_of("0123456789")));
}

uint64_t HashOf(const std::string& text) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

// The phase of the builder's probe that shows what this one would; null: there is none, as the two
// were never connected.
const v1::ProbePhase* Counterpart(const v1::ProbeSpec& built, const v1::ProbePhase& ordered) {
  const bool is_bandwidth = ordered.measure() == v1::PROBE_MEASURE_BANDWIDTH;
  // A message that fits into one packet.
  const bool is_small = ordered.message_bytes() <= 1024;
  for (const v1::ProbePhase& phase : built.phases()) {
    if (phase.operation() != ordered.operation() || phase.active_side() != ordered.active_side()) {
      continue;
    }
    if ((phase.measure() == v1::PROBE_MEASURE_BANDWIDTH) != is_bandwidth) continue;
    if (is_bandwidth || (phase.message_bytes() == builders::kSmallBytes) == is_small) return &phase;
  }
  return nullptr;
}

void TakePhases(const v1::ProbeSpec& built, const v1::ProbeSpec& ordered, v1::ProbeSide side,
                v1::EndReport* report) {
  const v1::EndReport shown = *report;
  report->clear_phases();
  for (const v1::ProbePhase& phase : ordered.phases()) {
    v1::PhaseResult* result = report->add_phases();
    const v1::ProbePhase* counterpart = Counterpart(built, phase);
    result->set_outcome(v1::PHASE_OUTCOME_NOT_RUN);
    for (const v1::PhaseResult& one : shown.phases()) {
      if (counterpart != nullptr && one.index() == counterpart->index()) *result = one;
    }
    result->set_index(phase.index());
    if (result->outcome() != v1::PHASE_OUTCOME_DONE || phase.active_side() != side) continue;
    result->set_bytes_moved(uint64_t{phase.message_bytes()} * phase.iterations());
    result->set_bytes_verified(phase.message_bytes());
  }
}

}  // namespace

SimulatedFabric::SimulatedFabric(const Mix& mix, size_t seed) : mix_(mix) {
  // A pair that a fault is on must be one that is probed: a neighbour, whatever the plan.
  Mix ring = mix;
  ring.degree = 2;
  std::mt19937_64 random(SeedOf(mix, seed));
  faults_ = MakeFabric(ring, random).faults;
  builders::HostBuilder sample = HostOfMix(mix, 0);
  for (size_t rail = 0; rail < mix.rails; ++rail) {
    rails_[sample.facts().rdma_devices(static_cast<int>(rail)).id()] = rail;
  }
}

PairTruth SimulatedFabric::TruthOf(const v1::ProbeSpec& spec) const {
  PairTruth truth;
  truth.rail = rails_.at(spec.a().rdma_device_id());
  truth.a = NumberOf(spec.a().host());
  truth.b = NumberOf(spec.b().host());
  truth.a_to_b = WayBetween(mix_, faults_, truth.rail, truth.a, truth.b);
  truth.b_to_a = WayBetween(mix_, faults_, truth.rail, truth.b, truth.a);
  return truth;
}

v1::ProbeResult SimulatedFabric::ResultOf(const v1::ProbeSpec& spec) const {
  std::mt19937_64 random(HashOf(spec.probe_id()));
  builders::ProbeBuilder probe(spec.a(), spec.b());
  ShowTruth(TruthOf(spec), mix_.blind, random, probe);
  v1::ProbeResult result = probe.result();
  TakePhases(probe.result().spec(), spec, v1::PROBE_SIDE_A, result.mutable_a());
  TakePhases(probe.result().spec(), spec, v1::PROBE_SIDE_B, result.mutable_b());
  *result.mutable_spec() = spec;
  return result;
}

}  // namespace roceready::scale
