// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/facts/verbs_list.h"
#include "agent/probe/ibverbs.h"
#include "agent/probe/ibverbs_objects.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

// Enough for a small message's payload to travel in the work request.
constexpr uint32_t kInlineBytes = 64;

absl::StatusOr<ibv_device*> Find(const facts::VerbsList& list, std::string_view rdma_name) {
  ibv_device* const device = list.Find(rdma_name);
  if (!device) return ErrnoError(ENODEV, fmt::format("no RDMA device {}", rdma_name));
  return device;
}

// The error of a failed ibv_open_device. The library tries the node by its number next and reports
// what it met there (ENOENT), also when the node itself may not be opened.
int ErrorOfOpen(const ibv_device* device, int error) {
  const std::string node = fmt::format("/dev/infiniband/{}", device->dev_name);
  if (::access(node.c_str(), R_OK | W_OK) != 0 && errno == EACCES) return EACCES;
  return error;
}

v1::GidType TypeOf(uint32_t gid_type) {
  switch (gid_type) {
    case IBV_GID_TYPE_IB:
      return v1::GID_TYPE_IB;
    case IBV_GID_TYPE_ROCE_V1:
      return v1::GID_TYPE_ROCE_V1;
    case IBV_GID_TYPE_ROCE_V2:
      return v1::GID_TYPE_ROCE_V2;
    default:
      return v1::GID_TYPE_UNSPECIFIED;
  }
}

// Destroyed after the context: closing its descriptor frees in the kernel whatever a failed call
// had left there (a device that is being removed refuses to destroy its objects one by one).
struct AllClosed {
  std::shared_ptr<ResourceCount> count;
  ~AllClosed() { count->store(0); }
};

class IbDevice : public Device {
 public:
  IbDevice(std::string name, ContextObject context, DomainObject domain,
           std::shared_ptr<ResourceCount> count)
      : name_(std::move(name)),
        count_(std::move(count)),
        all_closed_{count_},
        context_(std::move(context)),
        domain_(std::move(domain)) {}

  absl::StatusOr<DeviceCapabilities> Capabilities() override;
  absl::StatusOr<PortNow> Port(uint32_t port) override;
  absl::StatusOr<std::vector<GidRow>> Gids(uint32_t port) override;
  absl::StatusOr<std::unique_ptr<Memory>> Register(uint64_t bytes) override;
  absl::StatusOr<std::unique_ptr<CompletionQueue>> MakeCompletionQueue(uint32_t entries) override;
  absl::StatusOr<std::unique_ptr<QueuePair>> MakeQueuePair(
      CompletionQueue& completions, Memory& memory, const QueuePairSettings& settings) override;

 private:
  absl::Status Failed(std::string_view call, int error) const {
    return ErrnoError(error, fmt::format("{} on {}", call, name_));
  }

  const std::string name_;
  const std::shared_ptr<ResourceCount> count_;
  const AllClosed all_closed_;
  ContextObject context_;
  DomainObject domain_;
};

absl::StatusOr<DeviceCapabilities> IbDevice::Capabilities() {
  ibv_device_attr attributes{};
  if (const int error = ibv_query_device(context_.get(), &attributes)) {
    return Failed("ibv_query_device", error);
  }
  const auto at_least_zero = [](int value) { return static_cast<uint32_t>(std::max(0, value)); };
  return DeviceCapabilities{
      .work_requests_per_queue = at_least_zero(attributes.max_qp_wr),
      .completion_queue_entries = at_least_zero(attributes.max_cqe),
      .responder_reads = at_least_zero(attributes.max_qp_rd_atom),
      .initiator_reads = at_least_zero(attributes.max_qp_init_rd_atom),
  };
}

absl::StatusOr<PortNow> IbDevice::Port(uint32_t port) {
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context_.get(), static_cast<uint8_t>(port), &attributes)) {
    return Failed("ibv_query_port", error);
  }
  return PortNow{.active = attributes.state == IBV_PORT_ACTIVE,
                 .ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET,
                 // enum ibv_mtu counts powers of two from 1 = 256.
                 .active_mtu_bytes = 128U << attributes.active_mtu};
}

absl::StatusOr<std::vector<GidRow>> IbDevice::Gids(uint32_t port) {
  // The table is of all ports; a call with too little room fails.
  ibv_device_attr device{};
  if (const int error = ibv_query_device(context_.get(), &device)) {
    return Failed("ibv_query_device", error);
  }
  size_t room = 0;
  for (uint8_t number = 1; number <= device.phys_port_cnt; ++number) {
    ibv_port_attr attributes{};
    if (const int error = ibv_query_port(context_.get(), number, &attributes)) {
      return Failed("ibv_query_port", error);
    }
    room += static_cast<size_t>(std::max(0, attributes.gid_tbl_len));
  }
  std::vector<ibv_gid_entry> entries(room);
  const ssize_t count = ibv_query_gid_table(context_.get(), entries.data(), entries.size(), 0);
  if (count < 0) return Failed("ibv_query_gid_table", static_cast<int>(-count));
  std::vector<GidRow> rows;
  for (const ibv_gid_entry& entry : std::span(entries).first(static_cast<size_t>(count))) {
    if (entry.port_num != port) continue;
    GidRow row{.index = entry.gid_index,
               .gid = {},
               .type = TypeOf(entry.gid_type),
               .net_device_index = entry.ndev_ifindex};
    std::memcpy(row.gid.data(), entry.gid.raw, row.gid.size());
    rows.push_back(row);
  }
  return rows;
}

