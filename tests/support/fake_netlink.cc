// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_netlink.h"

#include <linux/ethtool.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

namespace roceready::netlink {
namespace {

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

absl::StatusOr<uint16_t> HexNumber(std::string_view word) {
  uint16_t number = 0;
  if (!word.starts_with("0x")) return InvalidArgument("'{}' is no hexadecimal number", word);
  const auto result = std::from_chars(word.data() + 2, word.data() + word.size(), number, 16);
  if (result.ec != std::errc() || result.ptr != word.data() + word.size()) {
    return InvalidArgument("'{}' is no hexadecimal number", word);
  }
  return number;
}

template <typename Struct>
Struct CopyFrom(std::span<const uint8_t> bytes) {
  Struct value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof(value), bytes.size()));
  return value;
}

template <typename Struct>
void CopyTo(std::span<uint8_t> bytes, const Struct& value) {
  std::memcpy(bytes.data(), &value, std::min(sizeof(value), bytes.size()));
}

template <size_t kSize>
void CopyText(char (&field)[kSize], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), kSize - 1));
}

}  // namespace

absl::StatusOr<Bytes> BytesOfHex(std::string_view hex) {
  Bytes bytes;
  int high = -1;
  for (const char character : hex) {
    if (character == ' ') continue;
    const int digit = HexDigit(character);
    if (digit < 0) return InvalidArgument("'{}' is no hex digit", character);
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<uint8_t>(high * 16 + digit));
      high = -1;
    }
  }
  if (high >= 0) return InvalidArgument("an odd number of hex digits");
  return bytes;
}

std::string HexOfBytes(ByteView bytes) {
  std::string hex;
  for (const uint8_t byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

absl::StatusOr<FakeTransport> FakeTransport::FromFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("no recording {}", path);
  std::stringstream text;
  text << file.rdbuf();
  absl::StatusOr<FakeTransport> fake = FromText(text.str());
  if (!fake.ok()) return WithContext(fake.status(), path);
  return fake;
}

absl::StatusOr<FakeTransport> FakeTransport::FromText(std::string_view text) {
  FakeTransport fake;
  std::optional<Request> request;
  std::vector<Message> messages;
  bool refused = false;
  const auto finish = [&] {
    if (request && !refused) fake.Answer(*request, std::move(messages));
    messages.clear();
    refused = false;
  };
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string verb, first, second, rest;
    words >> verb;
    if (verb.empty() || verb.starts_with('#')) continue;
    words >> first;
    if (verb == "error") {
      std::getline(words >> std::ws, rest);
      int error = 0;
      std::from_chars(first.data(), first.data() + first.size(), error);
      if (!request || error <= 0) return InvalidArgument("line {}: 'error' without errno", number);
      fake.Refuse(*request, error, rest);
      refused = true;
      continue;
    }
    words >> second;
    std::getline(words, rest);
    const absl::StatusOr<uint16_t> type = HexNumber(first);
    const absl::StatusOr<Bytes> payload = BytesOfHex(rest);
    if (!type.ok()) return WithContext(type.status(), fmt::format("line {}", number));
    if (!payload.ok()) return WithContext(payload.status(), fmt::format("line {}", number));
    if (verb == "ask" && (second == "do" || second == "dump")) {
      finish();
      request = Request{.type = *type, .dump = second == "dump", .payload = *payload, .what = ""};
    } else if (verb == "answer" && request) {
      const absl::StatusOr<uint16_t> flags = HexNumber(second);
      if (!flags.ok()) return WithContext(flags.status(), fmt::format("line {}", number));
      messages.push_back({.type = *type, .flags = *flags, .payload = *payload});
    } else {
      return InvalidArgument("line {}: '{} {} {}' is not understood", number, verb, first, second);
    }
  }
  finish();
  return fake;
}

FakeTransport::Key FakeTransport::KeyOf(const Request& request) {
  return {{request.type, request.dump}, request.payload};
}

void FakeTransport::Answer(const Request& request, std::vector<Message> messages) {
  scripts_[KeyOf(request)].answers.emplace_back(std::move(messages));
}

void FakeTransport::Refuse(const Request& request, int error, std::string_view kernel_text) {
  Fail(request, WithKernelText(ErrnoError(error, request.what), kernel_text));
}

void FakeTransport::Fail(const Request& request, absl::Status status) {
  scripts_[KeyOf(request)].answers.emplace_back(std::move(status));
}

