// SPDX-License-Identifier: Apache-2.0
// Listens to LLDP on any number of ports, with one thread. Never transmits.
#pragma once

#include <functional>
#include <memory>

#include "agent/lldp/ears.h"
#include "proto/process/descriptor.h"

namespace roceready::lldp {

class Listener final : public Ears {
 public:
  // Opens a socket that hears one net device; packet_socket.h and the privileged program
  // (agent/privileged) each have one. May wait for RTNL: called on the listener's thread.
  using Open = std::function<absl::StatusOr<Descriptor>(uint32_t net_device_index)>;

  // `changed`: somebody was heard first, said something else or is silent now, or a socket is open
  // or refused; called on the listener's thread, should only post.
  Listener(Open open, const Clock* clock, std::function<void()> changed);
  // Starts the thread; until then nothing is opened and nothing heard.
  absl::Status Start();
  // From now on `changed` is not called, and nothing is heard any more. Waits for the thread,
  // unless that waits for RTNL: then it ends by itself.
  void Stop();
  ~Listener() override { Stop(); }

  void TellLinkUps(uint32_t net_device_index, uint64_t times) override;
  // A port whose socket was refused is tried again each time.
  std::map<uint32_t, Hearing> Listen(const std::vector<uint32_t>& net_device_indexes) override;

 private:
  struct State;
  class Loop;
  const std::shared_ptr<State> state_;
};

}  // namespace roceready::lldp
