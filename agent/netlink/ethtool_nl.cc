// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/ethtool_nl.h"

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

namespace roceready::netlink {
namespace {

// include/uapi/linux/ethtool_netlink.h of kernel 6.6; Debian 12's headers are of 6.1.
constexpr uint16_t kLinkStateDownCount = 7;

constexpr uint32_t kUnknownSpeed = static_cast<uint32_t>(SPEED_UNKNOWN);
// Far above what any kernel names (a bit per link mode, about 120 today).
constexpr uint32_t kLargestBitset = 4096;

Request EthtoolRequest(const GenericFamily& family, uint8_t command, uint32_t flags,
                       const std::string& netdev, std::string_view what) {
  // The header is attribute 1 of each of these requests.
  static_assert(ETHTOOL_A_LINKMODES_HEADER == 1 && ETHTOOL_A_LINKSTATE_HEADER == 1 &&
                ETHTOOL_A_PAUSE_HEADER == 1 && ETHTOOL_A_FEC_HEADER == 1);
  PayloadBuilder header;
  header.PutString(ETHTOOL_A_HEADER_DEV_NAME, netdev);
  header.PutU32(ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_COMPACT_BITSETS | flags);
  return GenericRequest(family, command, false, PayloadBuilder().PutNest(1, header),
                        fmt::format("{} of {}", what, netdev));
}

EthtoolDevice ReadDevice(Attributes& attributes) {
  std::optional<Attributes> header = attributes.Nest(1, "ethtool header");
  if (!header) {
    attributes.Refuse("no header");
    return {};
  }
  return {.index = header->U32(ETHTOOL_A_HEADER_DEV_INDEX),
          .name = header->String(ETHTOOL_A_HEADER_DEV_NAME)};
}

// The drivers fill this byte; anything but 0 and 1 is "unknown".
std::optional<bool> ReadAutoneg(Attributes& attributes) {
  const std::optional<uint8_t> autoneg = attributes.U8(ETHTOOL_A_LINKMODES_AUTONEG);
  if (!autoneg || *autoneg > AUTONEG_ENABLE) return std::nullopt;
  return *autoneg == AUTONEG_ENABLE;
}

// Bits set in a bitset that lists each bit by itself.
std::vector<uint32_t> ReadVerboseBits(Attributes& bits, bool list_of_set_bits) {
  std::vector<uint32_t> set;
  for (const Attribute& attribute : bits.all()) {
    if (attribute.type != ETHTOOL_A_BITSET_BITS_BIT) continue;
    Attributes bit = bits.Entry(attribute, "ethtool bit");
    const std::optional<uint32_t> index = bit.U32(ETHTOOL_A_BITSET_BIT_INDEX);
    const bool value = bit.Flag(ETHTOOL_A_BITSET_BIT_VALUE);
    if (!index) {
      bit.Refuse("no index");
      break;
    }
    if (list_of_set_bits || value) set.push_back(*index);
  }
  return set;
}

std::optional<std::vector<uint32_t>> ReadBitset(Attributes& attributes, uint16_t type) {
  std::optional<Attributes> bitset = attributes.Nest(type, "ethtool bitset");
  if (!bitset) return std::nullopt;
  const bool no_mask = bitset->Flag(ETHTOOL_A_BITSET_NOMASK);
  if (auto bits = bitset->Nest(ETHTOOL_A_BITSET_BITS, "ethtool bits")) {
    return ReadVerboseBits(*bits, no_mask);
  }
  const std::optional<uint32_t> size = bitset->U32(ETHTOOL_A_BITSET_SIZE);
  const std::optional<ByteView> value = bitset->Raw(ETHTOOL_A_BITSET_VALUE);
  // Words of 32 bits in host byte order.
  if (!size || !value || *size > kLargestBitset ||
      value->size() != size_t{4} * ((*size + 31) / 32)) {
    bitset->Refuse("size and value do not fit");
    return std::nullopt;
  }
  std::vector<uint32_t> set;
  for (uint32_t bit = 0; bit < *size; ++bit) {
    uint32_t word = 0;
    std::memcpy(&word, value->data() + size_t{4} * (bit / 32), sizeof(word));
    if ((word >> bit % 32 & 1) != 0) set.push_back(bit);
  }
  return set;
}

std::optional<EthtoolFecCount> ReadFecCount(Attributes& statistics, uint16_t type) {
  const std::optional<ByteView> raw = statistics.Raw(type);
  // Kernel 6.1 gives an empty list where the driver does not count.
  if (!raw || raw->empty()) return std::nullopt;
  if (raw->size() % sizeof(uint64_t) != 0) {
    statistics.Refuse(fmt::format("attribute {} of {} bytes is no list of u64", type, raw->size()));
    return std::nullopt;
  }
  EthtoolFecCount counts(raw->size() / sizeof(uint64_t));
  std::memcpy(counts.data(), raw->data(), raw->size());
  return counts;
}

template <typename Answer>
absl::StatusOr<Answer> Read(Transport& generic, const Request& request, const std::string& netdev,
                            absl::StatusOr<Answer> (*decode)(const Message&)) {
  ASSIGN_OR_RETURN(const Message message, ExchangeOne(generic, request));
  ASSIGN_OR_RETURN(Answer answer, decode(message));
  if (answer.device.name.value_or(netdev) != netdev) {
    return DataLoss("{} was answered for {}", request.what, *answer.device.name);
  }
  return answer;
}

}  // namespace

Request EthtoolLinkModesRequest(const GenericFamily& family, const std::string& netdev) {
  return EthtoolRequest(family, ETHTOOL_MSG_LINKMODES_GET, 0, netdev, "link modes");
}
Request EthtoolLinkStateRequest(const GenericFamily& family, const std::string& netdev) {
  return EthtoolRequest(family, ETHTOOL_MSG_LINKSTATE_GET, 0, netdev, "link state");
}
Request EthtoolPauseRequest(const GenericFamily& family, const std::string& netdev) {
  return EthtoolRequest(family, ETHTOOL_MSG_PAUSE_GET, ETHTOOL_FLAG_STATS, netdev, "pause");
}
Request EthtoolFecRequest(const GenericFamily& family, const std::string& netdev) {
  return EthtoolRequest(family, ETHTOOL_MSG_FEC_GET, ETHTOOL_FLAG_STATS, netdev, "fec");
}
Request EthtoolModuleRequest(const GenericFamily& family, const std::string& netdev,
                             uint32_t offset) {
  // SFF-8472, SFF-8636 and CMIS: the memory answers at this address of the two-wire bus.
  constexpr uint8_t kBusAddress = 0x50;
  PayloadBuilder header;
  header.PutString(ETHTOOL_A_HEADER_DEV_NAME, netdev);
  PayloadBuilder attributes;
  attributes.PutNest(ETHTOOL_A_MODULE_EEPROM_HEADER, header);
  attributes.PutU32(ETHTOOL_A_MODULE_EEPROM_OFFSET, offset);
  attributes.PutU32(ETHTOOL_A_MODULE_EEPROM_LENGTH, kModuleHalf);
  attributes.PutU8(ETHTOOL_A_MODULE_EEPROM_PAGE, 0);
  attributes.PutU8(ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, kBusAddress);
  return GenericRequest(family, ETHTOOL_MSG_MODULE_EEPROM_GET, false, attributes,
                        fmt::format("module of {}", netdev));
}

absl::StatusOr<EthtoolLinkModes> DecodeEthtoolLinkModes(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "link modes"));
  absl::Status malformed;
  Attributes attributes(rest, "link modes", malformed);
  EthtoolLinkModes modes{.device = ReadDevice(attributes),
                         .autoneg = ReadAutoneg(attributes),
                         .speed_mbps = attributes.U32(ETHTOOL_A_LINKMODES_SPEED),
                         .duplex = attributes.U8(ETHTOOL_A_LINKMODES_DUPLEX),
                         .lanes = attributes.U32(ETHTOOL_A_LINKMODES_LANES)};
  RETURN_IF_ERROR(malformed);
  if (modes.speed_mbps == kUnknownSpeed) modes.speed_mbps.reset();
  if (modes.duplex == DUPLEX_UNKNOWN) modes.duplex.reset();
  return modes;
}