absl::StatusOr<std::vector<Message>> FakeTransport::Exchange(const Request& request) {
  asked_.push_back(request);
  const auto found = scripts_.find(KeyOf(request));
  if (found == scripts_.end()) {
    return Internal("{}: not recorded: ask 0x{:04x} {} {}", request.what, request.type,
                    request.dump ? "dump" : "do", HexOfBytes(request.payload));
  }
  Script& script = found->second;
  const size_t index = script.next;
  if (script.next + 1 < script.answers.size()) ++script.next;
  return script.answers[index];
}

absl::StatusOr<std::vector<Message>> RecordingTransport::Exchange(const Request& request) {
  absl::StatusOr<std::vector<Message>> answer = inner_.Exchange(request);
  out_ << fmt::format("# {}\nask 0x{:04x} {} {}\n", request.what, request.type,
                      request.dump ? "dump" : "do", HexOfBytes(request.payload));
  if (answer.ok()) {
    for (const Message& message : *answer) {
      out_ << fmt::format("answer 0x{:04x} 0x{:04x} {}\n", message.type, message.flags,
                          HexOfBytes(message.payload));
    }
  } else if (const std::optional<int> error = ErrnoOf(answer.status())) {
    out_ << fmt::format("error {} {}\n", *error, KernelTextOf(answer.status()));
  } else {
    out_ << fmt::format("# not recorded: {}\n", roceready::Message(answer.status()));
  }
  return answer;
}

absl::Status FakeEthtoolControl::Call(const std::string& netdev, std::span<uint8_t> command) {
  const auto found = devices_.find(netdev);
  if (found == devices_.end()) return ErrnoError(ENODEV, netdev);
  const Device& device = found->second;
  if (device.error != 0) return ErrnoError(device.error, netdev);
  const size_t reading =
      std::min(readings_[netdev], std::max<size_t>(device.statistics.size(), 1) - 1);
  const std::vector<EthtoolStatistic> none;
  const auto& statistics = device.statistics.empty() ? none : device.statistics[reading];
  switch (CopyFrom<uint32_t>(command)) {
    case ETHTOOL_GDRVINFO: {
      auto info = CopyFrom<ethtool_drvinfo>(command);
      CopyText(info.driver, device.driver.driver);
      CopyText(info.version, device.driver.version);
      CopyText(info.fw_version, device.driver.firmware);
      CopyText(info.bus_info, device.driver.bus);
      CopyTo(command, info);
      return absl::OkStatus();
    }
    case ETHTOOL_GSSET_INFO: {
      auto info = CopyFrom<ethtool_sset_info>(command);
      info.sset_mask = device.statistics.empty() ? 0 : uint64_t{1} << ETH_SS_STATS;
      CopyTo(command, info);
      if (!device.statistics.empty()) {
        CopyTo(command.subspan(sizeof(info)), static_cast<uint32_t>(statistics.size()));
      }
      return absl::OkStatus();
    }
    case ETHTOOL_GSTRINGS: {
      auto strings = CopyFrom<ethtool_gstrings>(command);
      strings.len = static_cast<uint32_t>(statistics.size());
      CopyTo(command, strings);
      for (size_t i = 0; i < statistics.size(); ++i) {
        char name[ETH_GSTRING_LEN] = {};
        CopyText(name, statistics[i].name);
        std::memcpy(command.subspan(sizeof(strings) + i * ETH_GSTRING_LEN).data(), name,
                    ETH_GSTRING_LEN);
      }
      return absl::OkStatus();
    }
    case ETHTOOL_GSTATS: {
      auto stats = CopyFrom<ethtool_stats>(command);
      ++readings_[netdev];
      stats.n_stats = static_cast<uint32_t>(statistics.size());
      CopyTo(command, stats);
      for (size_t i = 0; i < statistics.size(); ++i) {
        CopyTo(command.subspan(sizeof(stats) + i * sizeof(uint64_t)), statistics[i].value);
      }
      return absl::OkStatus();
    }
    case ETHTOOL_GPERMADDR: {
      auto address = CopyFrom<ethtool_perm_addr>(command);
      address.size = 6;
      CopyTo(command, address);
      std::memcpy(command.subspan(sizeof(address)).data(), device.permanent_address.data(), 6);
      return absl::OkStatus();
    }
    default:
      return ErrnoError(EOPNOTSUPP, netdev);
  }
}

}  // namespace roceready::netlink
