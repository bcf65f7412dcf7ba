// SPDX-License-Identifier: Apache-2.0
// The path of a site check, held against the definition of a host's facts:
//
//   kernel.release                                one fact
//   net_devices[].mtu.mtu_bytes                   of each element of a list
//   rdma_devices[mlx5_*].ports[1].state           of those that are called so; '*' is any text
//   net_devices[].dcb.pfc.enabled_priorities      a list of numbers as a whole
//   net_devices[].dcb.pfc.enabled_priorities[]    each of its numbers
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>
#include <vector>

namespace roceready {

struct SiteStep {
  const google::protobuf::FieldDescriptor* field = nullptr;
  // Brackets stand behind it: each element of the list.
  bool each = false;
  // What the element has to be called; empty: anything.
  std::string row;

  // A list as a whole: only the last step can be.
  bool IsWholeList() const { return field->is_repeated() && !each; }
};

struct SitePath {
  // Empty where there is a problem.
  std::vector<SiteStep> steps;
  // "found ..., expected ...", with the nearest name that would be right.
  std::string problem;
};

// At most this long and deep: facts nest no deeper.
inline constexpr std::size_t kMaxSitePathBytes = 400;

SitePath ParseSitePath(std::string_view path);

// Fields by which an element of a list is called, in the order they are tried for its name. Those
// that `type` has.
std::vector<const google::protobuf::FieldDescriptor*> NamesOfRow(
    const google::protobuf::Descriptor& type);

}  // namespace roceready
