// SPDX-License-Identifier: Apache-2.0
// The order in which pairs begin, with an executor that takes no time of its own.
#include "controller/probing/pair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <unordered_set>

#include "controller/probing/pairing.h"
#include "tests/unit/controller/probing/fabric.h"

namespace roceready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

WaitingPair Pair(const std::string& a, const std::string& b) {
  return {{a, a + "/nic"}, {b, b + "/nic"}};
}

std::vector<WaitingPair> WaitingOf(const Pairing& pairing,
                                   const std::vector<checks::RailPort>& ports) {
  std::vector<WaitingPair> waiting;
  const auto adapter = [&](std::uint32_t place) {
    return PairAdapter{ports[place].host, ports[place].host + "/" + ports[place].adapter_id};
  };
  for (const PortPair& pair : pairing.pairs) waiting.push_back({adapter(pair.a), adapter(pair.b)});
  return waiting;
}

class PairQueueTest : public testing::Test {
 protected:
  std::vector<std::size_t> Begin(std::size_t room = 100) {
    std::vector<std::size_t> begun;
    queue_->Begin(
        room, [this](const PairAdapter& adapter) { return !busy_.contains(adapter.name); },
        [&](std::size_t place) {
          begun.push_back(place);
          busy_.insert(pairs_[place].a.name);
          busy_.insert(pairs_[place].b.name);
        });
    return begun;
  }
  void Free(const std::string& host) {
    busy_.erase(host + "/nic");
    queue_->Freed(host + "/nic");
  }
  void Wait(std::vector<WaitingPair> pairs) {
    pairs_ = std::move(pairs);
    queue_.emplace(pairs_);
  }

  std::vector<WaitingPair> pairs_;
  std::optional<PairQueue> queue_;
  std::set<std::string> busy_;
};

TEST_F(PairQueueTest, BeginsThePairsWhoseAdaptersAreFreeInTheirOrder) {
  Wait({Pair("a", "b"), Pair("b", "c"), Pair("c", "d"), Pair("e", "f")});
  EXPECT_THAT(Begin(), ElementsAre(0, 2, 3));
  EXPECT_THAT(Begin(), IsEmpty());
  EXPECT_FALSE(queue_->empty());
}

TEST_F(PairQueueTest, GoesOnWithWhoeverIsFreeBesideASlowPair) {
  Wait({Pair("a", "b"), Pair("c", "d"), Pair("a", "c"), Pair("b", "d"), Pair("c", "e")});
  EXPECT_THAT(Begin(), ElementsAre(0, 1));
  Free("c");
  Free("d");
  EXPECT_THAT(Begin(), ElementsAre(4)) << "a and b are slow; c need not wait for a";
}

TEST_F(PairQueueTest, KeepsToItsRoomAndGoesOnWhereItStopped) {
  Wait({Pair("a", "b"), Pair("c", "d"), Pair("e", "f")});
  EXPECT_THAT(Begin(2), ElementsAre(0, 1));
  EXPECT_THAT(Begin(0), IsEmpty());
  EXPECT_THAT(Begin(1), ElementsAre(2));
  EXPECT_TRUE(queue_->empty());
}

TEST_F(PairQueueTest, BeginsNothingOnceItIsCleared) {
  Wait({Pair("a", "b"), Pair("c", "d")});
  EXPECT_EQ(queue_->pairs(), 2u);
  queue_->Clear();
  EXPECT_TRUE(queue_->empty());
  EXPECT_EQ(queue_->pairs(), 0u);
  Free("a");
  EXPECT_THAT(Begin(), IsEmpty());
}

WaitingPair InIncast(std::uint32_t incast, const std::string& a, const std::string& b) {
  WaitingPair pair = Pair(a, b);
  pair.incast = incast;
  return pair;
}

TEST_F(PairQueueTest, TheSendersOfAnIncastBeginTogether) {
  Wait(
      {InIncast(1, "b", "a"), InIncast(1, "c", "a"), InIncast(2, "c", "b"), InIncast(2, "d", "b")});
  EXPECT_EQ(queue_->pairs(), 4u);
  EXPECT_THAT(Begin(), ElementsAre(0, 1));
  EXPECT_EQ(queue_->pairs(), 2u);
  Free("a");
  Free("b");
  EXPECT_THAT(Begin(), IsEmpty()) << "c is not free";
  Free("c");
  EXPECT_THAT(Begin(), ElementsAre(2, 3));
  EXPECT_TRUE(queue_->empty());
}

