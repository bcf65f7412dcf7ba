// SPDX-License-Identifier: Apache-2.0
// What a kernel module says of itself: the file on disk against the module that runs. Another build
// id means that the host runs another driver than its next boot or reload will.
#pragma once

#include <string>
#include <string_view>

#include "agent/facts/host_root.h"

namespace roceready::facts {

struct ModuleFile {
  // Hexadecimal; empty where the file was built without.
  std::string build_id;
  // From .modinfo; empty where there is none.
  std::string srcversion;
};

// The build id in an ELF note section, as /sys/module/NAME/notes/.note.gnu.build-id holds it.
// kDataLoss when malformed or without a build id.
absl::StatusOr<std::string> DecodeBuildId(std::string_view notes);

// "srcversion" in the NUL-separated texts of .modinfo; empty where it is not there.
std::string FindSrcversion(std::string_view modinfo);

// Where the file lies below /lib/modules/RELEASE, by the text of modules.dep; kNotFound where the
// module has no file. "mlx5_core" finds mlx5_core.ko and mlx5-core.ko.xz.
absl::StatusOr<std::string> FindModulePath(std::string_view modules_dep, std::string_view name);

// Reads the two sections of a 64-bit little-endian ELF file, not the whole of it. kUnimplemented
// for a compressed file, kDataLoss for what is no module.
absl::StatusOr<ModuleFile> ReadModuleFile(const HostRoot& root, const std::string& path);

}  // namespace roceready::facts
