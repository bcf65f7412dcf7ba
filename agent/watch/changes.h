// SPDX-License-Identifier: Apache-2.0
// What kernel events say has changed: a set of concerns, or everything. Bounded: many concerns are
// everything.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace roceready::watch {

enum class Topic : uint8_t {
  // State, MTU, VLAN or bond of a net device (`index`).
  kLink,
  // An address of a net device (`index`).
  kAddress,
  // A neighbour on a net device (`index`).
  kNeighbour,
  // DCB of a net device (`name`).
  kDcb,
  // A port of an RDMA device (`name`, empty: any).
  kRdma,
  // Something that devlink tells of a device (`name`: its PCI address).
  kDevlink,
  // A kernel module came or went.
  kModule,
  // Somebody is heard by LLDP, or not any more.
  kLldp,
  // Net devices came, went or have another name: nothing but the list of them is concerned.
  kDevices,
};

struct Concern {
  Topic topic = Topic::kDevices;
  uint32_t index = 0;
  std::string name;

  auto operator<=>(const Concern&) const = default;
};

class Changes {
 public:
  static constexpr size_t kMostConcerns = 64;

  Changes() = default;
  explicit Changes(Concern concern) { Add(std::move(concern)); }
  static Changes Everything();

  void Add(Concern concern);
  void Merge(const Changes& other);

  bool empty() const { return !everything_ && concerns_.empty(); }
  bool everything() const { return everything_; }
  // Empty when it is everything.
  const std::set<Concern>& concerns() const { return concerns_; }

  bool operator==(const Changes&) const = default;

 private:
  bool everything_ = false;
  std::set<Concern> concerns_;
};

}  // namespace roceready::watch
