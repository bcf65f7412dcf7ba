// SPDX-License-Identifier: Apache-2.0
// netns.odd-one-out, nic-count.odd-one-out and ecn.odd-one-out: hosts of one kind are set up alike.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/alike.h"
#include "checks/fleet/model.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host_view.h"
#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

std::vector<Observation> ObserveNetns(const HostView& host) {
  const v1::RdmaStack& stack = host.facts().rdma_stack();
  const v1::Reading reading = ReadingOf(host.facts().has_rdma_stack(), stack);
  Observation observation{.subject = host.SubjectOfHost(), .group = "all hosts"};
  observation.evidence = host.EvidenceAt("rdma_stack.netns_mode", stack.netns_mode(), reading);
  if (!IsOk(reading)) {
    observation.unknown = ReasonOf(reading);
  } else if (stack.netns_mode().empty()) {
    observation.unknown = "the answer does not hold this value";
  } else {
    observation.value = stack.netns_mode();
  }
  return {std::move(observation)};
}

// Why the ports of the host's RDMA devices are not all known; empty: they are.
std::string WhyPortsUnknown(const v1::HostFacts& facts) {
  const v1::Reading scan = ScanReading(facts.has_rdma_scan(), facts.rdma_scan());
  if (!IsOk(scan) && scan.outcome() != v1::OUTCOME_ABSENT) return ReasonOf(scan);
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    const v1::Reading reading = ReadingOf(true, device);
    if (device.ports().empty()) {
      return IsOk(reading) ? "an RDMA device shows no port" : ReasonOf(reading);
    }
    for (const v1::RdmaPort& port : device.ports()) {
      if (!port.attributes().has_link_layer() && device.protocol().empty()) {
        return "the link layer of a port was not read";
      }
    }
  }
  return {};
}

// Virtual functions come and go, and software devices are on no NIC.
size_t RocePortsOfNics(const v1::HostFacts& facts) {
  const std::vector<PortView> ports = PortsOf(facts);
  return static_cast<size_t>(std::ranges::count_if(ports, [](const PortView& port) {
    return port.pci != nullptr && port.pci->has_rdma_family() && !port.is_virtual_function &&
           port.family != NicFamily::kSoft;
  }));
}

std::vector<Observation> ObserveNicCount(const HostView& host) {
  size_t nics = 0;
  bool all_read = true;
  for (const v1::PciFunction& function : host.facts().pci_functions()) {
    if (!IsOk(ReadingOf(true, function))) all_read = false;
    if (!function.has_rdma_family() || function.has_physical_function_id()) continue;
    ++nics;
  }
  if (nics == 0) return {};
  // Where the job names its interfaces, the others may be anything.
  const bool whole = host.policy().job.interfaces().empty();
  const std::string why = whole ? WhyPortsUnknown(host.facts()) : std::string();
  const v1::Reading scan = ScanReading(host.facts().has_pci_scan(), host.facts().pci_scan());
  Observation observation{.subject = host.SubjectOfHost(), .group = KindOf(host)};
  observation.evidence = host.EvidenceAt("pci_functions", {}, scan);
  if (!IsOk(scan) || !all_read) {
    observation.unknown = IsOk(scan) ? "a PCI function was not read" : ReasonOf(scan);
  } else if (!why.empty()) {
    observation.unknown = why;
  } else {
    observation.value = Counted(nics, "port") + " of RDMA NICs";
    if (whole) {
      observation.value += fmt::format(", {} for RoCE", RocePortsOfNics(host.facts()));
    }
    observation.evidence.set_value(observation.value);
  }
  return {std::move(observation)};
}

