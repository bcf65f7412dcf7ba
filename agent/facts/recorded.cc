// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/recorded.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "agent/facts/recorded_lldp.h"
#include "agent/facts/verbs_text.h"
#include "agent/netlink/recorded_transport.h"

namespace roceready::facts {
namespace {

using netlink::Bytes;

constexpr std::string_view kClosed = "closed ";

class RecordedEthtool : public netlink::EthtoolControl {
 public:
  // kInvalidArgument with the line number when malformed.
  static absl::StatusOr<std::unique_ptr<RecordedEthtool>> FromText(std::string_view text) {
    auto recorded = std::make_unique<RecordedEthtool>();
    Key key;
    int number = 0;
    for (const std::string_view line : Lines(text)) {
      ++number;
      const std::vector<std::string_view> words = Words(line);
      if (words.empty() || words[0].starts_with('#')) continue;
      const absl::Status status = recorded->ParseLine(words, &key);
      if (!status.ok()) return WithContext(status, fmt::format("ethtool.txt: line {}", number));
    }
    return recorded;
  }

  absl::Status Call(const std::string& netdev, std::span<uint8_t> command) override {
    const auto found = answers_.find({netdev, WithoutTrailingZeros(command)});
    if (found == answers_.end()) return NotFound("ethtool of {}: not recorded", netdev);
    if (!found->second.ok()) return found->second.status();
    const Bytes& answer = *found->second;
    if (answer.size() > command.size()) {
      return DataLoss("ethtool of {}: the recorded answer is too long", netdev);
    }
    std::fill(std::copy(answer.begin(), answer.end(), command.begin()), command.end(), 0);
    return absl::OkStatus();
  }

 private:
  using Key = std::pair<std::string, Bytes>;

  absl::Status ParseLine(const std::vector<std::string_view>& words, Key* key) {
    if (words[0] == "ask" && words.size() == 3) {
      key->first = words[1];
      ASSIGN_OR_RETURN(key->second, netlink::BytesOfHex(words[2]));
      return absl::OkStatus();
    }
    if (words[0] == "answer" && words.size() == 2) {
      ASSIGN_OR_RETURN(answers_[*key], netlink::BytesOfHex(words[1]));
      return absl::OkStatus();
    }
    const std::optional<int64_t> error = words.size() == 2 ? ParseNumber(words[1]) : std::nullopt;
    if (words[0] == "error" && error) {
      answers_[*key] = ErrnoError(static_cast<int>(*error), "ethtool of " + key->first);
      return absl::OkStatus();
    }
    return InvalidArgument("'{}' is not understood", words[0]);
  }

  std::map<Key, absl::StatusOr<Bytes>> answers_;
};

class RecordedVerbs : public Verbs {
 public:
  explicit RecordedVerbs(absl::StatusOr<VerbsAnswers> answers) : answers_(std::move(answers)) {}
  absl::StatusOr<VerbsDevice> ReadDevice(const std::string& rdma_device, size_t) override {
    if (!answers_.ok()) return answers_.status();
    const auto found = answers_->devices.find(rdma_device);
    if (found == answers_->devices.end()) return NotRecorded(rdma_device);
    return found->second;
  }
  absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& rdma_device) override {
    if (!answers_.ok()) return answers_.status();
    const auto found = answers_->ports.find(rdma_device);
    if (found == answers_->ports.end()) return NotRecorded(rdma_device);
    return found->second;
  }
  absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(
      const std::string& rdma_device) override {
    if (!answers_.ok()) return answers_.status();
    const auto found = answers_->points.find(rdma_device);
    if (found == answers_->points.end()) return NotRecorded(rdma_device);
    return found->second;
  }

 private:
  static absl::Status NotRecorded(const std::string& rdma_device) {
    return NotFound("verbs device {}: not recorded", rdma_device);
  }
  const absl::StatusOr<VerbsAnswers> answers_;
};

class RecordedHost : public Sources {
 public:
  explicit RecordedHost(const std::string& folder)
      : folder_(folder), root_(folder), ears_(RecordedEars(root_)) {}
  const HostRoot& root() const override { return root_; }

  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    RETURN_IF_ERROR(WhetherItCouldBeOpened(protocol));
    ASSIGN_OR_RETURN(
        netlink::RecordedTransport recorded,
        netlink::RecordedTransport::FromFile(folder_ + std::string(RecordingFileOf(protocol))));
    return std::make_unique<netlink::RecordedTransport>(std::move(recorded));
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    ASSIGN_OR_RETURN(const std::string text, ReadRecording("/ethtool.txt"));
    ASSIGN_OR_RETURN(std::unique_ptr<netlink::EthtoolControl> recorded,
                     RecordedEthtool::FromText(text));
    return recorded;
  }
  std::unique_ptr<Verbs> OpenVerbs() const override {
    const absl::StatusOr<std::string> text = ReadRecording("/verbs.txt");
    return std::make_unique<RecordedVerbs>(text.ok() ? ParseVerbsText(*text) : text.status());
  }
  lldp::Ears* ears() const override { return ears_.get(); }

 private:
  // "closed 93": the host had no such netlink protocol.
  absl::Status WhetherItCouldBeOpened(netlink::Protocol protocol) const {
    const absl::StatusOr<std::string> line = root_.ReadWord(RecordingFileOf(protocol));
    if (!line.ok() || !line->starts_with(kClosed)) return absl::OkStatus();
    const std::optional<int64_t> error = ParseNumber(line->substr(kClosed.size()));
    return ErrnoError(static_cast<int>(error.value_or(EPROTONOSUPPORT)),
                      "netlink protocol of the recorded host");
  }
  absl::StatusOr<std::string> ReadRecording(std::string_view file) const {
    absl::StatusOr<std::string> text = root_.Read(file);
    if (absl::IsNotFound(text.status()))
      return NotFound("not recorded: there is no {}", file.substr(1));
    return text;
  }
  const std::string folder_;
  const HostRoot root_;
  const std::shared_ptr<lldp::Ears> ears_;
};

}  // namespace

std::vector<uint8_t> WithoutTrailingZeros(std::span<const uint8_t> bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  return {bytes.begin(), bytes.end()};
}

std::string_view RecordingFileOf(netlink::Protocol protocol) {
  switch (protocol) {
    case netlink::Protocol::kRoute:
      return "/route.txt";
    case netlink::Protocol::kNetfilter:
      return "/netfilter.txt";
    case netlink::Protocol::kGeneric:
      return "/generic.txt";
    case netlink::Protocol::kRdma:
      return "/rdma.txt";
  }
  return "";
}

std::shared_ptr<const Sources> RecordedSources(const std::string& folder) {
  return std::make_shared<RecordedHost>(folder);
}

}  // namespace roceready::facts
