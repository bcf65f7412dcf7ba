// SPDX-License-Identifier: Apache-2.0
#include "agent/netlink/rtnl.h"

#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>

#include "agent/netlink/attributes.h"

namespace roceready::netlink {
namespace {

size_t SizeOfFamily(uint8_t family) {
  if (family == AF_INET) return 4;
  if (family == AF_INET6) return 16;
  return 0;
}

std::optional<IpAddressBytes> AddressOf(uint8_t family, ByteView raw, Attributes& owner) {
  if (SizeOfFamily(family) == 0 || raw.size() != SizeOfFamily(family)) {
    owner.Refuse(fmt::format("address of {} bytes in family {}", raw.size(), family));
    return std::nullopt;
  }
  IpAddressBytes address{.family = family};
  std::copy(raw.begin(), raw.end(), address.bytes.begin());
  return address;
}

std::optional<IpAddressBytes> ReadIp(Attributes& attributes, uint16_t type, uint8_t family) {
  const std::optional<ByteView> raw = attributes.Raw(type);
  if (!raw) return std::nullopt;
  return AddressOf(family, *raw, attributes);
}

// The gateway, which may be of another family than the route (RTA_VIA: IPv4 over an IPv6 next hop).
std::optional<IpAddressBytes> ReadGateway(Attributes& attributes, uint8_t family) {
  if (auto gateway = ReadIp(attributes, RTA_GATEWAY, family)) return gateway;
  const std::optional<ByteView> via = attributes.Raw(RTA_VIA);
  if (!via) return std::nullopt;
  uint16_t via_family = 0;
  if (via->size() < sizeof(via_family)) {
    attributes.Refuse("next hop of another family is cut");
    return std::nullopt;
  }
  std::memcpy(&via_family, via->data(), sizeof(via_family));
  return AddressOf(static_cast<uint8_t>(via_family), via->subspan(sizeof(via_family)), attributes);
}

std::vector<RouteNextHop> ReadNextHops(Attributes& attributes, uint8_t family,
                                       absl::Status& malformed) {
  std::vector<RouteNextHop> hops;
  ByteView rest = attributes.Raw(RTA_MULTIPATH).value_or(ByteView());
  while (!rest.empty()) {
    rtnexthop raw;
    if (rest.size() < sizeof(raw)) {
      attributes.Refuse("list of next hops is cut");
      break;
    }
    std::memcpy(&raw, rest.data(), sizeof(raw));
    if (raw.rtnh_len < sizeof(raw) || raw.rtnh_len > rest.size()) {
      attributes.Refuse(
          fmt::format("next hop says {} bytes where {} are left", raw.rtnh_len, rest.size()));
      break;
    }
    Attributes fields(rest.subspan(sizeof(raw), raw.rtnh_len - sizeof(raw)), "next hop", malformed);
    RouteNextHop hop{.gateway = ReadGateway(fields, family), .weight = raw.rtnh_hops + 1u};
    if (raw.rtnh_ifindex > 0) hop.link_index = static_cast<uint32_t>(raw.rtnh_ifindex);
    hops.push_back(hop);
    rest = rest.subspan(std::min<size_t>(RTNH_ALIGN(raw.rtnh_len), rest.size()));
  }
  return hops;
}

absl::Status MustBeIp(uint8_t family, std::string_view where) {
  if (SizeOfFamily(family) != 0) return absl::OkStatus();
  return DataLoss("{}: family {} is neither IPv4 nor IPv6", where, family);
}

absl::Status MustFit(uint8_t bits, uint8_t family, std::string_view where) {
  if (bits <= SizeOfFamily(family) * 8) return absl::OkStatus();
  return DataLoss("{}: prefix of {} bits", where, bits);
}

// A dump of family AF_UNSPEC also brings other families (MPLS, multicast routing): those are not
// ours.
bool IsIp(const Message& message) {
  return !message.payload.empty() && SizeOfFamily(message.payload.front()) != 0;
}

// A kernel without IPv6 (ipv6.disable=1) answers a dump of it like one of AF_UNSPEC, with IPv4's
// rows (net/core/rtnetlink.c rtnetlink_rcv_msg): rows of another family than asked for are not
// looked at. AF_UNSPEC: either.
template <typename Row>
absl::StatusOr<std::vector<Row>> ReadIpRows(Transport& route, const Request& request,
                                            uint8_t family,
                                            absl::StatusOr<Row> (*decode)(const Message&)) {
  ASSIGN_OR_RETURN(const std::vector<Message> messages, route.Exchange(request));
  std::vector<Row> rows;
  for (const Message& message : messages) {
    if (!IsIp(message)) continue;
    if (family != AF_UNSPEC && message.payload.front() != family) continue;
    ASSIGN_OR_RETURN(Row row, decode(message));
    rows.push_back(std::move(row));
  }
  return rows;
}

template <typename Header>
Request DumpRequest(uint16_t type, const Header& header, std::string what) {
  PayloadBuilder payload;
  payload.PutHeader(header);
  return {.type = type, .dump = true, .payload = payload.Take(), .what = std::move(what)};
}

ByteView ViewOf(const IpAddressBytes& address) {
  return ByteView(address.bytes).first(SizeOfFamily(address.family));
}

}  // namespace

std::optional<IpAddressBytes> IpAddressBytes::Parse(const std::string& text) {
  IpAddressBytes address;
  for (const uint8_t family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, text.c_str(), address.bytes.data()) == 1) {
      address.family = family;
      return address;
    }
  }
  return std::nullopt;
}

