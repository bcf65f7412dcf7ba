// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_verbs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "agent/probe/message_plan.h"
#include "proto/contract/errors.h"

namespace roceready::probe::testing {
namespace {

constexpr uint32_t kRnrRetryExceeded = 13;

// What a device puts before a datagram that came with IPv4: 20 bytes that mean nothing, the header.
std::array<uint8_t, kDatagramHeader> Ipv4HeaderOfDatagram(uint8_t traffic_class, uint32_t payload) {
  std::array<uint8_t, kDatagramHeader> bytes{};
  uint8_t* const header = bytes.data() + 20;
  // With UDP, base and datagram transport headers, and the check at the end.
  const uint32_t length = 20 + 8 + 12 + 8 + payload + 4;
  header[0] = 0x45;
  header[1] = traffic_class;
  header[2] = static_cast<uint8_t>(length >> 8);
  header[3] = static_cast<uint8_t>(length);
  header[8] = 64;
  header[9] = 17;
  uint32_t sum = 0;
  for (int at = 0; at < 20; at += 2) sum += static_cast<uint32_t>(header[at] << 8 | header[at + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  header[10] = static_cast<uint8_t>(~sum >> 8);
  header[11] = static_cast<uint8_t>(~sum);
  return bytes;
}

}  // namespace

TimePoint HandClock::Now() {
  ++looks_;
  return TimePoint(nanoseconds(now_.fetch_add(1000)));
}

void HandClock::Advance(nanoseconds time) { now_ += time.count(); }

void HandClock::AdvanceUntil(const std::function<bool()>& done, nanoseconds step) {
  constexpr uint64_t kLooksPerStep = 20;
  while (!done()) {
    Advance(step);
    const uint64_t before = looks_.load();
    while (!done() && looks_.load() < before + kLooksPerStep) std::this_thread::yield();
  }
}

void HandClock::Wait(std::span<pollfd> descriptors, TimePoint until) {
  // A moment of real time: waiting may end early, and who waits looks at the clock again.
  const bool is_over = until.time_since_epoch().count() <= now_.load();
  ::poll(descriptors.data(), descriptors.size(), is_over ? 0 : 1);
}

class FakeMemory : public Memory {
 public:
  FakeMemory(std::shared_ptr<Fabric> fabric, std::shared_ptr<ResourceCount> count, uint64_t bytes)
      : fabric_(std::move(fabric)), count_(std::move(count)), bytes_(bytes) {
    ++*count_;
    ++fabric_->objects_;
  }
  ~FakeMemory() override {
    const std::lock_guard lock(fabric_->mutex_);
    --*count_;
    --fabric_->objects_;
  }
  std::span<uint8_t> bytes() override { return bytes_; }
  uint64_t address() const override { return 0x10000; }
  uint32_t remote_key() const override { return 77; }

 private:
  const std::shared_ptr<Fabric> fabric_;
  const std::shared_ptr<ResourceCount> count_;
  std::vector<uint8_t> bytes_;
};

class FakeCompletionQueue : public CompletionQueue {
 public:
  FakeCompletionQueue(std::shared_ptr<Fabric> fabric, std::shared_ptr<ResourceCount> count)
      : fabric_(std::move(fabric)), count_(std::move(count)) {
    ++*count_;
    ++fabric_->objects_;
  }
  ~FakeCompletionQueue() override {
    const std::lock_guard lock(fabric_->mutex_);
    --*count_;
    --fabric_->objects_;
  }

  absl::StatusOr<size_t> Poll(std::span<Completion> into) override {
    const std::lock_guard lock(fabric_->mutex_);
    const size_t count = std::min(into.size(), waiting_.size());
    std::copy_n(waiting_.begin(), count, into.begin());
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
    return count;
  }

  absl::Status Wait(Clock& clock, const Interrupt& interrupt, TimePoint until) override {
    {
      const std::lock_guard lock(fabric_->mutex_);
      if (!waiting_.empty()) return absl::OkStatus();
    }
    std::array<pollfd, 1> wakeable{interrupt.Readable()};
    clock.Wait(wakeable, until);
    return absl::OkStatus();
  }

  // With the fabric's mutex held.
  void Push(const Completion& completion) { waiting_.push_back(completion); }

 private:
  const std::shared_ptr<Fabric> fabric_;
  const std::shared_ptr<ResourceCount> count_;
  std::deque<Completion> waiting_;
};

class FakeQueuePair : public QueuePair {
 public:
  FakeQueuePair(std::shared_ptr<Fabric> fabric, std::string device,
                std::shared_ptr<ResourceCount> count, FakeCompletionQueue& completions,
                FakeMemory& memory, const QueuePairSettings& settings)
      : fabric_(std::move(fabric)),
        device_(std::move(device)),
        count_(std::move(count)),
        completions_(completions),
        memory_(memory),
        settings_(settings),
        number_(fabric_->next_number_++) {
    fabric_->queue_pairs_[number_] = this;
    ++*count_;
    ++fabric_->objects_;
  }
  ~FakeQueuePair() override {
    const std::lock_guard lock(fabric_->mutex_);
    fabric_->queue_pairs_.erase(number_);
    --*count_;
    --fabric_->objects_;
  }

  uint32_t number() const override { return number_; }

  absl::Status Connect(const Path& path) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, device_, "connect"));
    if (!is_datagram()) fabric_->paths_[device_] = path;
    traffic_class_ = path.traffic_class;
    peer_ = path.peer_queue_pair;
    return absl::OkStatus();
  }

