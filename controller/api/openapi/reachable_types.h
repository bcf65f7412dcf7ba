// SPDX-License-Identifier: Apache-2.0
// The messages and enums that a service's requests and answers are made of.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/api/rest/http_route.h"

namespace roceready::openapi {

struct ReachableTypes {
  // By the names that the document has for them. Without those that JSON has a form of its own for
  // (Duration, Timestamp, FieldMask), the entries of maps, and requests that are no body as a
  // whole.
  std::map<std::string, const google::protobuf::Descriptor*> messages;
  std::map<std::string, const google::protobuf::EnumDescriptor*> enums;
  // What a client sends: of these no field is required.
  std::set<const google::protobuf::Descriptor*> sent_by_clients;
};

// kUnimplemented: a type whose JSON form the document cannot tell (Any, Struct, wrappers).
absl::StatusOr<ReachableTypes> ReachableFrom(const std::vector<rest::HttpRoute>& routes);

// "Host" of roceready.v1.Host, "Outer.Inner" of a nested one.
std::string NameOf(const google::protobuf::Descriptor& type);
std::string NameOf(const google::protobuf::EnumDescriptor& type);

// A message whose JSON is a string: Duration, Timestamp, FieldMask.
bool IsText(const google::protobuf::Descriptor& type);

}  // namespace roceready::openapi
