// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/pci_config.h"

#include <cerrno>

namespace roceready::facts {
namespace {

constexpr size_t kForEveryone = 64;
constexpr size_t kConventional = 256;
constexpr size_t kStatus = 0x06;
constexpr uint16_t kStatusHasCapabilities = 0x10;
constexpr size_t kCapabilityPointer = 0x34;
constexpr uint8_t kExpress = 0x10;
constexpr size_t kExpressDeviceControl = 0x08;
constexpr uint16_t kAccessControl = 0x0d;
constexpr size_t kAccessControlControl = 0x06;

// Little-endian numbers at an offset that was checked to lie inside.
class Space {
 public:
  explicit Space(std::string_view bytes) : bytes_(bytes) {}
  bool Holds(size_t offset, size_t size) const { return offset + size <= bytes_.size(); }
  uint8_t Byte(size_t offset) const { return static_cast<uint8_t>(bytes_[offset]); }
  uint16_t Word(size_t offset) const {
    return static_cast<uint16_t>(Byte(offset) | Byte(offset + 1) << 8);
  }
  uint32_t Double(size_t offset) const {
    return static_cast<uint32_t>(Word(offset)) | static_cast<uint32_t>(Word(offset + 2)) << 16;
  }

 private:
  std::string_view bytes_;
};

// 128 << field; the three largest values of the field are reserved.
std::optional<uint32_t> SizeOfField(uint16_t control, unsigned shift) {
  const unsigned field = control >> shift & 7u;
  if (field > 5) return std::nullopt;
  return 128u << field;
}

// Offset of the capability, 0 where the function has none of this kind.
absl::StatusOr<size_t> FindCapability(const Space& space, uint8_t wanted) {
  if ((space.Word(kStatus) & kStatusHasCapabilities) == 0) return 0;
  size_t offset = space.Byte(kCapabilityPointer) & ~size_t{3};
  for (size_t steps = 0; offset != 0; ++steps) {
    if (offset < kForEveryone || !space.Holds(offset, 4) || steps > kConventional / 4) {
      return DataLoss("PCI capabilities: the list leads to offset {} in step {}", offset, steps);
    }
    if (space.Byte(offset) == wanted) return offset;
    offset = space.Byte(offset + 1) & ~size_t{3};
  }
  return 0;
}

absl::StatusOr<size_t> FindExtendedCapability(const Space& space, uint16_t wanted) {
  size_t offset = kConventional;
  for (size_t steps = 0; offset != 0; ++steps) {
    if (offset < kConventional || !space.Holds(offset, 4) || steps > 4096 / 8) {
      return DataLoss("extended PCI capabilities: the list leads to offset {} in step {}", offset,
                      steps);
    }
    const uint32_t header = space.Double(offset);
    if (header == 0 || header == 0xffffffffu) return 0;
    if ((header & 0xffffu) == wanted) return offset;
    offset = header >> 20 & ~size_t{3};
  }
  return 0;
}

}  // namespace

absl::StatusOr<PciConfig> DecodePciConfig(std::string_view bytes) {
  if (bytes.find_first_not_of('\xff') == std::string_view::npos && !bytes.empty()) {
    return ErrnoError(ENODEV, "PCI configuration space: the function answers nothing but ones");
  }
  if (bytes.size() == kForEveryone) {
    return ErrnoError(EACCES, "PCI configuration space beyond its first 64 bytes");
  }
  if (bytes.size() < kConventional) {
    return DataLoss("PCI configuration space of {} bytes", bytes.size());
  }
  const Space space(bytes);
  PciConfig config;
  ASSIGN_OR_RETURN(const size_t express, FindCapability(space, kExpress));
  if (express == 0) return config;
  if (!space.Holds(express + kExpressDeviceControl, 2)) {
    return DataLoss("PCI Express capability at {} is cut", express);
  }
  const uint16_t control = space.Word(express + kExpressDeviceControl);
  config.max_payload_bytes = SizeOfField(control, 5);
  config.max_read_request_bytes = SizeOfField(control, 12);
  config.relaxed_ordering = (control & 0x10u) != 0;
  config.extended_space = bytes.size() > kConventional;
  if (!config.extended_space) return config;
  ASSIGN_OR_RETURN(const size_t access_control, FindExtendedCapability(space, kAccessControl));
  if (access_control == 0) return config;
  if (!space.Holds(access_control + kAccessControlControl, 2)) {
    return DataLoss("ACS capability at {} is cut", access_control);
  }
  config.acs_control = space.Word(access_control + kAccessControlControl);
  return config;
}

}  // namespace roceready::facts
