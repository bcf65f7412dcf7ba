// SPDX-License-Identifier: Apache-2.0
// The envelope of LLDP (IEEE 802.1AB-2016, 8.4): a type of 7 bits and a length of 9, then the
// value. CEE DCBX nests the same envelope inside one of its TLVs. Errors say at which byte of the
// LLDPDU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::lldp {

using ByteView = std::span<const uint8_t>;

struct Tlv {
  uint8_t type = 0;
  ByteView value;
  // Of its header, from the start of the LLDPDU.
  size_t offset = 0;

  size_t value_offset() const { return offset + 2; }
};

// Whether a TLV of type 0 ends the list: what follows it fills an Ethernet frame up to its smallest
// size. Nested lists have no such mark.
enum class EndMark { kEnds, kMeansNothing };

// Takes `bytes`, which start at `offset` of the LLDPDU, apart. kDataLoss when a header is cut, a
// value is longer than what is left, or an end mark has a value.
absl::StatusOr<std::vector<Tlv>> SplitTlvs(ByteView bytes, size_t offset, EndMark end_mark);

// Reads a value from its start to its end, numbers big-endian. The first thing that is missing is
// kept: fields are read in a row, and Finish says whether they were all there and nothing else.
class ValueReader {
 public:
  // `what` names the TLV: "PFC TLV".
  ValueReader(const Tlv& tlv, std::string_view what) : ValueReader(tlv, what, 0) {}
  // Past its first `skipped` bytes (of an organisation's TLV: OUI and subtype), which must be
  // there.
  ValueReader(const Tlv& tlv, std::string_view what, size_t skipped);

  uint8_t U8();
  uint16_t U16();
  uint32_t U32();
  // Empty when there are fewer.
  ByteView Take(size_t size);
  size_t left() const { return rest_.size(); }

  // kDataLoss when something was missing, or is left.
  absl::Status Finish() const;

 private:
  const std::string what_;
  const size_t size_;
  size_t offset_;
  ByteView rest_;
  absl::Status missing_;
};

}  // namespace roceready::lldp
