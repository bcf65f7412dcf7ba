// SPDX-License-Identifier: Apache-2.0
// switch.ecn-enabled, switch.ecn-thresholds: whether and from where on RoCE's queue marks packets.
#include <algorithm>

#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {
namespace {

std::string EnableCommand(const v1::SwitchPort& port, const Chain& chain, const Marking& marking,
                          const SwitchView& view) {
  if (marking.profile != nullptr) {
    return ShellCommand("sonic-db-cli CONFIG_DB hset {} ecn ecn_all",
                        "WRED_PROFILE|" + marking.profile->name());
  }
  if (!chain.queue) return {};
  for (const v1::WredProfile& profile : view.facts().wred_profiles()) {
    if (profile.green().marks_ecn()) {
      return ShellCommand("sonic-db-cli CONFIG_DB hset {} wred_profile {}",
                          fmt::format("QUEUE|{}|{}", port.name(), *chain.queue), profile.name());
    }
  }
  return {};
}

void JudgeEnabled(const SwitchView& view, Judge& judge) {
  const auto packet = RoceClass(view.intent());
  for (const v1::SwitchPort* port : view.ports()) {
    if (!packet || view.intent().congestion_control() != "dcqcn") {
      judge.NotApplicable();
      continue;
    }
    const std::string expected = fmt::format("the queue of {} marks ECN", packet->words);
    const Chain chain = ChainOf(view, *port, *packet);
    const Marking marking = MarkingOf(view, *port, chain);
    if (marking.marks) {
      judge.Pass();
    } else if (!marking.problem.empty()) {
      Draft& draft = judge.Fail(view.SubjectOf(*port))
                         .Expected(expected, "intent.congestion_control")
                         .Actual(marking.problem);
      RestOnAll(draft, marking.evidence);
      MendedOnSwitch(draft, view, "Give the queue a WRED profile that marks ECN.",
                     EnableCommand(*port, chain, marking, view));
    } else {
      Draft& draft = judge.Unknown(view.SubjectOf(*port), marking.unknown)
                         .Expected(expected, "intent.congestion_control");
      RestOnAll(draft, marking.evidence);
    }
  }
}

// The slowest band that the port fits into.
const v1::EcnBand* BandOf(const v1::SwitchIntent& intent, uint32_t speed_mbps) {
  const v1::EcnBand* band = nullptr;
  for (const v1::EcnBand& one : intent.ecn_bands()) {
    if (speed_mbps > one.up_to_mbps()) continue;
    if (band == nullptr || one.up_to_mbps() < band->up_to_mbps()) band = &one;
  }
  return band;
}

std::string Range(bool has_from, uint64_t from, bool has_to, uint64_t to) {
  if (has_from && has_to) return fmt::format("{} to {}", Grouped(from), Grouped(to));
  if (has_from) return fmt::format("at least {}", Grouped(from));
  return has_to ? fmt::format("at most {}", Grouped(to)) : "any";
}

std::string WordsOf(const v1::EcnBand& band) {
  return fmt::format("Kmin {}, Kmax {} bytes, Pmax {} % up to {} Gb/s",
                     Range(band.has_min_threshold_from_bytes(), band.min_threshold_from_bytes(),
                           band.has_min_threshold_to_bytes(), band.min_threshold_to_bytes()),
                     Range(band.has_max_threshold_from_bytes(), band.max_threshold_from_bytes(),
                           band.has_max_threshold_to_bytes(), band.max_threshold_to_bytes()),
                     Range(band.has_probability_from_percent(), band.probability_from_percent(),
                           band.has_probability_to_percent(), band.probability_to_percent()),
                     band.up_to_mbps() / 1000);
}

// "Kmin 0 is ..." for each value that cannot be meant, whatever the policy says.
std::vector<std::string> Contradictions(const SwitchView& view, const Marking& marking) {
  std::vector<std::string> problems;
  if (marking.min_bytes == 0u) problems.push_back("Kmin is 0: every packet counts as congestion");
  if (marking.min_bytes && marking.max_bytes && *marking.min_bytes > *marking.max_bytes) {
    problems.push_back(fmt::format("Kmin {} is above Kmax {}", Grouped(*marking.min_bytes),
                                   Grouped(*marking.max_bytes)));
  }
  if (marking.max_percent == 0u) problems.push_back("Pmax is 0 %: nothing is marked below Kmax");
  uint64_t largest = 0;
  for (const v1::SwitchBufferPool& pool : view.facts().buffer_pools()) {
    if (pool.direction() != "ingress") largest = std::max(largest, pool.size_bytes());
  }
  if (largest > 0 && marking.min_bytes && *marking.min_bytes > largest) {
    problems.push_back(fmt::format("Kmin {} is above the largest pool's {}: it is never reached",
                                   Grouped(*marking.min_bytes), Grouped(largest)));
  }
  return problems;
}

std::vector<std::string> OutOfBand(const v1::EcnBand& band, const Marking& marking) {
  std::vector<std::string> problems;
  if (marking.min_bytes) {
    if (band.has_min_threshold_from_bytes() &&
        *marking.min_bytes < band.min_threshold_from_bytes()) {
      problems.push_back(fmt::format("Kmin {} is low", Grouped(*marking.min_bytes)));
    }
    if (band.has_min_threshold_to_bytes() && *marking.min_bytes > band.min_threshold_to_bytes()) {
      problems.push_back(fmt::format("Kmin {} is high", Grouped(*marking.min_bytes)));
    }
  }
  if (marking.max_bytes) {
    if (band.has_max_threshold_from_bytes() &&
        *marking.max_bytes < band.max_threshold_from_bytes()) {
      problems.push_back(fmt::format("Kmax {} is low", Grouped(*marking.max_bytes)));
    }
    if (band.has_max_threshold_to_bytes() && *marking.max_bytes > band.max_threshold_to_bytes()) {
      problems.push_back(fmt::format("Kmax {} is high", Grouped(*marking.max_bytes)));
    }
  }
  if (marking.max_percent) {
    if (band.has_probability_from_percent() &&
        *marking.max_percent < band.probability_from_percent()) {
      problems.push_back(fmt::format("Pmax {} % is low", *marking.max_percent));
    }
    if (band.has_probability_to_percent() && *marking.max_percent > band.probability_to_percent()) {
      problems.push_back(fmt::format("Pmax {} % is high", *marking.max_percent));
    }
  }
  return problems;
}

void JudgeThresholdsOf(const SwitchView& view, const v1::SwitchPort& port, const Marking& marking,
                       Judge& judge) {
  const v1::SwitchIntent& intent = view.policy().switches;
  const v1::Subject subject = view.SubjectOf(port);
  const v1::EcnBand* band = port.has_speed_mbps() ? BandOf(intent, port.speed_mbps()) : nullptr;
  const std::string path = fmt::format("wred_profiles[{}].green", marking.profile->name());
  v1::Evidence evidence = view.EvidenceAt(
      path,
      fmt::format("Kmin {}, Kmax {}, Pmax {}",
                  marking.min_bytes ? Grouped(*marking.min_bytes) : "not given",
                  marking.max_bytes ? Grouped(*marking.max_bytes) : "not given",
                  marking.max_percent ? fmt::format("{} %", *marking.max_percent) : "not given"),
      marking.profile->reading());
  const std::string expected =
      band != nullptr ? WordsOf(*band) : "0 < Kmin <= Kmax within the buffer, Pmax above 0";
  const std::string_view source = band != nullptr ? "switches.ecn_bands" : "";
  std::vector<std::string> problems = Contradictions(view, marking);
  if (problems.empty() && band != nullptr) problems = OutOfBand(*band, marking);
  if (!problems.empty()) {
    Draft& draft = judge.Fail(subject)
                       .Expected(expected, source)
                       .Actual(fmt::format("{} (WRED profile {})", JoinWords(problems, ", "),
                                           marking.profile->name()))
                       .RestsOn(std::move(evidence));
    MendedOnSwitch(draft, view, "Choose thresholds that suit the speed of the port.",
                   ShellCommand("ecnconfig -p {} -gmin <BYTES> -gmax <BYTES> -gdrop <PERCENT>",
                                marking.profile->name()));
    return;
  }
  std::string unknown;
  if (!marking.min_bytes || !marking.max_bytes) {
    unknown = fmt::format("WRED profile {} does not give the thresholds", marking.profile->name());
  } else if (!port.has_speed_mbps() && intent.ecn_bands_size() > 0) {
    unknown = "the speed of the port is not in the configuration";
  }
  if (unknown.empty()) return judge.Pass();
  judge.Unknown(subject, unknown).Expected(expected, source).RestsOn(std::move(evidence));
}

void JudgeThresholds(const SwitchView& view, Judge& judge) {
  const auto packet = RoceClass(view.intent());
  for (const v1::SwitchPort* port : view.ports()) {
    if (!packet || view.intent().congestion_control() != "dcqcn") {
      judge.NotApplicable();
      continue;
    }
    const Marking marking = MarkingOf(view, *port, ChainOf(view, *port, *packet));
    // A queue that does not mark is switch.ecn-enabled's business.
    if (marking.marks) {
      JudgeThresholdsOf(view, *port, marking, judge);
    } else {
      judge.NotApplicable();
    }
  }
}

}  // namespace

