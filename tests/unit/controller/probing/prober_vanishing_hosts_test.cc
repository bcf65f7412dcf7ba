// SPDX-License-Identifier: Apache-2.0
// A full mesh over agents in memory of which some go, and some come back, while it runs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "controller/probing/plan.h"
#include "controller/probing/prober.h"
#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/controller/probing/fabric.h"

namespace roceready {
namespace {

using std::chrono::milliseconds;

struct Trouble {
  std::size_t host = 0;
  // Counted over all hosts.
  int after_phases = 0;
  bool comes_back = false;
};

class Mesh {
 public:
  explicit Mesh(std::uint32_t hosts) {
    PlanInput input;
    input.audit_id = "a1-1";
    input.plan.set_kind(v1::PLAN_KIND_FULL);
    input.ports = PortsOf({.hosts = hosts});
    input.policy_of = [this](const std::string&) { return &policy_; };
    for (const checks::RailPort& port : input.ports) {
      names_.push_back(port.host);
      auto& agent = agents_[port.host];
      agent = std::make_unique<FakeAgent>(&loop_, &fleet_, port.host);
      agent->Connect();
    }
    loop_.RunPending();
    plan_ = *MakePlan(input);
  }

  void Run(std::vector<Trouble> troubles) {
    for (auto& [host, agent] : agents_) {
      agent->measure = [&](const v1::ProbeSpec&, const v1::ProbePhase&, v1::ProbeSide) {
        ++phases_;
        std::erase_if(troubles, [&](const Trouble& trouble) {
          const bool is_due = trouble.after_phases <= phases_;
          if (is_due) Begin(trouble);
          return is_due;
        });
        return v1::PhaseResult();
      };
    }
    prober_.Start(std::move(plan_.work), {[this](std::shared_ptr<const v1::ProbeResult> result) {
                                            ++results_[result->spec().probe_id()];
                                            if (result->has_a() && result->has_b()) ++whole_;
                                          },
                                          [this] { ++done_; }});
    // Each host that came back keeps its adapter to itself until its last session is surely over.
    for (int i = 0; i < 1200 && done_ == 0; ++i) RunFor(&clock_, &loop_, milliseconds(500));
  }

  std::size_t planned() const { return plan_.planned.size(); }
  const std::map<std::string, int>& results() const { return results_; }
  // Of which both ends reported.
  std::size_t whole() const { return whole_; }
  int done() const { return done_; }
  bool any_run_twice() const {
    return std::ranges::any_of(agents_, [](const auto& a) { return !a.second->run_twice.empty(); });
  }

 private:
  // From the loop: the agent is in the middle of a call.
  void Begin(const Trouble& trouble) {
    FakeAgent* agent = agents_.at(names_.at(trouble.host % names_.size())).get();
    loop_.PostControl([this, agent, comes_back = trouble.comes_back] {
      agent->HangUp();
      if (!comes_back) return;
      loop_.PostControl([agent] {
        if (!agent->stream_open()) agent->Connect();
      });
    });
  }

  FakeClock clock_;
  EventLoop loop_{&clock_};
  EffectivePolicy policy_;
  Fleet fleet_{&loop_, [] {
                 LinkOptions options;
                 options.epoch = 7;
                 return options;
               }()};
  Prober prober_{&loop_, &fleet_};
  std::vector<std::string> names_;
  std::map<std::string, std::unique_ptr<FakeAgent>> agents_;
  ProbePlanned plan_;
  std::map<std::string, int> results_;
  std::size_t whole_ = 0;
  int phases_ = 0;
  int done_ = 0;
};

TEST(ProberWithVanishingHosts, AllPairsOfAHostThatGoesInTheMidstEndAndTheOthersAreWhole) {
  Mesh mesh(6);
  mesh.Run({{.host = 2, .after_phases = 70, .comes_back = false}});
  EXPECT_EQ(mesh.done(), 1);
  EXPECT_EQ(mesh.results().size(), 15u);
  EXPECT_GE(mesh.whole(), 10u) << "of the five that stayed";
  EXPECT_LT(mesh.whole(), 15u);
}

RC_GTEST_PROP(ProberWithVanishingHosts, EveryPlannedPairEndsWithOneResult, ()) {
  const auto hosts = *rc::gen::inRange<std::uint32_t>(2, 9);
  const auto troubles = *rc::gen::container<std::vector<Trouble>>(rc::gen::construct<Trouble>(
      rc::gen::inRange<std::size_t>(0, 8), rc::gen::inRange(0, 500), rc::gen::arbitrary<bool>()));
  Mesh mesh(hosts);
  mesh.Run(troubles);
  RC_ASSERT(mesh.done() == 1);
  RC_ASSERT(mesh.results().size() == mesh.planned());
  for (const auto& [probe, times] : mesh.results()) RC_ASSERT(times == 1);
  RC_ASSERT(!mesh.any_run_twice());
}

}  // namespace
}  // namespace roceready
