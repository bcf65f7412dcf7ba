// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/recorded_transport.h"

#include <charconv>
#include <fstream>
#include <optional>
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

absl::StatusOr<RecordedTransport> RecordedTransport::FromFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("no recording {}", path);
  std::stringstream text;
  text << file.rdbuf();
  absl::StatusOr<RecordedTransport> recorded = FromText(text.str());
  if (!recorded.ok()) return WithContext(recorded.status(), path);
  return recorded;
}

absl::StatusOr<RecordedTransport> RecordedTransport::FromText(std::string_view text) {
  RecordedTransport recorded;
  std::optional<Request> request;
  std::vector<Message> messages;
  bool refused = false;
  const auto finish = [&] {
    if (request && !refused) recorded.Answer(*request, std::move(messages));
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
      recorded.Refuse(*request, error, rest);
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
  return recorded;
}

RecordedTransport::Key RecordedTransport::KeyOf(const Request& request) {
  return {{request.type, request.dump}, request.payload};
}

void RecordedTransport::Answer(const Request& request, std::vector<Message> messages) {
  scripts_[KeyOf(request)].answers.emplace_back(std::move(messages));
}

void RecordedTransport::Refuse(const Request& request, int error, std::string_view kernel_text) {
  Fail(request, WithKernelText(ErrnoError(error, request.what), kernel_text));
}

void RecordedTransport::Fail(const Request& request, absl::Status status) {
  scripts_[KeyOf(request)].answers.emplace_back(std::move(status));
}

absl::StatusOr<std::vector<Message>> RecordedTransport::Exchange(const Request& request) {
  const auto found = scripts_.find(KeyOf(request));
  if (found == scripts_.end()) {
    return NotFound("{}: not recorded: ask 0x{:04x} {} {}", request.what, request.type,
                    request.dump ? "dump" : "do", HexOfBytes(request.payload));
  }
  Script& script = found->second;
  const size_t index = script.next;
  if (script.next + 1 < script.answers.size()) ++script.next;
  const auto& answer = script.answers[index];
  // A refusal read from a file does not know what was asked.
  const std::optional<int> error = ErrnoOf(answer.status());
  if (error.has_value()) {
    return WithKernelText(ErrnoError(*error, request.what), KernelTextOf(answer.status()));
  }
  return answer;
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

}  // namespace roceready::netlink
