// SPDX-License-Identifier: Apache-2.0
// A netlink socket of the kernel we run on (RAII over libnl's nl_sock). One per thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "agent/netlink/answer.h"
#include "agent/netlink/transport.h"

struct nl_sock;

namespace roceready::netlink {

// linux/netlink.h
enum class Protocol : int { kRoute = 0, kNetfilter = 12, kGeneric = 16, kRdma = 20 };

using Clock = std::function<std::chrono::steady_clock::time_point()>;

class Socket : public Transport {
 public:
  // `deadline` holds for all exchanges until set anew; `clock` is what it is compared with.
  // kUnimplemented "no such netlink protocol" where the kernel lacks it (NETLINK_RDMA without
  // ib_core: no RDMA stack is loaded).
  static absl::StatusOr<std::unique_ptr<Socket>> Open(
      Protocol protocol, std::chrono::steady_clock::time_point deadline,
      Clock clock = [] { return std::chrono::steady_clock::now(); });

  ~Socket() override;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }

  // Waits for answers no longer than the deadline. The kernel itself works on a request inside
  // sendmsg and recvmsg: a driver that hangs while it holds RTNL keeps the calling thread there
  // beyond any deadline, which is why a worker thread calls this and is never joined by force.
  // An interrupted dump (NLM_F_DUMP_INTR) and a lost answer (ENOBUFS) are asked again, three times
  // in all. Answers are matched by sequence number, not by type: nldev answers PORT_GET as GET.
  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

 private:
  Socket(Protocol protocol, std::chrono::steady_clock::time_point deadline, Clock clock);

  absl::Status Connect();
  void Disconnect();
  absl::StatusOr<AnswerReader::State> TryExchange(const Request& request, AnswerReader& answer);
  absl::Status Send(const Request& request, uint32_t sequence);
  absl::Status WaitReadable(const Request& request);
  // One datagram, whatever its size; nullopt when the kernel dropped some for want of room.
  absl::StatusOr<std::optional<Bytes>> ReceiveDatagram(const Request& request);

  Protocol protocol_;
  std::chrono::steady_clock::time_point deadline_;
  Clock clock_;
  nl_sock* socket_ = nullptr;
  uint32_t sequence_ = 0;
};

}  // namespace roceready::netlink
