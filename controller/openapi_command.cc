// SPDX-License-Identifier: Apache-2.0
#include "controller/openapi_command.h"

#include <ostream>

#include "controller/api/openapi/fleet_document.h"
#include "proto/contract/errors.h"
#include "proto/process/build_info.h"
#include "proto/process/exit_status.h"

namespace roceready::controller {

int PrintOpenApi(std::ostream& out, std::ostream& error) {
  const absl::StatusOr<std::string> document = openapi::FleetDocument(SoftwareVersion());
  if (!document.ok()) {
    error << "roceready-controller: " << Message(document.status()) << "\n";
    return ExitStatusOfStart(document.status());
  }
  out << *document << std::flush;
  return kExitOk;
}

}  // namespace roceready::controller
