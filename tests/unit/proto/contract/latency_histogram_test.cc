// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/latency_histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace roceready {
namespace {

LatencyHistogram Of(const std::vector<uint64_t>& values) {
  LatencyHistogram histogram;
  for (uint64_t value : values) histogram.Record(value);
  return histogram;
}

// Values of every magnitude, not only large ones.
rc::Gen<uint64_t> Latency() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<uint64_t>(), rc::gen::inRange(0, 64)),
                      [](const std::pair<uint64_t, int>& p) { return p.first >> p.second; });
}

rc::Gen<std::vector<uint64_t>> Latencies() {
  return rc::gen::container<std::vector<uint64_t>>(Latency());
}

TEST(LatencyHistogram, CountsSmallValuesExactly) {
  for (uint64_t value = 0; value < 64; ++value) {
    EXPECT_EQ(LatencyHistogram::LargestIn(LatencyHistogram::BucketOf(value)), value);
  }
}

TEST(LatencyHistogram, HasThirtyTwoBucketsPerPowerOfTwo) {
  EXPECT_EQ(LatencyHistogram::BucketOf(128) - LatencyHistogram::BucketOf(64), 32U);
  EXPECT_EQ(LatencyHistogram::BucketOf(2048) - LatencyHistogram::BucketOf(1024), 32U);
  EXPECT_EQ(LatencyHistogram::BucketOf(UINT64_MAX), LatencyHistogram::kBuckets - 1);
  EXPECT_EQ(LatencyHistogram::LargestIn(LatencyHistogram::kBuckets - 1), UINT64_MAX);
}

TEST(LatencyHistogram, BucketsHoldTheirValueWithinOneThirtySecond) {
  ASSERT_TRUE(rc::check("largest of bucket", [] {
    const uint64_t value = *Latency();
    const uint32_t bucket = LatencyHistogram::BucketOf(value);
    const uint64_t largest = LatencyHistogram::LargestIn(bucket);
    RC_ASSERT(bucket < LatencyHistogram::kBuckets);
    RC_ASSERT(largest >= value);
    RC_ASSERT(largest - value <= value / 32);
    // RC_ASSERT evaluates both sides of an `or`.
    if (bucket > 0) RC_ASSERT(LatencyHistogram::LargestIn(bucket - 1) < value);
  }));
}

TEST(LatencyHistogram, QuantileIsTheNearestRankRoundedUpToItsBucket) {
  ASSERT_TRUE(rc::check("quantile", [] {
    auto values = *rc::gen::nonEmpty(Latencies());
    const int percent = *rc::gen::inRange(0, 101);
    const LatencyHistogram histogram = Of(values);
    std::sort(values.begin(), values.end());
    const double share = percent / 100.0 * static_cast<double>(values.size());
    const size_t rank = std::max<size_t>(static_cast<size_t>(std::ceil(share)), 1);
    const uint64_t exact = values[rank - 1];
    const uint64_t found = histogram.Quantile(percent / 100.0);
    RC_ASSERT(found >= exact);
    RC_ASSERT(found - exact <= exact / 32);
    RC_ASSERT(found <= values.back());
  }));
}

TEST(LatencyHistogram, CountsWhatLiesInHigherBuckets) {
  const LatencyHistogram histogram = Of({10, 20, 20, 30});
  EXPECT_EQ(histogram.CountAbove(5), 4U);
  EXPECT_EQ(histogram.CountAbove(19), 3U);
  EXPECT_EQ(histogram.CountAbove(20), 1U);
  EXPECT_EQ(histogram.CountAbove(UINT64_MAX), 0U);
  EXPECT_EQ(LatencyHistogram().CountAbove(0), 0U);
}

TEST(LatencyHistogram, MergingEqualsRecordingAllInOne) {
  ASSERT_TRUE(rc::check("merge", [] {
    const auto a = *Latencies();
    const auto b = *Latencies();
    std::vector<uint64_t> both = a;
    both.insert(both.end(), b.begin(), b.end());
    LatencyHistogram merged = Of(a);
    merged.Merge(Of(b));
    RC_ASSERT(merged.ToProto().SerializeAsString() == Of(both).ToProto().SerializeAsString());
    RC_ASSERT(merged.count() == both.size());
  }));
}

TEST(LatencyHistogram, SurvivesTheWire) {
  ASSERT_TRUE(rc::check("round trip", [] {
    const LatencyHistogram histogram = Of(*Latencies());
    const auto back = LatencyHistogram::FromProto(histogram.ToProto());
    RC_ASSERT(back.ok());
    RC_ASSERT(back->ToProto().SerializeAsString() == histogram.ToProto().SerializeAsString());
    RC_ASSERT(back->Quantile(0.5) == histogram.Quantile(0.5));
    RC_ASSERT(back->count() == histogram.count());
  }));
}

TEST(LatencyHistogram, IsZeroWhileEmpty) {
  const LatencyHistogram empty;
  EXPECT_EQ(empty.Quantile(0.99), 0U);
  EXPECT_EQ(empty.min_ns(), 0U);
  EXPECT_EQ(empty.ToProto().ByteSizeLong(), 0U);
}

TEST(LatencyHistogram, RefusesWhatNoHistogramSends) {
  const v1::LatencyHistogram good = Of({5, 5, 1000}).ToProto();
  ASSERT_TRUE(LatencyHistogram::FromProto(good).ok());
  const auto refused = [&good](void (*spoil)(v1::LatencyHistogram&)) {
    v1::LatencyHistogram message = good;
    spoil(message);
    return LatencyHistogram::FromProto(message).status().code() ==
           absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](auto& m) { m.add_counts(1); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_counts(0, 0); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_counts(0, UINT64_MAX); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_bucket_indexes(1, 1920); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_bucket_indexes(1, 5); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_min_ns(6); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_max_ns(4); }));
  EXPECT_TRUE(refused([](auto& m) {
    m.clear_counts();
    m.clear_bucket_indexes();
  }));
}

}  // namespace
}  // namespace roceready
