// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/tlv.h"

namespace roceready::lldp {
namespace {

constexpr size_t kHeader = 2;
constexpr uint8_t kEnd = 0;

}  // namespace

absl::StatusOr<std::vector<Tlv>> SplitTlvs(ByteView bytes, size_t offset, EndMark end_mark) {
  std::vector<Tlv> tlvs;
  while (!bytes.empty()) {
    if (bytes.size() < kHeader) return DataLoss("byte {}: a TLV's header is cut", offset);
    const auto type = static_cast<uint8_t>(bytes[0] >> 1);
    const size_t size = static_cast<size_t>(bytes[0] & 1) << 8 | bytes[1];
    if (type == kEnd && end_mark == EndMark::kEnds) {
      if (size == 0) return tlvs;
      return DataLoss("byte {}: the end mark says {} bytes, it has none", offset, size);
    }
    if (bytes.size() - kHeader < size) {
      return DataLoss("byte {}: a TLV of type {} says {} bytes, {} are left", offset, type, size,
                      bytes.size() - kHeader);
    }
    tlvs.push_back({type, bytes.subspan(kHeader, size), offset});
    bytes = bytes.subspan(kHeader + size);
    offset += kHeader + size;
  }
  return tlvs;
}

ValueReader::ValueReader(const Tlv& tlv, std::string_view what, size_t skipped)
    : what_(what), size_(tlv.value.size()), offset_(tlv.value_offset()), rest_(tlv.value) {
  Take(skipped);
}

ByteView ValueReader::Take(size_t size) {
  if (rest_.size() < size) {
    if (missing_.ok()) {
      missing_ = DataLoss("byte {}: {} of {} bytes ends {} bytes too early", offset_, what_, size_,
                          size - rest_.size());
    }
    rest_ = {};
    return {};
  }
  const ByteView taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  offset_ += size;
  return taken;
}

uint8_t ValueReader::U8() {
  const ByteView bytes = Take(1);
  return bytes.empty() ? uint8_t{0} : bytes[0];
}

uint16_t ValueReader::U16() {
  const ByteView bytes = Take(2);
  return bytes.empty() ? uint16_t{0} : static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

uint32_t ValueReader::U32() {
  const uint32_t high = U16();
  return high << 16 | U16();
}

absl::Status ValueReader::Finish() const {
  if (!missing_.ok()) return missing_;
  if (rest_.empty()) return absl::OkStatus();
  return DataLoss("byte {}: {} of {} bytes has {} too many", offset_, what_, size_, rest_.size());
}

}  // namespace roceready::lldp
