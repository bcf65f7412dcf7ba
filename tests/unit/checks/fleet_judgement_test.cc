// SPDX-License-Identifier: Apache-2.0
// A fleet that is kept while its hosts change says, to the byte, what Conclude() says of the same
// hosts: whatever changed, in whatever order.
#include "checks/fleet_judgement.h"

#include <fmt/core.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "checks/switch/switch_set.h"
#include "tests/unit/checks/cases.h"

namespace roceready::checks {
namespace {

using builders::HostBuilder;
using ::testing::Contains, ::testing::IsEmpty;

// What hosts are judged with, and what is asked of them: that of a fleet of the cases.
class Surroundings {
 public:
  explicit Surroundings(FullFleet& fleet) : fleet_(fleet) {
    for (const builders::SwitchBuilder& one : fleet.audit.switches) {
      known_.push_back({.facts = &one.facts(), .policy = &fleet.audit.policy});
    }
    switches_ = std::make_unique<SwitchSet>(known_);
  }

  HostJudgementPtr Judge(HostBuilder& host, const std::string& name, Age age = Age(0)) const {
    HostInput input = InputOf(name);
    input.facts = &host.facts();
    input.counters = &host.counters();
    input.counters_age = age;
    input.fact_ages = {{"kernel", age}, {"ip_stack", 2 * age}, {"neighbours", age}};
    for (const v1::NetDevice& net : host.facts().net_devices()) {
      input.fact_ages["net_devices/" + net.id()] = age;
    }
    return JudgeHost(input);
  }

  HostJudgementPtr JudgeWithoutFacts(const std::string& name, v1::HostState state) const {
    HostInput input = InputOf(name);
    input.state = state;
    return JudgeHost(input);
  }

  FleetInput Asked() const {
    FleetInput input = fleet_.audit.fleet;
    input.policy = &fleet_.audit.policy;
    input.switches = switches_.get();
    return input;
  }

  std::unique_ptr<FleetJudgement> Keep(std::vector<HostJudgementPtr> hosts) const {
    return std::make_unique<FleetJudgement>(std::move(hosts), fleet_.audit.policy, switches_.get());
  }

 private:
  HostInput InputOf(const std::string& name) const {
    HostInput input;
    input.host = name;
    input.policy = &fleet_.audit.policy;
    input.switches = switches_.get();
    return input;
  }

  FullFleet& fleet_;
  std::vector<SwitchInput> known_;
  std::unique_ptr<SwitchSet> switches_;
};

// In one text, so that a difference is shown as such.
std::string TextOf(const v1::AuditReport& report) { return report.DebugString(); }

std::vector<HostJudgementPtr> JudgeAll(const Surroundings& around, FullFleet& fleet) {
  std::vector<HostJudgementPtr> hosts;
  hosts.reserve(fleet.audit.hosts.size());
  for (HostBuilder& host : fleet.audit.hosts) {
    hosts.push_back(around.Judge(host, host.facts().identity().host()));
  }
  return hosts;
}

// As a host of that name may be at any time: silent, well or broken, of any age.
HostJudgementPtr AnyJudgement(const Surroundings& around, const std::string& name) {
  const int kind = *rc::gen::inRange(0, 6);
  if (kind == 0) return around.JudgeWithoutFacts(name, v1::HOST_STATE_MISSING);
  if (kind == 1) return around.JudgeWithoutFacts(name, v1::HOST_STATE_MAINTENANCE);
  const Case& one = Cases()[*rc::gen::inRange<size_t>(0, Cases().size())];
  FullFleet source = one.Fleet();
  if (kind > 2) one.breaks(source);
  HostBuilder& facts = source.audit.hosts[*rc::gen::inRange<size_t>(0, 3)];
  const Age age = std::chrono::seconds(*rc::gen::inRange(0, 60));
  RC_LOG() << name << ": " << one.check_id << ", " << one.what << '\n';
  return around.Judge(facts, name, age);
}

TEST(FleetJudgement, SaysWhatConcludeSaysWhenAnyFaultComesAndGoes) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(fmt::format("{}: {}", one.check_id, one.what));
    FullFleet healthy = one.Fleet(), broken = one.Fleet();
    one.breaks(broken);
    const Surroundings around(broken);
    const std::vector<HostJudgementPtr> before = JudgeAll(around, healthy);
    std::vector<HostJudgementPtr> now = before;
    const std::unique_ptr<FleetJudgement> kept = around.Keep(before);
    const std::vector<HostJudgementPtr> after = JudgeAll(around, broken);
    for (const std::vector<HostJudgementPtr>* state : {&after, &before}) {
      for (size_t i = 0; i < before.size(); ++i) {
        if ((*state)[i]->host != now[i]->host) continue;
        now[i] = (*state)[i];
        kept->Replace(now[i]);
        const v1::AuditReport expected = Conclude(now, around.Asked());
        ASSERT_EQ(TextOf(kept->Conclude(around.Asked())), TextOf(expected));
      }
    }
  }
}

