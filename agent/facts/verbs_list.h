// SPDX-License-Identifier: Apache-2.0
// The verbs library's list of devices, by the names that the kernel gives them now.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string_view>

#include "proto/contract/errors.h"

namespace roceready::facts {

class VerbsList {
 public:
  // Errno where the library has no list.
  static absl::StatusOr<VerbsList> Read();

  // Null where the library knows no such device: no provider for it, or gone. Of a device that was
  // renamed while this process knew it, the library keeps the old name (libibverbs/init.c joins old
  // and new lists by the node's number), so the kernel is asked:
  // /sys/class/infiniband_verbs/uverbsN/ibdev. Valid as long as the list.
  ibv_device* Find(std::string_view name) const;

 private:
  struct Deleter {
    void operator()(ibv_device** list) const { ibv_free_device_list(list); }
  };
  std::unique_ptr<ibv_device*, Deleter> list_;
  int count_ = 0;
};

}  // namespace roceready::facts
