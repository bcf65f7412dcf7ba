// SPDX-License-Identifier: Apache-2.0
// A packet socket without a network.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/probe/environment.h"

namespace roceready::probe::testing {

// Shows the frames that a test puts there.
class FakeWire : public WireSockets {
 public:
  absl::StatusOr<std::unique_ptr<wire::Source>> Open(uint32_t net_device_index) override;
  void Show(std::vector<wire::Source::Frame> frames);
  void Refuse(absl::Status status);

 private:
  class OneSource;
  struct Shown {
    std::mutex mutex;
    std::deque<wire::Source::Frame> frames;
    absl::Status refusal;
  };
  const std::shared_ptr<Shown> shown_ = std::make_shared<Shown>();
};

}  // namespace roceready::probe::testing
