// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/decode.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/lldp/organisations.h"
#include "agent/lldp/text.h"

namespace roceready::lldp {
namespace {

// IEEE 802.1AB-2016, table 8-1.
enum TlvType : uint8_t {
  kChassisId = 1,
  kPortId = 2,
  kTimeToLive = 3,
  kPortDescription = 4,
  kSystemName = 5,
  kSystemDescription = 6,
  kSystemCapabilities = 7,
  kManagementAddress = 8,
  kOrganisation = 127,
};

constexpr std::array kMandatory = {kChassisId, kPortId, kTimeToLive};
constexpr size_t kEthernetHeader = 14;
constexpr size_t kLargestId = 255;

std::string_view NameOf(uint8_t type) {
  switch (type) {
    case kChassisId:
      return "chassis id";
    case kPortId:
      return "port id";
    case kTimeToLive:
      return "time to live";
    case kPortDescription:
      return "port description";
    case kSystemName:
      return "system name";
    case kSystemDescription:
      return "system description";
    case kSystemCapabilities:
      return "system capabilities";
    default:
      return "management address";
  }
}

// Which subtypes of an identifier are a MAC or an address with its family (tables 8-2 and 8-3).
struct IdKinds {
  uint8_t mac;
  uint8_t address;
};
constexpr IdKinds kChassisKinds = {.mac = 4, .address = 5};
constexpr IdKinds kPortKinds = {.mac = 3, .address = 4};

absl::StatusOr<Identifier> DecodeIdentifier(const Tlv& tlv, IdKinds kinds) {
  const std::string_view what = NameOf(tlv.type);
  if (tlv.value.size() < 2 || tlv.value.size() > kLargestId + 1) {
    return DataLoss("byte {}: {} of {} bytes, 2 to {} are possible", tlv.offset, what,
                    tlv.value.size(), kLargestId + 1);
  }
  const uint8_t subtype = tlv.value[0];
  const ByteView id = tlv.value.subspan(1);
  std::optional<std::string> text = TextOf(id);
  if (subtype == kinds.mac) text = MacText(id);
  if (subtype == kinds.address) text = AddressText(id[0], id.subspan(1));
  if (!text.has_value()) {
    return DataLoss("byte {}: {} of subtype {} with an address of {} bytes", tlv.value_offset(),
                    what, subtype, id.size());
  }
  return Identifier{subtype, *std::move(text)};
}

absl::StatusOr<uint16_t> DecodeTimeToLive(const Tlv& tlv) {
  ValueReader reader(tlv, "time to live");
  const uint16_t seconds = reader.U16();
  RETURN_IF_ERROR(reader.Finish());
  return seconds;
}

absl::StatusOr<uint16_t> DecodeCapabilities(const Tlv& tlv) {
  ValueReader reader(tlv, "system capabilities");
  reader.U16();  // what it could be
  const uint16_t enabled = reader.U16();
  RETURN_IF_ERROR(reader.Finish());
  return enabled;
}

absl::StatusOr<std::string> DecodeManagementAddress(const Tlv& tlv) {
  ValueReader reader(tlv, "management address");
  const ByteView address = reader.Take(reader.U8());
  reader.U8();   // how interfaces are numbered
  reader.U32();  // the interface
  reader.Take(reader.U8());
  RETURN_IF_ERROR(reader.Finish());
  std::optional<std::string> text;
  if (address.size() >= 2) text = AddressText(address[0], address.subspan(1));
  if (!text) {
    return DataLoss("byte {}: management address of {} bytes does not fit its family",
                    tlv.value_offset() + 1, address.size());
  }
  return *std::move(text);
}

// A value that may come once; kept the first time.
template <typename Value>
void KeepOnce(const Tlv& tlv, absl::StatusOr<Value> value, std::optional<Value>* place,
              Lldpdu* said) {
  if (value.ok() && place->has_value()) {
    value = DataLoss("byte {}: {} given a second time", tlv.offset, NameOf(tlv.type));
  }
  if (!value.ok()) return NoteRefused(value.status(), said);
  *place = *std::move(value);
}

void KeepText(const Tlv& tlv, std::optional<std::string>* place, Lldpdu* said) {
  absl::StatusOr<std::string> text = TextOf(tlv.value);
  if (tlv.value.size() > kLargestId) {
    text = DataLoss("byte {}: {} of {} bytes, at most {} are possible", tlv.offset,
                    NameOf(tlv.type), tlv.value.size(), kLargestId);
  }
  KeepOnce(tlv, std::move(text), place, said);
}

void TakeOptional(const Tlv& tlv, Lldpdu* said) {
  switch (tlv.type) {
    case kPortDescription:
      return KeepText(tlv, &said->port_description, said);
    case kSystemName:
      return KeepText(tlv, &said->system_name, said);
    case kSystemDescription:
      return KeepText(tlv, &said->system_description, said);
    case kSystemCapabilities:
      return KeepOnce(tlv, DecodeCapabilities(tlv), &said->enabled_capabilities, said);
    case kManagementAddress: {
      absl::StatusOr<std::string> address = DecodeManagementAddress(tlv);
      if (!address.ok()) return NoteRefused(address.status(), said);
      return said->management_addresses.push_back(*std::move(address));
    }
    case kOrganisation:
      return TakeOrganisationTlv(tlv, said);
    default:
      return;  // reserved
  }
}

absl::Status CheckMandatory(const std::vector<Tlv>& tlvs) {
  for (size_t i = 0; i < kMandatory.size(); ++i) {
    if (i >= tlvs.size()) return DataLoss("the LLDPDU ends before its {}", NameOf(kMandatory[i]));
    if (tlvs[i].type == kMandatory[i]) continue;
    return DataLoss("byte {}: TLV of type {} in place of the {}", tlvs[i].offset, tlvs[i].type,
                    NameOf(kMandatory[i]));
  }
  for (size_t i = kMandatory.size(); i < tlvs.size(); ++i) {
    if (std::ranges::find(kMandatory, tlvs[i].type) == kMandatory.end()) continue;
    return DataLoss("byte {}: {} given a second time", tlvs[i].offset, NameOf(tlvs[i].type));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Lldpdu> DecodeLldpdu(ByteView bytes) {
  ASSIGN_OR_RETURN(const std::vector<Tlv> tlvs, SplitTlvs(bytes, 0, EndMark::kEnds));
  RETURN_IF_ERROR(CheckMandatory(tlvs));
  Lldpdu said;
  ASSIGN_OR_RETURN(said.chassis, DecodeIdentifier(tlvs[0], kChassisKinds));
  ASSIGN_OR_RETURN(said.port, DecodeIdentifier(tlvs[1], kPortKinds));
  ASSIGN_OR_RETURN(said.ttl_seconds, DecodeTimeToLive(tlvs[2]));
  // A neighbour that leaves has nothing else to say (9.2.7.7.1).
  if (said.ttl_seconds == 0) return said;
  for (size_t i = kMandatory.size(); i < tlvs.size(); ++i) TakeOptional(tlvs[i], &said);
  return said;
}

absl::StatusOr<Frame> DecodeFrame(ByteView frame) {
  if (frame.size() < kEthernetHeader) {
    return DataLoss("a frame of {} bytes is cut in its header", frame.size());
  }
  const auto type = static_cast<uint16_t>(frame[12] << 8 | frame[13]);
  if (type != kEtherType) return InvalidArgument("EtherType {:#06x} is not LLDP", type);
  Frame result;
  result.destination = MacText(frame.first(6)).value_or("");
  result.source = MacText(frame.subspan(6, 6)).value_or("");
  ASSIGN_OR_RETURN(result.said, DecodeLldpdu(frame.subspan(kEthernetHeader)));
  return result;
}

}  // namespace roceready::lldp