// Each once, in the order of the alphabet: what is decoded may be among the raw ones too.
std::string ParameterWords(const v1::CongestionParameters& parameters) {
  std::set<std::string> words;
  if (parameters.has_cnp_dscp()) words.insert(fmt::format("cnp_dscp={}", parameters.cnp_dscp()));
  if (parameters.has_cnp_priority()) {
    words.insert(fmt::format("cnp_priority={}", parameters.cnp_priority()));
  }
  for (const v1::CongestionParameter& one : parameters.raw()) {
    words.insert(fmt::format("{}={}", one.name(), one.value()));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<Observation> ObserveParameters(const HostView& host) {
  std::vector<Observation> observations;
  for (const PortView& port : host.ports()) {
    if (port.family == NicFamily::kSoft) continue;
    if (port.pci == nullptr && !port.LacksFunction()) continue;
    const v1::CongestionParameters& parameters = port.port->congestion().parameters();
    v1::Reading reading = ReadingOf(port.port->has_congestion(), port.port->congestion());
    if (IsOk(reading)) reading = ReadingOf(port.port->congestion().has_parameters(), parameters);
    // A driver without these parameters has none that could differ.
    if (reading.outcome() == v1::OUTCOME_UNSUPPORTED) continue;
    if (!IsModelKnown(port)) {
      observations.push_back(UnknownModel(host, port));
      continue;
    }
    // In another order, or under other names, by another driver: only one's own are compared.
    Observation observation{
        .subject = host.SubjectOfPort(port),
        .group = fmt::format("{} with {}", ModelOf(*port.pci), port.device->driver())};
    observation.evidence = host.EvidenceAt(
        PortPath(port.device->id(), port.port->number(), "congestion.parameters"), {}, reading);
    observation.value = IsOk(reading) ? ParameterWords(parameters) : std::string();
    if (observation.value.empty()) {
      observation.unknown =
          IsOk(reading) ? "the answer does not hold this value" : ReasonOf(reading);
    }
    observation.evidence.set_value(observation.value);
    observations.push_back(std::move(observation));
  }
  return observations;
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The words of each value that not all values have: what they differ in.
std::map<std::string, std::vector<const Observation*>> Differences(const FleetGroup& group) {
  std::map<std::string_view, size_t> count;
  for (const auto& [value, speakers] : group.by_value) {
    for (const std::string_view word : WordsOf(value)) ++count[word];
  }
  std::map<std::string, std::vector<const Observation*>> differences;
  for (const auto& [value, speakers] : group.by_value) {
    std::vector<std::string_view> own;
    for (const std::string_view word : WordsOf(value)) {
      if (count[word] < group.by_value.size() || group.by_value.size() == 1) own.push_back(word);
    }
    // It lacks what the others have.
    const std::string text = own.empty() ? "no more" : fmt::format("{}", fmt::join(own, " "));
    differences[text] = speakers;
  }
  return differences;
}

void JudgeNetns(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "one namespace mode of RDMA on all hosts",
                 "Set one mode at boot: the module parameter netns_mode of ib_core.", judge);
}

void JudgeNicCount(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "as many NICs, and ports for RoCE, in every host of one kind",
                 "Look in the slots and in the kernel log: a NIC that has left the PCI bus needs a "
                 "power cycle or another card, one without an RDMA device its driver.",
                 judge);
}

void JudgeParameters(const FleetGroup& group, Judge& judge) {
  const auto differences = Differences(group);
  FleetGroup shown{.name = group.name, .by_value = {}, .unknown = group.unknown};
  for (const auto& [words, speakers] : differences) shown.by_value[words] = speakers;
  JudgeOddOneOut(shown, "one set of congestion control parameters for a NIC model",
                 "Apply the site's parameters everywhere, at every boot, and write them into the "
                 "policy.",
                 judge);
}

}  // namespace

Check NetnsOddOneOut() {
  return {
      .id = "netns.odd-one-out",
      .title = "RDMA devices belong to namespaces in one way on all hosts",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "In the exclusive mode a container sees only RDMA devices that were given to it, in the "
          "shared mode all of them: the same pod works on one host and finds no device on another.",
      .how =
          "The RDMA subsystem's network namespace mode is compared over all hosts; whoever differs "
          "from the most is named. A majority is a hint, not a proof.",
      .fix = "rdma system set netns shared (or exclusive), and ib_core netns_mode at boot.",
      .sources = {"RDMA netlink SYS_GET, RDMA_NLDEV_SYS_ATTR_NETNS_MODE"},
      .explained_by = {"device.rdma-present"},
      .observe = ObserveNetns,
      .fleet = JudgeNetns,
  };
}

Check NicCountOddOneOut() {
  return {
      .id = "nic-count.odd-one-out",
      .title = "Hosts of one kind have as many NICs and RoCE ports",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC that has left the PCI bus leaves nothing behind that could be missed on its own "
          "host: the job has one rail less.",
      .how =
          "PCI functions of RDMA NICs (not virtual ones), and the ports on them that speak RoCE, "
          "are counted and compared over hosts with the same NIC models and as many GPUs; whoever "
          "differs from the most is named. A host that was built otherwise differs rightly. Where "
          "the policy names the job's interfaces, only the functions are counted.",
      .fix = "Look in the slots and in the kernel log.",
      .sources = {"/sys/bus/pci/devices", "RDMA netlink GET"},
      .explained_by = {"device.rdma-present", "device.roce-enabled", "device.lost-rdma",
                       "bond.roce-lag", "device.taken-away", "link-layer.odd-one-out",
                       "inventory.rails", "nic-count.missing"},
      .observe = ObserveNicCount,
      .fleet = JudgeNicCount,
  };
}

Check EcnOddOneOut() {
  return {
      .id = "ecn.odd-one-out",
      .title = "NICs of one model control congestion alike",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Senders that slow down less than others take their share: bandwidth is uneven, and "
          "which "
          "host is slow changes with the job.",
      .how =
          "All congestion control parameters that the driver shows are compared over the ports of "
          "one NIC model and driver; whoever differs from the most is named. Drivers that show "
          "none are not judged.",
      .fix = "Apply one set of parameters everywhere.",
      .sources = {"debugfs cc_params or cc_config, or the vendor's sysfs"},
      .explained_by = {"device.rdma-present", "ecn.dcqcn-parameters", "firmware.odd-one-out",
                       "driver.odd-one-out"},
      .observe = ObserveParameters,
      .fleet = JudgeParameters,
  };
}

}  // namespace roceready::checks
