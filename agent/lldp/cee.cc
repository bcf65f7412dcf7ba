// SPDX-License-Identifier: Apache-2.0
// DCB Capability Exchange Protocol base specification 1.01 ("CEE"), section 3.
#include <utility>

#include "agent/lldp/organisations.h"

namespace roceready::lldp {
namespace {

constexpr uint8_t kControl = 1;
constexpr uint8_t kPriorityGroups = 2;
constexpr uint8_t kPfc = 3;
constexpr uint8_t kApplication = 4;

// What each feature starts with: two versions, flags, a subtype that has only the value 0.
CeeState ReadState(ValueReader* reader) {
  reader->U16();
  const uint8_t flags = reader->U8();
  reader->U8();
  return {
      .enabled = (flags & 0x80) != 0, .willing = (flags & 0x40) != 0, .error = (flags & 0x20) != 0};
}

Sent<CeePriorityGroups> DecodeGroups(const Tlv& tlv) {
  ValueReader reader(tlv, "CEE priority groups");
  CeePriorityGroups groups;
  groups.state = ReadState(&reader);
  const uint32_t nibbles = reader.U32();
  for (size_t i = 0; i < kPriorities; ++i) {
    groups.priority_to_group[i] = static_cast<uint8_t>(nibbles >> (28 - 4 * i) & 0xf);
  }
  for (uint8_t& percent : groups.bandwidth_percent) percent = reader.U8();
  groups.capable_classes = reader.U8();
  RETURN_IF_ERROR(reader.Finish());
  return groups;
}

Sent<CeePfc> DecodeCeePfc(const Tlv& tlv) {
  ValueReader reader(tlv, "CEE PFC");
  CeePfc pfc;
  pfc.state = ReadState(&reader);
  pfc.enabled_priorities = reader.U8();
  pfc.capable_classes = reader.U8();
  RETURN_IF_ERROR(reader.Finish());
  return pfc;
}

// An entry: protocol, six bits of an OUI and two of the selector, the rest of the OUI, a bit for
// each priority. IEEE's words for the two selectors there are: 1 EtherType, 4 a port of any
// protocol.
Sent<CeeApp> DecodeCeeApp(const Tlv& tlv) {
  ValueReader reader(tlv, "CEE application");
  CeeApp app;
  app.state = ReadState(&reader);
  while (reader.left() > 0) {
    const size_t begins = tlv.value_offset() + tlv.value.size() - reader.left();
    const uint16_t protocol = reader.U16();
    const uint8_t selector = reader.U8() & 0x03;
    reader.U16();
    const uint8_t priorities = reader.U8();
    if (selector > 1) {
      return DataLoss("byte {}: CEE application entry with selector {}", begins + 2, selector);
    }
    for (uint8_t priority = 0; priority < kPriorities; ++priority) {
      if ((priorities >> priority & 1) == 0) continue;
      app.entries.push_back({.selector = selector == 0 ? uint8_t{1} : uint8_t{4},
                             .priority = priority,
                             .protocol = protocol});
    }
  }
  RETURN_IF_ERROR(reader.Finish());
  return app;
}

absl::Status CheckControl(const Tlv& tlv) {
  ValueReader reader(tlv, "CEE control");
  reader.U16();
  reader.U32();
  reader.U32();
  return reader.Finish();
}

}  // namespace

absl::StatusOr<Cee> DecodeCee(const Tlv& tlv) {
  ASSIGN_OR_RETURN(const std::vector<Tlv> features,
                   SplitTlvs(tlv.value.subspan(kOrganisationHeader),
                             tlv.value_offset() + kOrganisationHeader, EndMark::kMeansNothing));
  Cee cee;
  for (const Tlv& feature : features) {
    switch (feature.type) {
      case kControl:
        RETURN_IF_ERROR(CheckControl(feature));
        break;
      case kPriorityGroups:
        Keep(DecodeGroups(feature), "CEE priority groups", feature.offset, &cee.groups);
        break;
      case kPfc:
        Keep(DecodeCeePfc(feature), "CEE PFC", feature.offset, &cee.pfc);
        break;
      case kApplication:
        Keep(DecodeCeeApp(feature), "CEE application", feature.offset, &cee.app);
        break;
      default:
        break;
    }
  }
  return cee;
}

}  // namespace roceready::lldp
