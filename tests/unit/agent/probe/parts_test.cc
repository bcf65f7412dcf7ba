// SPDX-License-Identifier: Apache-2.0
// The parts of a probe that need no device: pattern, GID choice, limits, rates, counters, users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>

#include "agent/probe/counters.h"
#include "agent/probe/device_use.h"
#include "agent/probe/gid.h"
#include "agent/probe/limits.h"
#include "agent/probe/message_plan.h"
#include "agent/probe/pattern.h"
#include "agent/probe/rate_limiter.h"
#include "tests/support/probe_pair.h"

namespace roceready::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProbePair;

TEST(PayloadPattern, IsTheSameForTheSameSeedPhaseAndOffset) {
  ASSERT_TRUE(rc::check("fill and compare", [] {
    const Pattern pattern{*rc::gen::arbitrary<uint64_t>(), *rc::gen::arbitrary<uint32_t>()};
    std::vector<uint8_t> bytes(*rc::gen::inRange<size_t>(1, 100));
    Fill(bytes, pattern);
    RC_ASSERT(Compare(bytes, pattern).matching_bytes == bytes.size());
    RC_ASSERT(!Compare(bytes, pattern).first_mismatch);
    // A part of the buffer compares as what it is: the bytes from its start.
    std::vector<uint8_t> shorter(bytes.size() / 2);
    Fill(shorter, pattern);
    RC_ASSERT(std::equal(shorter.begin(), shorter.end(), bytes.begin()));
  }));
}

TEST(PayloadPattern, FindsTheOneWrongByte) {
  ASSERT_TRUE(rc::check("one byte", [] {
    const Pattern pattern{*rc::gen::arbitrary<uint64_t>(), 3};
    std::vector<uint8_t> bytes(*rc::gen::inRange<size_t>(1, 100));
    Fill(bytes, pattern);
    const size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
    bytes[at] ^= *rc::gen::inRange<uint8_t>(1, 255);
    const Comparison comparison = Compare(bytes, pattern);
    RC_ASSERT(comparison.first_mismatch == at);
    RC_ASSERT(comparison.matching_bytes == bytes.size() - 1);
  }));
}

TEST(PayloadPattern, OppositeMatchesNowhere) {
  const Pattern pattern{5, 6};
  std::vector<uint8_t> bytes(1001);
  FillWithOpposite(bytes, pattern);
  EXPECT_EQ(Compare(bytes, pattern).matching_bytes, 0U);
}

TEST(PayloadPattern, DependsOnSeedAndPhase) {
  std::vector<uint8_t> bytes(4096);
  Fill(bytes, {1, 1});
  EXPECT_LT(Compare(bytes, {2, 1}).matching_bytes, 100U);
  EXPECT_LT(Compare(bytes, {1, 2}).matching_bytes, 100U);
}

TEST(Gids, AreChosenByTypeFamilyAndNetDevice) {
  const std::vector<GidRow> table{
      {0, *ParseGid("fe80::5054:ff:fe00:1"), v1::GID_TYPE_ROCE_V1, 2},
      {1, *ParseGid("fe80::5054:ff:fe00:1"), v1::GID_TYPE_ROCE_V2, 2},
      {2, *ParseGid("::ffff:10.0.0.1"), v1::GID_TYPE_ROCE_V1, 2},
      {3, *ParseGid("::"), v1::GID_TYPE_ROCE_V2, 2},
      {4, *ParseGid("2001:db8::1"), v1::GID_TYPE_ROCE_V2, 2},
      {7, *ParseGid("::ffff:10.9.0.1"), v1::GID_TYPE_ROCE_V2, 9},
      {9, *ParseGid("::ffff:10.0.0.1"), v1::GID_TYPE_ROCE_V2, 2},
  };
  const auto index = [&](v1::GidType type, v1::IpFamily family, std::optional<uint32_t> device) {
    const auto row = ChooseGid(table, {type, family, device});
    return row.ok() ? static_cast<int>(row->index) : -1;
  };
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V4, 2), 9);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V4, 9), 7);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V4, {}), 7);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V1, v1::IP_FAMILY_V4, 2), 2);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V6, 2), 4);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V6_LINK_LOCAL, 2), 1);
  EXPECT_EQ(index(v1::GID_TYPE_ROCE_V2, v1::IP_FAMILY_V4, 3), -1);
}

