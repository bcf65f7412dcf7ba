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
#include "agent/netlink/recorded_transport.h"

namespace roceready::netlink {

// A recording, or what a test says (agent/netlink/recorded_transport.h). A request nobody recorded
// is kInternal and names itself.
class FakeTransport : public RecordedTransport {
 public:
  FakeTransport() = default;
  static absl::StatusOr<FakeTransport> FromFile(const std::string& path);
  static absl::StatusOr<FakeTransport> FromText(std::string_view text);

  absl::StatusOr<std::vector<Message>> Exchange(const Request& request) override;

  // What was asked so far, in order.
  const std::vector<Request>& asked() const { return asked_; }

 private:
  explicit FakeTransport(RecordedTransport recorded) : RecordedTransport(std::move(recorded)) {}
  std::vector<Request> asked_;
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