absl::StatusOr<EthtoolLinkState> DecodeEthtoolLinkState(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "link state"));
  absl::Status malformed;
  Attributes attributes(rest, "link state", malformed);
  EthtoolLinkState state{.device = ReadDevice(attributes),
                         .link = attributes.Bool(ETHTOOL_A_LINKSTATE_LINK),
                         .extended_state = attributes.U8(ETHTOOL_A_LINKSTATE_EXT_STATE),
                         .extended_substate = attributes.U8(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE),
                         .down_count = attributes.U32(kLinkStateDownCount)};
  RETURN_IF_ERROR(malformed);
  return state;
}

absl::StatusOr<EthtoolPause> DecodeEthtoolPause(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "pause"));
  absl::Status malformed;
  Attributes attributes(rest, "pause", malformed);
  EthtoolPause pause{.device = ReadDevice(attributes),
                     .autoneg = attributes.Bool(ETHTOOL_A_PAUSE_AUTONEG),
                     .rx = attributes.Bool(ETHTOOL_A_PAUSE_RX),
                     .tx = attributes.Bool(ETHTOOL_A_PAUSE_TX)};
  if (auto statistics = attributes.Nest(ETHTOOL_A_PAUSE_STATS, "pause statistics")) {
    pause.tx_frames = statistics->U64(ETHTOOL_A_PAUSE_STAT_TX_FRAMES);
    pause.rx_frames = statistics->U64(ETHTOOL_A_PAUSE_STAT_RX_FRAMES);
  }
  RETURN_IF_ERROR(malformed);
  return pause;
}

