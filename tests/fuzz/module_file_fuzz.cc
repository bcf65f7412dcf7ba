// SPDX-License-Identifier: Apache-2.0
// Kernel modules: byte 0 picks the file as a whole, its notes, its .modinfo, or modules.dep.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "agent/facts/module_file.h"

namespace {

using namespace roceready;

void ReadAsFile(std::string_view bytes) {
  static const std::string folder = [] {
    char name[] = "/tmp/module_file_fuzz.XXXXXX";
    if (mkdtemp(name) == nullptr) std::abort();
    return std::string(name);
  }();
  std::ofstream(folder + "/fuzz.ko", std::ios::binary) << bytes;
  const auto file = facts::ReadModuleFile(facts::HostRoot(folder), "/fuzz.ko");
  if (!file.ok() && !absl::IsDataLoss(file.status())) std::abort();
  if (file.ok() && file->build_id.size() > 2 * bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      ReadAsFile(bytes);
      break;
    case 1: {
      const auto id = facts::DecodeBuildId(bytes);
      if (id.ok() ? id->empty() || id->size() > 2 * bytes.size() : !absl::IsDataLoss(id.status())) {
        std::abort();
      }
      break;
    }
    case 2:
      if (facts::FindSrcversion(bytes).size() > bytes.size()) std::abort();
      break;
    default: {
      const auto path = facts::FindModulePath(bytes, "mlx5_core");
      if (path.ok() && path->find("ore.ko") == std::string::npos) std::abort();
    }
  }
  return 0;
}