  absl::Status Fail() override {
    const std::lock_guard lock(fabric_->mutex_);
    EnterError();
    return absl::OkStatus();
  }

  absl::Status Post(std::span<const SendRequest> requests) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, device_, "post"));
    for (const SendRequest& request : requests) {
      ++fabric_->messages_posted_;
      if (pending_.size() >= settings_.send_depth) {
        return ErrnoError(ENOMEM, "the send queue is full");
      }
      Take(lock, request);
    }
    return absl::OkStatus();
  }

  absl::Status PostReceives(std::span<const ReceiveRequest> requests) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, device_, "receive"));
    for (const ReceiveRequest& request : requests) {
      if (receives_.size() >= settings_.receive_depth) {
        return ErrnoError(ENOMEM, "the receive queue is full");
      }
      receives_.push_back(request);
    }
    fabric_->changed_.notify_all();
    return absl::OkStatus();
  }

 private:
  Behaviour& behaviour() { return fabric_->behaviours_[device_]; }

  void Complete(const SendRequest& request, uint32_t status) {
    if (status == 0 && !request.signaled) return;
    completions_.Push({.id = request.id, .status = status, .queue_pair = number_});
  }

  void EnterError() {
    failed_ = true;
    for (const SendRequest& request : pending_) Complete(request, kStatusFlushed);
    pending_.clear();
    for (const ReceiveRequest& receive : receives_) {
      completions_.Push(
          {.id = receive.id, .status = kStatusFlushed, .queue_pair = number_, .receive = true});
    }
    receives_.clear();
  }

  bool is_datagram() const { return settings_.transport == Transport::kDatagram; }

  // Nobody notices what becomes of it.
  void TakeDatagram(const SendRequest& request) {
    Complete(request, 0);
    const Behaviour& own = behaviour();
    if (own.lost.contains(request.id)) return;
    if (own.late.contains(request.id)) {
      late_ = request;
      return;
    }
    const int times = own.sent_twice.contains(request.id) ? 2 : 1;
    for (int time = 0; time < times; ++time) Deliver(request);
    if (late_) Deliver(*std::exchange(late_, std::nullopt));
  }

  void Deliver(const SendRequest& request) {
    FakeQueuePair* const peer = Peer();
    if (!peer || peer->receives_.empty()) return;
    const ReceiveRequest receive = peer->receives_.front();
    peer->receives_.pop_front();
    uint8_t* const into = peer->memory_.bytes().data() + receive.offset;
    const uint8_t traffic_class = behaviour().traffic_class_on_arrival.value_or(traffic_class_);
    const auto header = Ipv4HeaderOfDatagram(traffic_class, request.length);
    std::copy(header.begin(), header.end(), into);
    std::memcpy(into + kDatagramHeader, memory_.bytes().data() + request.offset, request.length);
    if (behaviour().damaged.contains(request.id)) into[kDatagramHeader + request.length - 1] ^= 1;
    peer->completions_.Push({.id = receive.id,
                             .queue_pair = peer->number_,
                             .receive = true,
                             .received_bytes = kDatagramHeader + request.length,
                             .has_header = true});
  }

  void Take(std::unique_lock<std::mutex>& lock, const SendRequest& request) {
    if (failed_) return Complete(request, kStatusFlushed);
    if (is_datagram()) return TakeDatagram(request);
    if (behaviour().silent) return pending_.push_back(request);
    if (behaviour().failing_message == request.id) {
      Complete(request, behaviour().failing_status);
      return EnterError();
    }
    const bool uses_receive =
        request.opcode == Opcode::kSend || request.opcode == Opcode::kWriteWithImmediate;
    if (uses_receive && !AwaitReceive(lock)) {
      Complete(request, kRnrRetryExceeded);
      return EnterError();
    }
    FakeQueuePair* const peer = Peer();
    if (!peer) return pending_.push_back(request);
    Move(request, *peer);
    Complete(request, 0);
  }

  FakeQueuePair* Peer() {
    const auto found = fabric_->queue_pairs_.find(peer_);
    return found == fabric_->queue_pairs_.end() || found->second->failed_ ? nullptr : found->second;
  }

  // What RNR retries do: wait until the peer has posted a receive.
  bool AwaitReceive(std::unique_lock<std::mutex>& lock) {
    return fabric_->changed_.wait_for(lock, std::chrono::seconds(5), [this] {
      FakeQueuePair* const peer = Peer();
      return !peer || !peer->receives_.empty();
    });
  }

  void Move(const SendRequest& request, FakeQueuePair& peer) {
    const uint64_t remote_offset = request.remote_address - peer.memory_.address();
    uint8_t* const own = memory_.bytes().data() + request.offset;
    switch (request.opcode) {
      case Opcode::kRead:
        std::memcpy(own, peer.memory_.bytes().data() + remote_offset, request.length);
        return Corrupt(memory_, request.offset, request.length);
      case Opcode::kWrite:
        std::memcpy(peer.memory_.bytes().data() + remote_offset, own, request.length);
        return Corrupt(peer.memory_, remote_offset, request.length);
      case Opcode::kWriteWithImmediate:
        if (request.length > 0) {
          std::memcpy(peer.memory_.bytes().data() + remote_offset, own, request.length);
          Corrupt(peer.memory_, remote_offset, request.length);
        } else if (behaviour().loses_closing) {
          return;
        }
        return peer.UseReceive(request.immediate);
      case Opcode::kSend: {
        const ReceiveRequest receive = peer.receives_.front();
        std::memcpy(peer.memory_.bytes().data() + receive.offset, own, request.length);
        Corrupt(peer.memory_, receive.offset, request.length);
        return peer.UseReceive(std::nullopt);
      }
    }
  }

  void Corrupt(FakeMemory& memory, uint64_t offset, uint64_t length) {
    Behaviour& own = behaviour();
    if (own.corruptions == 0 || own.corrupt_offset < offset ||
        own.corrupt_offset >= offset + length) {
      return;
    }
    --own.corruptions;
    memory.bytes()[own.corrupt_offset] ^= 0x10;
  }

  void UseReceive(std::optional<uint32_t> immediate) {
    completions_.Push({.id = receives_.front().id,
                       .queue_pair = number_,
                       .receive = true,
                       .immediate = immediate});
    receives_.pop_front();
  }

  const std::shared_ptr<Fabric> fabric_;
  const std::string device_;
  const std::shared_ptr<ResourceCount> count_;
  FakeCompletionQueue& completions_;
  FakeMemory& memory_;
  const QueuePairSettings settings_;
  const uint32_t number_;
  uint32_t peer_ = 0;
  uint8_t traffic_class_ = 0;
  bool failed_ = false;
  std::optional<SendRequest> late_;
  std::deque<SendRequest> pending_;
  std::deque<ReceiveRequest> receives_;
};

