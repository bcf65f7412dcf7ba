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

absl::Status ParsePort(const WordList& words, std::vector<VerbsPort>* ports) {
  VerbsPort port;
  RETURN_IF_ERROR(Take(words[1], &port.number));
  RETURN_IF_ERROR(Take(words[2], &port.active_mtu_bytes));
  RETURN_IF_ERROR(Take(words[3], &port.max_mtu_bytes));
  RETURN_IF_ERROR(Take(words[4], &port.gid_table_length));
  RETURN_IF_ERROR(Take(words[5], &port.link_layer));
  RETURN_IF_ERROR(Take(words[6], &port.lid));
  ports->push_back(port);
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

// What the lines that follow belong to.
struct Place {
  VerbsDevice* device = nullptr;
  std::vector<VerbsPort>* ports = nullptr;
};

absl::Status ParseLine(const WordList& words, VerbsAnswers* answers, Place* place) {
  const std::string_view verb = words[0];
  const std::string name(words.size() > 1 ? words[1] : "");
  if (verb == "device" && words.size() == 6) {
    absl::StatusOr<VerbsDevice>& answer = answers->devices[name];
    answer = VerbsDevice();
    *place = {&*answer, nullptr};
    return ParseDevice(words, place->device);
  }
  if (verb == "ports" && words.size() == 2) {
    absl::StatusOr<std::vector<VerbsPort>>& answer = answers->ports[name];
    answer = std::vector<VerbsPort>();
    *place = {nullptr, &*answer};
    return absl::OkStatus();
  }
  if (verb == "points" && words.size() == 4) {
    VerbsCongestionPoints points;
    RETURN_IF_ERROR(Take(words[2], &points.notification));
    RETURN_IF_ERROR(Take(words[3], &points.reaction));
    answers->points[name] = points;
    *place = {};
    return absl::OkStatus();
  }
  if ((verb == "no-device" || verb == "no-ports" || verb == "no-points") && words.size() == 3) {
    int error = 0;
    RETURN_IF_ERROR(Take(words[2], &error));
    const absl::Status status = ErrnoError(error, fmt::format("open verbs device {}", name));
    if (verb == "no-device") {
      answers->devices[name] = status;
    } else if (verb == "no-ports") {
      answers->ports[name] = status;
    } else {
      answers->points[name] = status;
    }
    *place = {};
    return absl::OkStatus();
  }
  if (place->ports != nullptr && verb == "port" && words.size() == 7) {
    return ParsePort(words, place->ports);
  }
  if (place->device != nullptr && verb == "gid" && words.size() == 6) {
    return ParseGid(words, place->device);
  }
  return InvalidArgument("'{}' with {} words is not understood here", verb, words.size() - 1);
}

}  // namespace

std::string DeviceText(const std::string& rdma_device, const absl::StatusOr<VerbsDevice>& answer) {
  if (!answer.ok()) {
    return fmt::format("no-device {} {}\n", rdma_device, ErrnoOf(answer.status()).value_or(EIO));
  }
  std::string text = fmt::format("device {} {} {} {} {}\n", rdma_device, answer->vendor,
                                 answer->part, answer->max_qp, answer->max_mr);
  if (!answer->gids.ok()) return text;
  for (const VerbsGid& gid : *answer->gids) {
    text += fmt::format("gid {} {} {} {} {}\n", gid.port, gid.index, netlink::HexOfBytes(gid.gid),
                        gid.type, gid.net_device_index);
  }
  return text;
}

std::string PortsText(const std::string& rdma_device,
                      const absl::StatusOr<std::vector<VerbsPort>>& answer) {
  if (!answer.ok()) {
    return fmt::format("no-ports {} {}\n", rdma_device, ErrnoOf(answer.status()).value_or(EIO));
  }
  std::string text = fmt::format("ports {}\n", rdma_device);
  for (const VerbsPort& port : *answer) {
    text += fmt::format("port {} {} {} {} {} {}\n", port.number, port.active_mtu_bytes,
                        port.max_mtu_bytes, port.gid_table_length, port.link_layer, port.lid);
  }
  return text;
}

std::string PointsText(const std::string& rdma_device,
                       const absl::StatusOr<VerbsCongestionPoints>& answer) {
  if (!answer.ok()) {
    return fmt::format("no-points {} {}\n", rdma_device,
                       ErrnoOf(answer.status()).value_or(EOPNOTSUPP));
  }
  return fmt::format("points {} {} {}\n", rdma_device, answer->notification, answer->reaction);
}

absl::StatusOr<VerbsAnswers> ParseVerbsText(std::string_view text) {
  VerbsAnswers answers;
  Place place;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const WordList words = Words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].starts_with('#')) continue;
    const absl::Status status = ParseLine(words, &answers, &place);
    if (!status.ok()) return WithContext(status, fmt::format("line {}", number));
  }
  return answers;
}

}  // namespace roceready::facts
