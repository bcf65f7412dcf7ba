// SPDX-License-Identifier: Apache-2.0
// probe.bandwidth: probes move data as fast as the path can, and as fast as other pairs do.
#include <algorithm>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/probe_bandwidth.h"
#include "checks/probe_view.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

constexpr std::string_view kExpected = "the bandwidth of the path, and of other pairs";

std::string Gbps(double bps) { return fmt::format("{:.1f} Gb/s", bps / 1e9); }

// "WRITE 27.0 Gb/s, where the link of gpu1 gives 400.0 Gb/s and half of 16 directions 388.0 Gb/s"
std::string TextOf(const Bandwidth& bandwidth) {
  std::string text =
      fmt::format("{} {}", bandwidth.verb == Verb::kWrite ? "WRITE" : "READ", Gbps(bandwidth.bps));
  std::vector<std::string> others;
  if (bandwidth.possible_bps) {
    others.push_back(
        fmt::format("the {} allows {}", bandwidth.limit, Gbps(*bandwidth.possible_bps)));
  }
  if (bandwidth.median_bps) {
    others.push_back(fmt::format("half of {} have {} or more",
                                 Counted(bandwidth.compared, "direction"),
                                 Gbps(*bandwidth.median_bps)));
  }
  return fmt::format("{}, where {}", text, JoinWords(others, " and "));
}

Draft& SaySlow(const ProbedPair& pair, Path path, const MeasuredPath& measured, Judge& judge) {
  std::vector<std::string> texts;
  texts.reserve(measured.slow.size());
  for (const Bandwidth* one : measured.slow) texts.push_back(TextOf(*one));
  Draft& draft = judge.Fail(pair.SubjectOf(path))
                     .Expected(std::string(kExpected))
                     .Actual(JoinWords(texts, "; "))
                     .MendedBy(
                         "Look at both ports, and at the switches and cables between the two; an "
                         "agent may have a rate limit of its own.");
  for (const Bandwidth* one : measured.slow) {
    for (v1::Evidence& evidence : pair.EvidenceOf(one->phase)) draft.RestsOn(std::move(evidence));
  }
  draft.touches = pair.Touches();
  return draft;
}

void JudgePair(const ProbedPair& pair, Judge& judge) {
  std::string root;
  for (const Path path : kPaths) {
    const MeasuredPath measured = MeasuredOn(pair, path);
    if (!measured.slow.empty()) {
      Draft& draft = SaySlow(pair, path, measured, judge);
      // What packets show on this way says nothing of others that share a port with it.
      for (const std::string_view seen : {"probe.traffic-class", "probe.congestion-marks"}) {
        draft.follows.push_back(FindingKey(seen, pair.SubjectOf(path)));
      }
      if (!root.empty()) draft.follows.push_back(root);
      if (root.empty()) root = FindingKey("probe.bandwidth", pair.SubjectOf(path));
    } else if (measured.unknown != nullptr) {
      judge
          .Unknown(pair.SubjectOf(path),
                   "what the path can give is not known: " + measured.unknown->unknown)
          .Expected(std::string(kExpected))
          .touches = pair.Touches();
    } else if (measured.right > 0) {
      judge.Pass();
    } else {
      judge.NotApplicable();
    }
  }
}

}  // namespace

Check ProbeBandwidth() {
  return {
      .id = "probe.bandwidth",
      .title = "Probes are as fast as the path and as others",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A rail can be up, green everywhere and carry 7 % of its speed; every collective "
          "operation then goes at the pace of that rail.",
      .how =
          "Of each direction, the bandwidth of WRITE and READ phases that moved 16 MiB or took 200 "
          "ms "
          "(hardware) is compared (a) with what the path can give: the least of the link speeds "
          "and PCIe paths "
          "of both ports and the probe's rate limit; and (b) with the median of all probed "
          "directions of ports of the same models in this audit, from four on. Less than half of "
          "either is a fault. Software devices are bound by the processor: for them (a) does not "
          "apply, and (b) is a quarter. Where the link speed is not known it is UNKNOWN.",
      .fix = "Look between the two that are slow.",
      .sources = {"probe phases that measure bandwidth", "ethtool LINKMODES_GET",
                  "/sys/bus/pci/devices/ADDRESS/current_link_speed and _width"},
      .explained_by = {"host.heard-from",     "port.active",
                       "link.bit-errors",     "link.flaps",
                       "speed.as-planned",    "speed.odd-one-out",
                       "pcie.link",           "pcie.bandwidth",
                       "pcie.payload",        "pcie.read-request",
                       "pcie.errors",         "pcie.power-state",
                       "iommu.passthrough",   "bond.members-up",
                       "bond.members-alike",  "pfc.lossless-priority",
                       "pause.storm",         "qos.dscp-priority",
                       "switch.pfc-lossless", "switch.roce-class",
                       "probe.large-only",    "probe.write",
                       "probe.read",          "probe.loss",
                       "loss.counters-moving"},
      .probe = JudgePair,
  };
}

}  // namespace roceready::checks
