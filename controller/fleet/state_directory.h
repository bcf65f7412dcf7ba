// SPDX-License-Identifier: Apache-2.0
// The controller's state directory: one controller at a time holds it, and it keeps the epoch.
//
// The epoch is the fence between one start of a controller and the next: every order and audit id
// carries it, agents refuse orders of a lower one. It is raised at each start, and on disk before
// anybody hears of it.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>

namespace roceready {

class StateDirectory {
 public:
  // Makes the directory where it is missing and locks it for the life of the object.
  // kUnavailable when another controller holds it.
  static absl::StatusOr<StateDirectory> Open(const std::filesystem::path& path);

  StateDirectory(StateDirectory&& other) noexcept;
  StateDirectory& operator=(StateDirectory&&) = delete;
  ~StateDirectory();

  // The next epoch, written and fsynced. kDataLoss when the file holds anything but a number:
  // starting again at 1 would let agents refuse every order.
  absl::StatusOr<std::uint64_t> RaiseEpoch();

 private:
  StateDirectory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

}  // namespace roceready
