// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/recorded_lldp.h"

#include <utility>

#include "agent/netlink/recorded_transport.h"

namespace roceready::facts {
namespace {

using Hearings = std::map<uint32_t, lldp::Hearing>;

// A recording has no times: all of it is heard at one moment.
constexpr MonotonicTime kThen{std::chrono::seconds(1)};

struct Port {
  lldp::Hearing hearing;
  lldp::Neighbours neighbours;
};

absl::Status TakeLine(const std::vector<std::string_view>& words, Port* port) {
  port->hearing.long_enough = true;
  if (words[0] == "silent" && words.size() == 2) return absl::OkStatus();
  if (words[0] == "closed" && words.size() == 3) {
    const std::optional<int64_t> error = ParseNumber(words[2]);
    if (!error || *error <= 0) return InvalidArgument("'{}' is no errno", words[2]);
    port->hearing.socket = ErrnoError(static_cast<int>(*error), "hearing LLDP");
    return absl::OkStatus();
  }
  if (words[0] != "heard" || words.size() != 3) {
    return InvalidArgument("'{}' with {} words is not understood", words[0], words.size());
  }
  ASSIGN_OR_RETURN(const netlink::Bytes bytes, netlink::BytesOfHex(words[2]));
  absl::StatusOr<lldp::Frame> frame = lldp::DecodeFrame(bytes);
  if (frame.ok()) {
    port->neighbours.Heard(bytes, *std::move(frame), kThen);
  } else {
    port->hearing.refused = Message(frame.status());
  }
  return absl::OkStatus();
}

class Ears : public lldp::Ears {
 public:
  explicit Ears(absl::StatusOr<Hearings> recorded) : recorded_(std::move(recorded)) {}
  Hearings Listen(const std::vector<uint32_t>& net_device_indexes) override {
    Hearings result;
    for (const uint32_t index : net_device_indexes) {
      lldp::Hearing& hearing = result[index];
      hearing.socket = recorded_.ok() ? NotFound("not recorded") : recorded_.status();
      if (!recorded_.ok()) continue;
      const auto found = recorded_->find(index);
      if (found != recorded_->end()) hearing = found->second;
    }
    return result;
  }

 private:
  const absl::StatusOr<Hearings> recorded_;
};

}  // namespace

absl::StatusOr<Hearings> ParseRecordedLldp(const HostRoot& root, std::string_view text) {
  std::map<uint32_t, Port> ports;
  int number = 0;
  for (const std::string_view line : Lines(text)) {
    ++number;
    const std::vector<std::string_view> words = Words(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::string where = fmt::format("lldp.txt: line {}", number);
    if (words.size() < 2) return InvalidArgument("{}: no net device", where);
    const absl::StatusOr<int64_t> index =
        root.ReadNumber(fmt::format("/sys/class/net/{}/ifindex", words[1]));
    if (!index.ok()) return InvalidArgument("{}: there is no net device {}", where, words[1]);
    RETURN_IF_ERROR(WithContext(TakeLine(words, &ports[static_cast<uint32_t>(*index)]), where));
  }
  Hearings hearings;
  for (auto& [index, port] : ports) {
    port.hearing.neighbours = port.neighbours.All();
    port.hearing.left_out = port.neighbours.left_out();
    hearings[index] = std::move(port.hearing);
  }
  return hearings;
}

std::shared_ptr<lldp::Ears> RecordedEars(const HostRoot& root) {
  const absl::StatusOr<std::string> text = root.Read("/lldp.txt");
  if (absl::IsNotFound(text.status())) return std::make_shared<Ears>(Hearings());
  return std::make_shared<Ears>(text.ok() ? ParseRecordedLldp(root, *text) : text.status());
}

}  // namespace roceready::facts
