// SPDX-License-Identifier: Apache-2.0
// Verbs of memory: devices of one fabric whose queue pairs copy between each other's buffers, and
// everything that can go wrong with them. `fabric.objects()` counts what exists, so that a test can
// demand that nothing is left.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/probe/environment.h"
#include "agent/probe/verbs.h"

namespace roceready::probe::testing {

// Stands still but for a microsecond each time it is read, so that measured times are never zero
// and polling loops end.
class HandClock : public Clock {
 public:
  TimePoint Now() override;
  void Wait(std::span<pollfd> descriptors, TimePoint until) override;
  nanoseconds ThreadProcessorTime() override { return nanoseconds(0); }
  void Advance(nanoseconds time);
  // Lets time pass in steps until `done`, each step only after the waiting threads had a look at
  // the one before.
  void AdvanceUntil(const std::function<bool()>& done, nanoseconds step);

 private:
  // Not zero: an unset time point must not look like now.
  std::atomic<int64_t> now_{1'000'000'000'000};
  std::atomic<uint64_t> looks_{0};
};

// How one device behaves; changed through Fabric::Change.
struct Behaviour {
  bool port_active = true;
  uint32_t active_mtu_bytes = 4096;
  std::vector<GidRow> gids;
  DeviceCapabilities capabilities{.work_requests_per_queue = 8192,
                                  .completion_queue_entries = 65536,
                                  .responder_reads = 16,
                                  .initiator_reads = 16};
  // Calls that fail, with their errno: "open", "capabilities", "port", "gids", "register",
  // "completion queue", "queue pair", "connect", "post", "receive".
  std::map<std::string, int> failing;
  // A call that does not come back until Unblock().
  std::string blocked;
  // Requests are taken and never complete.
  bool silent = false;
  // The request with this id completes with this status; the queue pair is in error then.
  std::optional<uint64_t> failing_message;
  uint32_t failing_status = 12;
  // So many WRITEs or READs come with a wrong byte at this offset of the buffer.
  uint32_t corruptions = 0;
  uint64_t corrupt_offset = 0;
  // Closing messages are acknowledged but never delivered.
  bool loses_closing = false;
  // Datagrams that this device sends, by their number.
  std::set<uint64_t> lost, sent_twice, damaged;
  // They arrive behind the next one of their queue pair.
  std::set<uint64_t> late;
  // What the fabric makes of the traffic class of datagrams.
  std::optional<uint8_t> traffic_class_on_arrival;
};

class Fabric : public std::enable_shared_from_this<Fabric> {
 public:
  Fabric();

  std::shared_ptr<Verbs> VerbsOf(const std::string& device);
  void Change(const std::string& device, const std::function<void(Behaviour&)>& change);
  void Unblock();
  // Waits until a call is blocked.
  void AwaitBlocked();

  // Objects that exist on all devices: contexts, buffers, queues, queue pairs.
  uint32_t objects();
  uint64_t messages_posted();
  // What the last connected queue pair of a device was given.
  std::optional<Path> path(const std::string& device);

 private:
  friend class FakeDevice;
  friend class FakeMemory;
  friend class FakeCompletionQueue;
  friend class FakeQueuePair;
  friend class FakeVerbs;

  // With the mutex held (`lock`): blocks where the test wants it, then fails where it wants it.
  absl::Status Enter(std::unique_lock<std::mutex>& lock, const std::string& device,
                     const std::string& call);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Behaviour> behaviours_;
  std::map<uint32_t, class FakeQueuePair*> queue_pairs_;
  std::map<std::string, Path> paths_;
  uint32_t next_number_ = 100;
  uint32_t objects_ = 0;
  uint32_t blocked_now_ = 0;
  uint64_t messages_posted_ = 0;
};

// Every id is known: an RDMA device is called like its id, net device "net" has the index 3.
class FakeDirectory : public DeviceDirectory {
 public:
  absl::StatusOr<std::string> RdmaName(std::string_view rdma_device_id) override;
  absl::StatusOr<NetDeviceNow> NetDevice(std::string_view net_device_id) override;
};

// One counter that moves by 10 with each look.
class FakeCounters : public CounterReader {
 public:
  std::vector<v1::PortCounters> Read(const v1::ProbeEnd& end, std::string_view rdma_name) override;

 private:
  std::atomic<uint64_t> total_ = 0;
};

class FakeUse : public DeviceUse {
 public:
  absl::StatusOr<std::vector<QueuePairUser>> Users(std::string_view rdma_name) override;
  void Set(absl::StatusOr<std::vector<QueuePairUser>> users);

 private:
  std::mutex mutex_;
  absl::StatusOr<std::vector<QueuePairUser>> users_{std::vector<QueuePairUser>{}};
};

}  // namespace roceready::probe::testing