TEST_F(PairQueueTest, AnIncastBeginsWholeOrNotAtAll) {
  Wait({InIncast(1, "b", "a"), InIncast(1, "c", "a"), InIncast(1, "d", "a"), Pair("e", "f")});
  busy_.insert("d/nic");
  EXPECT_THAT(Begin(), ElementsAre(3));
  Free("d");
  EXPECT_THAT(Begin(1), ElementsAre(0, 1, 2)) << "there would never be room for it";
}

TEST_F(PairQueueTest, TwoIncastsInARowAreTwo) {
  Wait(
      {InIncast(1, "b", "a"), InIncast(1, "c", "a"), InIncast(2, "e", "d"), InIncast(2, "f", "d")});
  EXPECT_THAT(Begin(1), ElementsAre(0, 1));
  EXPECT_THAT(Begin(1), ElementsAre(2, 3));
}

// --- with time ---

struct Seen {
  std::vector<int> begun;  // times, by pair
  std::unordered_set<std::string> running;
  double makespan = 0;
  double busy = 0;  // of the adapters' time, until the last pair has ended
  bool twice = false;
};

// Runs all pairs, each as long as `duration_of` says. `after_each` is called between two ends.
Seen Execute(const std::vector<WaitingPair>& pairs, std::size_t at_once,
             const std::function<double(std::size_t)>& duration_of,
             const std::function<void(PairQueue&)>& after_each = {},
             const std::set<std::string>* gone = nullptr) {
  Seen seen;
  seen.begun.resize(pairs.size());
  PairQueue queue(pairs);
  std::set<std::string> adapters;
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  double now = 0, used = 0;
  const auto can_use = [&](const PairAdapter& adapter) {
    return !seen.running.contains(adapter.name) ||
           (gone != nullptr && gone->contains(adapter.host));
  };
  const auto is_gone = [&](std::size_t place) {
    return gone != nullptr &&
           (gone->contains(pairs[place].a.host) || gone->contains(pairs[place].b.host));
  };
  const auto begin = [&](std::size_t place) {
    ++seen.begun[place];
    const double takes = is_gone(place) ? 0 : duration_of(place);
    for (const PairAdapter* adapter : {&pairs[place].a, &pairs[place].b}) {
      seen.twice |= !seen.running.insert(adapter->name).second && !is_gone(place);
    }
    used += 2 * takes;
    ends.emplace(now + takes, place);
  };
  for (const WaitingPair& pair : pairs) adapters.insert({pair.a.name, pair.b.name});
  queue.Begin(at_once, can_use, begin);
  while (!ends.empty()) {
    // All that end at one moment, as the event loop would see them.
    now = ends.top().first;
    while (!ends.empty() && ends.top().first == now) {
      const std::size_t place = ends.top().second;
      ends.pop();
      for (const PairAdapter* adapter : {&pairs[place].a, &pairs[place].b}) {
        seen.running.erase(adapter->name);
        queue.Freed(adapter->name);
      }
      if (after_each) after_each(queue);
    }
    queue.Begin(at_once - ends.size(), can_use, begin);
  }
  seen.makespan = now;
  seen.busy = used / (static_cast<double>(adapters.size()) * now);
  return seen;
}

bool EachBegunOnce(const Seen& seen) {
  return std::ranges::all_of(seen.begun, [](int times) { return times == 1; });
}

constexpr std::size_t kNoLimit = 1'000'000;

// Prints what it took; how long planning takes is no promise.
std::vector<WaitingPair> PlanAndPrint(const char* what, v1::PlanKind kind, std::uint32_t degree,
                                      const Fabric& fabric) {
  const std::vector<checks::RailPort> ports = PortsOf(fabric);
  const auto start = std::chrono::steady_clock::now();
  const Pairing pairing = PairPorts(kind, degree, ports);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %zu pairs in %u rounds, planned in %.3f s\n", what, pairing.pairs.size(),
              pairing.rounds, took.count());
  return WaitingOf(pairing, ports);
}

void ExpectBusy(const std::vector<WaitingPair>& waiting, double least,
                const std::function<double(std::size_t)>& duration_of) {
  const Seen seen = Execute(waiting, kNoLimit, duration_of);
  EXPECT_TRUE(EachBegunOnce(seen));
  EXPECT_FALSE(seen.twice);
  EXPECT_GE(seen.busy, least);
  std::printf("  adapters busy %.1f %% of the makespan\n", 100 * seen.busy);
}

