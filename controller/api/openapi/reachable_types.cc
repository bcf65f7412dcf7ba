// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/reachable_types.h"

#include "proto/contract/errors.h"

namespace roceready::openapi {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::string WithoutPackage(const std::string& full_name,
                           const google::protobuf::FileDescriptor& file) {
  return file.package().empty() ? full_name : full_name.substr(file.package().size() + 1);
}

struct Collection {
  std::set<const Descriptor*> messages;
  std::set<const google::protobuf::EnumDescriptor*> enums;
};

absl::Status CollectFieldsOf(const Descriptor& type, Collection& into);

// The type and everything below it, each once.
absl::Status Collect(const Descriptor& type, Collection& into) {
  if (IsText(type) || !into.messages.insert(&type).second) return absl::OkStatus();
  if (type.file()->package() == "google.protobuf") {
    return MakeError(absl::StatusCode::kUnimplemented,
                     fmt::format("{} has a JSON form of its own, which the OpenAPI document does "
                                 "not know",
                                 type.full_name()));
  }
  return CollectFieldsOf(type, into);
}

absl::Status CollectFieldsOf(const Descriptor& type, Collection& into) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.enum_type() != nullptr) into.enums.insert(field.enum_type());
    if (field.message_type() != nullptr) RETURN_IF_ERROR(Collect(*field.message_type(), into));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReachableTypes> ReachableFrom(const std::vector<rest::HttpRoute>& routes) {
  ReachableTypes types;
  Collection found;
  for (const rest::HttpRoute& route : routes) {
    // Else it is taken apart into parameters.
    const bool whole = route.body && route.path.Variables().empty();
    const Descriptor& request = *route.method->input_type();
    RETURN_IF_ERROR(whole ? Collect(request, found) : CollectFieldsOf(request, found));
  }
  types.sent_by_clients = found.messages;
  for (const rest::HttpRoute& route : routes) {
    RETURN_IF_ERROR(Collect(*route.method->output_type(), found));
  }
  for (const Descriptor* message : found.messages) {
    if (!message->options().map_entry()) types.messages[NameOf(*message)] = message;
  }
  for (const auto* one : found.enums) types.enums[NameOf(*one)] = one;
  return types;
}

std::string NameOf(const Descriptor& type) {
  return WithoutPackage(type.full_name(), *type.file());
}

std::string NameOf(const google::protobuf::EnumDescriptor& type) {
  return WithoutPackage(type.full_name(), *type.file());
}

bool IsText(const Descriptor& type) {
  const std::string& name = type.full_name();
  return name == "google.protobuf.Duration" || name == "google.protobuf.Timestamp" ||
         name == "google.protobuf.FieldMask";
}

}  // namespace roceready::openapi
