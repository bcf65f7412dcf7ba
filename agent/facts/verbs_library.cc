// SPDX-License-Identifier: Apache-2.0
// This file, verbs_list.cc and congestion/devx_library.cc speak libibverbs, no other one of this
// folder does.
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "agent/facts/verbs.h"
#include "agent/facts/verbs_list.h"

namespace roceready::facts {
namespace {

struct ContextDeleter {
  void operator()(ibv_context* context) const { ibv_close_device(context); }
};
using Context = std::unique_ptr<ibv_context, ContextDeleter>;

// enum ibv_mtu: 1 = 256 ... 5 = 4096; 0 for anything else.
uint32_t MtuBytes(ibv_mtu mtu) {
  return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << static_cast<unsigned>(mtu) : 0;
}

absl::StatusOr<Context> OpenDevice(const std::string& name) {
  ASSIGN_OR_RETURN(const VerbsList list, VerbsList::Read());
  ibv_device* const device = list.Find(name);
  if (device == nullptr) {
    return NotFound("verbs device {}: not in the library's list (no provider for it, or gone)",
                    name);
  }
  errno = 0;
  Context context(ibv_open_device(device));
  if (context == nullptr) return ErrnoError(errno, fmt::format("open verbs device {}", name));
  return context;
}

VerbsPort ReadPort(ibv_context* context, uint8_t number) {
  VerbsPort port;
  port.number = number;
  ibv_port_attr attributes = {};
  const int error = ibv_query_port(context, number, &attributes);
  if (error != 0) {
    port.status = ErrnoError(error, fmt::format("query port {}", number));
    return port;
  }
  port.active_mtu_bytes = MtuBytes(attributes.active_mtu);
  port.max_mtu_bytes = MtuBytes(attributes.max_mtu);
  port.gid_table_length = static_cast<uint32_t>(attributes.gid_tbl_len);
  port.link_layer = attributes.link_layer;
  port.lid = attributes.lid;
  return port;
}

absl::StatusOr<std::vector<VerbsGid>> ReadGids(ibv_context* context, size_t capacity) {
  if (capacity == 0) return std::vector<VerbsGid>();
  std::vector<ibv_gid_entry> entries(capacity);
  const ssize_t count = ibv_query_gid_table(context, entries.data(), capacity, 0);
  if (count < 0) return ErrnoError(static_cast<int>(-count), "query GID table");
  std::vector<VerbsGid> gids;
  for (ssize_t i = 0; i < count; ++i) {
    const ibv_gid_entry& entry = entries[static_cast<size_t>(i)];
    VerbsGid gid;
    gid.port = entry.port_num;
    gid.index = entry.gid_index;
    std::memcpy(gid.gid.data(), entry.gid.raw, gid.gid.size());
    gid.type = entry.gid_type;
    gid.net_device_index = entry.ndev_ifindex;
    gids.push_back(gid);
  }
  return gids;
}

absl::StatusOr<ibv_device_attr> QueryDevice(ibv_context* context, const std::string& name) {
  ibv_device_attr attributes = {};
  const int error = ibv_query_device(context, &attributes);
  if (error != 0) return ErrnoError(error, fmt::format("query verbs device {}", name));
  return attributes;
}

class LibraryVerbs : public Verbs {
 public:
  absl::StatusOr<VerbsDevice> ReadDevice(const std::string& rdma_device,
                                         size_t gid_slots) override {
    ASSIGN_OR_RETURN(const Context context, OpenDevice(rdma_device));
    ASSIGN_OR_RETURN(const ibv_device_attr attributes, QueryDevice(context.get(), rdma_device));
    VerbsDevice device;
    device.vendor = attributes.vendor_id;
    device.part = attributes.vendor_part_id;
    device.max_qp = static_cast<uint32_t>(attributes.max_qp);
    device.max_mr = static_cast<uint32_t>(attributes.max_mr);
    device.gids = ReadGids(context.get(), gid_slots);
    return device;
  }

  absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& rdma_device) override {
    ASSIGN_OR_RETURN(const Context context, OpenDevice(rdma_device));
    ASSIGN_OR_RETURN(const ibv_device_attr attributes, QueryDevice(context.get(), rdma_device));
    std::vector<VerbsPort> ports;
    for (unsigned number = 1; number <= attributes.phys_port_cnt; ++number) {
      ports.push_back(ReadPort(context.get(), static_cast<uint8_t>(number)));
    }
    return ports;
  }

  absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(
      const std::string& rdma_device) override {
    return ReadCongestionPointsByDevx(rdma_device);
  }
};

}  // namespace

std::unique_ptr<Verbs> OpenVerbs() { return std::make_unique<LibraryVerbs>(); }

}  // namespace roceready::facts
