// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_wire.h"

#include <cerrno>
#include <utility>

namespace roceready::probe::testing {

class FakeWire::OneSource : public wire::Source {
 public:
  explicit OneSource(std::shared_ptr<Shown> shown) : shown_(std::move(shown)) {}
  std::optional<Frame> Next() override {
    const std::lock_guard lock(shown_->mutex);
    if (shown_->frames.empty()) return std::nullopt;
    Frame frame = std::move(shown_->frames.front());
    shown_->frames.pop_front();
    return frame;
  }
  uint64_t TakeMissed() override { return 1; }

 private:
  const std::shared_ptr<Shown> shown_;
};

absl::StatusOr<std::unique_ptr<wire::Source>> FakeWire::Open(uint32_t net_device_index) {
  if (net_device_index != 3) return ErrnoError(ENODEV, "another net device");
  const std::lock_guard lock(shown_->mutex);
  if (!shown_->refusal.ok()) return shown_->refusal;
  return std::make_unique<OneSource>(shown_);
}

void FakeWire::Show(std::vector<wire::Source::Frame> frames) {
  const std::lock_guard lock(shown_->mutex);
  for (wire::Source::Frame& frame : frames) shown_->frames.push_back(std::move(frame));
}

void FakeWire::Refuse(absl::Status status) {
  const std::lock_guard lock(shown_->mutex);
  shown_->refusal = std::move(status);
}

}  // namespace roceready::probe::testing
