// SPDX-License-Identifier: Apache-2.0
// The configuration file of a program, read and decoded strictly. Programs apply their own defaults
// to what the file leaves out (config.proto writes them beside each field).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include <filesystem>
#include <string>

namespace roceready::yaml {

// A regular file of at most kMaxTextBytes (tree.h). Errors name the file: kNotFound,
// kPermissionDenied, kInvalidArgument where it is too big or no regular file.
absl::StatusOr<std::string> ReadTextFile(const std::filesystem::path& path);

// Fills `config`, or InvalidArgument with every problem of the file, one a line. An empty file is a
// configuration that leaves out everything.
absl::Status ReadConfigFile(const std::filesystem::path& path, google::protobuf::Message& config);

}  // namespace roceready::yaml
