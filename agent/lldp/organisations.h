// SPDX-License-Identifier: Apache-2.0
// TLVs that organisations define (type 127: OUI, subtype, value): IEEE 802.1 (VLANs, DCBX), IEEE
// 802.3 (frame size, aggregation), CEE DCBX. Others are passed over.
#pragma once

#include "agent/lldp/lldpdu.h"
#include "agent/lldp/tlv.h"

namespace roceready::lldp {

// Puts what the TLV says into `said`, or why it is not used into its `refused`.
void TakeOrganisationTlv(const Tlv& tlv, Lldpdu* said);

// CEE DCBX 1.01 (Intel's OUI, subtype 2), with its nested TLVs. kDataLoss when the nesting itself
// is wrong; what is wrong inside one feature is that feature's status.
absl::StatusOr<Cee> DecodeCee(const Tlv& tlv);

// An organisation's TLV starts with these.
inline constexpr size_t kOrganisationHeader = 4;

// Keeps a value where none was sent before; a second one makes both unusable.
template <typename Value>
void Keep(Sent<Value> value, std::string_view what, size_t offset, Sent<Value>* place) {
  const bool first = absl::IsNotFound(place->status());
  *place = first ? std::move(value)
                 : Sent<Value>(DataLoss("byte {}: {} given a second time", offset, what));
}

void NoteRefused(const absl::Status& status, Lldpdu* said);

}  // namespace roceready::lldp
