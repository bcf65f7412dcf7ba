// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/organisations.h"

#include <algorithm>
#include <utility>

#include "agent/lldp/text.h"

namespace roceready::lldp {
namespace {

constexpr uint32_t kIeee8021 = 0x0080c2;
constexpr uint32_t kIeee8023 = 0x00120f;
constexpr uint32_t kIntel = 0x001b21;

// IEEE 802.1Q-2018, D.2: a class count of 0 means 8.
uint8_t ClassCount(uint8_t sent) { return sent == 0 ? uint8_t{kPriorities} : sent; }

// One nibble a priority, priority 0 in the top one; then bandwidth and algorithm of each class.
void ReadClasses(ValueReader* reader, Ets* ets) {
  const uint32_t nibbles = reader->U32();
  for (size_t i = 0; i < kPriorities; ++i) {
    ets->priority_to_class[i] = static_cast<uint8_t>(nibbles >> (28 - 4 * i) & 0xf);
  }
  for (uint8_t& percent : ets->bandwidth_percent) percent = reader->U8();
  for (uint8_t& algorithm : ets->selection_algorithm) algorithm = reader->U8();
}

Sent<Ets> DecodeEts(const Tlv& tlv) {
  ValueReader reader(tlv, "ETS configuration", kOrganisationHeader);
  Ets ets;
  const uint8_t flags = reader.U8();
  ets.willing = (flags & 0x80) != 0;
  ets.credit_based_shaper = (flags & 0x40) != 0;
  ets.capable_classes = ClassCount(flags & 0x07);
  ReadClasses(&reader, &ets);
  RETURN_IF_ERROR(reader.Finish());
  return ets;
}

Sent<Ets> DecodeEtsRecommendation(const Tlv& tlv) {
  ValueReader reader(tlv, "ETS recommendation", kOrganisationHeader);
  Ets ets;
  reader.U8();  // reserved
  ReadClasses(&reader, &ets);
  RETURN_IF_ERROR(reader.Finish());
  return ets;
}

Sent<Pfc> DecodePfc(const Tlv& tlv) {
  ValueReader reader(tlv, "PFC configuration", kOrganisationHeader);
  Pfc pfc;
  const uint8_t flags = reader.U8();
  pfc.willing = (flags & 0x80) != 0;
  pfc.macsec_bypass = (flags & 0x40) != 0;
  pfc.capable_classes = ClassCount(flags & 0x0f);
  pfc.enabled_priorities = reader.U8();
  RETURN_IF_ERROR(reader.Finish());
  return pfc;
}

Sent<std::vector<AppEntry>> DecodeApp(const Tlv& tlv) {
  ValueReader reader(tlv, "APP priority table", kOrganisationHeader);
  std::vector<AppEntry> entries;
  reader.U8();  // reserved
  while (reader.left() > 0) {
    const uint8_t bits = reader.U8();
    entries.push_back({.selector = static_cast<uint8_t>(bits & 0x07),
                       .priority = static_cast<uint8_t>(bits >> 5),
                       .protocol = reader.U16()});
  }
  RETURN_IF_ERROR(reader.Finish());
  return entries;
}

absl::StatusOr<Vlan> DecodeVlanName(const Tlv& tlv) {
  ValueReader reader(tlv, "VLAN name", kOrganisationHeader);
  Vlan vlan;
  vlan.id = reader.U16() & 0x0fff;
  vlan.name = TextOf(reader.Take(reader.U8()));
  RETURN_IF_ERROR(reader.Finish());
  return vlan;
}

absl::StatusOr<Aggregation> DecodeAggregation(const Tlv& tlv) {
  ValueReader reader(tlv, "link aggregation", kOrganisationHeader);
  const uint8_t status = reader.U8();
  const Aggregation aggregation{
      .capable = (status & 0x01) != 0, .enabled = (status & 0x02) != 0, .port = reader.U32()};
  RETURN_IF_ERROR(reader.Finish());
  return aggregation;
}

absl::StatusOr<uint16_t> DecodeNumber(const Tlv& tlv, std::string_view what) {
  ValueReader reader(tlv, what, kOrganisationHeader);
  const uint16_t number = reader.U16();
  RETURN_IF_ERROR(reader.Finish());
  return number;
}

// A value without a reading of its own: the first good one counts, what is wrong is noted.
template <typename Value>
void KeepPlain(absl::StatusOr<Value> value, std::string_view what, size_t offset, Lldpdu* said,
               std::optional<Value>* place) {
  if (!value.ok()) return NoteRefused(value.status(), said);
  if (place->has_value()) {
    return NoteRefused(DataLoss("byte {}: {} given a second time", offset, what), said);
  }
  *place = *std::move(value);
}

template <typename Value>
void KeepDcbx(Sent<Value> value, std::string_view what, size_t offset, Lldpdu* said,
              Sent<Value>* place) {
  Keep(std::move(value), what, offset, place);
  NoteRefused(place->status(), said);
}

void TakeIeee8021(uint8_t subtype, const Tlv& tlv, Lldpdu* said) {
  switch (subtype) {
    case 1:
      return KeepPlain(DecodeNumber(tlv, "port VLAN id"), "port VLAN id", tlv.offset, said,
                       &said->port_vlan_id);
    case 3: {
      absl::StatusOr<Vlan> vlan = DecodeVlanName(tlv);
      if (!vlan.ok()) return NoteRefused(vlan.status(), said);
      return said->vlans.push_back(*std::move(vlan));
    }
    case 7:
      return KeepPlain(DecodeAggregation(tlv), "link aggregation", tlv.offset, said,
                       &said->aggregation);
    case 9:
      return KeepDcbx(DecodeEts(tlv), "ETS configuration", tlv.offset, said, &said->ets);
    case 10:
      return KeepDcbx(DecodeEtsRecommendation(tlv), "ETS recommendation", tlv.offset, said,
                      &said->ets_recommendation);
    case 11:
      return KeepDcbx(DecodePfc(tlv), "PFC configuration", tlv.offset, said, &said->pfc);
    case 12:
      return KeepDcbx(DecodeApp(tlv), "APP priority table", tlv.offset, said, &said->app);
    default:
      return;
  }
}

void TakeIeee8023(uint8_t subtype, const Tlv& tlv, Lldpdu* said) {
  // Link aggregation moved from 802.3 to 802.1; switches send it here or there, or in both places.
  if (subtype == 3 && !said->aggregation.has_value()) {
    return KeepPlain(DecodeAggregation(tlv), "link aggregation", tlv.offset, said,
                     &said->aggregation);
  }
  if (subtype == 4) {
    return KeepPlain(DecodeNumber(tlv, "maximum frame size"), "maximum frame size", tlv.offset,
                     said, &said->max_frame_bytes);
  }
}

void NoteRefusedFeatures(const Cee& cee, Lldpdu* said) {
  for (const absl::Status& status : {cee.groups.status(), cee.pfc.status(), cee.app.status()}) {
    NoteRefused(status, said);
  }
}

void TakeIntel(uint8_t subtype, const Tlv& tlv, Lldpdu* said) {
  if (subtype == 1) said->sends_cin = true;
  if (subtype != 2) return;
  absl::StatusOr<Cee> cee = DecodeCee(tlv);
  if (cee.ok() && said->cee.has_value()) {
    cee = DataLoss("byte {}: CEE DCBX given a second time", tlv.offset);
  }
  if (!cee.ok()) cee = Cee{cee.status(), cee.status(), cee.status()};
  said->cee = *std::move(cee);
  NoteRefusedFeatures(*said->cee, said);
}

}  // namespace

void NoteRefused(const absl::Status& status, Lldpdu* said) {
  if (status.ok() || absl::IsNotFound(status) || said->refused.size() >= kMostRefused) return;
  const std::string text(Message(status));
  if (std::ranges::find(said->refused, text) == said->refused.end()) said->refused.push_back(text);
}

void TakeOrganisationTlv(const Tlv& tlv, Lldpdu* said) {
  if (tlv.value.size() < kOrganisationHeader) {
    return NoteRefused(DataLoss("byte {}: an organisation's TLV of {} bytes, OUI and subtype are 4",
                                tlv.offset, tlv.value.size()),
                       said);
  }
  const uint32_t oui = static_cast<uint32_t>(tlv.value[0]) << 16 |
                       static_cast<uint32_t>(tlv.value[1]) << 8 | tlv.value[2];
  const uint8_t subtype = tlv.value[3];
  if (oui == kIeee8021) TakeIeee8021(subtype, tlv, said);
  if (oui == kIeee8023) TakeIeee8023(subtype, tlv, said);
  if (oui == kIntel) TakeIntel(subtype, tlv, said);
}

}  // namespace roceready::lldp