TEST(FleetJudgement, SaysWhatConcludeSaysWhenAllHostsChangeAtOnce) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(fmt::format("{}: {}", one.check_id, one.what));
    FullFleet healthy = one.Fleet(), broken = one.Fleet();
    one.breaks(broken);
    const Surroundings around(broken);
    const std::vector<HostJudgementPtr> before = JudgeAll(around, healthy);
    const std::vector<HostJudgementPtr> after = JudgeAll(around, broken);
    if (after.size() != before.size()) continue;
    const std::unique_ptr<FleetJudgement> kept = around.Keep(before);
    for (const std::vector<HostJudgementPtr>* state : {&after, &before}) {
      kept->Replace(*state);
      ASSERT_EQ(TextOf(kept->Conclude(around.Asked())), TextOf(Conclude(*state, around.Asked())));
    }
  }
}

RC_GTEST_PROP(FleetJudgement, SaysWhatConcludeSaysAfterAnyChanges, ()) {
  FullFleet fleet;
  const Surroundings around(fleet);
  // Facts of three hosts under five names: duplicates of every kind come and go too.
  std::vector<HostJudgementPtr> hosts;
  for (size_t i = 0; i < 5; ++i) {
    hosts.push_back(around.Judge(fleet.audit.hosts[i % 3], fmt::format("host{}", i + 1)));
  }
  const std::unique_ptr<FleetJudgement> kept = around.Keep(hosts);
  const size_t batches = *rc::gen::inRange<size_t>(1, 6);
  for (size_t batch = 0; batch < batches; ++batch) {
    std::vector<HostJudgementPtr> changed;
    for (HostJudgementPtr& host : hosts) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      host = AnyJudgement(around, host->host);
      changed.push_back(host);
    }
    if (changed.size() == 1) {
      kept->Replace(changed.front());
    } else {
      kept->Replace(changed);
    }
    const v1::AuditReport report = kept->Conclude(around.Asked());
    const v1::AuditReport expected = Conclude(hosts, around.Asked());
    RC_ASSERT(report.SerializeAsString() == expected.SerializeAsString());
  }
}

// The report names hosts only; these look at what is kept for it.
TEST(FleetJudgement, JudgesAHostsNeighboursAgainWhenItComesBack) {
  FullFleet fleet;
  const Surroundings around(fleet);
  const std::vector<HostJudgementPtr> hosts = JudgeAll(around, fleet);
  const std::unique_ptr<FleetJudgement> kept = around.Keep(hosts);
  fleet.host2().WithMtu(1500, 1024);

  kept->Replace(around.Judge(fleet.host2(), "host2"));
  EXPECT_THAT(FoldedOf(kept->Conclude(around.Asked())),
              Contains("FAIL mtu.peer-mismatch host1>host2 <- mtu.netdev"));

  kept->Replace(around.JudgeWithoutFacts("host2", v1::HOST_STATE_MISSING));
  EXPECT_EQ(kept->pairs().possible_pairs(), 1u);
  EXPECT_THAT(RootsOf(kept->Conclude(around.Asked())), Contains("UNKNOWN host.heard-from host2"));

  kept->Replace(hosts[1]);
  EXPECT_EQ(kept->pairs().possible_pairs(), 3u);
  EXPECT_THAT(RootsOf(kept->Conclude(around.Asked())), IsEmpty());
}

TEST(FleetJudgement, ShowsTheAgeOfTheEvidenceAsItIsNow) {
  FullFleet fleet;
  const Surroundings around(fleet);
  fleet.host2().facts().mutable_kernel()->set_release("6.12.0");
  const std::unique_ptr<FleetJudgement> kept = around.Keep(JudgeAll(around, fleet));

  kept->Replace(around.Judge(fleet.host2(), "host2", std::chrono::seconds(7)));

  const v1::AuditReport report = kept->Conclude(around.Asked());
  EXPECT_EQ(Only(report, "kernel.odd-one-out").evidence(0).age().seconds(), 7);
}

}  // namespace
}  // namespace roceready::checks
