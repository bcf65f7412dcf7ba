// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/ethtool_ioctl.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roceready::netlink {
namespace {

constexpr int kAttempts = 3;
constexpr size_t kAddressBytes = 6;

static_assert(sizeof(ethtool_drvinfo) == 196);
static_assert(sizeof(ethtool_gstrings) == 12);
static_assert(sizeof(ethtool_stats) == 8);

class KernelEthtoolControl : public EthtoolControl {
 public:
  explicit KernelEthtoolControl(int fd) : fd_(fd) {}
  ~KernelEthtoolControl() override { close(fd_); }
  KernelEthtoolControl(const KernelEthtoolControl&) = delete;
  KernelEthtoolControl& operator=(const KernelEthtoolControl&) = delete;

  absl::Status Call(const std::string& netdev, std::span<uint8_t> command) override {
    ifreq request{};
    if (netdev.size() >= sizeof(request.ifr_name)) {
      return InvalidArgument("'{}' is too long for a netdev name", netdev);
    }
    std::copy(netdev.begin(), netdev.end(), request.ifr_name);
    request.ifr_data = reinterpret_cast<char*>(command.data());
    if (ioctl(fd_, SIOCETHTOOL, &request) == 0) return absl::OkStatus();
    return ErrnoError(errno, "ethtool of " + netdev);
  }

