// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace roceready::lldp {
namespace {

// The longest frame of a port with jumbo frames.
constexpr size_t kLongestFrame = 16 << 10;
// A port that is flooded costs this many frames a pause and no more.
constexpr int kFramesAtOnce = 64;
constexpr int kPauseMilliseconds = 100;
// For how long a frame that made no sense is remembered: as the usual time to live.
constexpr Duration kRefusalStays = std::chrono::seconds(120);

struct Port {
  absl::Status socket = Unavailable("LLDP socket is being opened");
  // The thread is to open one: the first, or another after one that was refused.
  bool wants_socket = true;
  // `socket` is what came of an attempt.
  bool tried = false;
  MonotonicTime since{};
  bool silence_told = false;
  Neighbours neighbours;
  std::string refused;
  MonotonicTime refused_at{};

  bool LongEnough(MonotonicTime now) const { return socket.ok() && now - since >= kLongEnough; }
};

// Whether something about the port is other than before, by time alone.
bool Age(Port* port, MonotonicTime now) {
  bool changed = port->neighbours.Expire(now);
  if (!port->refused.empty() && now - port->refused_at >= kRefusalStays) {
    port->refused.clear();
    changed = true;
  }
  if (!port->silence_told && port->LongEnough(now)) changed = port->silence_told = true;
  return changed;
}

// Whether that is other than before.
bool StartAnew(MonotonicTime now, Port* port) {
  port->since = now;
  return std::exchange(port->silence_told, false);
}

std::optional<MonotonicTime> NextChange(const Port& port) {
  std::optional<MonotonicTime> next = port.neighbours.NextExpiry();
  const auto earlier = [&next](MonotonicTime time) { next = std::min(next.value_or(time), time); };
  if (!port.refused.empty()) earlier(port.refused_at + kRefusalStays);
  if (port.socket.ok() && !port.silence_told) earlier(port.since + kLongEnough);
  return next;
}

bool TakeFrame(std::span<const uint8_t> bytes, MonotonicTime now, Port* port) {
  absl::StatusOr<Frame> frame = DecodeFrame(bytes);
  if (frame.ok()) return port->neighbours.Heard(bytes, *std::move(frame), now);
  const std::string refused(Message(frame.status()));
  port->refused_at = now;
  return std::exchange(port->refused, refused) != refused;
}

}  // namespace

struct Listener::State {
  const Open open;
  const Clock* const clock;
  const Descriptor wake{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

  std::mutex mutex;
  // Null once nobody is to be told any more: the thread ends.
  std::function<void()> changed;
  // The thread is where it may wait for RTNL, or there is none.
  bool away = true;
  std::condition_variable away_changed;
  std::map<uint32_t, Port> ports;
  // As told, of the ports that are listened to.
  std::map<uint32_t, uint64_t> link_ups;
};

// Of the thread: owns the sockets. The lock is never held while one is opened or closed.
class Listener::Loop {
 public:
  explicit Loop(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void Run();

 private:
  // Indexes of ports that want a socket; sockets that no port wants any more, or whose port came
  // anew meanwhile, are moved to `unwanted`.
  std::vector<uint32_t> Compare(std::vector<Descriptor>* unwanted);
  bool OpenWanted();
  void SetAway(bool away);
  // Whether any was ready, and whether what it said changed anything.
  bool Wait(bool* changed);
  bool Drain(uint32_t index, int socket);
  bool AgeAll();
  bool Tell(bool changed);
  void Pause() const;
  int Timeout();

  const std::shared_ptr<State> state_;
  std::map<uint32_t, Descriptor> sockets_;
};

std::vector<uint32_t> Listener::Loop::Compare(std::vector<Descriptor>* unwanted) {
  const std::lock_guard lock(state_->mutex);
  for (auto it = sockets_.begin(); it != sockets_.end();) {
    const auto port = state_->ports.find(it->first);
    if (port != state_->ports.end() && !port->second.wants_socket) {
      ++it;
      continue;
    }
    unwanted->push_back(std::move(it->second));
    it = sockets_.erase(it);
  }
  std::vector<uint32_t> wanted;
  for (auto& [index, port] : state_->ports) {
    if (std::exchange(port.wants_socket, false)) wanted.push_back(index);
  }
  return wanted;
}

void Listener::Loop::SetAway(bool away) {
  const std::lock_guard lock(state_->mutex);
  state_->away = away;
  state_->away_changed.notify_all();
}

bool Listener::Loop::OpenWanted() {
  std::vector<Descriptor> unwanted;
  const std::vector<uint32_t> wanted = Compare(&unwanted);
  if (wanted.empty() && unwanted.empty()) return false;
  SetAway(true);
  unwanted.clear();
  std::map<uint32_t, absl::StatusOr<Descriptor>> opened;
  for (const uint32_t index : wanted) opened.emplace(index, state_->open(index));
  SetAway(false);

  const std::lock_guard lock(state_->mutex);
  if (state_->changed == nullptr) return false;
  bool changed = false;
  for (auto& [index, socket] : opened) {
    const auto port = state_->ports.find(index);
    if (port == state_->ports.end()) continue;
    changed |= port->second.socket != socket.status();
    port->second.socket = socket.status();
    port->second.tried = true;
    port->second.wants_socket = port->second.wants_socket && !socket.ok();
    port->second.since = state_->clock->Now();
    if (socket.ok()) sockets_[index] = *std::move(socket);
  }
  return changed;
}

int Listener::Loop::Timeout() {
  const std::lock_guard lock(state_->mutex);
  std::optional<MonotonicTime> next;
  for (const auto& [index, port] : state_->ports) {
    const auto change = NextChange(port);
    if (change) next = std::min(next.value_or(*change), *change);
  }
  if (!next) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - state_->clock->Now());
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, 3'600'000));
}

