// SPDX-License-Identifier: Apache-2.0
// A kernel made of recorded answers: for collectors that ask through netlink::Transport and
// netlink::EthtoolControl.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "agent/netlink/ethtool_ioctl.h"
#include "agent/netlink/transport.h"

namespace roceready::netlink {

// "0800 01 00" -> bytes; blanks are ignored. kInvalidArgument for anything but pairs of hex digits.
absl::StatusOr<Bytes> BytesOfHex(std::string_view hex);
std::string HexOfBytes(ByteView bytes);

// Answers exact requests (type, dump, payload) with what was recorded for them, in order; the last
// answer of a request repeats. A request nobody recorded is kInternal and names itself.
class FakeTransport : public Transport {
 public:
  // A recording is text, one exchange after the other, '#' starts a comment line:
  //   ask 0x004e do HEX            type, `do` or `dump`, payload
  //   answer 0x004e 0x0005 HEX     type, flags, payload; none, one or many
  //   error 95 Operation text      instead of answers: errno, extended acknowledgement
  // kInvalidArgument with the line number when malformed, kNotFound for a missing file.
  static absl::StatusOr<FakeTransport> FromFile(const std::string& path);
  static absl::StatusOr<FakeTransport> FromText(std::string_view text);

  void Answer(const Request& request, std::vector<Message> messages);
  // The kernel refuses with this errno.
  void Refuse(const Request& request, int error, std::string_view kernel_text = "");
  // Anything else that Transport can end with (a deadline, say).
  void Fail(const Request& request, absl::Status status);

  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

  // What was asked so far, in order.
  const std::vector<Request>& asked() const { return asked_; }

 private:
  using Key = std::pair<std::pair<uint16_t, bool>, Bytes>;
  struct Script {
    std::vector<absl::StatusOr<std::vector<Message>>> answers;
    size_t next = 0;
  };
  static Key KeyOf(const Request& request);
  std::map<Key, Script> scripts_;
  std::vector<Request> asked_;
};

// Passes requests on and writes down what is asked and answered, in the format above.
class RecordingTransport : public Transport {
 public:
  RecordingTransport(Transport& inner, std::ostream& out) : inner_(inner), out_(out) {}
  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

 private:
  Transport& inner_;
  std::ostream& out_;
};

// ethtool ioctl answered by what a test says about each netdev; other commands and netdevs end like
// the kernel's: EOPNOTSUPP, ENODEV.
class FakeEthtoolControl : public EthtoolControl {
 public:
  struct Device {
    EthtoolDriverInfo driver;
    // One set of statistics per reading; the last one repeats. Empty: none.
    std::vector<std::vector<EthtoolStatistic>> statistics;
    std::array<uint8_t, 6> permanent_address{};
    // Answer GDRVINFO, GSTATS or GPERMADDR with this errno instead, 0 = none.
    int error = 0;
  };
  void Add(const std::string& netdev, Device device) { devices_[netdev] = std::move(device); }

  absl::Status Call(const std::string& netdev, std::span<uint8_t> command) override;

 private:
  std::map<std::string, Device> devices_;
  // How often the values of a netdev were read.
  std::map<std::string, size_t> readings_;
};

}  // namespace roceready::netlink
