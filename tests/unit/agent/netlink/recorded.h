// SPDX-License-Identifier: Apache-2.0
// What the tests of the decoders share: the recorded guests, and the rule that cut messages are
// refused.
#pragma once

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cstring>
#include <string>

#include "tests/support/fake_netlink.h"
#include "tests/support/source_path.h"

namespace roceready::netlink {

// tests/hosts/HOST/NAME.txt
inline FakeTransport Recorded(const std::string& host, const std::string& name) {
  auto fake = FakeTransport::FromFile(SourcePath("tests/hosts/") + host + "/" + name + ".txt");
  EXPECT_TRUE(fake.ok()) << fake.status();
  return *std::move(fake);
}
inline FakeTransport Guest(const std::string& name) { return Recorded("guest-6.1", name); }
// With virtual functions and an embedded switch.
inline FakeTransport SriovGuest(const std::string& name) { return Recorded("sriov-6.1", name); }

// The answer recorded for a request.
inline std::vector<Message> Answered(FakeTransport& fake, const Request& request) {
  auto messages = fake.Exchange(request);
  EXPECT_TRUE(messages.ok()) << messages.status();
  return messages.ok() ? *std::move(messages) : std::vector<Message>(1);
}

inline Message MessageOf(uint16_t type, std::string_view hex) {
  return {.type = type, .payload = *BytesOfHex(hex)};
}

// Decodes every beginning of the payload: a cut inside the header or inside an attribute must be
// refused as kDataLoss (a cut between attributes is a shorter, well-formed message).
template <typename Answer>
void ExpectCutsAreRefused(const Message& message, size_t header_bytes,
                          absl::StatusOr<Answer> (*decode)(const Message&)) {
  size_t end = header_bytes;
  for (size_t size = 0; size < message.payload.size(); ++size) {
    const size_t padded_end = NLA_ALIGN(end);
    const bool between = size >= header_bytes && size >= end && size <= padded_end;
    Message cut = message;
    cut.payload.resize(size);
    const auto answer = decode(cut);
    if (!between) {
      EXPECT_EQ(answer.status().code(), absl::StatusCode::kDataLoss) << "cut at " << size;
    }
    if (size == padded_end) {
      uint16_t length = 0;
      std::memcpy(&length, message.payload.data() + size, sizeof(length));
      end = padded_end + length;
    }
  }
}

}  // namespace roceready::netlink
