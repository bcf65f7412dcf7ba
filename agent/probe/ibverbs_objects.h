// SPDX-License-Identifier: Apache-2.0
// The objects behind ibverbs.h; each counts itself for as long as it exists in the kernel.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "agent/probe/verbs.h"

namespace roceready::probe {

// Set in the id of every receive: of a failed completion nothing else tells what it was.
constexpr uint64_t kReceiveMark = uint64_t{1} << 63;

// One verbs object: counted while it exists, destroyed by `Destroy` with its owner.
template <typename Object, int (*Destroy)(Object*)>
class Counted {
 public:
  Counted() = default;
  Counted(Object* object, std::shared_ptr<ResourceCount> count)
      : object_(object), count_(std::move(count)) {
    ++*count_;
  }
  Counted(Counted&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), count_(std::move(other.count_)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Counted() {
    if (object_ && Destroy(object_) == 0) --*count_;
  }

  Object* get() const { return object_; }
  Object* operator->() const { return object_; }

 private:
  Object* object_ = nullptr;
  std::shared_ptr<ResourceCount> count_;
};

using ContextObject = Counted<ibv_context, ibv_close_device>;
using DomainObject = Counted<ibv_pd, ibv_dealloc_pd>;
using RegionObject = Counted<ibv_mr, ibv_dereg_mr>;
using ChannelObject = Counted<ibv_comp_channel, ibv_destroy_comp_channel>;
using QueueObject = Counted<ibv_cq, ibv_destroy_cq>;
using QueuePairObject = Counted<ibv_qp, ibv_destroy_qp>;
using AddressObject = Counted<ibv_ah, ibv_destroy_ah>;

// Anonymous pages, zeroed, page-aligned.
class Pages {
 public:
  static absl::StatusOr<Pages> Map(uint64_t bytes);
  Pages(Pages&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Pages& operator=(Pages&&) = delete;
  ~Pages();
  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  explicit Pages(std::span<uint8_t> bytes) : bytes_(bytes) {}
  std::span<uint8_t> bytes_;
};

class IbMemory : public Memory {
 public:
  IbMemory(Pages pages, RegionObject region)
      : pages_(std::move(pages)), region_(std::move(region)) {}
  std::span<uint8_t> bytes() override { return pages_.bytes(); }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(region_->addr); }
  uint32_t remote_key() const override { return region_->rkey; }
  uint32_t local_key() const { return region_->lkey; }

 private:
  Pages pages_;
  RegionObject region_;
};

class IbCompletionQueue : public CompletionQueue {
 public:
  IbCompletionQueue(std::string device, ChannelObject channel, QueueObject queue)
      : device_(std::move(device)), channel_(std::move(channel)), queue_(std::move(queue)) {}
  absl::StatusOr<size_t> Poll(std::span<Completion> into) override;
  absl::Status Wait(Clock& clock, const Interrupt& interrupt, TimePoint until) override;
  ibv_cq* get() const { return queue_.get(); }

 private:
  absl::StatusOr<size_t> PollDevice(std::span<Completion> into);

  const std::string device_;
  ChannelObject channel_;
  QueueObject queue_;
  // Notification is asked for and has not come.
  bool armed_ = false;
  // Taken from the device by Wait, for the next Poll.
  std::array<Completion, 16> kept_;
  size_t kept_from_ = 0;
  size_t kept_to_ = 0;
};

class IbQueuePair : public QueuePair {
 public:
  IbQueuePair(std::string device, IbMemory& memory, QueuePairObject queue_pair,
              uint32_t inline_bytes, std::shared_ptr<ResourceCount> count)
      : device_(std::move(device)),
        memory_(memory),
        count_(std::move(count)),
        queue_pair_(std::move(queue_pair)),
        inline_bytes_(inline_bytes) {}

  absl::Status Initialise(uint32_t port);
  uint32_t number() const override { return queue_pair_->qp_num; }
  absl::Status Connect(const Path& path) override;
  absl::Status Fail() override;
  absl::Status Post(std::span<const SendRequest> requests) override;
  absl::Status PostReceives(std::span<const ReceiveRequest> requests) override;

 private:
  bool is_datagram() const { return queue_pair_->qp_type == IBV_QPT_UD; }
  absl::Status Modify(ibv_qp_attr& attributes, int what, std::string_view state);
  absl::Status ConnectDatagram(const Path& path);

  const std::string device_;
  IbMemory& memory_;
  const std::shared_ptr<ResourceCount> count_;
  QueuePairObject queue_pair_;
  const uint32_t inline_bytes_;
  // Of a connected datagram queue pair: where its datagrams go. Destroyed before the queue pair.
  AddressObject address_;
  uint32_t peer_queue_pair_ = 0;
};

}  // namespace roceready::probe