std::string IpAddressBytes::Text() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (inet_ntop(family, bytes.data(), text, sizeof(text)) == nullptr) return "";
  return text;
}

Request AddressesRequest() {
  return DumpRequest(RTM_GETADDR, ifaddrmsg{.ifa_family = AF_UNSPEC}, "list of addresses");
}
Request RoutesRequest(uint8_t family) {
  return DumpRequest(RTM_GETROUTE, rtmsg{.rtm_family = family}, "list of routes");
}
Request RulesRequest(uint8_t family) {
  return DumpRequest(RTM_GETRULE, fib_rule_hdr{.family = family}, "list of routing rules");
}
Request NeighboursRequest(uint8_t family) {
  return DumpRequest(RTM_GETNEIGH, ndmsg{.ndm_family = family}, "list of neighbours");
}

Request RouteLookupRequest(const IpAddressBytes& destination,
                           const std::optional<IpAddressBytes>& source,
                           std::optional<uint32_t> link_index) {
  const auto bits = [](const IpAddressBytes& address) {
    return static_cast<unsigned char>(SizeOfFamily(address.family) * 8);
  };
  PayloadBuilder payload;
  payload.PutHeader(rtmsg{.rtm_family = destination.family,
                          .rtm_dst_len = bits(destination),
                          .rtm_src_len = source ? bits(*source) : static_cast<unsigned char>(0),
                          .rtm_flags = RTM_F_LOOKUP_TABLE});
  payload.PutBytes(RTA_DST, ViewOf(destination));
  if (source) payload.PutBytes(RTA_SRC, ViewOf(*source));
  if (link_index) payload.PutU32(RTA_OIF, *link_index);
  return {.type = RTM_GETROUTE,
          .payload = payload.Take(),
          .what = fmt::format("route to {}{}", destination.Text(),
                              source ? " from " + source->Text() : "")};
}

absl::StatusOr<InterfaceAddress> DecodeAddress(const Message& message) {
  if (message.type != RTM_NEWADDR && message.type != RTM_DELADDR) {
    return DataLoss("message type {} is no address", message.type);
  }
  ifaddrmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "address", header));
  RETURN_IF_ERROR(MustBeIp(header.ifa_family, "address"));
  RETURN_IF_ERROR(MustFit(header.ifa_prefixlen, header.ifa_family, "address"));
  absl::Status malformed;
  Attributes attributes(rest, "address", malformed);
  const auto local = ReadIp(attributes, IFA_LOCAL, header.ifa_family);
  const auto address = ReadIp(attributes, IFA_ADDRESS, header.ifa_family);
  InterfaceAddress result{.link_index = header.ifa_index,
                          .prefix_bits = header.ifa_prefixlen,
                          .scope = header.ifa_scope,
                          .flags = attributes.U32(IFA_FLAGS).value_or(header.ifa_flags)};
  RETURN_IF_ERROR(malformed);
  if (!local && !address) return DataLoss("address message without an address");
  result.address = local ? *local : *address;
  if (local && address && *local != *address) result.peer = address;
  return result;
}

