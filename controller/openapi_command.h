// SPDX-License-Identifier: Apache-2.0
// `roceready-controller openapi`.
#pragma once

#include <iosfwd>

namespace roceready::controller {

// Prints the OpenAPI document of the REST API, as a running controller of this version serves it.
int PrintOpenApi(std::ostream& out, std::ostream& error);

}  // namespace roceready::controller
