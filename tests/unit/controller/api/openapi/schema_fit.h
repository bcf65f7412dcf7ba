// SPDX-License-Identifier: Apache-2.0
// JSON against the schemas of the document: as much of JSON Schema as the document uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace roceready::openapi {

using Json = nlohmann::ordered_json;

// The schema that a "$ref" of the document stands for, or the schema itself.
const Json& Resolved(const Json& document, const Json& schema);

// What of `value` is not as the schema has it, each with its place. A member that the schema does
// not know is wrong too.
std::vector<std::string> Misfits(const Json& document, const Json& schema, const Json& value,
                                 const std::string& place);

// A value with everything in it that the schema allows, and no value a default one.
Json ExampleOf(const Json& document, const Json& schema);

}  // namespace roceready::openapi