Check SwitchEcnEnabled() {
  return {
      .id = "switch.ecn-enabled",
      .title = "ECN is marked in the RoCE queue",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "DCQCN slows a sender down when a switch marks its packets. Where none are marked, PFC "
          "alone stops the fabric, port by port.",
      .how =
          "Where the policy's congestion_control is dcqcn, the queue that RoCE data waits in must "
          "have a WRED profile that marks green packets, on every port in service.",
      .fix =
          "sonic-db-cli CONFIG_DB hset 'QUEUE|PORT|QUEUE' wred_profile NAME, or "
          "'WRED_PROFILE|NAME' "
          "ecn ecn_all; config save",
      .sources = {"SONiC CONFIG_DB QUEUE, WRED_PROFILE (sonic-wred-profile.yang)", "RFC 3168"},
      .explained_by = {"switch.pfc-lossless", "switch.roce-class"},
      .at_switch = JudgeEnabled,
  };
}

Check SwitchEcnThresholds() {
  return {
      .id = "switch.ecn-thresholds",
      .title = "ECN thresholds suit the port's speed",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Marking that begins too early costs bandwidth; marking that begins too late leaves the "
          "work to PFC and adds a standing queue to every round trip.",
      .how =
          "Where RoCE's queue marks ECN, Kmin must not be 0, above Kmax, or above what the buffer "
          "holds, and Pmax not 0. The policy's switches.ecn_bands bound all three by the speed of "
          "the port. Thresholds of ECN's own are taken where the profile has them, else WRED's.",
      .fix = "ecnconfig -p PROFILE -gmin BYTES -gmax BYTES -gdrop PERCENT; config save",
      .sources = {"SONiC CONFIG_DB WRED_PROFILE (sonic-wred-profile.yang)",
                  "DCQCN: Zhu et al., Congestion Control for Large-Scale RDMA Deployments, 2015",
                  "checks/policy/policies/lossless-dscp.yaml names the source of each bound"},
      .explained_by = {"switch.ecn-enabled"},
      .at_switch = JudgeThresholds,
  };
}

}  // namespace roceready::checks
