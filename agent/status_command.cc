// SPDX-License-Identifier: Apache-2.0
#include "agent/status_command.h"

#include <ostream>

#include "agent/link/status_socket.h"
#include "agent/settings.h"
#include "proto/contract/errors.h"
#include "proto/process/exit_status.h"

namespace roceready::agent {

int PrintStatus(const std::string& config_path, std::ostream& out, std::ostream& error) {
  const absl::StatusOr<std::string> socket = ReadStatusSocket(config_path);
  if (!socket.ok()) {
    error << Message(socket.status()) << "\n";
    return ExitStatusOfStart(socket.status());
  }
  const absl::StatusOr<link::StatusAnswer> answer = link::AskStatus(*socket);
  if (!answer.ok()) {
    error << Message(answer.status()) << "\n";
    return ExitStatusOfStart(answer.status());
  }
  out << answer->text;
  return answer->connected ? 0 : 1;
}

}  // namespace roceready::agent