bool Listener::Loop::Drain(uint32_t index, int socket) {
  std::array<uint8_t, kLongestFrame> buffer;
  bool changed = false;
  for (int i = 0; i < kFramesAtOnce; ++i) {
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    const int error = size < 0 ? errno : 0;
    if (size <= 0 && error != ENETDOWN) return changed;
    const std::lock_guard lock(state_->mutex);
    const auto port = state_->ports.find(index);
    if (port == state_->ports.end()) return changed;
    // Told once when the device goes down (kernel net/packet/af_packet.c): silence while it was
    // down, and just after, says nothing.
    if (error == ENETDOWN) {
      changed |= StartAnew(state_->clock->Now(), &port->second);
      continue;
    }
    const std::span bytes(buffer.data(), static_cast<size_t>(size));
    changed |= TakeFrame(bytes, state_->clock->Now(), &port->second);
  }
  return changed;
}

bool Listener::Loop::Wait(bool* changed) {
  std::vector<pollfd> waited = {{state_->wake.get(), POLLIN, 0}};
  std::vector<uint32_t> indexes;
  for (const auto& [index, socket] : sockets_) {
    waited.push_back({socket.get(), POLLIN, 0});
    indexes.push_back(index);
  }
  if (poll(waited.data(), waited.size(), Timeout()) <= 0) return false;
  if (waited[0].revents != 0) {
    eventfd_t ignored;
    eventfd_read(state_->wake.get(), &ignored);
  }
  bool any = false;
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (waited[i + 1].revents == 0) continue;
    any = true;
    *changed |= Drain(indexes[i], waited[i + 1].fd);
  }
  return any;
}

bool Listener::Loop::AgeAll() {
  const std::lock_guard lock(state_->mutex);
  if (state_->changed == nullptr) return false;
  bool changed = false;
  for (auto& [index, port] : state_->ports) changed |= Age(&port, state_->clock->Now());
  return changed;
}

void Listener::Loop::Pause() const {
  pollfd wake = {state_->wake.get(), POLLIN, 0};
  poll(&wake, 1, kPauseMilliseconds);
}

// False when it is over.
bool Listener::Loop::Tell(bool changed) {
  const std::lock_guard lock(state_->mutex);
  if (state_->changed == nullptr) return false;
  if (changed) state_->changed();
  return true;
}

void Listener::Loop::Run() {
  while (Tell(OpenWanted())) {
    bool changed = false;
    const bool heard = Wait(&changed);
    changed |= AgeAll();
    if (!Tell(changed)) break;
    if (heard) Pause();
  }
  // Closing may wait for RTNL as well.
  SetAway(true);
}

Listener::Listener(Open open, const Clock* clock, std::function<void()> changed)
    : state_(new State{.open = std::move(open), .clock = clock, .changed = std::move(changed)}) {}

absl::Status Listener::Start() {
  if (!state_->wake.is_open()) return ErrnoError(EMFILE, "eventfd");
  state_->away = false;
  std::thread([state = state_] { Loop(state).Run(); }).detach();
  return absl::OkStatus();
}

void Listener::Stop() {
  std::unique_lock lock(state_->mutex);
  state_->changed = nullptr;
  eventfd_write(state_->wake.get(), 1);
  state_->away_changed.wait(lock, [this] { return state_->away; });
}

void Listener::TellLinkUps(uint32_t net_device_index, uint64_t times) {
  const std::lock_guard lock(state_->mutex);
  if (state_->changed == nullptr) return;
  const auto [told, first] = state_->link_ups.try_emplace(net_device_index, times);
  if (first || std::exchange(told->second, times) == times) return;
  const auto port = state_->ports.find(net_device_index);
  if (port == state_->ports.end()) return;
  StartAnew(state_->clock->Now(), &port->second);
  eventfd_write(state_->wake.get(), 1);
}

std::map<uint32_t, Hearing> Listener::Listen(const std::vector<uint32_t>& net_device_indexes) {
  const std::lock_guard lock(state_->mutex);
  // After the end nothing is heard, and the clock may be gone.
  if (state_->changed == nullptr) {
    std::map<uint32_t, Hearing> over;
    for (const uint32_t index : net_device_indexes) {
      over[index].socket = Unavailable("LLDP is not listened to any more");
    }
    return over;
  }
  const MonotonicTime now = state_->clock->Now();
  const size_t before = state_->ports.size();
  const auto is_over = [&](const auto& row) {
    return std::ranges::find(net_device_indexes, row.first) == net_device_indexes.end();
  };
  bool wake = std::erase_if(state_->ports, is_over) > 0;
  std::erase_if(state_->link_ups, is_over);
  std::map<uint32_t, Hearing> result;
  for (const uint32_t index : net_device_indexes) {
    Port& port = state_->ports[index];
    if (port.tried && !port.socket.ok()) wake = port.wants_socket = true;
    Age(&port, now);
    Hearing& hearing = result[index];
    hearing.socket = port.socket;
    hearing.neighbours = port.neighbours.All();
    hearing.left_out = port.neighbours.left_out();
    hearing.long_enough = port.LongEnough(now) || !hearing.neighbours.empty();
    hearing.refused = port.refused;
  }
  if (wake || state_->ports.size() != before) eventfd_write(state_->wake.get(), 1);
  return result;
}

}  // namespace roceready::lldp
