// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "agent/probe/ibverbs_objects.h"
#include "proto/contract/errors.h"

namespace roceready::probe {
namespace {

// Requests of one call; more are posted in several.
constexpr size_t kChain = 32;
// 0.64 ms (InfiniBand specification, RNR NAK timer field), a usual value.
constexpr uint8_t kRnrTimer = 12;
// Both ends of a datagram have to have the same; any without the top bit, which is for the
// privileged.
constexpr uint32_t kDatagramKey = 0x726f6365;

ibv_wr_opcode OpcodeOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWrite:
      return IBV_WR_RDMA_WRITE;
    case Opcode::kWriteWithImmediate:
      return IBV_WR_RDMA_WRITE_WITH_IMM;
    case Opcode::kRead:
      return IBV_WR_RDMA_READ;
    case Opcode::kSend:
      return IBV_WR_SEND;
  }
  return IBV_WR_RDMA_WRITE;
}

// enum ibv_mtu: 1 = 256, 2 = 512 ... 5 = 4096.
ibv_mtu MtuOf(uint32_t bytes) { return static_cast<ibv_mtu>(std::bit_width(bytes) - 8); }

ibv_ah_attr AddressOf(const Path& path) {
  ibv_ah_attr address{};
  address.is_global = 1;
  std::memcpy(address.grh.dgid.raw, path.peer_gid.data(), path.peer_gid.size());
  address.grh.sgid_index = static_cast<uint8_t>(path.gid_index);
  address.grh.flow_label = path.flow_label;
  address.grh.hop_limit = path.hop_limit;
  address.grh.traffic_class = path.traffic_class;
  address.sl = path.service_level;
  address.port_num = static_cast<uint8_t>(path.port);
  return address;
}

Completion CompletionOf(const ibv_wc& work) {
  Completion completion{.id = work.wr_id,
                        .status = static_cast<uint32_t>(work.status),
                        .vendor_error = work.vendor_err,
                        .queue_pair = work.qp_num};
  // Flags and opcode mean something only on success; receives have the top bit of the id set by us.
  completion.receive = (work.wr_id & kReceiveMark) != 0;
  completion.id &= ~kReceiveMark;
  if (work.status == IBV_WC_SUCCESS && (work.wc_flags & IBV_WC_WITH_IMM)) {
    completion.immediate = ntohl(work.imm_data);
  }
  if (work.status == IBV_WC_SUCCESS && completion.receive) {
    completion.received_bytes = work.byte_len;
    completion.has_header = (work.wc_flags & IBV_WC_GRH) != 0;
  }
  return completion;
}

}  // namespace

std::string_view CompletionStatusName(uint32_t status) {
  // In the order of enum ibv_wc_status (infiniband/verbs.h).
  static constexpr std::array<std::string_view, 24> kNames{
      "IBV_WC_SUCCESS",
      "IBV_WC_LOC_LEN_ERR",
      "IBV_WC_LOC_QP_OP_ERR",
      "IBV_WC_LOC_EEC_OP_ERR",
      "IBV_WC_LOC_PROT_ERR",
      "IBV_WC_WR_FLUSH_ERR",
      "IBV_WC_MW_BIND_ERR",
      "IBV_WC_BAD_RESP_ERR",
      "IBV_WC_LOC_ACCESS_ERR",
      "IBV_WC_REM_INV_REQ_ERR",
      "IBV_WC_REM_ACCESS_ERR",
      "IBV_WC_REM_OP_ERR",
      "IBV_WC_RETRY_EXC_ERR",
      "IBV_WC_RNR_RETRY_EXC_ERR",
      "IBV_WC_LOC_RDD_VIOL_ERR",
      "IBV_WC_REM_INV_RD_REQ_ERR",
      "IBV_WC_REM_ABORT_ERR",
      "IBV_WC_INV_EECN_ERR",
      "IBV_WC_INV_EEC_STATE_ERR",
      "IBV_WC_FATAL_ERR",
      "IBV_WC_RESP_TIMEOUT_ERR",
      "IBV_WC_GENERAL_ERR",
      "IBV_WC_TM_ERR",
      "IBV_WC_TM_RNDV_INCOMPLETE",
  };
  return status < kNames.size() ? kNames[status] : "unknown status";
}
static_assert(IBV_WC_WR_FLUSH_ERR == kStatusFlushed && IBV_WC_RETRY_EXC_ERR == 12 &&
              IBV_WC_TM_RNDV_INCOMPLETE == 23);

