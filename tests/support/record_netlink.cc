// SPDX-License-Identifier: Apache-2.0
// Asks the kernel of this host everything that agent/netlink can ask, and writes what was asked and
// answered to DIRECTORY/{route,rdma,generic,netfilter}.txt, for FakeTransport::FromFile:
//   record_netlink DIRECTORY [ROUTE_DESTINATION [DEVLINK_PARAMETER ...]]
#include <fmt/core.h>

#include <fstream>

#include "agent/netlink/dcb.h"
#include "agent/netlink/devlink.h"
#include "agent/netlink/ethtool_nl.h"
#include "agent/netlink/nftables.h"
#include "agent/netlink/nldev.h"
#include "agent/netlink/rtnl.h"
#include "agent/netlink/rtnl_vf.h"
#include "agent/netlink/socket.h"
#include "tests/support/fake_netlink.h"

namespace roceready::netlink {
namespace {

// What could not be read is a line on the screen; the recording has the kernel's answer all the
// same.
template <typename Answer>
Answer Told(const absl::StatusOr<Answer>& answer) {
  if (answer.ok()) return *answer;
  fmt::print("{}\n", roceready::Message(answer.status()));
  return Answer();
}

absl::StatusOr<std::unique_ptr<Socket>> OpenFor(Protocol protocol) {
  return Socket::Open(protocol, std::chrono::steady_clock::now() + std::chrono::minutes(2));
}

std::vector<Link> RecordRoute(Transport& route, const char* destination) {
  const std::vector<Link> links = Told(ReadLinks(route));
  for (const Link& link : links) {
    Told(ReadLink(route, link.index));
    Told(ReadLinkVfs(route, link.index));
    Told(ReadDcb(route, link.name));
    Told(ReadDcbx(route, link.name));
  }
  Told(ReadAddresses(route));
  Told(ReadRoutes(route, 0));
  Told(ReadRules(route, 0));
  Told(ReadNeighbours(route, 0));
  if (destination == nullptr) return links;
  if (const auto address = IpAddressBytes::Parse(destination)) {
    Told(LookUpRoute(route, *address, std::nullopt, std::nullopt));
  }
  return links;
}

void RecordRdma(Transport& rdma) {
  Told(ReadRdmaSystem(rdma));
  for (const RdmaDevice& device : Told(ReadRdmaDevices(rdma))) {
    Told(ReadRdmaResources(rdma, device.index));
    Told(ReadRdmaQueuePairs(rdma, device.index));
    Told(ReadRdmaCmIds(rdma, device.index));
    Told(ReadRdmaUverbs(rdma, device.index));
    for (uint32_t port = 1; port <= device.port_count.value_or(0); ++port) {
      Told(ReadRdmaPort(rdma, device.index, port));
      Told(ReadRdmaCounters(rdma, device.index, port));
      Told(ReadRdmaCounterStates(rdma, device.index, port));
    }
  }
}

void RecordGeneric(Transport& generic, const std::vector<Link>& links,
                   const std::vector<std::string>& parameters) {
  if (const auto family = ResolveGenericFamily(generic, kDevlinkFamily); family.ok()) {
    for (const DevlinkHandle& handle : Told(ReadDevlinkDevices(generic, *family))) {
      Told(ReadDevlinkInfo(generic, *family, handle));
      Told(ReadDevlinkEswitch(generic, *family, handle));
      for (const std::string& name : parameters) {
        Told(ReadDevlinkParam(generic, *family, handle, name));
      }
    }
    Told(ReadDevlinkHealth(generic, *family));
  }
  if (const auto family = ResolveGenericFamily(generic, kEthtoolFamily); family.ok()) {
    for (const Link& link : links) {
      Told(ReadEthtoolLinkModes(generic, *family, link.name));
      Told(ReadEthtoolLinkState(generic, *family, link.name));
      Told(ReadEthtoolPause(generic, *family, link.name));
      Told(ReadEthtoolFec(generic, *family, link.name));
    }
  }
}

int Run(const std::string& directory, const char* destination,
        const std::vector<std::string>& parameters) {
  std::vector<Link> links;
  if (auto socket = OpenFor(Protocol::kRoute); socket.ok()) {
    std::ofstream out(directory + "/route.txt");
    RecordingTransport recording(**socket, out);
    links = RecordRoute(recording, destination);
  }
  if (auto socket = OpenFor(Protocol::kRdma); socket.ok()) {
    std::ofstream out(directory + "/rdma.txt");
    RecordingTransport recording(**socket, out);
    RecordRdma(recording);
  } else {
    fmt::print("{}\n", roceready::Message(socket.status()));
  }
  if (auto socket = OpenFor(Protocol::kGeneric); socket.ok()) {
    std::ofstream out(directory + "/generic.txt");
    RecordingTransport recording(**socket, out);
    RecordGeneric(recording, links, parameters);
  }
  if (auto socket = OpenFor(Protocol::kNetfilter); socket.ok()) {
    std::ofstream out(directory + "/netfilter.txt");
    RecordingTransport recording(**socket, out);
    Told(ReadNftChains(recording));
    Told(ReadNftRules(recording));
    Told(ReadNftTables(recording));
  }
  return 0;
}

}  // namespace
}  // namespace roceready::netlink

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: record_netlink DIRECTORY [ROUTE_DESTINATION [DEVLINK_PARAMETER ...]]\n");
    return 64;
  }
  std::vector<std::string> parameters = {"enable_roce"};
  for (int i = 3; i < argc; ++i) parameters.push_back(argv[i]);
  return roceready::netlink::Run(argv[1], argc > 2 ? argv[2] : nullptr, parameters);
}