class FakeDevice : public Device {
 public:
  FakeDevice(std::shared_ptr<Fabric> fabric, std::string name, std::shared_ptr<ResourceCount> count)
      : fabric_(std::move(fabric)), name_(std::move(name)), count_(std::move(count)) {
    ++*count_;
    ++fabric_->objects_;
  }
  ~FakeDevice() override {
    const std::lock_guard lock(fabric_->mutex_);
    --*count_;
    --fabric_->objects_;
  }

  absl::StatusOr<DeviceCapabilities> Capabilities() override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "capabilities"));
    return fabric_->behaviours_[name_].capabilities;
  }
  absl::StatusOr<PortNow> Port(uint32_t /*port*/) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "port"));
    const Behaviour& behaviour = fabric_->behaviours_[name_];
    return PortNow{.active = behaviour.port_active,
                   .ethernet = true,
                   .active_mtu_bytes = behaviour.active_mtu_bytes};
  }
  absl::StatusOr<std::vector<GidRow>> Gids(uint32_t /*port*/) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "gids"));
    return fabric_->behaviours_[name_].gids;
  }
  absl::StatusOr<std::unique_ptr<Memory>> Register(uint64_t bytes) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "register"));
    return std::make_unique<FakeMemory>(fabric_, count_, bytes);
  }
  absl::StatusOr<std::unique_ptr<CompletionQueue>> MakeCompletionQueue(uint32_t /*n*/) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "completion queue"));
    return std::make_unique<FakeCompletionQueue>(fabric_, count_);
  }
  absl::StatusOr<std::unique_ptr<QueuePair>> MakeQueuePair(
      CompletionQueue& completions, Memory& memory, const QueuePairSettings& settings) override {
    std::unique_lock lock(fabric_->mutex_);
    RETURN_IF_ERROR(fabric_->Enter(lock, name_, "queue pair"));
    return std::make_unique<FakeQueuePair>(fabric_, name_, count_,
                                           static_cast<FakeCompletionQueue&>(completions),
                                           static_cast<FakeMemory&>(memory), settings);
  }

 private:
  const std::shared_ptr<Fabric> fabric_;
  const std::string name_;
  const std::shared_ptr<ResourceCount> count_;
};

