// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/transceiver.h"

#include <algorithm>

#include "agent/facts/readings.h"

namespace roceready::facts {
namespace {

constexpr size_t kMemory = 256;

// SFF-8024 table 4-1, and which memory map each kind has.
enum class Map { kSff8472, kSff8636, kCmis };
struct Kind {
  uint8_t identifier;
  std::string_view word;
  Map map;
};
constexpr Kind kKinds[] = {
    {0x03, "SFP", Map::kSff8472},      {0x0c, "QSFP", Map::kSff8636},
    {0x0d, "QSFP+", Map::kSff8636},    {0x11, "QSFP28", Map::kSff8636},
    {0x18, "QSFP-DD", Map::kCmis},     {0x19, "OSFP", Map::kCmis},
    {0x1b, "DSFP", Map::kCmis},        {0x1e, "QSFP-CMIS", Map::kCmis},
    {0x1f, "SFP-DD-CMIS", Map::kCmis},
};

// Where the texts of a map are.
struct Texts {
  size_t vendor, part_number, revision, revision_size, serial_number;
};
constexpr Texts kSff8472Texts = {20, 40, 56, 4, 68};
constexpr Texts kSff8636Texts = {148, 168, 184, 2, 196};
constexpr Texts kCmisTexts = {129, 148, 164, 2, 166};
constexpr size_t kTextSize = 16;

// Fields are filled up with blanks, some with zeros; anything unprintable becomes '?'.
std::string Text(std::span<const uint8_t> memory, size_t offset, size_t size) {
  std::string text(memory.begin() + static_cast<ptrdiff_t>(offset),
                   memory.begin() + static_cast<ptrdiff_t>(offset + size));
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  std::ranges::replace_if(text, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

void FillTexts(std::span<const uint8_t> memory, const Texts& at, v1::Transceiver* module) {
  const std::string vendor = Text(memory, at.vendor, kTextSize);
  const std::string part = Text(memory, at.part_number, kTextSize);
  const std::string revision = Text(memory, at.revision, at.revision_size);
  const std::string serial = Text(memory, at.serial_number, kTextSize);
  if (!vendor.empty()) module->set_vendor(vendor);
  if (!part.empty()) module->set_part_number(part);
  if (!revision.empty()) module->set_revision(revision);
  if (!serial.empty()) module->set_serial_number(serial);
}

struct Alarm {
  size_t byte;
  unsigned bit;
  std::string_view word;
};
constexpr Alarm kSff8636Alarms[] = {{6, 7, "temperature-high"},
                                    {6, 6, "temperature-low"},
                                    {7, 7, "voltage-high"},
                                    {7, 6, "voltage-low"}};
constexpr Alarm kCmisAlarms[] = {{9, 0, "temperature-high"},
                                 {9, 1, "temperature-low"},
                                 {9, 4, "voltage-high"},
                                 {9, 5, "voltage-low"}};

void FillAlarms(std::span<const uint8_t> memory, std::span<const Alarm> alarms,
                v1::Transceiver* module) {
  for (const Alarm& alarm : alarms) {
    if ((memory[alarm.byte] >> alarm.bit & 1u) != 0) module->add_alarms(std::string(alarm.word));
  }
}

// SFF-8024 table 4-3: copper pigtail, no separable connector. Of a module with another connector
// the same byte says how far it reaches over fibre, in a larger unit.
bool IsCable(uint8_t connector) { return connector == 0x21 || connector == 0x23; }

// CMIS: two bits of multiplier (0.1, 1, 10, 100 m) above six bits of length.
uint32_t CmisDecimetres(uint8_t length) {
  constexpr uint32_t kMultipliers[] = {1, 10, 100, 1000};
  return kMultipliers[length >> 6] * (length & 0x3fu);
}

}  // namespace

absl::StatusOr<v1::Transceiver> DecodeTransceiver(std::span<const uint8_t> memory) {
  if (memory.size() != kMemory) return DataLoss("module memory of {} bytes", memory.size());
  v1::Transceiver module;
  const auto kind = std::ranges::find(kKinds, memory[0], &Kind::identifier);
  if (kind == std::end(kKinds)) {
    module.set_type(fmt::format("identifier-{}", memory[0]));
    return module;
  }
  module.set_type(std::string(kind->word));
  uint32_t decimetres = 0;
  switch (kind->map) {
    case Map::kSff8472:
      FillTexts(memory, kSff8472Texts, &module);
      if (IsCable(memory[2])) decimetres = 10u * memory[18];
      break;
    case Map::kSff8636:
      FillTexts(memory, kSff8636Texts, &module);
      FillAlarms(memory, kSff8636Alarms, &module);
      if (IsCable(memory[130])) decimetres = 10u * memory[146];
      break;
    case Map::kCmis:
      FillTexts(memory, kCmisTexts, &module);
      FillAlarms(memory, kCmisAlarms, &module);
      decimetres = CmisDecimetres(memory[202]);
      break;
  }
  if (decimetres > 0) module.set_cable_decimetres(decimetres);
  return module;
}

v1::Transceiver ReadTransceiver(netlink::Transport& generic, const netlink::GenericFamily& family,
                                const std::string& name) {
  const auto memory = netlink::ReadEthtoolModule(generic, family, name);
  absl::StatusOr<v1::Transceiver> module =
      memory.ok() ? DecodeTransceiver(*memory) : memory.status();
  if (!module.ok()) module = v1::Transceiver();
  *module->mutable_reading() =
      ReadingOf(memory.status(), v1::SOURCE_ETHTOOL_NETLINK, kReadTransceiver);
  return *std::move(module);
}

}  // namespace roceready::facts
