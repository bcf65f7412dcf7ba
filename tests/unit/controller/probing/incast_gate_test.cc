// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/incast_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace roceready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class IncastGateTest : public testing::Test {
 protected:
  void Arrive(const std::string& name) {
    gate_.Arrive(name, [this, name](bool together) { (together ? went_ : late_).push_back(name); });
  }

  IncastGate gate_{3};
  std::vector<std::string> went_;
  std::vector<std::string> late_;
};

TEST_F(IncastGateTest, AllGoWhenTheLastOneComes) {
  Arrive("a");
  Arrive("b");
  EXPECT_THAT(went_, IsEmpty());
  Arrive("c");
  EXPECT_THAT(went_, UnorderedElementsAre("a", "b", "c"));
}

TEST_F(IncastGateTest, NobodyWaitsForOneThatHasEnded) {
  Arrive("a");
  gate_.Leave("b");
  EXPECT_THAT(went_, IsEmpty());
  Arrive("c");
  EXPECT_THAT(went_, UnorderedElementsAre("a", "c"));
}

TEST_F(IncastGateTest, TheLastToEndLetsTheOthersGo) {
  Arrive("a");
  Arrive("b");
  gate_.Leave("c");
  EXPECT_THAT(went_, UnorderedElementsAre("a", "b"));
}

TEST_F(IncastGateTest, NobodyGoesAlone) {
  Arrive("a");
  gate_.Leave("b");
  gate_.Leave("c");
  EXPECT_THAT(went_, IsEmpty());
  EXPECT_THAT(late_, ElementsAre("a"));
}

TEST_F(IncastGateTest, OneThatEndedWhileItWaitedIsNotCalled) {
  Arrive("a");
  gate_.Leave("a");
  Arrive("b");
  Arrive("c");
  EXPECT_THAT(went_, UnorderedElementsAre("b", "c"));
}

TEST_F(IncastGateTest, OneThatComesAgainCountsOnce) {
  Arrive("a");
  Arrive("a");
  Arrive("b");
  EXPECT_THAT(went_, IsEmpty());
  Arrive("c");
  EXPECT_THAT(went_, UnorderedElementsAre("a", "b", "c"));
}

TEST_F(IncastGateTest, OneThatComesTooLateIsToldSo) {
  gate_.Leave("a");
  Arrive("b");
  Arrive("c");
  Arrive("a");
  EXPECT_THAT(late_, ElementsAre("a"));
  EXPECT_THAT(went_, UnorderedElementsAre("b", "c"));
}

}  // namespace
}  // namespace roceready
