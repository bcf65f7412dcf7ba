// SPDX-License-Identifier: Apache-2.0
// blame.no-traffic, blame.large-only, blame.loss and blame.slow; blame.cc judges them.
#include "checks/check.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kHow =
    "Over all probed pairs, the fewest are looked for that explain what fails and have little of "
    "what is well: a port (sending, receiving or both), a NIC or a host with several ports, a leaf "
    "(by LLDP) or its uplinks, the way between two leaves, a rail. The confidence follows from the "
    "numbers of bad and good pairs alone. With fewer than two bad peers, with none that is well "
    "beside it, or where others explain as much, nobody is named; then the pairs stand for "
    "themselves.";

constexpr std::string_view kFix = "Look at what is named; it is what the pairs have in common.";

Check OfMatrix(std::string_view id, std::string_view title) {
  Check check;
  check.id = id;
  check.title = title;
  check.scope = v1::SCOPE_FLEET;
  check.on_unknown = v1::ON_UNKNOWN_NOTE;
  check.how = kHow;
  check.fix = kFix;
  check.sources = {"all probes of the audit, counters of both ends", "LLDP: who is on which leaf"};
  return check;
}

}  // namespace

Check BlameNoTraffic() {
  Check check = OfMatrix("blame.no-traffic", "Nobody stands out among pairs that fail");
  check.severity = v1::SEVERITY_BLOCKS;
  check.why =
      "One dead port fails with all of its peers: that is one fault with one repair, and not one "
      "for each pair.";
  check.sources.emplace_back("probe.write, probe.read");
  check.explained_by = {"host.heard-from",   "device.rdma-present",   "port.active",
                        "address.duplicate", "address.duplicate-mac", "address.arp-flux",
                        "gid.rocev2-ipv4",   "firewall.roce-port",    "neighbour.mac"};
  return check;
}

Check BlameLargeOnly() {
  Check check = OfMatrix("blame.large-only", "Nobody stands out among pairs that lose large ones");
  check.severity = v1::SEVERITY_BLOCKS;
  check.why =
      "A switch port or a link between leaves with a small MTU swallows the large packets of all "
      "pairs that pass it, and reports nothing.";
  check.sources.emplace_back("probe.large-only");
  check.explained_by = {"mtu.netdev", "mtu.rdma-active", "switch.mtu", "switch.host-mtu",
                        "mtu.peer-mismatch"};
  return check;
}

Check BlameLoss() {
  Check check = OfMatrix("blame.loss", "Nobody stands out among pairs that lose packets");
  check.severity = v1::SEVERITY_DEGRADES;
  check.why =
      "A dirty optic, a bad cable or a port without PFC loses packets with all of its peers, often "
      "in one direction only.";
  check.sources.emplace_back("probe.loss");
  check.explained_by = {
      "blame.large-only",  "blame.no-traffic",      "link.bit-errors",   "link.flaps",
      "link.fec",          "pfc.lossless-priority", "qos.dscp-priority", "switch.pfc-lossless",
      "switch.roce-class", "buffer.lossless"};
  return check;
}

Check BlameSlow() {
  Check check = OfMatrix("blame.slow", "Nobody stands out among pairs that are slow");
  check.severity = v1::SEVERITY_DEGRADES;
  check.why =
      "Every collective operation goes at the pace of its slowest port, which is slow with all of "
      "its peers; a slow link between leaves, with all pairs that cross it.";
  check.sources.emplace_back("probe.bandwidth");
  check.explained_by = {
      "host.heard-from",   "port.active",       "link.bit-errors",     "link.flaps",
      "speed.as-planned",  "speed.odd-one-out", "pcie.link",           "pcie.bandwidth",
      "pcie.payload",      "pcie.read-request", "pcie.errors",         "pcie.power-state",
      "iommu.passthrough", "bond.members-up",   "bond.members-alike",  "pfc.lossless-priority",
      "pause.storm",       "qos.dscp-priority", "switch.pfc-lossless", "switch.roce-class",
      "blame.large-only",  "blame.no-traffic",  "blame.loss"};
  return check;
}

}  // namespace roceready::checks