absl::StatusOr<Route> DecodeRoute(const Message& message) {
  if (message.type != RTM_NEWROUTE && message.type != RTM_DELROUTE) {
    return DataLoss("message type {} is no route", message.type);
  }
  rtmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "route", header));
  RETURN_IF_ERROR(MustBeIp(header.rtm_family, "route"));
  RETURN_IF_ERROR(MustFit(header.rtm_dst_len, header.rtm_family, "route"));
  absl::Status malformed;
  Attributes attributes(rest, "route", malformed);
  Route route{.family = header.rtm_family,
              .table = attributes.U32(RTA_TABLE).value_or(header.rtm_table),
              .type = header.rtm_type,
              .protocol = header.rtm_protocol,
              .scope = header.rtm_scope,
              .destination = ReadIp(attributes, RTA_DST, header.rtm_family),
              .destination_bits = header.rtm_dst_len,
              .gateway = ReadGateway(attributes, header.rtm_family),
              .link_index = attributes.U32(RTA_OIF),
              .source = ReadIp(attributes, RTA_PREFSRC, header.rtm_family),
              .metric = attributes.U32(RTA_PRIORITY)};
  if (std::optional<Attributes> metrics = attributes.Nest(RTA_METRICS, "route metrics")) {
    route.mtu_bytes = metrics->U32(RTAX_MTU);
  }
  route.next_hops = ReadNextHops(attributes, header.rtm_family, malformed);
  RETURN_IF_ERROR(malformed);
  return route;
}

absl::StatusOr<Rule> DecodeRule(const Message& message) {
  if (message.type != RTM_NEWRULE && message.type != RTM_DELRULE) {
    return DataLoss("message type {} is no routing rule", message.type);
  }
  fib_rule_hdr header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "rule", header));
  RETURN_IF_ERROR(MustBeIp(header.family, "rule"));
  RETURN_IF_ERROR(MustFit(header.src_len, header.family, "rule"));
  RETURN_IF_ERROR(MustFit(header.dst_len, header.family, "rule"));
  absl::Status malformed;
  Attributes attributes(rest, "rule", malformed);
  Rule rule{.family = header.family,
            .priority = attributes.U32(FRA_PRIORITY).value_or(0),
            .table = attributes.U32(FRA_TABLE).value_or(header.table),
            .action = header.action,
            .from = ReadIp(attributes, FRA_SRC, header.family),
            .from_bits = header.src_len,
            .to = ReadIp(attributes, FRA_DST, header.family),
            .to_bits = header.dst_len,
            .input_device = attributes.String(FRA_IIFNAME),
            .output_device = attributes.String(FRA_OIFNAME),
            .mark = attributes.U32(FRA_FWMARK)};
  RETURN_IF_ERROR(malformed);
  return rule;
}

absl::StatusOr<Neighbour> DecodeNeighbour(const Message& message) {
  if (message.type != RTM_NEWNEIGH && message.type != RTM_DELNEIGH) {
    return DataLoss("message type {} is no neighbour", message.type);
  }
  ndmsg header;
  ASSIGN_OR_RETURN(const ByteView rest, TakeHeader(message.payload, "neighbour", header));
  RETURN_IF_ERROR(MustBeIp(header.ndm_family, "neighbour"));
  absl::Status malformed;
  Attributes attributes(rest, "neighbour", malformed);
  Neighbour neighbour{.link_index = static_cast<uint32_t>(header.ndm_ifindex),
                      .address = ReadIp(attributes, NDA_DST, header.ndm_family),
                      .state = header.ndm_state};
  const std::optional<ByteView> mac = attributes.Raw(NDA_LLADDR);
  if (mac && mac->size() == MacAddress().size()) {
    std::copy(mac->begin(), mac->end(), neighbour.mac.emplace().begin());
  }
  RETURN_IF_ERROR(malformed);
  return neighbour;
}

absl::StatusOr<std::vector<InterfaceAddress>> ReadAddresses(Transport& route) {
  return ReadIpRows(route, AddressesRequest(), AF_UNSPEC, &DecodeAddress);
}
absl::StatusOr<std::vector<Route>> ReadRoutes(Transport& route, uint8_t family) {
  return ReadIpRows(route, RoutesRequest(family), family, &DecodeRoute);
}
absl::StatusOr<std::vector<Rule>> ReadRules(Transport& route, uint8_t family) {
  return ReadIpRows(route, RulesRequest(family), family, &DecodeRule);
}
absl::StatusOr<std::vector<Neighbour>> ReadNeighbours(Transport& route, uint8_t family) {
  return ReadIpRows(route, NeighboursRequest(family), family, &DecodeNeighbour);
}

absl::StatusOr<Route> LookUpRoute(Transport& route, const IpAddressBytes& destination,
                                  const std::optional<IpAddressBytes>& source,
                                  std::optional<uint32_t> link_index) {
  ASSIGN_OR_RETURN(const Message message,
                   ExchangeOne(route, RouteLookupRequest(destination, source, link_index)));
  return DecodeRoute(message);
}

}  // namespace roceready::netlink
