// SPDX-License-Identifier: Apache-2.0
#include "controller/why/explain.h"

#include <algorithm>
#include <map>

namespace roceready::why {
namespace {

// What keeps packets from arriving, or acknowledgements from coming back.
const std::vector<std::string_view>& OnTheWay() {
  static const std::vector<std::string_view> checks = {
      "port.",   "blame.",     "probe.",    "firewall.", "neighbour.", "mtu.",   "pfc.",
      "qos.",    "switch.",    "loss.",     "link.",     "address.",   "route.", "vlan.",
      "gid.",    "job.timers", "pause.",    "ets.",      "buffer.",    "ecn.",   "pcie.",
      "device.", "bond.",      "firmware.", "driver.",   "speed.",     "job.",   "host.heard-from"};
  return checks;
}

const std::vector<std::string_view>& ToConnect() {
  static const std::vector<std::string_view> checks = {
      "port.", "neighbour.", "gid.", "job.gid-index",  "address.", "route.",
      "vlan.", "firewall.",  "mtu.", "blame.",         "probe.",   "device.",
      "link.", "switch.",    "cm.",  "host.heard-from"};
  return checks;
}

}  // namespace

const Meaning& MeaningOf(ErrorKind kind) {
  static const std::map<ErrorKind, Meaning> meanings = {
      {ErrorKind::kRetriesExceeded,
       {"retries exceeded",
        "packets were sent again and again and nobody acknowledged them: they or the "
        "acknowledgements are lost on the way, or the peer's queue pair is gone",
        OnTheWay()}},
      {ErrorKind::kReceiverNotReady,
       {"receiver not ready",
        "the peer had no buffer posted each time: its program is late or stuck; the network "
        "carried the packets",
        {"receiver.", "use.", "host.heard-from"}}},
      {ErrorKind::kRemoteAccess,
       {"remote access",
        "the peer refused the access to its memory: a wrong key or range of the program",
        {"use.broken-queue-pairs"}}},
      {ErrorKind::kRemoteRequest,
       {"remote invalid request",
        "the peer did not take the request: a message longer than its buffer, or two ends whose "
        "path MTU or READ depth differ",
        {"mtu.", "queue-pairs."}}},
      {ErrorKind::kRemoteOperation,
       {"remote operation",
        "the peer's NIC could not carry the request out: look at its own log first",
        {"device.", "pcie.", "firmware."}}},
      {ErrorKind::kLocalProtection,
       {"local protection",
        "a buffer of the program itself was not registered as it was used",
        {"gpu.", "iommu."}}},
      {ErrorKind::kLocalLength,
       {"local length",
        "a message was longer than the buffer that the program had posted for it, or than the port "
        "takes: two ends of different versions or settings",
        {"mtu.", "queue-pairs.", "use."}}},
      {ErrorKind::kLocalOperation,
       {"local operation",
        "the NIC gave up a queue of the program: it could not work on it, or the queue overran",
        {"device.", "firmware.", "driver.", "pcie.", "use."}}},
      {ErrorKind::kRefusedAccess,
       {"access refused",
        "a peer used memory of this host that the program had not opened to it, or not so: a wrong "
        "key or range; the peer shows it as remote access",
        {"use.broken-queue-pairs", "gpu.", "iommu."}}},
      {ErrorKind::kRefusedRequest,
       {"request refused",
        "a request of a peer was not understood here: a message longer than the buffer, or two "
        "ends whose path MTU or READ depth differ",
        {"mtu.", "queue-pairs."}}},
      {ErrorKind::kDeviceFailed,
       {"device failed",
        "the NIC stopped altogether: its own log and the kernel's say more",
        {"device.", "firmware.", "pcie.", "driver."}}},
      {ErrorKind::kConnectTimedOut,
       {"not connected",
        "the two could not be connected: the peer's address was not resolved, or nobody answered",
        ToConnect()}},
      {ErrorKind::kWrongGid,
       {"wrong GID",
        "the queue pair took none of what it was to be connected with: the GID index is an empty "
        "slot, or not of the peer's kind of address (RoCE v1 or v2, IPv4 or IPv6), or the path MTU "
        "is more than the port's",
        {"gid.", "job.gid-index", "address.", "vlan.", "port.", "mtu.", "netns.", "queue-pairs."}}},
      {ErrorKind::kAddressUnresolved,
       {"address not resolved",
        "no RDMA device or no route leads to the address",
        {"gid.", "address.", "route.", "device.", "port.", "netns.", "cm."}}},
      {ErrorKind::kConnectRejected,
       {"rejected",
        "a program of the peer's host said no, or none listens there: the network carried the "
        "packets",
        {"cm.", "use."}}},
      {ErrorKind::kLockedMemory,
       {"memory not registered",
        "the program may not lock as much memory as it wants to register",
        {"limits.", "gpu.peer-memory"}}},
      {ErrorKind::kNoDevice,
       {"no device",
        "there is no RDMA device, or not the one that was named",
        {"device.", "nic-count.", "name.", "netns.", "limits.", "driver.", "rdma."}}},
      {ErrorKind::kLinkDown,
       {"link down",
        "the link went down: cable, optic, or the switch's port",
        {"port.", "link.", "device.health", "speed."}}},
  };
  return meanings.at(kind);
}

std::vector<const v1::Finding*> CausesOf(
    ErrorKind kind, const std::vector<std::string>& hosts,
    const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  const std::vector<std::string_view>& checks = MeaningOf(kind).checks;
  const auto rank_of = [&](const v1::Finding& finding) -> std::size_t {
    for (std::size_t i = 0; i < checks.size(); ++i) {
      const bool matches = checks[i].ends_with('.') ? finding.check_id().starts_with(checks[i])
                                                    : finding.check_id() == checks[i];
      if (matches) return i;
    }
    return checks.size();
  };
  const auto is_of = [&](const std::string& host) {
    return std::ranges::find(hosts, host) != hosts.end();
  };
  std::vector<const v1::Finding*> causes;
  for (const v1::Finding& finding : findings) {
    if (finding.status() != v1::CHECK_STATUS_FAIL || rank_of(finding) == checks.size()) continue;
    const v1::Subject& subject = finding.subject();
    // Of a fleet or a switch, which every host may stand behind.
    if (!subject.host().empty() && !is_of(subject.host())) continue;
    if (!subject.peer_host().empty() && !is_of(subject.peer_host())) continue;
    causes.push_back(&finding);
  }
  std::ranges::stable_sort(causes, {}, [&](const v1::Finding* finding) {
    return std::pair(finding->severity(), rank_of(*finding));
  });
  return causes;
}

}  // namespace roceready::why