class FakeVerbs : public Verbs {
 public:
  FakeVerbs(std::shared_ptr<Fabric> fabric, std::string device)
      : fabric_(std::move(fabric)), device_(std::move(device)) {}

  absl::StatusOr<std::string> NodeOf(std::string_view rdma_name) override {
    return fmt::format("uverbs-{}", rdma_name);
  }
  absl::StatusOr<std::unique_ptr<Device>> Open(std::string_view rdma_name,
                                               std::shared_ptr<ResourceCount> count) override {
    std::unique_lock lock(fabric_->mutex_);
    if (rdma_name != device_) return ErrnoError(ENODEV, "no such device");
    RETURN_IF_ERROR(fabric_->Enter(lock, device_, "open"));
    return std::make_unique<FakeDevice>(fabric_, device_, std::move(count));
  }

 private:
  const std::shared_ptr<Fabric> fabric_;
  const std::string device_;
};

Fabric::Fabric() = default;

std::shared_ptr<Verbs> Fabric::VerbsOf(const std::string& device) {
  return std::make_shared<FakeVerbs>(shared_from_this(), device);
}

void Fabric::Change(const std::string& device, const std::function<void(Behaviour&)>& change) {
  {
    const std::lock_guard lock(mutex_);
    change(behaviours_[device]);
  }
  changed_.notify_all();
}

void Fabric::Unblock() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [name, behaviour] : behaviours_) behaviour.blocked.clear();
  }
  changed_.notify_all();
}

void Fabric::AwaitBlocked() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return blocked_now_ > 0; });
}

uint32_t Fabric::objects() {
  const std::lock_guard lock(mutex_);
  return objects_;
}

uint64_t Fabric::messages_posted() {
  const std::lock_guard lock(mutex_);
  return messages_posted_;
}

std::optional<Path> Fabric::path(const std::string& device) {
  const std::lock_guard lock(mutex_);
  const auto found = paths_.find(device);
  return found == paths_.end() ? std::nullopt : std::optional(found->second);
}

absl::Status Fabric::Enter(std::unique_lock<std::mutex>& lock, const std::string& device,
                           const std::string& call) {
  if (behaviours_[device].blocked == call) {
    ++blocked_now_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return behaviours_[device].blocked != call; });
    --blocked_now_;
  }
  const auto& failing = behaviours_[device].failing;
  const auto found = failing.find(call);
  if (found == failing.end()) return absl::OkStatus();
  return ErrnoError(found->second, fmt::format("{} on {}", call, device));
}

absl::StatusOr<std::string> FakeDirectory::RdmaName(std::string_view rdma_device_id) {
  return std::string(rdma_device_id);
}

absl::StatusOr<NetDeviceNow> FakeDirectory::NetDevice(std::string_view net_device_id) {
  if (net_device_id != "net") return ErrnoError(ENODEV, fmt::format("no {}", net_device_id));
  return NetDeviceNow{.index = 3, .name = "eth3", .mac = "52:54:00:00:00:03"};
}

std::vector<v1::PortCounters> FakeCounters::Read(const v1::ProbeEnd& end,
                                                 std::string_view /*rdma_name*/) {
  v1::PortCounters port;
  port.set_owner_id(end.rdma_device_id());
  v1::CounterSample& sample = *port.add_samples();
  sample.set_id(v1::COUNTER_ID_TX_PACKETS);
  sample.set_total(total_ += 10);
  return {port};
}

absl::StatusOr<std::vector<QueuePairUser>> FakeUse::Users(std::string_view /*rdma_name*/) {
  const std::lock_guard lock(mutex_);
  return users_;
}

void FakeUse::Set(absl::StatusOr<std::vector<QueuePairUser>> users) {
  const std::lock_guard lock(mutex_);
  users_ = std::move(users);
}

}  // namespace roceready::probe::testing