absl::StatusOr<size_t> IbCompletionQueue::Poll(std::span<Completion> into) {
  if (kept_from_ == kept_to_) return PollDevice(into);
  const size_t count = std::min(into.size(), kept_to_ - kept_from_);
  std::copy_n(kept_.begin() + kept_from_, count, into.begin());
  kept_from_ += count;
  return count;
}

absl::StatusOr<size_t> IbCompletionQueue::PollDevice(std::span<Completion> into) {
  std::array<ibv_wc, 32> work;
  const size_t room = std::min(into.size(), work.size());
  const int count = ibv_poll_cq(queue_.get(), static_cast<int>(room), work.data());
  if (count < 0) return ErrnoError(EIO, fmt::format("ibv_poll_cq on {}", device_));
  for (int i = 0; i < count; ++i) into[static_cast<size_t>(i)] = CompletionOf(work[i]);
  return static_cast<size_t>(count);
}

absl::Status IbCompletionQueue::Wait(Clock& clock, const Interrupt& interrupt, TimePoint until) {
  if (kept_from_ != kept_to_) return absl::OkStatus();
  if (!armed_) {
    if (const int error = ibv_req_notify_cq(queue_.get(), 0)) {
      return ErrnoError(error, fmt::format("ibv_req_notify_cq on {}", device_));
    }
    armed_ = true;
    // What came before the request is not notified.
    ASSIGN_OR_RETURN(kept_to_, PollDevice(kept_));
    kept_from_ = 0;
    if (kept_to_ > 0) return absl::OkStatus();
  }
  std::array<pollfd, 2> descriptors{interrupt.Readable(),
                                    pollfd{.fd = channel_->fd, .events = POLLIN, .revents = 0}};
  clock.Wait(descriptors, until);
  if (descriptors[1].revents == 0) return absl::OkStatus();
  ibv_cq* queue = nullptr;
  void* queue_context = nullptr;
  if (ibv_get_cq_event(channel_.get(), &queue, &queue_context) != 0) {
    if (errno == EAGAIN) return absl::OkStatus();
    return ErrnoError(errno, fmt::format("ibv_get_cq_event on {}", device_));
  }
  armed_ = false;
  ibv_ack_cq_events(queue, 1);
  return absl::OkStatus();
}

absl::Status IbQueuePair::Modify(ibv_qp_attr& attributes, int what, std::string_view state) {
  const int error = ibv_modify_qp(queue_pair_.get(), &attributes, what | IBV_QP_STATE);
  if (error == 0) return absl::OkStatus();
  return ErrnoError(error, fmt::format("ibv_modify_qp to {} on {}", state, device_));
}

absl::Status IbQueuePair::Initialise(uint32_t port) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = 0;
  attributes.port_num = static_cast<uint8_t>(port);
  attributes.qkey = kDatagramKey;
  attributes.qp_access_flags =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  return Modify(
      attributes,
      IBV_QP_PKEY_INDEX | IBV_QP_PORT | (is_datagram() ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
      "INIT");
}

absl::Status IbQueuePair::Connect(const Path& path) {
  if (is_datagram()) return ConnectDatagram(path);
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = MtuOf(path.mtu_bytes);
  attributes.dest_qp_num = path.peer_queue_pair;
  attributes.rq_psn = path.peer_sequence_number;
  attributes.max_dest_rd_atomic = path.responder_reads;
  attributes.min_rnr_timer = kRnrTimer;
  attributes.ah_attr = AddressOf(path);
  RETURN_IF_ERROR(Modify(attributes,
                         IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                         "RTR"));
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = path.ack_timeout_exponent;
  attributes.retry_cnt = path.retry_count;
  attributes.rnr_retry = path.rnr_retry_count;
  attributes.sq_psn = path.own_sequence_number;
  attributes.max_rd_atomic = path.initiator_reads;
  return Modify(attributes,
                IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                    IBV_QP_MAX_QP_RD_ATOMIC,
                "RTS");
}

