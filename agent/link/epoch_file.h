// SPDX-License-Identifier: Apache-2.0
// The highest controller epoch this host has seen, kept across restarts: orders of a lower one come
// from a controller that has been replaced.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

namespace roceready::link {

class EpochStore {
 public:
  virtual ~EpochStore() = default;
  virtual uint64_t highest() const = 0;
  // Durable once this returns OK. `epoch` is higher than highest().
  virtual absl::Status Raise(uint64_t epoch) = 0;
};

// STATE_DIRECTORY/highest-epoch: one decimal number. Written whole or not at all, and flushed.
class EpochFile final : public EpochStore {
 public:
  // A missing file is epoch 0; one that does not hold a number is kDataLoss.
  static absl::StatusOr<EpochFile> Open(const std::string& state_directory);

  uint64_t highest() const override { return highest_; }
  absl::Status Raise(uint64_t epoch) override;

 private:
  EpochFile(std::string directory, uint64_t highest)
      : directory_(std::move(directory)), highest_(highest) {}

  std::string directory_;
  uint64_t highest_;
};

}  // namespace roceready::link
