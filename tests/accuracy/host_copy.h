// SPDX-License-Identifier: Apache-2.0
// A fleet from one recorded host: copies that differ in all that no two hosts share.
#pragma once

#include <string>

#include "roceready/v1/facts.pb.h"

namespace roceready::accuracy {

// The host under another name and as the `number`th of its kind (0 is the original): MAC and IP
// addresses, GIDs, GUIDs, serial numbers, machine and boot id. What is heard from outside (LLDP,
// LACP partner, neighbours) stays.
v1::FactsFile CopyOfHost(const v1::FactsFile& original, const std::string& name, unsigned number);

}  // namespace roceready::accuracy