TEST(Gids, AreRefusedAsTextWhenTheyAreNone) {
  EXPECT_EQ(GidText(*ParseGid("::ffff:10.0.0.1")), "::ffff:10.0.0.1");
  EXPECT_EQ(ParseGid("10.0.0.1").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseGid("").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MessagePlans, GiveEachSlotToOneQueuePairAndCoverTheBufferFromItsStart) {
  ASSERT_TRUE(rc::check("slots", [] {
    v1::ProbeSpec spec = ProbePair::Spec();
    spec.set_queue_pairs(*rc::gen::inRange(1U, 9U));
    v1::ProbePhase& phase =
        ProbePair::AddPhase(spec, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
    phase.set_message_bytes(*rc::gen::inRange(1U, 5000U));
    phase.set_iterations(*rc::gen::inRange(1U, 300U));
    const MessagePlan plan(spec, phase);
    std::map<uint64_t, uint32_t> lane_of_offset;
    uint64_t messages = 0;
    for (uint32_t lane = 0; lane < plan.lanes(); ++lane) {
      for (uint64_t k = 0; k < plan.MessagesOf(lane); ++k, ++messages) {
        const uint64_t message = plan.MessageOf(lane, k);
        RC_ASSERT(message < plan.messages());
        RC_ASSERT(plan.LaneOf(message) == lane);
        RC_ASSERT(plan.PlaceInLane(message) == k);
        const uint64_t offset = plan.OffsetOf(message);
        RC_ASSERT(offset + plan.message_bytes() <= spec.buffer_bytes());
        RC_ASSERT(lane_of_offset.emplace(offset, lane).first->second == lane);
      }
    }
    RC_ASSERT(messages == plan.messages());
    RC_ASSERT(lane_of_offset.size() * plan.message_bytes() == plan.covered_bytes());
    RC_ASSERT(lane_of_offset.rbegin()->first + plan.message_bytes() == plan.covered_bytes());
  }));
}

TEST(Rates, LetMessagesGoNoFasterThanOrdered) {
  RateLimiter limiter(8'000'000);
  const TimePoint start{std::chrono::seconds(100)};
  // 1000 bytes a millisecond, after a burst of one.
  EXPECT_LE(limiter.Take(1000, start), start);
  EXPECT_EQ(limiter.Take(1000, start), start);
  EXPECT_EQ(limiter.Take(1000, start), start + std::chrono::milliseconds(1));
  EXPECT_EQ(limiter.Take(1000, start), start + std::chrono::milliseconds(2));
  // Time that was not used does not add up.
  const TimePoint later = start + std::chrono::seconds(10);
  EXPECT_LE(limiter.Take(1000, later), later);
  EXPECT_EQ(limiter.Take(1000, later), later);
  EXPECT_GT(limiter.Take(1000, later), later);
}

TEST(Rates, OfZeroLimitNothing) {
  RateLimiter limiter(0);
  const TimePoint start{std::chrono::seconds(100)};
  EXPECT_EQ(limiter.Take(UINT64_MAX, start), start);
  EXPECT_EQ(limiter.Take(UINT64_MAX, start), start);
}

v1::PortCounters Counters(const std::string& owner, std::vector<uint64_t> totals) {
  v1::PortCounters port;
  port.set_owner_id(owner);
  uint32_t priority = 0;
  for (uint64_t total : totals) {
    v1::CounterSample& sample = *port.add_samples();
    sample.set_id(v1::COUNTER_ID_RX_PACKETS);
    sample.set_priority(priority++);
    sample.set_total(total);
  }
  return port;
}

TEST(CounterDeltasOfAPhase, AreByOwnerAndCounter) {
  const auto deltas = CounterDeltas({Counters("x", {1, 2}), Counters("y", {100, 200})},
                                    {Counters("y", {105, 200, 7}), Counters("z", {5})},
                                    std::chrono::milliseconds(1500));
  ASSERT_EQ(deltas.size(), 2U);
  EXPECT_EQ(deltas[0].samples(0).delta(), 5U);
  EXPECT_TRUE(deltas[0].samples(1).has_delta());
  EXPECT_EQ(deltas[0].samples(1).delta(), 0U);
  // New since then: its movement is not known.
  EXPECT_FALSE(deltas[0].samples(2).has_delta());
  EXPECT_FALSE(deltas[1].samples(0).has_delta());
  EXPECT_EQ(deltas[0].window().nanos(), 500'000'000);
}

TEST(CounterDeltasOfAPhase, AreUnknownWhenACounterWentBack) {
  const auto deltas =
      CounterDeltas({Counters("x", {100})}, {Counters("x", {3})}, std::chrono::seconds(1));
  EXPECT_FALSE(deltas[0].samples(0).has_delta());
  EXPECT_EQ(deltas[0].samples(0).total(), 3U);
}

TEST(ForeignUsersOfADevice, AreNeitherWeNorTheConnectionServicesNorBackground) {
  v1::ProbeSpec spec;
  spec.add_background_processes("monitor");
  const std::vector<QueuePairUser> users{
      {.in_kernel = true, .name = "ib_core", .type = "GSI"},
      {.pid = 5, .name = "agent", .type = "RC"},
      {.pid = 6, .name = "monitor", .type = "UD"},
      {.pid = 7, .name = "job", .type = "RC"},
      {.pid = 7, .name = "job", .type = "RC"},
      {.in_kernel = true, .name = "smc", .type = "RC"},
      // Its thread has ended: the kernel says neither.
      {.type = "RC"},
  };
  EXPECT_THAT(ForeignUsers(users, spec, 5),
              ElementsAre("job (pid 7)", "smc (kernel)", "an unknown process"));
  spec.set_background_kernel(true);
  EXPECT_THAT(ForeignUsers(users, spec, 5), ElementsAre("job (pid 7)", "an unknown process"));
  EXPECT_THAT(ForeignUsers({}, spec, 5), IsEmpty());
}

class SpecLimits : public ::testing::Test {
 protected:
  // The refusal of a good order after `spoil`.
  std::optional<Refusal> After(const std::function<void(v1::ProbeSpec&)>& spoil,
                               v1::AgentProbeLimits configured = {}) {
    v1::ProbeSpec spec = ProbePair::Spec();
    ProbePair::AddPhase(spec, v1::PROBE_OPERATION_WRITE, v1::PROBE_MEASURE_INTEGRITY);
    spoil(spec);
    return CheckSpec(spec, v1::PROBE_SIDE_A, LimitsInForce(configured));
  }
  v1::RefusalReason Reason(const std::function<void(v1::ProbeSpec&)>& spoil,
                           v1::AgentProbeLimits configured = {}) {
    const auto refusal = After(spoil, std::move(configured));
    return refusal ? refusal->reason : v1::REFUSAL_REASON_UNSPECIFIED;
  }
};

TEST_F(SpecLimits, GoodOrderIsTaken) {
  EXPECT_FALSE(After([](v1::ProbeSpec&) {}).has_value());
}

TEST_F(SpecLimits, DefaultsAreThoseOfTheConfiguration) {
  const v1::ProbeLimits limits = LimitsInForce({});
  EXPECT_EQ(limits.memory_bytes(), 64U << 20);
  EXPECT_EQ(limits.sessions(), 4U);
  EXPECT_EQ(limits.queue_pairs(), 8U);
  EXPECT_EQ(limits.session().seconds(), 60);
  EXPECT_EQ(limits.rate_bps(), 0U);
}

TEST_F(SpecLimits, AnIncastHasToBeAllowedHere) {
  const auto in_incast = [](v1::ProbeSpec& spec) { spec.mutable_incast()->set_senders(4); };
  const auto refusal = After(in_incast);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, v1::REFUSAL_REASON_DENIED) << "not a thing to try again";
  EXPECT_THAT(refusal->detail, HasSubstr("probes.incast"));
  v1::AgentProbeLimits configured;
  configured.set_incast(true);
  EXPECT_FALSE(After(in_incast, configured).has_value());
}

TEST_F(SpecLimits, RetriesForEverAreRefused) {
  const auto refusal = After([](auto& s) { s.mutable_transport()->set_retry_count(7); });
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, v1::REFUSAL_REASON_LIMIT);
  EXPECT_THAT(refusal->detail, HasSubstr("for ever"));
}

