// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/verbs_text.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "agent/netlink/recorded_transport.h"

namespace roceready::facts {
namespace {

using WordList = std::vector<std::string_view>;

// The word as a number that fits; an error names the word.
template <typename Integer>
absl::Status Take(std::string_view word, Integer* value) {
  const std::optional<int64_t> number = ParseNumber(word);
  if (!number || *number < 0 ||
      static_cast<uint64_t>(*number) > std::numeric_limits<Integer>::max()) {
    return InvalidArgument("'{}' is no number of this range", word);
  }
  *value = static_cast<Integer>(*number);
  return absl::OkStatus();
}

absl::Status ParseDevice(const WordList& words, VerbsDevice* device) {
  RETURN_IF_ERROR(Take(words[2], &device->vendor));
  RETURN_IF_ERROR(Take(words[3], &device->part));
  RETURN_IF_ERROR(Take(words[4], &device->max_qp));
  return Take(words[5], &device->max_mr);
}

absl::Status ParsePort(const WordList& words, VerbsDevice* device) {
  VerbsPort port;
  RETURN_IF_ERROR(Take(words[1], &port.number));
  RETURN_IF_ERROR(Take(words[2], &port.active_mtu_bytes));
  RETURN_IF_ERROR(Take(words[3], &port.max_mtu_bytes));
  RETURN_IF_ERROR(Take(words[4], &port.gid_table_length));
  RETURN_IF_ERROR(Take(words[5], &port.link_layer));
  RETURN_IF_ERROR(Take(words[6], &port.lid));
  device->ports.push_back(port);
  return absl::OkStatus();
}

absl::Status ParseGid(const WordList& words, VerbsDevice* device) {
  VerbsGid gid;
  RETURN_IF_ERROR(Take(words[1], &gid.port));
  RETURN_IF_ERROR(Take(words[2], &gid.index));
  ASSIGN_OR_RETURN(const netlink::Bytes bytes, netlink::BytesOfHex(words[3]));
  if (bytes.size() != gid.gid.size()) return InvalidArgument("'{}' is no GID", words[3]);
  std::ranges::copy(bytes, gid.gid.begin());
  RETURN_IF_ERROR(Take(words[4], &gid.type));
  RETURN_IF_ERROR(Take(words[5], &gid.net_device_index));
  device->gids->push_back(gid);
  return absl::OkStatus();
}

absl::Status ParseLine(const WordList& words, VerbsAnswers* answers, VerbsDevice** device) {
  const std::string_view verb = words[0];
  if (verb == "device" && words.size() == 6) {
    absl::StatusOr<VerbsDevice>& answer = (*answers)[std::string(words[1])];
    answer = VerbsDevice();
    *device = &*answer;
    return ParseDevice(words, *device);
  }
  if (verb == "error" && words.size() == 3) {
    int error = 0;
    RETURN_IF_ERROR(Take(words[2], &error));
    (*answers)[std::string(words[1])] = ErrnoError(error, "recorded verbs device");
    *device = nullptr;
    return absl::OkStatus();
  }
  if (*device != nullptr && verb == "port" && words.size() == 7) return ParsePort(words, *device);
  if (*device != nullptr && verb == "gid" && words.size() == 6) return ParseGid(words, *device);
  return InvalidArgument("'{}' with {} words is not understood here", verb, words.size() - 1);
}

}  // namespace

std::string VerbsText(const std::string& rdma_device, const absl::StatusOr<VerbsDevice>& answer) {
  if (!answer.ok()) {
    return fmt::format("error {} {}\n", rdma_device, ErrnoOf(answer.status()).value_or(EIO));
  }
  std::string text = fmt::format("device {} {} {} {} {}\n", rdma_device, answer->vendor,
                                 answer->part, answer->max_qp, answer->max_mr);
  for (const VerbsPort& port : answer->ports) {
    text += fmt::format("port {} {} {} {} {} {}\n", port.number, port.active_mtu_bytes,
                        port.max_mtu_bytes, port.gid_table_length, port.link_layer, port.lid);
  }
  if (!answer->gids.ok()) return text;
  for (const VerbsGid& gid : *answer->gids) {
    text += fmt::format("gid {} {} {} {} {}\n", gid.port, gid.index, netlink::HexOfBytes(gid.gid),
                        gid.type, gid.net_device_index);
  }
  return text;
}

absl::StatusOr<VerbsAnswers> ParseVerbsText(std::string_view text) {
  VerbsAnswers answers;
  VerbsDevice* device = nullptr;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const WordList words = Words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].starts_with('#')) continue;
    const absl::Status status = ParseLine(words, &answers, &device);
    if (!status.ok()) return WithContext(status, fmt::format("line {}", number));
  }
  return answers;
}

}  // namespace roceready::facts
