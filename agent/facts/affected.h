// SPDX-License-Identifier: Apache-2.0
// Which readings (plan.h) the changes that the kernel tells of concern: only those are read again.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "agent/facts/inventory.h"
#include "agent/watch/changes.h"

namespace roceready::facts {

class Affected {
 public:
  static Affected Everything();
  // `before` is the inventory of the collection before. Net devices that only came or went concern
  // the lists of them; any other difference between the inventories is everything. Reads sysfs, to
  // see which RDMA devices stand under a bond or VLAN device.
  static Affected By(const watch::Changes& changes, const HostRoot& root, const Inventory& now,
                     const Inventory& before);

  // By the key of a planned reading. A kind of reading that nobody described here is always read.
  bool Touches(std::string_view reading_key) const;

 private:
  using Owner = std::pair<watch::Topic, std::string>;

  void Add(watch::Topic topic, const std::string& owner);
  void AddNetDevice(watch::Topic topic, uint32_t index, const HostRoot& root,
                    const Inventory& inventory);
  void AddRdmaDevices(const std::string& name, const Inventory& inventory);

  bool everything_ = false;
  // Topics, each with the ids of the rows that it is about.
  std::set<Owner> owners_;
  uint32_t topics_ = 0;
};

// Whether the kind of this reading is described.
bool IsDescribed(std::string_view reading_key);

}  // namespace roceready::facts
