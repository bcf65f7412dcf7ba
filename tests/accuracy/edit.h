// SPDX-License-Identifier: Apache-2.0
// Changes to a message (facts, a policy, a switch, a probe's result) as a case writes them:
//
//   set:    {PATH: VALUE}     a list replaces the list, a map the row or message
//   delete: [PATH]
//   unread: {PATH: OUTCOME}   the group at PATH was not answered: only its Reading is left
//
// Paths are those of fact_path.h, values those of proto/yaml/decode.h.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/decode.h"
#include "proto/yaml/problem.h"
#include "proto/yaml/tree.h"

namespace roceready::accuracy {

struct Change {
  enum class Kind { kSet, kDelete, kUnread };

  Kind kind = Kind::kSet;
  yaml::Node path;
  yaml::Node value;
};

// In the order of the file.
using Changes = std::vector<Change>;

// Adds what stands under the key set, delete or unread.
void ReadChanges(Change::Kind kind, const yaml::Node& node, std::string_view file, Changes& changes,
                 std::vector<yaml::Problem>& problems);

// Problems are of `file`. Where the message came from a file itself, its `sources` learn what the
// changes give.
std::vector<yaml::Problem> Apply(const Changes& changes, std::string_view file,
                                 google::protobuf::Message& root,
                                 yaml::SourceMap* sources = nullptr);

}  // namespace roceready::accuracy
