// SPDX-License-Identifier: Apache-2.0
// A kernel made of recorded answers, and the way to record them. A recording is text, one exchange
// after the other, '#' starts a comment line:
//
//   ask 0x004e do HEX            type, `do` or `dump`, payload
//   answer 0x004e 0x0005 HEX     type, flags, payload; none, one or many
//   error 95 Operation text      instead of answers: errno, extended acknowledgement
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "agent/netlink/transport.h"

namespace roceready::netlink {

// "0800 01 00" -> bytes; blanks are ignored. kInvalidArgument for anything but pairs of hex digits.
absl::StatusOr<Bytes> BytesOfHex(std::string_view hex);
std::string HexOfBytes(ByteView bytes);

// Answers exact requests (type, dump, payload) with what was recorded for them, in order; the last
// answer of a request repeats.
class RecordedTransport : public Transport {
 public:
  // kInvalidArgument with the line number when malformed, kNotFound for a missing file.
  static absl::StatusOr<RecordedTransport> FromFile(const std::string& path);
  static absl::StatusOr<RecordedTransport> FromText(std::string_view text);

  void Answer(const Request& request, std::vector<Message> messages);
  // The kernel refuses with this errno.
  void Refuse(const Request& request, int error, std::string_view kernel_text = "");
  // Anything else that Transport can end with (a deadline, say).
  void Fail(const Request& request, absl::Status status);

  // kNotFound "not recorded" for a request that nobody recorded; it is named in full.
  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

 private:
  using Key = std::pair<std::pair<uint16_t, bool>, Bytes>;
  struct Script {
    std::vector<absl::StatusOr<std::vector<Message>>> answers;
    size_t next = 0;
  };
  static Key KeyOf(const Request& request);
  std::map<Key, Script> scripts_;
};

// Passes requests on and writes down what is asked and answered.
class RecordingTransport : public Transport {
 public:
  RecordingTransport(Transport& inner, std::ostream& out) : inner_(inner), out_(out) {}
  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

 private:
  Transport& inner_;
  std::ostream& out_;
};

}  // namespace roceready::netlink
