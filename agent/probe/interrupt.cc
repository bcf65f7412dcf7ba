// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace roceready::probe {

Interrupt::Interrupt() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Interrupt::~Interrupt() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Interrupt::Set() {
  // Fails only when the counter is at its end: then it is set already.
  (void)!::eventfd_write(descriptor_, 1);
}

void Interrupt::Clear() {
  eventfd_t value = 0;
  (void)!::eventfd_read(descriptor_, &value);
}

}  // namespace roceready::probe
