// SPDX-License-Identifier: Apache-2.0
// Two RDMA ports in either order. Nothing is owned: both look into what they were made of.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string_view>

#include "checks/rails.h"
#include "roceready/v1/probe.pb.h"

namespace roceready::checks {

struct PortRef {
  std::string_view host;
  std::string_view device_id;
  uint32_t port = 0;

  static PortRef Of(const RailPort& one) { return {one.host, one.rdma_device_id, one.port}; }
  static PortRef Of(const v1::ProbeEnd& one) {
    return {one.host(), one.rdma_device_id(), one.port()};
  }
  auto operator<=>(const PortRef&) const = default;
};

// The lesser one first.
struct PortPair {
  PortPair(const PortRef& one, const PortRef& other)
      : a(std::min(one, other)), b(std::max(one, other)) {}

  PortRef a;
  PortRef b;
  auto operator<=>(const PortPair&) const = default;
};

}  // namespace roceready::checks
