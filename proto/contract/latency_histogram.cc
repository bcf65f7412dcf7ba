// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

// log2 of the buckets per power of two.
constexpr uint32_t kSubBits = 5;

uint64_t AddUpTo(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

uint32_t LatencyHistogram::BucketOf(uint64_t nanoseconds) {
  if (nanoseconds < kBucketsPerPowerOfTwo) return static_cast<uint32_t>(nanoseconds);
  const uint32_t shift = static_cast<uint32_t>(std::bit_width(nanoseconds)) - 1 - kSubBits;
  // The leading bit of the shifted value is the 32 that separates one power of two from the next.
  return shift * kBucketsPerPowerOfTwo + static_cast<uint32_t>(nanoseconds >> shift);
}

uint64_t LatencyHistogram::LargestIn(uint32_t bucket) {
  if (bucket < kBucketsPerPowerOfTwo) return bucket;
  const uint32_t shift = bucket / kBucketsPerPowerOfTwo - 1;
  // Beyond the bucket of the largest number: an index from outside, which no number falls into.
  if (shift > 63 - kSubBits) return UINT64_MAX;
  const uint64_t leading = bucket - shift * kBucketsPerPowerOfTwo;
  return (leading << shift) + ((uint64_t{1} << shift) - 1);
}

void LatencyHistogram::Record(uint64_t nanoseconds) {
  const uint32_t bucket = BucketOf(nanoseconds);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  ++counts_[bucket];
  ++count_;
  min_ = std::min(min_, nanoseconds);
  max_ = std::max(max_, nanoseconds);
  sum_ = AddUpTo(sum_, nanoseconds);
}

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ = AddUpTo(sum_, other.sum_);
}

uint64_t LatencyHistogram::Quantile(double fraction) const {
  if (count_ == 0) return 0;
  const double share = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(count_);
  const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(std::ceil(share)), 1, count_);
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return std::min(LargestIn(static_cast<uint32_t>(bucket)), max_);
  }
  return max_;
}

uint64_t LatencyHistogram::CountAbove(uint64_t nanoseconds) const {
  uint64_t above = 0;
  for (size_t bucket = BucketOf(nanoseconds) + 1; bucket < counts_.size(); ++bucket) {
    above += counts_[bucket];
  }
  return above;
}

v1::LatencyHistogram LatencyHistogram::ToProto() const {
  v1::LatencyHistogram message;
  for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    if (counts_[bucket] == 0) continue;
    message.add_bucket_indexes(static_cast<uint32_t>(bucket));
    message.add_counts(counts_[bucket]);
  }
  message.set_min_ns(min_ns());
  message.set_max_ns(max_ns());
  message.set_sum_ns(sum_ns());
  return message;
}

absl::StatusOr<LatencyHistogram> LatencyHistogram::FromProto(const v1::LatencyHistogram& message) {
  if (message.bucket_indexes_size() != message.counts_size()) {
    return InvalidArgument("latency histogram has {} bucket indexes but {} counts",
                           message.bucket_indexes_size(), message.counts_size());
  }
  LatencyHistogram histogram;
  if (message.counts_size() == 0) {
    if (message.min_ns() != 0 || message.max_ns() != 0 || message.sum_ns() != 0) {
      return InvalidArgument("latency histogram without counts has a minimum, maximum or sum");
    }
    return histogram;
  }
  for (int i = 0; i < message.counts_size(); ++i) {
    const uint32_t bucket = message.bucket_indexes(i);
    const uint64_t count = message.counts(i);
    if (bucket >= kBuckets) {
      return InvalidArgument("latency histogram bucket {} is not below {}", bucket, kBuckets);
    }
    if (bucket < histogram.counts_.size()) {
      return InvalidArgument("latency histogram bucket {} is out of order", bucket);
    }
    if (count == 0 || count > UINT64_MAX - histogram.count_) {
      return InvalidArgument("latency histogram bucket {} has an impossible count {}", bucket,
                             count);
    }
    histogram.counts_.resize(bucket + 1);
    histogram.counts_[bucket] = count;
    histogram.count_ += count;
  }
  if (message.min_ns() > message.max_ns() ||
      BucketOf(message.min_ns()) != message.bucket_indexes(0) ||
      BucketOf(message.max_ns()) != message.bucket_indexes(message.counts_size() - 1)) {
    return InvalidArgument("latency histogram's minimum {} or maximum {} is not in its buckets",
                           message.min_ns(), message.max_ns());
  }
  histogram.min_ = message.min_ns();
  histogram.max_ = message.max_ns();
  histogram.sum_ = message.sum_ns();
  return histogram;
}

}  // namespace roceready
