// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci_config_file.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <semaphore>

#include "agent/privileged/client.h"

namespace roceready::facts {
namespace {

// Each function reads on a thread of its own; the privileged program answers sixteen at once.
constexpr int kMostQuestionsAtOnce = 8;

// A program without the capability is not started for each hop of each collection: an administrator
// who gives it one is seen after this.
class Refusal {
 public:
  std::optional<absl::Status> Latest() {
    constexpr std::chrono::minutes kGoodFor(10);
    const std::lock_guard lock(mutex_);
    if (!status_ || std::chrono::steady_clock::now() - at_ > kGoodFor) return std::nullopt;
    return status_;
  }
  void Note(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    at_ = std::chrono::steady_clock::now();
    status_ = status;
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point at_;
  std::optional<absl::Status> status_;
};

absl::StatusOr<std::string> Ask(const std::string& address) {
  static std::counting_semaphore<kMostQuestionsAtOnce> room(kMostQuestionsAtOnce);
  room.acquire();
  absl::StatusOr<std::string> bytes = privileged::ReadPciConfiguration(address);
  room.release();
  return bytes;
}

absl::StatusOr<PciConfig> AskForConfig(const std::string& address) {
  static Refusal refusal;
  if (auto status = refusal.Latest()) return *std::move(status);
  const absl::StatusOr<std::string> bytes = Ask(address);
  absl::StatusOr<PciConfig> config = bytes.ok() ? DecodePciConfig(*bytes) : bytes.status();
  if (bytes.ok() && absl::IsPermissionDenied(config.status())) refusal.Note(config.status());
  return config;
}

}  // namespace

absl::StatusOr<PciConfig> ReadPciConfig(const HostRoot& root, const std::string& folder,
                                        const std::string& address) {
  const absl::StatusOr<std::string> bytes = root.Read(folder + "/config");
  absl::StatusOr<PciConfig> own = bytes.ok() ? DecodePciConfig(*bytes) : bytes.status();
  if (!root.is_live() || !absl::IsPermissionDenied(own.status())) return own;
  return AskForConfig(address);
}

}  // namespace roceready::facts
