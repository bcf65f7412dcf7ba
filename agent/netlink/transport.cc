// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/transport.h"

namespace roceready::netlink {

absl::StatusOr<Message> ExchangeOne(Transport& transport, const Request& request) {
  ASSIGN_OR_RETURN(std::vector<Message> answer, transport.Exchange(request));
  if (answer.size() != 1) {
    return DataLoss("{}: {} messages where one was expected", request.what, answer.size());
  }
  return std::move(answer.front());
}

}  // namespace roceready::netlink
