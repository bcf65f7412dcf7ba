// SPDX-License-Identifier: Apache-2.0
// How a question reaches the kernel and its answer comes back. Collectors are written against this,
// so that they run over recorded answers as well (tests/support/fake_netlink.h).
#pragma once

#include <vector>

#include "agent/netlink/message.h"

namespace roceready::netlink {

class Transport {
 public:
  virtual ~Transport() = default;

  // Sends the request and returns all data messages of the answer, in order, without the closing
  // NLMSG_ERROR 0 or NLMSG_DONE; an empty list is a complete answer (an empty dump).
  //
  // Errors: the kernel's errno as a status (ErrnoOf and KernelTextOf of proto/contract/errors.h
  // give number and extended acknowledgement): EOPNOTSUPP -> kUnimplemented, ENODEV -> kNotFound,
  // EPERM -> kPermissionDenied ...; kDeadlineExceeded when the time is over, kDataLoss for bytes
  // that make no sense, kUnavailable when a dump kept changing under the reader.
  virtual absl::StatusOr<std::vector<Message>> Exchange(const Request& request) = 0;
};

// The one message of an answer that must have exactly one; kDataLoss otherwise.
absl::StatusOr<Message> ExchangeOne(Transport& transport, const Request& request);

}  // namespace roceready::netlink
