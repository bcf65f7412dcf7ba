// SPDX-License-Identifier: Apache-2.0
// Tells when the character device of an RDMA device ("uverbsN") goes away. The kernel's removal of
// the device waits until everyone who has it open has closed it, and rxe on 6.1 sends no
// asynchronous verbs event (kernel-side: drivers/infiniband/core/uverbs_main.c
// ib_uverbs_remove_one): the node is all that tells.
//
// Two sources, each enough: the kernel's uevents, and the directory of the nodes (where uevents do
// not reach us, in a container, or were lost). So the same removal can be told twice. Needs no
// privilege, opens no node.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proto/contract/errors.h"

namespace roceready::watch {

// "uverbs0" of the uevent that says it was removed; nothing for every other message.
// A uevent is "ACTION@DEVPATH" and KEY=VALUE fields, each ended by NUL (kernel
// lib/kobject_uevent.c).
std::optional<std::string> RemovedUverbsNode(std::string_view uevent);

class UverbsWatch {
 public:
  // Called from the watch's thread.
  using Gone = std::function<void(std::string_view node)>;

  // `directory` holds the nodes; it may come and go.
  static absl::StatusOr<std::unique_ptr<UverbsWatch>> Start(
      Gone gone, std::string directory = "/dev/infiniband");
  // Returns when the thread has ended.
  virtual ~UverbsWatch() = default;
};

}  // namespace roceready::watch