absl::StatusOr<std::unique_ptr<Memory>> IbDevice::Register(uint64_t bytes) {
  ASSIGN_OR_RETURN(Pages pages, Pages::Map(bytes));
  constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  ibv_mr* const region =
      ibv_reg_mr(domain_.get(), pages.bytes().data(), pages.bytes().size(), kAccess);
  if (!region) return Failed(fmt::format("ibv_reg_mr of {} bytes", bytes), errno);
  return std::make_unique<IbMemory>(std::move(pages), RegionObject(region, count_));
}

absl::StatusOr<std::unique_ptr<CompletionQueue>> IbDevice::MakeCompletionQueue(uint32_t entries) {
  ibv_comp_channel* const raw_channel = ibv_create_comp_channel(context_.get());
  if (!raw_channel) return Failed("ibv_create_comp_channel", errno);
  ChannelObject channel(raw_channel, count_);
  const int flags = ::fcntl(channel->fd, F_GETFL);
  if (flags < 0 || ::fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return Failed("fcntl of the completion channel", errno);
  }
  ibv_cq* const queue =
      ibv_create_cq(context_.get(), static_cast<int>(entries), nullptr, channel.get(), 0);
  if (!queue) return Failed(fmt::format("ibv_create_cq of {} entries", entries), errno);
  return std::make_unique<IbCompletionQueue>(name_, std::move(channel), QueueObject(queue, count_));
}

absl::StatusOr<std::unique_ptr<QueuePair>> IbDevice::MakeQueuePair(
    CompletionQueue& completions, Memory& memory, const QueuePairSettings& settings) {
  // A session makes all of its objects of one device.
  auto& queue = static_cast<IbCompletionQueue&>(completions);
  auto& region = static_cast<IbMemory&>(memory);
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = queue.get();
  attributes.qp_type = settings.transport == Transport::kDatagram ? IBV_QPT_UD : IBV_QPT_RC;
  attributes.cap.max_send_wr = settings.send_depth;
  attributes.cap.max_recv_wr = settings.receive_depth;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = kInlineBytes;
  ibv_qp* raw = ibv_create_qp(domain_.get(), &attributes);
  if (!raw) {
    // A device without room for inline data refuses it; nothing depends on it.
    attributes.cap.max_inline_data = 0;
    raw = ibv_create_qp(domain_.get(), &attributes);
  }
  if (!raw) {
    return Failed(fmt::format("ibv_create_qp of {} + {} work requests", settings.send_depth,
                              settings.receive_depth),
                  errno);
  }
  auto queue_pair = std::make_unique<IbQueuePair>(name_, region, QueuePairObject(raw, count_),
                                                  attributes.cap.max_inline_data, count_);
  RETURN_IF_ERROR(queue_pair->Initialise(settings.port));
  return queue_pair;
}

class IbVerbs : public Verbs {
 public:
  absl::StatusOr<std::string> NodeOf(std::string_view rdma_name) override {
    ASSIGN_OR_RETURN(const facts::VerbsList list, facts::VerbsList::Read());
    ASSIGN_OR_RETURN(const ibv_device* device, Find(list, rdma_name));
    return std::string(device->dev_name);
  }

  absl::StatusOr<std::unique_ptr<Device>> Open(std::string_view rdma_name,
                                               std::shared_ptr<ResourceCount> count) override {
    ASSIGN_OR_RETURN(const facts::VerbsList list, facts::VerbsList::Read());
    ASSIGN_OR_RETURN(ibv_device * device, Find(list, rdma_name));
    ibv_context* const raw_context = ibv_open_device(device);
    if (!raw_context) {
      return ErrnoError(ErrorOfOpen(device, errno),
                        fmt::format("ibv_open_device of {} ({})", rdma_name, device->dev_name));
    }
    ContextObject context(raw_context, count);
    ibv_pd* const domain = ibv_alloc_pd(context.get());
    if (!domain) return ErrnoError(errno, fmt::format("ibv_alloc_pd on {}", rdma_name));
    return std::make_unique<IbDevice>(std::string(rdma_name), std::move(context),
                                      DomainObject(domain, count), count);
  }
};

}  // namespace

absl::StatusOr<Pages> Pages::Map(uint64_t bytes) {
  void* const address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return ErrnoError(errno, fmt::format("mmap of {} bytes", bytes));
  return Pages({static_cast<uint8_t*>(address), bytes});
}

Pages::~Pages() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

std::shared_ptr<Verbs> MakeIbVerbs() { return std::make_shared<IbVerbs>(); }

}  // namespace roceready::probe
