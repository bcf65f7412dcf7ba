// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/counters.h"

#include <algorithm>
#include <array>

namespace roceready {
namespace {

using enum CounterClass;

constexpr std::array kCounters = {
    CounterInfo{v1::COUNTER_ID_RETRANSMITS, "retransmits", kLoss, "events",
                "the sender repeated requests because no acknowledgement came in time"},
    CounterInfo{v1::COUNTER_ID_OUT_OF_SEQUENCE, "out-of-sequence", kLoss, "events",
                "packets came out of order or with a gap, seen by either end"},
    CounterInfo{v1::COUNTER_ID_DUPLICATE_REQUESTS, "duplicate-requests", kLoss, "packets",
                "the responder saw a request again: its acknowledgement was lost or late"},
    CounterInfo{v1::COUNTER_ID_RNR_NAKS, "rnr-naks", kReceiver, "events",
                "the peer had no receive buffer posted and asked to wait"},
    CounterInfo{v1::COUNTER_ID_CNP_SENT, "cnp-sent", kCongestion, "packets",
                "congestion notifications sent after receiving CE-marked packets"},
    CounterInfo{v1::COUNTER_ID_CNP_HANDLED, "cnp-handled", kCongestion, "packets",
                "congestion notifications received and acted on: the sender slowed down"},
    CounterInfo{v1::COUNTER_ID_CNP_IGNORED, "cnp-ignored", kCongestion, "packets",
                "congestion notifications received and not acted on"},
    CounterInfo{v1::COUNTER_ID_ECN_MARKED, "ecn-marked", kCongestion, "packets",
                "RoCE packets received with the CE mark of a congested switch"},
    CounterInfo{v1::COUNTER_ID_TX_PAUSE_FRAMES, "tx-pause", kPause, "frames",
                "this host told the switch to stop: the host is slow"},
    CounterInfo{v1::COUNTER_ID_RX_PAUSE_FRAMES, "rx-pause", kPause, "frames",
                "the switch told this host to stop: the network is congested"},
    CounterInfo{v1::COUNTER_ID_RX_DISCARDS, "rx-discards", kLoss, "packets",
                "received packets dropped for want of buffer"},
    CounterInfo{v1::COUNTER_ID_TX_DISCARDS, "tx-discards", kLoss, "packets",
                "packets dropped before they left the port"},
    CounterInfo{v1::COUNTER_ID_OUT_OF_BUFFER, "out-of-buffer", kReceiver, "events",
                "an RDMA receive found no work request posted"},
    CounterInfo{v1::COUNTER_ID_ICRC_ERRORS, "icrc-errors", kLoss, "packets",
                "RoCE packets dropped because their end-to-end checksum was wrong"},
    CounterInfo{v1::COUNTER_ID_LINK_DOWN, "link-down", kLink, "events", "times the link went down"},
    CounterInfo{v1::COUNTER_ID_RX_PACKETS, "rx-packets", kTraffic, "packets", "packets received"},
    CounterInfo{v1::COUNTER_ID_TX_PACKETS, "tx-packets", kTraffic, "packets", "packets sent"},
    CounterInfo{v1::COUNTER_ID_RX_BYTES, "rx-bytes", kTraffic, "bytes", "bytes received"},
    CounterInfo{v1::COUNTER_ID_TX_BYTES, "tx-bytes", kTraffic, "bytes", "bytes sent"},
    CounterInfo{v1::COUNTER_ID_RETRIES_EXCEEDED, "retries-exceeded", kLoss, "events",
                "requests given up after all repeats: a connection died"},
    CounterInfo{v1::COUNTER_ID_CM_RETRIES, "cm-retries", kConnection, "messages",
                "messages that set up or end connections, sent again for want of an answer"},
    CounterInfo{v1::COUNTER_ID_CM_DUPLICATES, "cm-duplicates", kConnection, "messages",
                "messages that set up or end connections, received again"},
    CounterInfo{v1::COUNTER_ID_CM_REJECTS, "cm-rejects", kConnection, "messages",
                "connections that the other end refused"},
    CounterInfo{v1::COUNTER_ID_CARRIER_DOWN, "carrier-down", kLink, "events",
                "times the kernel saw the net device lose its carrier"},
    CounterInfo{v1::COUNTER_ID_FEC_CORRECTED_BLOCKS, "fec-corrected", kLink, "blocks",
                "damaged blocks that forward error correction repaired"},
    CounterInfo{v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS, "fec-uncorrectable", kLink, "blocks",
                "damaged blocks that forward error correction could not repair"},
    CounterInfo{v1::COUNTER_ID_SYMBOL_ERRORS, "symbol-errors", kLink, "events",
                "symbols that the port could not read"},
    CounterInfo{v1::COUNTER_ID_PCI_CORRECTABLE_ERRORS, "pcie-correctable", kPcie, "events",
                "PCIe errors that the link repaired by itself (AER)"},
    CounterInfo{v1::COUNTER_ID_PCI_NONFATAL_ERRORS, "pcie-nonfatal", kPcie, "events",
                "PCIe transactions that were lost (AER)"},
    CounterInfo{v1::COUNTER_ID_PCI_FATAL_ERRORS, "pcie-fatal", kPcie, "events",
                "errors that broke the PCIe link (AER)"},
};

}  // namespace

std::span<const CounterInfo> AllCounters() { return kCounters; }

const CounterInfo* FindCounter(v1::CounterId id) {
  const auto row = std::ranges::find(kCounters, id, &CounterInfo::id);
  return row == kCounters.end() ? nullptr : &*row;
}

std::string_view WordOf(CounterClass kind) {
  switch (kind) {
    case kLoss:
      return "loss";
    case kReceiver:
      return "receiver";
    case kCongestion:
      return "congestion";
    case kPause:
      return "pause";
    case kLink:
      return "link";
    case kTraffic:
      return "traffic";
    case kConnection:
      return "connection";
    case kPcie:
      return "pcie";
  }
  return "traffic";
}

}  // namespace roceready
