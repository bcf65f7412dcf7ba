// SPDX-License-Identifier: Apache-2.0
#include "controller/api/openapi/fleet_document.h"

#include <google/protobuf/descriptor.pb.h>

#include "controller/api/openapi/document.h"
#include "controller/api/openapi/fleet_descriptors.h"
#include "proto/contract/errors.h"

namespace roceready::openapi {

// The descriptors of the message classes have no comments; these have them, in a pool of their own.
absl::StatusOr<std::string> FleetDocument(std::string_view software_version) {
  google::protobuf::FileDescriptorSet set;
  google::protobuf::DescriptorPool pool;
  const bool read = set.ParseFromArray(roceready_fleet_descriptors,
                                       static_cast<int>(roceready_fleet_descriptors_size));
  for (const auto& file : set.file()) pool.BuildFile(file);  // each comes after what it imports
  const auto* service = pool.FindServiceByName("roceready.v1.FleetService");
  if (!read || service == nullptr) return Internal("the built-in descriptors are damaged");
  return DocumentOf(service, software_version);
}

}  // namespace roceready::openapi
