// SPDX-License-Identifier: Apache-2.0
// The unix socket that `roceready-agent status` asks. A caller connects and is sent one answer:
// "connected" or "not connected" on the first line, then the text for people; then it is closed.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "agent/link/link_status.h"
#include "proto/process/event_loop.h"

namespace roceready::link {

class StatusSocket {
 public:
  // How long a caller waits for the loop; longer means that the agent hangs.
  static constexpr Duration kLoopAnswersWithin = std::chrono::seconds(2);

  // Listens at `path`, open to every local user (nothing secret is told), with a thread of its own;
  // `status` is called on the loop. A socket left behind by an agent that died is replaced.
  static absl::StatusOr<std::unique_ptr<StatusSocket>> Listen(const std::string& path,
                                                              EventLoop* loop,
                                                              std::function<LinkStatus()> status);
  // Removes the socket. The loop may have stopped before.
  ~StatusSocket();
  StatusSocket(const StatusSocket&) = delete;
  StatusSocket& operator=(const StatusSocket&) = delete;

 private:
  StatusSocket(std::string path, int listener, int stop, EventLoop* loop,
               std::function<LinkStatus()> status);
  void Serve();
  std::string Answer();

  const std::string path_;
  const int listener_;
  const int stop_;  // eventfd
  EventLoop* const loop_;
  const std::function<LinkStatus()> status_;
  std::thread thread_;
};

struct StatusAnswer {
  bool connected = false;
  std::string text;
};

// The caller's end. kUnavailable where no agent listens, kPermissionDenied, kDeadlineExceeded.
absl::StatusOr<StatusAnswer> AskStatus(const std::string& path);

}  // namespace roceready::link
