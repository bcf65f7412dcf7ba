// SPDX-License-Identifier: Apache-2.0
#include "tests/scale/blame/mix_files.h"

#include <fstream>
#include <sstream>

namespace roceready::scale {

absl::StatusOr<Mix> LoadMix(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(path.string() + ": cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  return ReadMix(path.filename().string(), text.str());
}

// FNV-1a of the name.
uint64_t SeedOf(const Mix& mix, size_t seed) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : mix.name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash + seed;
}

}  // namespace roceready::scale
