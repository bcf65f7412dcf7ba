// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/kernel_events.h"

#include <linux/dcbnl.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "agent/netlink/attributes.h"
#include "agent/netlink/generic.h"

namespace roceready::watch {
namespace {

using netlink::Attributes;
using netlink::ByteView;
using netlink::Message;

// net/dcb/dcbnl.c: changes by CEE are told with the first, changes by IEEE with the second.
constexpr uint16_t kGetDcb = 78;
constexpr uint16_t kSetDcb = 79;
// rdma/rdma_netlink.h of later kernels: RDMA_NLDEV_CMD_MONITOR of the client NLDEV, and its
// attributes.
constexpr uint16_t kRdmaMonitor = 0x141c;
constexpr uint16_t kRdmaDevName = 2;
constexpr uint16_t kRdmaEventType = 102;
// enum rdma_nl_notify_event_type: a net device was attached to a port or detached from it, or
// renamed. All others are about the device itself.
constexpr std::array<uint8_t, 3> kRdmaNetDeviceEvents = {2, 3, 5};
// linux/devlink.h
constexpr uint16_t kDevlinkBusName = 1;
constexpr uint16_t kDevlinkDevName = 2;

// Confirmations of what is known are not told on: on a busy host one comes every second or so.
constexpr uint16_t kTellingNeighbourStates = NUD_FAILED | NUD_REACHABLE | NUD_PERMANENT;

template <typename Header>
absl::StatusOr<Header> HeaderOf(const Message& message, std::string_view where) {
  Header header{};
  RETURN_IF_ERROR(netlink::TakeHeader(message.payload, where, header).status());
  return header;
}

absl::StatusOr<Changes> OfLink(const Message& message) {
  ASSIGN_OR_RETURN(const auto header, HeaderOf<ifinfomsg>(message, "link event"));
  // Of a bridge's ports, in a format of their own.
  if (header.ifi_family == AF_BRIDGE) return Changes();
  return Changes({Topic::kLink, static_cast<uint32_t>(header.ifi_index), ""});
}

absl::StatusOr<Changes> OfAddress(const Message& message) {
  ASSIGN_OR_RETURN(const auto header, HeaderOf<ifaddrmsg>(message, "address event"));
  return Changes({Topic::kAddress, header.ifa_index, ""});
}

absl::StatusOr<Changes> OfNeighbour(const Message& message) {
  ASSIGN_OR_RETURN(const auto header, HeaderOf<ndmsg>(message, "neighbour event"));
  if (header.ndm_family != AF_INET && header.ndm_family != AF_INET6) return Changes();
  // Those of multicast addresses come and go with their link.
  if ((header.ndm_state & NUD_NOARP) != 0) return Changes();
  const bool tells =
      message.type == RTM_DELNEIGH || (header.ndm_state & kTellingNeighbourStates) != 0;
  if (!tells) return Changes();
  return Changes({Topic::kNeighbour, static_cast<uint32_t>(header.ndm_ifindex), ""});
}

absl::StatusOr<Changes> OfDcb(const Message& message) {
  dcbmsg header{};
  ASSIGN_OR_RETURN(const ByteView rest, netlink::TakeHeader(message.payload, "DCB event", header));
  absl::Status malformed;
  Attributes attributes(rest, "DCB event", malformed);
  const std::optional<std::string> name = attributes.String(DCB_ATTR_IFNAME);
  RETURN_IF_ERROR(malformed);
  if (!name) return DataLoss("DCB event without a device");
  return Changes({Topic::kDcb, 0, *name});
}

absl::StatusOr<Changes> OfRoute(const Message& message) {
  switch (message.type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
      return OfLink(message);
    case RTM_NEWADDR:
    case RTM_DELADDR:
      return OfAddress(message);
    case RTM_NEWNEIGH:
    case RTM_DELNEIGH:
      return OfNeighbour(message);
    case kGetDcb:
    case kSetDcb:
      return OfDcb(message);
    default:
      return Changes();
  }
}

absl::StatusOr<Changes> OfRdma(const Message& message) {
  if (message.type != kRdmaMonitor) return Changes();
  absl::Status malformed;
  Attributes attributes(message.payload, "RDMA event", malformed);
  const std::optional<uint8_t> event = attributes.U8(kRdmaEventType);
  const std::optional<std::string> name = attributes.String(kRdmaDevName);
  RETURN_IF_ERROR(malformed);
  const bool of_net_device =
      event && std::ranges::find(kRdmaNetDeviceEvents, *event) != kRdmaNetDeviceEvents.end();
  if (!of_net_device) return Changes::Everything();
  return Changes({Topic::kRdma, 0, name.value_or("")});
}

absl::StatusOr<Changes> OfDevlink(const Message& message) {
  ASSIGN_OR_RETURN(const ByteView rest, netlink::GenericAttributes(message, "devlink event"));
  absl::Status malformed;
  Attributes attributes(rest, "devlink event", malformed);
  const std::optional<std::string> bus = attributes.String(kDevlinkBusName);
  const std::optional<std::string> name = attributes.String(kDevlinkDevName);
  RETURN_IF_ERROR(malformed);
  if (!bus || !name) return DataLoss("devlink event without a device");
  if (*bus != "pci") return Changes();
  return Changes({Topic::kDevlink, 0, *name});
}

Changes OfDatagram(ByteView datagram, absl::StatusOr<Changes> (*decode)(const Message&)) {
  const auto messages = netlink::SplitMessages(datagram);
  if (!messages.ok()) return Changes::Everything();
  Changes changes;
  for (const Message& message : *messages) {
    const absl::StatusOr<Changes> one = decode(message);
    changes.Merge(one.ok() ? *one : Changes::Everything());
  }
  return changes;
}

}  // namespace

Changes ChangesOfRoute(ByteView datagram) { return OfDatagram(datagram, OfRoute); }
Changes ChangesOfRdma(ByteView datagram) { return OfDatagram(datagram, OfRdma); }
Changes ChangesOfDevlink(ByteView datagram) { return OfDatagram(datagram, OfDevlink); }

Changes ChangesOfUevent(std::string_view uevent) {
  while (!uevent.empty()) {
    const size_t end = std::min(uevent.find('\0'), uevent.size());
    const std::string_view field = uevent.substr(0, end);
    uevent.remove_prefix(std::min(end + 1, uevent.size()));
    if (field == "SUBSYSTEM=net") return Changes({Topic::kDevices, 0, ""});
    if (field == "SUBSYSTEM=module") return Changes({Topic::kModule, 0, ""});
    if (field == "SUBSYSTEM=infiniband" || field == "SUBSYSTEM=infiniband_verbs" ||
        field == "SUBSYSTEM=pci") {
      return Changes::Everything();
    }
  }
  return {};
}

}  // namespace roceready::watch
