// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/counter_names.h"

#include <algorithm>
#include <array>

#include "agent/facts/host_root.h"

namespace roceready::facts {
namespace {

struct RdmaName {
  std::string_view driver;
  std::string_view name;
  v1::CounterId id;
};

constexpr RdmaName kRdmaNames[] = {
    {"mlx5", "local_ack_timeout_err", v1::COUNTER_ID_RETRANSMITS},
    {"mlx5", "out_of_sequence", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"mlx5", "packet_seq_err", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"mlx5", "implied_nak_seq_err", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"mlx5", "duplicate_request", v1::COUNTER_ID_DUPLICATE_REQUESTS},
    {"mlx5", "rnr_nak_retry_err", v1::COUNTER_ID_RNR_NAKS},
    {"mlx5", "np_cnp_sent", v1::COUNTER_ID_CNP_SENT},
    {"mlx5", "rp_cnp_handled", v1::COUNTER_ID_CNP_HANDLED},
    {"mlx5", "rp_cnp_ignored", v1::COUNTER_ID_CNP_IGNORED},
    {"mlx5", "np_ecn_marked_roce_packets", v1::COUNTER_ID_ECN_MARKED},
    {"mlx5", "out_of_buffer", v1::COUNTER_ID_OUT_OF_BUFFER},
    {"mlx5", "rx_icrc_encapsulated", v1::COUNTER_ID_ICRC_ERRORS},
    {"mlx5", "req_transport_retries_exceeded", v1::COUNTER_ID_RETRIES_EXCEEDED},

    // Names until 7.2, then names like mlx5's; a kernel has one set or the other.
    {"bnxt_re", "to_retransmits", v1::COUNTER_ID_RETRANSMITS},
    {"bnxt_re", "local_ack_timeout_err", v1::COUNTER_ID_RETRANSMITS},
    {"bnxt_re", "seq_err_naks_rcvd", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"bnxt_re", "oos_drop_count", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"bnxt_re", "packet_seq_err", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"bnxt_re", "implied_nak_seq_err", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"bnxt_re", "out_of_sequence", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"bnxt_re", "dup_req", v1::COUNTER_ID_DUPLICATE_REQUESTS},
    {"bnxt_re", "duplicate_request", v1::COUNTER_ID_DUPLICATE_REQUESTS},
    {"bnxt_re", "rnr_naks_rcvd", v1::COUNTER_ID_RNR_NAKS},
    {"bnxt_re", "rnr_nak_retry_err", v1::COUNTER_ID_RNR_NAKS},
    {"bnxt_re", "tx_cnp_pkts", v1::COUNTER_ID_CNP_SENT},
    {"bnxt_re", "np_cnp_pkts", v1::COUNTER_ID_CNP_SENT},
    {"bnxt_re", "rx_cnp_pkts", v1::COUNTER_ID_CNP_HANDLED},
    {"bnxt_re", "rp_cnp_handled", v1::COUNTER_ID_CNP_HANDLED},
    {"bnxt_re", "rx_ecn_marked_pkts", v1::COUNTER_ID_ECN_MARKED},
    {"bnxt_re", "np_ecn_marked_roce_packets", v1::COUNTER_ID_ECN_MARKED},
    {"bnxt_re", "rx_roce_discards", v1::COUNTER_ID_RX_DISCARDS},
    {"bnxt_re", "rx_out_of_buffer", v1::COUNTER_ID_OUT_OF_BUFFER},
    {"bnxt_re", "out_of_buffer", v1::COUNTER_ID_OUT_OF_BUFFER},
    {"bnxt_re", "max_retry_exceeded", v1::COUNTER_ID_RETRIES_EXCEEDED},
    {"bnxt_re", "rx_pkts", v1::COUNTER_ID_RX_PACKETS},
    {"bnxt_re", "tx_pkts", v1::COUNTER_ID_TX_PACKETS},
    {"bnxt_re", "rx_bytes", v1::COUNTER_ID_RX_BYTES},
    {"bnxt_re", "tx_bytes", v1::COUNTER_ID_TX_BYTES},

    {"irdma", "tcpRetransSegs", v1::COUNTER_ID_RETRANSMITS},
    {"irdma", "RetransSegs", v1::COUNTER_ID_RETRANSMITS},
    {"irdma", "RTO", v1::COUNTER_ID_RETRANSMITS},
    {"irdma", "Nak Sequence Error", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"irdma", "Rcvd Out of order packets", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"irdma", "CRC errors", v1::COUNTER_ID_ICRC_ERRORS},
    {"irdma", "cnpSent", v1::COUNTER_ID_CNP_SENT},
    {"irdma", "cnpHandled", v1::COUNTER_ID_CNP_HANDLED},
    {"irdma", "cnpIgnored", v1::COUNTER_ID_CNP_IGNORED},
    {"irdma", "RxECNMrkd", v1::COUNTER_ID_ECN_MARKED},
    {"irdma", "ip4InDiscards", v1::COUNTER_ID_RX_DISCARDS},
    {"irdma", "ip6InDiscards", v1::COUNTER_ID_RX_DISCARDS},

    {"hns", "rx_cnp_pkt", v1::COUNTER_ID_CNP_HANDLED},
    {"hns", "tx_cnp_pkt", v1::COUNTER_ID_CNP_SENT},

    {"mlx4", "sq_num_to", v1::COUNTER_ID_RETRANSMITS},
    {"mlx4", "rq_num_oos", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"mlx4", "sq_num_oos", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"mlx4", "rq_num_dup", v1::COUNTER_ID_DUPLICATE_REQUESTS},
    {"mlx4", "sq_num_rnr", v1::COUNTER_ID_RNR_NAKS},
    {"mlx4", "sq_num_tree", v1::COUNTER_ID_RETRIES_EXCEEDED},

    {"rxe", "completer_retry_err", v1::COUNTER_ID_RETRANSMITS},
    {"rxe", "out_of_seq_request", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"rxe", "rcvd_seq_err", v1::COUNTER_ID_OUT_OF_SEQUENCE},
    {"rxe", "duplicate_request", v1::COUNTER_ID_DUPLICATE_REQUESTS},
    {"rxe", "rcvd_rnr_err", v1::COUNTER_ID_RNR_NAKS},
    // RNR NAKs that it sent: messages for which no receive was posted (rxe_resp.c).
    {"rxe", "send_rnr_err", v1::COUNTER_ID_OUT_OF_BUFFER},
    {"rxe", "retry_exceeded_err", v1::COUNTER_ID_RETRIES_EXCEEDED},
    {"rxe", "link_downed", v1::COUNTER_ID_LINK_DOWN},
    {"rxe", "rcvd_pkts", v1::COUNTER_ID_RX_PACKETS},
    {"rxe", "sent_pkts", v1::COUNTER_ID_TX_PACKETS},
    {"rxe", "rcvd_bytes", v1::COUNTER_ID_RX_BYTES},
    {"rxe", "sent_bytes", v1::COUNTER_ID_TX_BYTES},
};

// '#' stands for the priority, one digit.
struct EthernetName {
  std::string_view pattern;
  v1::CounterId id;
};

constexpr EthernetName kEthernetNames[] = {
    // mlx5
    {"rx_prio#_pause", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_prio#_pause", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"rx_global_pause", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_global_pause", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"rx_prio#_discards", v1::COUNTER_ID_RX_DISCARDS},
    {"rx_discards_phy", v1::COUNTER_ID_RX_DISCARDS},
    {"tx_discards_phy", v1::COUNTER_ID_TX_DISCARDS},
    {"link_down_events_phy", v1::COUNTER_ID_LINK_DOWN},
    {"rx_prio#_packets", v1::COUNTER_ID_RX_PACKETS},
    {"tx_prio#_packets", v1::COUNTER_ID_TX_PACKETS},
    {"rx_prio#_bytes", v1::COUNTER_ID_RX_BYTES},
    {"tx_prio#_bytes", v1::COUNTER_ID_TX_BYTES},
    {"rx_pcs_symbol_err_phy", v1::COUNTER_ID_SYMBOL_ERRORS},
    // bnxt
    {"rx_pcs_symbol_err", v1::COUNTER_ID_SYMBOL_ERRORS},
    {"rx_pfc_ena_frames_pri#", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_pfc_ena_frames_pri#", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"rx_stat_discard", v1::COUNTER_ID_RX_DISCARDS},
    {"link_down_events", v1::COUNTER_ID_LINK_DOWN},
    // ice
    {"rx_priority_#_xoff.nic", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_priority_#_xoff.nic", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"link_xoff_rx.nic", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"link_xoff_tx.nic", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"rx_dropped.nic", v1::COUNTER_ID_RX_DISCARDS},
    // hns3
    {"mac_rx_pfc_pri#_pkt_num", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"mac_tx_pfc_pri#_pkt_num", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"mac_rx_mac_pause_num", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"mac_tx_mac_pause_num", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    // ionic: global pause, and PFC summed over the priorities
    {"frames_rx_pause", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"frames_tx_pause", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"frames_rx_pripause", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"frames_tx_pripause", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"frames_rx_dropped", v1::COUNTER_ID_RX_DISCARDS},
    // bnxt, qede: global pause
    {"rx_pause_frames", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_pause_frames", v1::COUNTER_ID_TX_PAUSE_FRAMES},
    {"no_buff_discards", v1::COUNTER_ID_RX_DISCARDS},
    {"brb_discards", v1::COUNTER_ID_RX_DISCARDS},
};

// bnxt has each priority as well; qede has no more than these.
constexpr EthernetName kSumsOverPriorities[] = {
    {"rx_pfc_frames", v1::COUNTER_ID_RX_PAUSE_FRAMES},
    {"tx_pfc_frames", v1::COUNTER_ID_TX_PAUSE_FRAMES},
};

std::optional<CommonCounter> Match(const EthernetName& row, std::string_view name) {
  const size_t mark = row.pattern.find('#');
  if (mark == std::string_view::npos) {
    if (name != row.pattern) return std::nullopt;
    return CommonCounter{row.id, std::nullopt};
  }
  if (name.size() != row.pattern.size() || !name.starts_with(row.pattern.substr(0, mark)) ||
      !name.ends_with(row.pattern.substr(mark + 1))) {
    return std::nullopt;
  }
  const char digit = name[mark];
  if (digit < '0' || digit > '7') return std::nullopt;
  return CommonCounter{row.id, static_cast<uint32_t>(digit - '0')};
}

}  // namespace

std::optional<CommonCounter> RdmaCounterOf(std::string_view driver, std::string_view name) {
  // Some firmware fills its names up with blanks (ionic, irdma's third generation).
  name = Trim(name);
  for (const RdmaName& row : kRdmaNames) {
    if (row.driver == driver && row.name == name) return CommonCounter{row.id, std::nullopt};
  }
  return std::nullopt;
}

std::optional<CommonCounter> EthernetCounterOf(std::string_view name) {
  name = Trim(name);
  for (const EthernetName& row : kEthernetNames) {
    if (const auto counter = Match(row, name)) return counter;
  }
  return std::nullopt;
}

std::optional<v1::CounterId> SumOverPriorities(std::string_view name) {
  for (const EthernetName& row : kSumsOverPriorities) {
    if (Trim(name) == row.pattern) return row.id;
  }
  return std::nullopt;
}

bool WrapsAt32Bits(std::string_view driver) { return driver == "irdma"; }

}  // namespace roceready::facts
