// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_netlink.h"

#include <linux/ethtool.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roceready::netlink {
namespace {

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

absl::StatusOr<FakeTransport> FakeTransport::FromFile(const std::string& path) {
  ASSIGN_OR_RETURN(RecordedTransport recorded, RecordedTransport::FromFile(path));
  return FakeTransport(std::move(recorded));
}

absl::StatusOr<FakeTransport> FakeTransport::FromText(std::string_view text) {
  ASSIGN_OR_RETURN(RecordedTransport recorded, RecordedTransport::FromText(text));
  return FakeTransport(std::move(recorded));
}

absl::StatusOr<std::vector<Message>> FakeTransport::Exchange(const Request& request) {
  asked_.push_back(request);
  absl::StatusOr<std::vector<Message>> answer = RecordedTransport::Exchange(request);
  // No kernel's refusal and no test's: the test forgot an answer.
  if (absl::IsNotFound(answer.status()) && !ErrnoOf(answer.status()).has_value()) {
    return Internal("{}", roceready::Message(answer.status()));
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