absl::Status IbQueuePair::ConnectDatagram(const Path& path) {
  ibv_ah_attr where = AddressOf(path);
  ibv_ah* const address = ibv_create_ah(queue_pair_->pd, &where);
  if (!address) return ErrnoError(errno, fmt::format("ibv_create_ah on {}", device_));
  address_ = AddressObject(address, count_);
  peer_queue_pair_ = path.peer_queue_pair;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  RETURN_IF_ERROR(Modify(attributes, 0, "RTR"));
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = path.own_sequence_number;
  return Modify(attributes, IBV_QP_SQ_PSN, "RTS");
}

absl::Status IbQueuePair::Fail() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  return Modify(attributes, 0, "ERR");
}

absl::Status IbQueuePair::Post(std::span<const SendRequest> requests) {
  while (!requests.empty()) {
    const auto part = requests.first(std::min(requests.size(), kChain));
    requests = requests.subspan(part.size());
    std::array<ibv_send_wr, kChain> work;
    std::array<ibv_sge, kChain> pieces;
    for (size_t i = 0; i < part.size(); ++i) {
      const SendRequest& request = part[i];
      pieces[i] = {.addr = memory_.address() + request.offset,
                   .length = request.length,
                   .lkey = memory_.local_key()};
      ibv_send_wr& wr = work[i];
      std::memset(&wr, 0, sizeof(wr));
      wr.wr_id = request.id;
      wr.next = i + 1 < part.size() ? &work[i + 1] : nullptr;
      wr.sg_list = &pieces[i];
      wr.num_sge = request.length > 0 ? 1 : 0;
      wr.opcode = OpcodeOf(request.opcode);
      if (request.signaled) wr.send_flags |= IBV_SEND_SIGNALED;
      const bool fits_inline = request.length > 0 && request.length <= inline_bytes_;
      if (fits_inline && request.opcode != Opcode::kRead) wr.send_flags |= IBV_SEND_INLINE;
      wr.imm_data = htonl(request.immediate);
      if (is_datagram()) {
        wr.wr.ud.ah = address_.get();
        wr.wr.ud.remote_qpn = peer_queue_pair_;
        wr.wr.ud.remote_qkey = kDatagramKey;
        continue;
      }
      wr.wr.rdma.remote_addr = request.remote_address;
      wr.wr.rdma.rkey = request.remote_key;
    }
    ibv_send_wr* refused = nullptr;
    if (const int error = ibv_post_send(queue_pair_.get(), work.data(), &refused)) {
      return ErrnoError(error, fmt::format("ibv_post_send on {}", device_));
    }
  }
  return absl::OkStatus();
}

absl::Status IbQueuePair::PostReceives(std::span<const ReceiveRequest> requests) {
  while (!requests.empty()) {
    const auto part = requests.first(std::min(requests.size(), kChain));
    requests = requests.subspan(part.size());
    std::array<ibv_recv_wr, kChain> work;
    std::array<ibv_sge, kChain> pieces;
    for (size_t i = 0; i < part.size(); ++i) {
      const ReceiveRequest& request = part[i];
      pieces[i] = {.addr = memory_.address() + request.offset,
                   .length = request.length,
                   .lkey = memory_.local_key()};
      work[i] = {.wr_id = request.id | kReceiveMark,
                 .next = i + 1 < part.size() ? &work[i + 1] : nullptr,
                 .sg_list = &pieces[i],
                 .num_sge = 1};
    }
    ibv_recv_wr* refused = nullptr;
    if (const int error = ibv_post_recv(queue_pair_.get(), work.data(), &refused)) {
      return ErrnoError(error, fmt::format("ibv_post_recv on {}", device_));
    }
  }
  return absl::OkStatus();
}

}  // namespace roceready::probe
