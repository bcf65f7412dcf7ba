// SPDX-License-Identifier: Apache-2.0
#include "controller/store/switch_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/controller_world.h"
#include "tests/support/unused_store.h"

namespace roceready {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

class SwitchesInMemory final : public UnusedStore {
 public:
  absl::Status PutSwitches(const std::vector<KeptSwitch>& switches) override {
    ++tries;
    if (!answer.ok()) return answer;
    for (const KeptSwitch& one : switches) kept[one.facts->name()] = one;
    return answer;
  }
  absl::Status RemoveSwitch(const std::string& name) override {
    if (answer.ok()) kept.erase(name);
    return answer;
  }
  absl::StatusOr<std::vector<KeptSwitch>> Switches() override {
    std::vector<KeptSwitch> all;
    for (const auto& [name, one] : kept) all.push_back(one);
    return all;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, one] : kept) names.push_back(name);
    return names;
  }

  absl::Status answer;
  int tries = 0;
  std::map<std::string, KeptSwitch> kept;
};

class SwitchKeeperTest : public testing::Test {
 protected:
  void Import(const std::string& name, int ports = 1) {
    v1::SwitchFacts facts;
    facts.set_name(name);
    for (int i = 0; i < ports; ++i) facts.add_ports()->set_name("Ethernet" + std::to_string(i));
    ASSERT_TRUE(world_.switches.Put({facts}, "otto", world_.clock.Now()).ok());
    keeper_.Keep({name}, [this, name] { tried_.push_back(name); });
  }
  void Remove(const std::string& name) {
    ASSERT_TRUE(world_.switches.Remove(name));
    keeper_.Keep({name}, [] {});
  }

  SwitchKeeper KeeperOf(ControllerWorld* world, const std::string& boot) {
    return SwitchKeeper({.loop = &world->loop,
                         .worker = &world->worker,
                         .store = &store_,
                         .switches = &world->switches,
                         .moments = MomentClock(&world->clock, boot)});
  }

  ControllerWorld world_;
  SwitchesInMemory store_;
  SwitchKeeper keeper_ = KeeperOf(&world_, "boot-1");
  std::vector<std::string> tried_;
};

TEST_F(SwitchKeeperTest, AnImportIsOnDiskWhenItIsAnswered) {
  Import("leaf1");
  EXPECT_THAT(tried_, IsEmpty());
  world_.Pass({});
  EXPECT_THAT(tried_, ElementsAre("leaf1"));
  EXPECT_THAT(store_.Names(), ElementsAre("leaf1"));
  EXPECT_EQ(store_.kept.at("leaf1").imported_by, "otto");
}

TEST_F(SwitchKeeperTest, WritesWhatTheBookHasWhenTheDiskIsThere) {
  store_.answer = absl::ResourceExhaustedError("the disk is full");
  testing::internal::CaptureStderr();
  Import("leaf1");
  Import("leaf2");
  world_.Pass({});
  EXPECT_THAT(tried_, ElementsAre("leaf1", "leaf2")) << "nobody waits for a full disk";
  for (int ports = 1; ports < 9; ++ports) Import("leaf1", ports);
  EXPECT_EQ(tried_.size(), 10u);
  Remove("leaf2");
  world_.Pass(minutes(10));
  EXPECT_LE(store_.tries, 20) << "less and less often";
  store_.answer = absl::OkStatus();
  store_.tries = 0;
  world_.Pass(SwitchKeeper::kLongestPause);
  EXPECT_THAT(store_.Names(), ElementsAre("leaf1"));
  EXPECT_EQ(store_.kept.at("leaf1").facts->ports_size(), 8);
  EXPECT_EQ(store_.tries, 1);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("a restart would forget them"));
  EXPECT_THAT(log, HasSubstr("switches are kept again"));
}

TEST_F(SwitchKeeperTest, TheNextStartTakesThemUpAsOldAsTheyAre) {
  Import("leaf1", 4);
  world_.Pass({});
  ControllerWorld next;
  next.clock.Advance(hours(3));
  SwitchKeeper keeper = KeeperOf(&next, "boot-2");
  ASSERT_TRUE(keeper.TakeUp().ok());
  const ImportedSwitch& leaf = next.switches.switches().at("leaf1");
  EXPECT_EQ(leaf.facts->ports_size(), 4);
  EXPECT_EQ(leaf.imported_by, "otto");
  EXPECT_EQ(leaf.bytes, leaf.facts->ByteSizeLong());
  EXPECT_EQ(next.clock.Now() - leaf.imported_at, hours(3));
}

TEST_F(SwitchKeeperTest, OfWhichNobodyKnowsTheAgeIsOld) {
  Import("leaf1");
  world_.Pass({});
  store_.kept.at("leaf1").imported_at.wall += seconds(1);
  ControllerWorld next;
  SwitchKeeper keeper = KeeperOf(&next, "boot-2");
  ASSERT_TRUE(keeper.TakeUp().ok());
  EXPECT_EQ(next.clock.Now() - next.switches.switches().at("leaf1").imported_at, kAgeUnknown);
}

TEST_F(SwitchKeeperTest, ARemovalIsKept) {
  Import("leaf1");
  Import("leaf2");
  world_.Pass({});
  Remove("leaf1");
  world_.Pass({});
  EXPECT_THAT(store_.Names(), ElementsAre("leaf2"));
}

TEST_F(SwitchKeeperTest, HandsOverWhatWaitsAtTheEnd) {
  store_.answer = absl::ResourceExhaustedError("the disk is full");
  Import("leaf1");
  world_.Pass({});
  store_.answer = absl::OkStatus();
  keeper_.HandOverAll();
  world_.loop.RunPending();
  EXPECT_THAT(store_.Names(), ElementsAre("leaf1"));
}

}  // namespace
}  // namespace roceready