absl::StatusOr<EthtoolFec> DecodeEthtoolFec(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "fec"));
  absl::Status malformed;
  Attributes attributes(rest, "fec", malformed);
  EthtoolFec fec{.device = ReadDevice(attributes),
                 .configured = ReadBitset(attributes, ETHTOOL_A_FEC_MODES),
                 .automatic = attributes.Bool(ETHTOOL_A_FEC_AUTO),
                 .active = attributes.U32(ETHTOOL_A_FEC_ACTIVE)};
  if (auto statistics = attributes.Nest(ETHTOOL_A_FEC_STATS, "fec statistics")) {
    fec.corrected_blocks = ReadFecCount(*statistics, ETHTOOL_A_FEC_STAT_CORRECTED);
    fec.uncorrectable_blocks = ReadFecCount(*statistics, ETHTOOL_A_FEC_STAT_UNCORR);
    fec.corrected_bits = ReadFecCount(*statistics, ETHTOOL_A_FEC_STAT_CORR_BITS);
  }
  RETURN_IF_ERROR(malformed);
  return fec;
}

absl::StatusOr<EthtoolModuleMemory> DecodeEthtoolModule(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, GenericAttributes(message, "module"));
  absl::Status malformed;
  Attributes attributes(rest, "module", malformed);
  EthtoolModuleMemory memory{.device = ReadDevice(attributes)};
  const std::optional<ByteView> bytes = attributes.Raw(ETHTOOL_A_MODULE_EEPROM_DATA);
  if (!bytes || bytes->size() != kModuleHalf) {
    attributes.Refuse(fmt::format("{} bytes of memory", bytes ? bytes->size() : 0));
  }
  RETURN_IF_ERROR(malformed);
  memory.bytes.assign(bytes->begin(), bytes->end());
  return memory;
}

absl::StatusOr<EthtoolLinkModes> ReadEthtoolLinkModes(Transport& generic,
                                                      const GenericFamily& family,
                                                      const std::string& netdev) {
  return Read(generic, EthtoolLinkModesRequest(family, netdev), netdev, &DecodeEthtoolLinkModes);
}
absl::StatusOr<EthtoolLinkState> ReadEthtoolLinkState(Transport& generic,
                                                      const GenericFamily& family,
                                                      const std::string& netdev) {
  return Read(generic, EthtoolLinkStateRequest(family, netdev), netdev, &DecodeEthtoolLinkState);
}
absl::StatusOr<EthtoolPause> ReadEthtoolPause(Transport& generic, const GenericFamily& family,
                                              const std::string& netdev) {
  return Read(generic, EthtoolPauseRequest(family, netdev), netdev, &DecodeEthtoolPause);
}
absl::StatusOr<EthtoolFec> ReadEthtoolFec(Transport& generic, const GenericFamily& family,
                                          const std::string& netdev) {
  return Read(generic, EthtoolFecRequest(family, netdev), netdev, &DecodeEthtoolFec);
}

absl::StatusOr<std::vector<uint8_t>> ReadEthtoolModule(Transport& generic,
                                                       const GenericFamily& family,
                                                       const std::string& netdev) {
  std::vector<uint8_t> bytes;
  for (const uint32_t offset : {uint32_t{0}, kModuleHalf}) {
    ASSIGN_OR_RETURN(
        const EthtoolModuleMemory half,
        Read(generic, EthtoolModuleRequest(family, netdev, offset), netdev, &DecodeEthtoolModule));
    bytes.insert(bytes.end(), half.bytes.begin(), half.bytes.end());
  }
  return bytes;
}

}  // namespace roceready::netlink
