// SPDX-License-Identifier: Apache-2.0
#include "checks/reading.h"

#include <system_error>

namespace roceready::checks {

std::string WordOf(v1::Outcome outcome) {
  constexpr std::string_view kPrefix = "OUTCOME_";
  if (!v1::Outcome_IsValid(outcome)) return fmt::format("{}{}", kPrefix, static_cast<int>(outcome));
  return v1::Outcome_Name(outcome).substr(kPrefix.size());
}

std::string WordOf(v1::Source source) {
  switch (source) {
    case v1::SOURCE_UNSPECIFIED:
      return {};
    case v1::SOURCE_RTNETLINK:
      return "rtnetlink";
    case v1::SOURCE_DCBNL:
      return "dcb";
    case v1::SOURCE_RDMA_NETLINK:
      return "RDMA netlink";
    case v1::SOURCE_VERBS:
      return "verbs";
    case v1::SOURCE_DEVX:
      return "DEVX";
    case v1::SOURCE_DEVLINK:
      return "devlink";
    case v1::SOURCE_ETHTOOL_NETLINK:
    case v1::SOURCE_ETHTOOL_IOCTL:
      return "ethtool";
    case v1::SOURCE_SYSFS:
      return "sysfs";
    case v1::SOURCE_VENDOR_SYSFS:
      return "vendor sysfs";
    case v1::SOURCE_DEBUGFS:
      return "debugfs";
    case v1::SOURCE_CONFIGFS:
      return "configfs";
    case v1::SOURCE_PROCFS:
      return "procfs";
    case v1::SOURCE_PCI_CONFIG:
      return "PCI config space";
    case v1::SOURCE_LLDP_FRAME:
    case v1::SOURCE_LLDPD:
      return "LLDP";
    case v1::SOURCE_FILE:
      return "file";
    case v1::SOURCE_NETFILTER:
      return "packet filter";
    case v1::SOURCE_SWITCH_CONFIG:
      return "switch configuration";
    case v1::SOURCE_PACKET_SOCKET:
      return "packet socket";
    default:
      return fmt::format("source {}", static_cast<int>(source));
  }
}

std::string ReasonOf(const v1::Reading& reading) {
  if (reading.outcome() == v1::OUTCOME_NOT_COLLECTED) {
    return "NOT_COLLECTED: this agent does not read it";
  }
  std::string text = WordOf(reading.outcome());
  if (!reading.needs().empty()) {
    // Says what to do; the detail would only add the path of this one device.
    text += ", needs " + reading.needs();
  } else if (!reading.detail().empty()) {
    text += ": " + reading.detail();
  } else if (reading.error() != 0) {
    text += ": " + std::generic_category().message(reading.error());
  }
  const std::string source = WordOf(reading.source());
  if (!source.empty()) text += " (" + source + ")";
  return text;
}

}  // namespace roceready::checks
