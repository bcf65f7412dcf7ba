// SPDX-License-Identifier: Apache-2.0
// One method as an operation of the document: parameters, body, answers.
#pragma once

#include "controller/api/openapi/schema.h"
#include "controller/api/rest/http_route.h"

namespace roceready::openapi {

Json OperationOf(const rest::HttpRoute& route);

}  // namespace roceready::openapi
