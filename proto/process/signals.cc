// SPDX-License-Identifier: Apache-2.0
#include "proto/process/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {

absl::StatusOr<std::unique_ptr<SignalWaiter>> SignalWaiter::Start(
    std::function<void(int)> on_signal) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return ErrnoError(error, "cannot block signals");
  }
  std::signal(SIGPIPE, SIG_IGN);
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) return ErrnoError(errno, "signalfd");
  const int stop = eventfd(0, EFD_CLOEXEC);
  if (stop < 0) {
    const int error = errno;
    close(signals);
    return ErrnoError(error, "eventfd");
  }
  return std::unique_ptr<SignalWaiter>(new SignalWaiter(signals, stop, std::move(on_signal)));
}

SignalWaiter::SignalWaiter(int signals, int stop, std::function<void(int)> on_signal)
    : signals_(signals),
      stop_(stop),
      on_signal_(std::move(on_signal)),
      thread_([this] { Wait(); }) {}

SignalWaiter::~SignalWaiter() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(signals_);
  close(stop_);
}

void SignalWaiter::Wait() {
  while (true) {
    std::array<pollfd, 2> waited = {pollfd{signals_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    if (poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) return;
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      on_signal_(static_cast<int>(info.ssi_signo));
    }
  }
}

}  // namespace roceready
