// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/dcb.h"

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

// include/uapi/linux/dcbnl.h of kernel 6.3; Debian 12's headers are of 6.1.
constexpr uint16_t kAttrAppTrustTable = 11;
constexpr uint16_t kAttrAppOfOtherStandard = 2;

static_assert(sizeof(ieee_ets) == 59);
static_assert(sizeof(ieee_pfc) == 136);
static_assert(sizeof(ieee_maxrate) == 64);
static_assert(sizeof(dcbnl_buffer) == 44);
static_assert(sizeof(dcb_app) == 4);
static_assert(IEEE_8021QAZ_MAX_TCS == kDcbPriorities);

template <typename Value>
std::array<Value, kDcbPriorities> ArrayOf(const Value (&values)[kDcbPriorities]) {
  std::array<Value, kDcbPriorities> result;
  std::copy(std::begin(values), std::end(values), result.begin());
  return result;
}

std::optional<DcbEts> ReadEts(Attributes& ieee, uint16_t type) {
  const auto raw = ieee.Copy<ieee_ets>(type);
  if (!raw) return std::nullopt;
  return DcbEts{.willing = raw->willing != 0,
                .capable_classes = raw->ets_cap,
                .credit_based_shaper = raw->cbs != 0,
                .tx_bandwidth_percent = ArrayOf(raw->tc_tx_bw),
                .rx_bandwidth_percent = ArrayOf(raw->tc_rx_bw),
                .selection_algorithm = ArrayOf(raw->tc_tsa),
                .priority_to_class = ArrayOf(raw->prio_tc),
                .recommended_bandwidth_percent = ArrayOf(raw->tc_reco_bw),
                .recommended_selection_algorithm = ArrayOf(raw->tc_reco_tsa),
                .recommended_priority_to_class = ArrayOf(raw->reco_prio_tc)};
}

std::optional<DcbPfc> ReadPfc(Attributes& ieee, uint16_t type) {
  const auto raw = ieee.Copy<ieee_pfc>(type);
  if (!raw) return std::nullopt;
  static_assert(sizeof(__u64) == sizeof(uint64_t));
  DcbPfc pfc{.capable_classes = raw->pfc_cap,
             .enabled_priorities = raw->pfc_en,
             .macsec_bypass = raw->mbc != 0,
             .delay = raw->delay};
  std::copy(std::begin(raw->requests), std::end(raw->requests), pfc.requests_sent.begin());
  std::copy(std::begin(raw->indications), std::end(raw->indications),
            pfc.indications_received.begin());
  return pfc;
}

std::optional<std::vector<DcbAppEntry>> ReadAppTable(Attributes& ieee, uint16_t type) {
  const std::optional<Attributes> table = ieee.Nest(type, "APP table");
  if (!table) return std::nullopt;
  std::vector<DcbAppEntry> entries;
  for (const Attribute& attribute : table->all()) {
    // 0 is what the kernel gives a selector that it has no attribute for.
    if (attribute.type > kAttrAppOfOtherStandard) continue;
    dcb_app raw;
    if (attribute.payload.size() != sizeof(raw)) {
      ieee.Refuse(fmt::format("APP entry of {} bytes", attribute.payload.size()));
      return std::nullopt;
    }
    std::memcpy(&raw, attribute.payload.data(), sizeof(raw));
    entries.push_back(
        {.selector = raw.selector, .priority = raw.priority, .protocol = raw.protocol});
  }
  return entries;
}

std::optional<std::vector<uint8_t>> ReadAppTrust(Attributes& ieee) {
  const std::optional<Attributes> table = ieee.Nest(kAttrAppTrustTable, "APP trust");
  if (!table) return std::nullopt;
  std::vector<uint8_t> selectors;
  for (const Attribute& attribute : table->all()) {
    if (attribute.payload.size() != 1) {
      ieee.Refuse(fmt::format("APP trust selector of {} bytes", attribute.payload.size()));
      return std::nullopt;
    }
    selectors.push_back(attribute.payload[0]);
  }
  return selectors;
}

std::optional<std::array<uint64_t, kDcbPriorities>> ReadMaxrate(Attributes& ieee) {
  const auto raw = ieee.Copy<ieee_maxrate>(DCB_ATTR_IEEE_MAXRATE);
  if (!raw) return std::nullopt;
  std::array<uint64_t, kDcbPriorities> maxrate;
  std::copy(std::begin(raw->tc_maxrate), std::end(raw->tc_maxrate), maxrate.begin());
  return maxrate;
}