 private:
  int fd_;
};

// A text field of a struct: up to its NUL or its end, without blanks at the ends.
std::string TextOf(ByteView field) {
  auto end = std::find(field.begin(), field.end(), 0);
  const auto blank = [](uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n'; };
  auto begin = std::find_if_not(field.begin(), end, blank);
  while (end != begin && blank(*(end - 1))) --end;
  return std::string(begin, end);
}

template <size_t kSize>
std::string TextOf(const char (&field)[kSize]) {
  return TextOf(ByteView(reinterpret_cast<const uint8_t*>(field), kSize));
}

// The fixed part that starts an answer. (Not as StatusOr: clang refuses one of a struct that ends
// in a flexible array.)
template <typename Struct>
absl::Status CopyStruct(ByteView answer, std::string_view what, Struct& value) {
  if (answer.size() < sizeof(value)) {
    return DataLoss("ethtool {}: {} bytes, at least {} wanted", what, answer.size(), sizeof(value));
  }
  std::memcpy(&value, answer.data(), sizeof(value));
  return absl::OkStatus();
}

// A buffer that starts with `header` and has room for `rows` rows.
template <typename Header>
Bytes BufferFor(const Header& header, size_t rows, size_t row_bytes) {
  Bytes buffer(sizeof(header) + rows * row_bytes);
  std::memcpy(buffer.data(), &header, sizeof(header));
  return buffer;
}

// Kernels before 6.19 copy as many rows as the driver has at that moment, whatever the size of the
// buffer: leave room for a set that grew since it was counted.
size_t WithRoomToGrow(size_t rows) { return rows * 2 + 4096; }

// How many statistics the driver has now.
absl::StatusOr<uint32_t> CountStatistics(EthtoolControl& control, const std::string& netdev) {
  ethtool_sset_info header{};
  header.cmd = ETHTOOL_GSSET_INFO;
  header.sset_mask = uint64_t{1} << ETH_SS_STATS;
  Bytes buffer = BufferFor(header, 1, sizeof(uint32_t));
  RETURN_IF_ERROR(control.Call(netdev, buffer));
  ethtool_sset_info answer{};
  RETURN_IF_ERROR(CopyStruct(buffer, "string sets", answer));
  if (answer.sset_mask == 0) {
    return ErrnoError(EOPNOTSUPP, fmt::format("statistics of {}", netdev));
  }
  uint32_t count = 0;
  std::memcpy(&count, buffer.data() + sizeof(header), sizeof(count));
  return count;
}

absl::StatusOr<std::vector<std::string>> ReadNames(EthtoolControl& control,
                                                   const std::string& netdev) {
  ASSIGN_OR_RETURN(const uint32_t count, CountStatistics(control, netdev));
  ethtool_gstrings header{};
  header.cmd = ETHTOOL_GSTRINGS;
  header.string_set = ETH_SS_STATS;
  header.len = count;
  Bytes buffer = BufferFor(header, WithRoomToGrow(count), ETH_GSTRING_LEN);
  RETURN_IF_ERROR(control.Call(netdev, buffer));
  return DecodeEthtoolStrings(buffer);
}

absl::StatusOr<std::vector<uint64_t>> ReadValues(EthtoolControl& control, const std::string& netdev,
                                                 size_t count) {
  ethtool_stats header{};
  header.cmd = ETHTOOL_GSTATS;
  header.n_stats = static_cast<uint32_t>(count);
  Bytes buffer = BufferFor(header, WithRoomToGrow(count), sizeof(uint64_t));
  RETURN_IF_ERROR(control.Call(netdev, buffer));
  return DecodeEthtoolValues(buffer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<EthtoolControl>> OpenEthtoolControl() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoError(errno, "socket for ethtool");
  return std::make_unique<KernelEthtoolControl>(fd);
}

absl::StatusOr<EthtoolDriverInfo> DecodeEthtoolDriverInfo(ByteView answer) {
  ethtool_drvinfo info{};
  RETURN_IF_ERROR(CopyStruct(answer, "driver info", info));
  return EthtoolDriverInfo{.driver = TextOf(info.driver),
                           .version = TextOf(info.version),
                           .firmware = TextOf(info.fw_version),
                           .bus = TextOf(info.bus_info)};
}

absl::StatusOr<std::vector<std::string>> DecodeEthtoolStrings(ByteView answer) {
  ethtool_gstrings header{};
  RETURN_IF_ERROR(CopyStruct(answer, "names", header));
  const ByteView rows = answer.subspan(sizeof(header));
  if (header.len > rows.size() / ETH_GSTRING_LEN) {
    return DataLoss("ethtool names: {} claimed, {} bytes there", header.len, rows.size());
  }
  std::vector<std::string> names;
  names.reserve(header.len);
  for (size_t i = 0; i < header.len; ++i) {
    names.push_back(TextOf(rows.subspan(i * ETH_GSTRING_LEN, ETH_GSTRING_LEN)));
  }
  return names;
}

absl::StatusOr<std::vector<uint64_t>> DecodeEthtoolValues(ByteView answer) {
  ethtool_stats header{};
  RETURN_IF_ERROR(CopyStruct(answer, "values", header));
  const ByteView rows = answer.subspan(sizeof(header));
  if (header.n_stats > rows.size() / sizeof(uint64_t)) {
    return DataLoss("ethtool values: {} claimed, {} bytes there", header.n_stats, rows.size());
  }
  std::vector<uint64_t> values(header.n_stats);
  if (!values.empty()) std::memcpy(values.data(), rows.data(), values.size() * sizeof(uint64_t));
  return values;
}

absl::StatusOr<EthtoolDriverInfo> ReadEthtoolDriverInfo(EthtoolControl& control,
                                                        const std::string& netdev) {
  ethtool_drvinfo header{};
  header.cmd = ETHTOOL_GDRVINFO;
  Bytes buffer = BufferFor(header, 0, 0);
  RETURN_IF_ERROR(control.Call(netdev, buffer));
  return DecodeEthtoolDriverInfo(buffer);
}

absl::StatusOr<std::vector<EthtoolStatistic>> ReadEthtoolStatistics(EthtoolControl& control,
                                                                    const std::string& netdev) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, ReadNames(control, netdev));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ASSIGN_OR_RETURN(const std::vector<uint64_t> values, ReadValues(control, netdev, names.size()));
    ASSIGN_OR_RETURN(std::vector<std::string> names_after, ReadNames(control, netdev));
    if (names_after == names && values.size() == names.size()) {
      std::vector<EthtoolStatistic> statistics;
      statistics.reserve(names.size());
      for (size_t i = 0; i < names.size(); ++i) {
        statistics.push_back({std::move(names[i]), values[i]});
      }
      return statistics;
    }
    names = std::move(names_after);
  }
  return Unavailable("statistics of {} changed their names {} times while read", netdev, kAttempts);
}

absl::StatusOr<std::array<uint8_t, 6>> ReadEthtoolPermanentAddress(EthtoolControl& control,
                                                                   const std::string& netdev) {
  ethtool_perm_addr header{};
  header.cmd = ETHTOOL_GPERMADDR;
  header.size = kAddressBytes;
  Bytes buffer = BufferFor(header, 1, kAddressBytes);
  RETURN_IF_ERROR(control.Call(netdev, buffer));
  ethtool_perm_addr answer{};
  RETURN_IF_ERROR(CopyStruct(buffer, "permanent address", answer));
  std::array<uint8_t, kAddressBytes> address{};
  std::memcpy(address.data(), buffer.data() + sizeof(header), address.size());
  if (answer.size != kAddressBytes || address == std::array<uint8_t, kAddressBytes>{}) {
    return NotFound("{} has no permanent address", netdev);
  }
  return address;
}

}  // namespace roceready::netlink