double Equal(std::size_t) { return 1; }

// Durations around one, each pair's its own.
double Unequal(std::size_t place) {
  std::mt19937 random(static_cast<unsigned>(place));
  return std::uniform_real_distribution<double>(0.7, 1.3)(random);
}

TEST(PairQueueAtScale, ASparsePlanKeepsAdaptersBusy) {
  for (const Fabric& fabric :
       {Fabric{.hosts = 1000, .rails = 8, .hosts_of_a_leaf = 32}, Fabric{.hosts = 1000, .rails = 8},
        Fabric{.hosts = 999, .rails = 8, .hosts_of_a_leaf = 31}}) {
    const auto waiting =
        PlanAndPrint("sparse:8 of 1,000 hosts x 8", v1::PLAN_KIND_SPARSE, 8, fabric);
    ExpectBusy(waiting, 0.8, Equal);
    ExpectBusy(waiting, 0.7, Unequal);
  }
}

// All 8 rails are planned; one is run, as rails that share no adapter have nothing to do with each
// other.
TEST(PairQueueAtScale, AFullMeshKeepsAdaptersBusy) {
  const Fabric fabric{.hosts = 1000, .rails = 8, .hosts_of_a_leaf = 40};
  EXPECT_EQ(PairPorts(v1::PLAN_KIND_FULL, 0, PortsOf(fabric)).rounds, 999u);
  ExpectBusy(PlanAndPrint("full of a rail of 1,000 hosts", v1::PLAN_KIND_FULL, 0,
                          {.hosts = 1000, .hosts_of_a_leaf = 40}),
             0.8, Equal);
  const auto waiting = PlanAndPrint("full of 64 hosts x 8", v1::PLAN_KIND_FULL, 0,
                                    {.hosts = 64, .rails = 8, .hosts_of_a_leaf = 24});
  ExpectBusy(waiting, 0.8, Equal);
  ExpectBusy(waiting, 0.8, Unequal);
}

TEST(PairQueueAtScale, ASlowPairDelaysNobodyElse) {
  const std::vector<checks::RailPort> ports = PortsOf({.hosts = 64});
  const std::vector<WaitingPair> waiting =
      WaitingOf(PairPorts(v1::PLAN_KIND_FULL, 0, ports), ports);
  // As long as all others need in all.
  const Seen seen =
      Execute(waiting, kNoLimit, [](std::size_t place) { return place == 0 ? 63.0 : 1.0; });
  EXPECT_TRUE(EachBegunOnce(seen));
  EXPECT_LE(seen.makespan, 63 + 62 + 2) << "the two slow ports have 62 pairs each after it";
}

RC_GTEST_PROP(PairQueueAtScale, NoPairIsLostWhenHostsVanishAtAnyMoment, ()) {
  Fabric fabric;
  fabric.hosts = *rc::gen::inRange<std::uint32_t>(2, 20);
  fabric.rails = *rc::gen::inRange<std::uint32_t>(1, 3);
  fabric.ports_of_an_adapter = *rc::gen::inRange<std::uint32_t>(1, 3);
  const std::vector<checks::RailPort> ports = PortsOf(fabric);
  const auto kind = *rc::gen::element(v1::PLAN_KIND_FULL, v1::PLAN_KIND_SPARSE);
  const std::vector<WaitingPair> waiting = WaitingOf(PairPorts(kind, 4, ports), ports);
  const auto at_once = *rc::gen::inRange<std::size_t>(1, 30);
  // After how many ends each host goes; most stay.
  const auto goes_after = *rc::gen::container<std::vector<int>>(
      fabric.hosts, rc::gen::oneOf(rc::gen::just(1'000'000), rc::gen::inRange(0, 60)));
  std::set<std::string> gone;
  int ended = 0;
  const Seen seen = Execute(
      waiting, at_once, [](std::size_t place) { return 1.0 + static_cast<double>(place % 3); },
      [&](PairQueue& queue) {
        ++ended;
        for (std::uint32_t host = 0; host < fabric.hosts; ++host) {
          const std::string& name = ports[host].host;
          if (goes_after[host] > ended || !gone.insert(name).second) continue;
          for (const checks::RailPort& port : ports) {
            if (port.host == name) queue.Freed(name + "/" + port.adapter_id);
          }
        }
      },
      &gone);
  RC_ASSERT(EachBegunOnce(seen));
  RC_ASSERT(!seen.twice);
}

}  // namespace
}  // namespace roceready