TEST_F(SpecLimits, MoreThanConfiguredIsRefused) {
  v1::AgentProbeLimits configured;
  configured.set_rate_bps(1000);
  configured.set_memory_bytes(64 * 1024);
  configured.set_queue_pairs(2);
  configured.mutable_session()->set_seconds(30);
  const auto limit = v1::REFUSAL_REASON_LIMIT;
  EXPECT_EQ(Reason([](auto&) {}, configured), v1::REFUSAL_REASON_UNSPECIFIED);
  EXPECT_EQ(Reason([](auto& s) { s.set_rate_limit_bps(1001); }, configured), limit);
  EXPECT_EQ(Reason([](auto& s) { s.set_buffer_bytes(64 * 1024 + 1); }, configured), limit);
  EXPECT_EQ(Reason([](auto& s) { s.set_queue_pairs(3); }, configured), limit);
  EXPECT_EQ(Reason([](auto& s) { s.mutable_deadline()->set_seconds(31); }, configured), limit);
  configured.set_enabled(false);
  EXPECT_EQ(Reason([](auto&) {}, configured), limit);
}

TEST_F(SpecLimits, UnknownOperationsAndMeasuresAreUnsupported) {
  const auto unsupported = v1::REFUSAL_REASON_UNSUPPORTED;
  EXPECT_EQ(Reason([](auto& s) {
              s.mutable_phases(0)->set_operation(static_cast<v1::ProbeOperation>(6));
            }),
            unsupported);
  EXPECT_EQ(
      Reason([](auto& s) { s.mutable_phases(0)->set_measure(static_cast<v1::ProbeMeasure>(9)); }),
      unsupported);
}