std::optional<DcbBuffer> ReadBuffer(Attributes& ieee) {
  const auto raw = ieee.Copy<dcbnl_buffer>(DCB_ATTR_DCB_BUFFER);
  if (!raw) return std::nullopt;
  return DcbBuffer{.priority_to_buffer = ArrayOf(raw->prio2buffer),
                   .buffer_bytes = ArrayOf(raw->buffer_size),
                   .total_bytes = raw->total_size};
}

Request DcbRequest(uint8_t command, const std::string& netdev) {
  PayloadBuilder payload;
  payload.PutHeader(dcbmsg{.dcb_family = AF_UNSPEC, .cmd = command});
  payload.PutString(DCB_ATTR_IFNAME, netdev);
  return {.type = RTM_GETDCB, .payload = payload.Take(), .what = "dcb of " + netdev};
}

// The attributes of a DCB message whose command is one of these.
absl::StatusOr<ByteView> DcbAttributes(const Message& message,
                                       std::initializer_list<uint8_t> commands) {
  if (message.type != RTM_GETDCB && message.type != RTM_SETDCB) {
    return DataLoss("message type {} is no dcb", message.type);
  }
  dcbmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "dcb", header));
  if (std::find(commands.begin(), commands.end(), header.cmd) == commands.end()) {
    return DataLoss("dcb command {} is not the one asked for", header.cmd);
  }
  return rest;
}

}  // namespace

Request DcbIeeeRequest(const std::string& netdev) { return DcbRequest(DCB_CMD_IEEE_GET, netdev); }
Request DcbDcbxRequest(const std::string& netdev) { return DcbRequest(DCB_CMD_GDCBX, netdev); }

absl::StatusOr<DcbState> DecodeDcbIeee(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest,
                   DcbAttributes(message, {DCB_CMD_IEEE_GET, DCB_CMD_IEEE_SET, DCB_CMD_IEEE_DEL}));
  absl::Status malformed;
  Attributes attributes(rest, "dcb", malformed);
  DcbState state;
  const std::optional<std::string> netdev = attributes.String(DCB_ATTR_IFNAME);
  state.dcbx = attributes.U8(DCB_ATTR_DCBX);
  if (std::optional<Attributes> ieee = attributes.Nest(DCB_ATTR_IEEE, "dcb ieee")) {
    state.ets = ReadEts(*ieee, DCB_ATTR_IEEE_ETS);
    state.pfc = ReadPfc(*ieee, DCB_ATTR_IEEE_PFC);
    state.app = ReadAppTable(*ieee, DCB_ATTR_IEEE_APP_TABLE);
    state.maxrate_kbps = ReadMaxrate(*ieee);
    state.buffer = ReadBuffer(*ieee);
    state.peer_ets = ReadEts(*ieee, DCB_ATTR_IEEE_PEER_ETS);
    state.peer_pfc = ReadPfc(*ieee, DCB_ATTR_IEEE_PEER_PFC);
    state.peer_app = ReadAppTable(*ieee, DCB_ATTR_IEEE_PEER_APP);
    state.app_trust = ReadAppTrust(*ieee);
  }
  RETURN_IF_ERROR(malformed);
  if (!netdev || netdev->empty()) return DataLoss("dcb answer without a netdev name");
  state.netdev = *netdev;
  return state;
}

absl::StatusOr<uint8_t> DecodeDcbDcbx(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, DcbAttributes(message, {DCB_CMD_GDCBX}));
  absl::Status malformed;
  Attributes attributes(rest, "dcbx", malformed);
  const std::optional<uint8_t> modes = attributes.U8(DCB_ATTR_DCBX);
  RETURN_IF_ERROR(malformed);
  if (!modes) return DataLoss("dcbx answer without the dcbx byte");
  return *modes;
}

absl::StatusOr<DcbState> ReadDcb(Transport& route, const std::string& netdev) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(route, DcbIeeeRequest(netdev)));
  ASSIGN_OR_RETURN(DcbState state, DecodeDcbIeee(message));
  if (state.netdev != netdev) {
    return DataLoss("dcb of {} was answered for {}", netdev, state.netdev);
  }
  return state;
}

absl::StatusOr<uint8_t> ReadDcbx(Transport& route, const std::string& netdev) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(route, DcbDcbxRequest(netdev)));
  return DecodeDcbDcbx(message);
}

}  // namespace roceready::netlink
