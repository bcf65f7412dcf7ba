// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/transceiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace roceready::facts {
namespace {

std::vector<uint8_t> Memory(uint8_t identifier) {
  std::vector<uint8_t> memory(256, 0);
  memory[0] = identifier;
  return memory;
}

void Put(std::string_view text, size_t offset, size_t size, std::vector<uint8_t>* memory) {
  for (size_t i = 0; i < size; ++i) {
    (*memory)[offset + i] = i < text.size() ? static_cast<uint8_t>(text[i]) : ' ';
  }
}

TEST(Transceiver, ReadsAQsfpWithoutItsPadding) {
  std::vector<uint8_t> memory = Memory(0x11);
  Put("Mellanox", 148, 16, &memory);
  Put("MCP1600-C002E30N", 168, 16, &memory);
  Put("A4", 184, 2, &memory);
  Put("MT2101VS00001", 196, 16, &memory);
  memory[130] = 0x23;
  memory[146] = 2;
  memory[6] = 0x80;
  const auto module = DecodeTransceiver(memory);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->type(), "QSFP28");
  EXPECT_EQ(module->vendor(), "Mellanox");
  EXPECT_EQ(module->part_number(), "MCP1600-C002E30N");
  EXPECT_EQ(module->revision(), "A4");
  EXPECT_EQ(module->serial_number(), "MT2101VS00001");
  EXPECT_EQ(module->cable_decimetres(), 20u);
  EXPECT_THAT(module->alarms(), testing::ElementsAre("temperature-high"));
}

TEST(Transceiver, ReadsACmisModule) {
  std::vector<uint8_t> memory = Memory(0x19);
  Put("NVIDIA", 129, 16, &memory);
  Put("SN1", 166, 16, &memory);
  memory[202] = 0x40 | 3;
  memory[9] = 0x22;
  const auto module = DecodeTransceiver(memory);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->type(), "OSFP");
  EXPECT_EQ(module->vendor(), "NVIDIA");
  EXPECT_EQ(module->cable_decimetres(), 30u);
  EXPECT_THAT(module->alarms(), testing::ElementsAre("temperature-low", "voltage-low"));
}

TEST(Transceiver, AnSfpHasItsTextsElsewhere) {
  std::vector<uint8_t> memory = Memory(0x03);
  Put("Intel", 20, 16, &memory);
  memory[2] = 0x21;
  memory[18] = 3;
  const auto module = DecodeTransceiver(memory);
  EXPECT_EQ(module->vendor(), "Intel");
  EXPECT_EQ(module->cable_decimetres(), 30u);
}

TEST(Transceiver, ReachOverFibreIsNoCable) {
  std::vector<uint8_t> with_mpo = Memory(0x11);
  with_mpo[130] = 0x0c;
  with_mpo[146] = 50;
  EXPECT_FALSE(DecodeTransceiver(with_mpo)->has_cable_decimetres());
  std::vector<uint8_t> with_lc = Memory(0x03);
  with_lc[2] = 0x07;
  with_lc[18] = 40;
  EXPECT_FALSE(DecodeTransceiver(with_lc)->has_cable_decimetres());
}

TEST(Transceiver, WhatTheModuleLeavesOutIsAbsent) {
  const auto module = DecodeTransceiver(Memory(0x11));
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE(module->has_vendor());
  EXPECT_FALSE(module->has_cable_decimetres());
  EXPECT_TRUE(module->alarms().empty());
}

TEST(Transceiver, AnUnknownKindIsShownAndNotRead) {
  const auto module = DecodeTransceiver(Memory(200));
  EXPECT_EQ(module->type(), "identifier-200");
  EXPECT_FALSE(module->has_vendor());
}

TEST(Transceiver, BytesOfAnotherSizeAreRefusedAndUnprintableOnesShown) {
  for (const size_t size : {0, 1, 128, 255, 257, 4096}) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeTransceiver(std::vector<uint8_t>(size)).status())) << size;
  }
  std::vector<uint8_t> memory = Memory(0x11);
  Put("a\x01z", 148, 16, &memory);
  EXPECT_EQ(DecodeTransceiver(memory)->vendor(), "a?z");
}

}  // namespace
}  // namespace roceready::facts