TEST_F(SpecLimits, OrdersThatMakeNoSenseAreInvalid) {
  const std::vector<std::function<void(v1::ProbeSpec&)>> spoils{
      [](auto& s) { s.mutable_transport()->set_path_mtu_bytes(9000); },
      [](auto& s) { s.mutable_transport()->set_rnr_retry_count(8); },
      [](auto& s) { s.mutable_transport()->set_ack_timeout_exponent(0); },
      [](auto& s) { s.mutable_transport()->set_ack_timeout_exponent(32); },
      [](auto& s) { s.mutable_transport()->set_traffic_class(256); },
      [](auto& s) { s.mutable_transport()->set_service_level(16); },
      [](auto& s) { s.mutable_transport()->set_flow_label(1 << 20); },
      [](auto& s) { s.mutable_a()->set_port(0); },
      [](auto& s) { s.mutable_a()->clear_rdma_device_id(); },
      [](auto& s) { s.clear_deadline(); },
      [](auto& s) { s.clear_phases(); },
      [](auto& s) { s.set_buffer_bytes(0); },
      [](auto& s) { s.set_queue_pairs(8), s.set_buffer_bytes(7 * 4096); },
      [](auto& s) { s.mutable_phases(0)->set_index(1); },
      [](auto& s) { s.mutable_phases(0)->set_active_side(v1::PROBE_SIDE_UNSPECIFIED); },
      [](auto& s) { s.mutable_phases(0)->set_message_bytes(0); },
      [](auto& s) { s.mutable_phases(0)->set_message_bytes(UINT32_MAX); },
      [](auto& s) { s.mutable_phases(0)->set_iterations(0); },
      [](auto& s) { s.mutable_phases(0)->set_queue_depth(4097); },
      [](auto& s) { s.mutable_phases(0)->mutable_deadline()->set_seconds(-1); },
      [](auto& s) {
        s.mutable_phases(0)->set_operation(v1::PROBE_OPERATION_SEND);
        s.mutable_phases(0)->mutable_duration()->set_seconds(1);
      },
  };
  for (size_t i = 0; i < spoils.size(); ++i) {
    EXPECT_EQ(Reason(spoils[i]), v1::REFUSAL_REASON_INVALID) << "spoil " << i;
  }
}

}  // namespace
}  // namespace roceready::probe
