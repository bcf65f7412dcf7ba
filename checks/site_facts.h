// SPDX-License-Identifier: Apache-2.0
// What a site check's path leads to in one host's facts: each place with its value, whose it is and
// the reading that says whether the value is an answer.
#pragma once

#include <string>
#include <vector>

#include "checks/policy/site_rule.h"
#include "roceready/v1/facts.pb.h"
#include "roceready/v1/finding.pb.h"

namespace roceready::checks {

struct SiteFact {
  enum class Kind {
    // A place where a value is, or could be.
    kPlace,
    // A list that was read and holds no element that is asked for.
    kNoElement,
    // A list that was not read (whole): elements that would be asked for may be missing.
    kUnreadList,
  };
  Kind kind = Kind::kPlace;
  // The host, and the device or port whose fact it is. What lies below these, such as one GID of a
  // port, is the subject's group.
  v1::Subject subject;
  // With ids in brackets: "net_devices[pci:0000:3b:00.0/0].mtu.mtu_bytes".
  std::string path;
  // Of the nearest part of the facts around the value that has one.
  v1::Reading reading;
  // There is something. A list as a whole: it holds something.
  bool is_present = false;
  // Several for a list as a whole; none for a group of facts, or a list of them.
  std::vector<SiteValue> values;
  // What the value belongs to is of another kind: the mode of a bond that is no bond.
  bool is_elsewhere = false;
};

// In the order of the facts. `host` becomes the subject's.
std::vector<SiteFact> FactsAt(const v1::HostFacts& facts, const std::string& host,
                              const std::vector<SiteStep>& path);

// The Reading fields of HostFacts that say how something other than their own message was read.
// A test holds this against the definition of the facts.
const google::protobuf::FieldDescriptor* ReadingOfField(
    const google::protobuf::FieldDescriptor& field);

}  // namespace roceready::checks
