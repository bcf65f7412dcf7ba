// SPDX-License-Identifier: Apache-2.0
// Types as JSON schemas, in the form that protobuf's JSON has: original field names, 64-bit
// integers as strings, enums by name, bytes in base64.
#pragma once

#include <google/protobuf/descriptor.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace roceready::openapi {

// Keeps the order of members, as a reader expects them.
using Json = nlohmann::ordered_json;

// Of one field, with its comment.
Json SchemaOf(const google::protobuf::FieldDescriptor& field);

// `complete`: every field that is always sent is required.
Json SchemaOf(const google::protobuf::Descriptor& message, bool complete);

Json SchemaOf(const google::protobuf::EnumDescriptor& type);

// The comment above (else behind) something in a .proto file, its lines joined to paragraphs. ""
// where there is none, or the descriptor knows no comments.
template <typename AnyDescriptor>
std::string CommentOf(const AnyDescriptor& descriptor);

}  // namespace roceready::openapi
