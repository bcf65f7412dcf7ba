// SPDX-License-Identifier: Apache-2.0
// Where in a message an edit applies: "net_devices[ens1np0].dcb.pfc.enabled_priorities".
//
//   ports[1] net_devices[ens1np0]   the row whose id, name, number or other key is this
//   entries[priority=3]             the rows with this value in this field
//   path_to_root[#0]                the row in this place, from 0
//   samples[*]                      every row          samples[+]   a new row behind the others
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"
#include "proto/yaml/tree.h"

namespace roceready::accuracy {

// One place that a path leads to: a field of a message, or a row of it.
struct Place {
  google::protobuf::Message& parent;
  const google::protobuf::FieldDescriptor& field;
  // -1: the field as a whole.
  int row = -1;
};

// Every place in `root` that the path (a scalar of `file`) leads to. What is absent on the way is
// made if `make`, else leads nowhere. A path that leads nowhere is a problem, which says what would
// have been there. Places are handed out one at a time, as an edit may move what is behind them.
std::vector<yaml::Problem> VisitPlaces(const yaml::Node& path, std::string_view file, bool make,
                                       google::protobuf::Message& root,
                                       const std::function<void(const Place&)>& visit);

}  // namespace roceready::accuracy
