// SPDX-License-Identifier: Apache-2.0
// From a case to what the product says about it: the facts, switches and probe results that it
// describes are made and judged by the product's own code.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "roceready/v1/finding.pb.h"
#include "tests/accuracy/case_file.h"

namespace roceready::accuracy {

// Where the files are that cases name.
struct Corpus {
  // The top of the source tree.
  std::filesystem::path root;

  std::filesystem::path folder() const { return root / "tests/accuracy"; }
};

struct Audit {
  v1::AuditReport report;
  // What a label may call a device: names of the moment by "HOST ID", for RDMA and net devices.
  std::multimap<std::string, std::string> names;
};

// InvalidArgument with file:line:column where the case names what is not there.
absl::StatusOr<Audit> AuditCase(const Case& one, const Corpus& corpus);

}  // namespace roceready::accuracy
