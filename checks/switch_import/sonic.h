// SPDX-License-Identifier: Apache-2.0
// SONiC's config_db.json -> SwitchFacts. Pure: text in, no files.
//
// Tables, fields and defaults: sonic-buildimage src/sonic-yang-models/yang-models/*.yang and
// sonic-swss-common common/schema.h. References in either form: "[WRED_PROFILE|AZURE_LOSSLESS]"
// (databases before version 3_0_3) and "AZURE_LOSSLESS".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"
#include "roceready/v1/switch.pb.h"

namespace roceready::switches {

struct ImportResult {
  // Of no use where there is a problem.
  v1::SwitchFacts facts;
  // All that is wrong, in the order of the file.
  std::vector<yaml::Problem> problems;

  bool ok() const { return problems.empty(); }
};

// `file_name` is shown in problems as given, and without its folders in locators; a switch without
// a host name is called by it.
ImportResult ImportSonic(std::string_view text, std::string_view file_name);

}  // namespace roceready::switches
