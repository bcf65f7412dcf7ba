// SPDX-License-Identifier: Apache-2.0
// Readings in a process of their own, for commands that read once and end. Nothing can kill a
// thread that hangs in the kernel, and a process ends with its last thread: such a child is left to
// the kernel, while the command prints what was read and is done.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <string>

namespace roceready::agent {

// What `read` returns, run in a child without our standard files: who waits for their end would
// wait for the child as well. To be called while this process has one thread. kInternal: the child
// ended before it had answered; kResourceExhausted and others by errno: there is no child to be
// had.
absl::StatusOr<std::string> ReadInChild(const std::function<absl::StatusOr<std::string>()>& read);

}  // namespace roceready::agent
