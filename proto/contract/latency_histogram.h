// SPDX-License-Identifier: Apache-2.0
// Latencies in nanoseconds, counted in log-linear buckets: exact below 32 ns, above that 32 buckets
// per power of two, so that a quantile is at most 1/32 (3.2 %) above the true value. Histograms of
// several phases, pairs or hosts are merged by adding; the message LatencyHistogram is the sparse
// form of one (only buckets that are not empty, in rising order).
#pragma once

#include <absl/status/statusor.h>
#include <roceready/v1/probe.pb.h>

#include <cstdint>
#include <vector>

namespace roceready {

class LatencyHistogram {
 public:
  static constexpr uint32_t kBucketsPerPowerOfTwo = 32;
  static constexpr uint32_t kBuckets = 60 * kBucketsPerPowerOfTwo;

  // The bucket of a value, and the largest value of a bucket.
  static uint32_t BucketOf(uint64_t nanoseconds);
  static uint64_t LargestIn(uint32_t bucket);

  void Record(uint64_t nanoseconds);
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  // All three are 0 while nothing is recorded. The sum stays at its largest value on overflow.
  uint64_t min_ns() const { return count_ == 0 ? 0 : min_; }
  uint64_t max_ns() const { return max_; }
  uint64_t sum_ns() const { return sum_; }

  // The smallest recorded value that `fraction` (0 to 1) of all values do not exceed (nearest
  // rank), rounded up to the end of its bucket but never beyond the largest value; 0 when empty.
  uint64_t Quantile(double fraction) const;

  // How many values lie in buckets beyond that of `nanoseconds`.
  uint64_t CountAbove(uint64_t nanoseconds) const;

  v1::LatencyHistogram ToProto() const;
  // Refuses lists of different length, buckets out of range or order, counts of zero, counts that
  // overflow together, and a minimum or maximum that is not in the first or last bucket.
  static absl::StatusOr<LatencyHistogram> FromProto(const v1::LatencyHistogram& message);

 private:
  // Grows to the highest bucket in use.
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  uint64_t sum_ = 0;
};

}  // namespace roceready
