// SPDX-License-Identifier: Apache-2.0
// queue-pairs.odd-one-out: NICs of one model offer as many queue pairs on all hosts.
#include <fmt/core.h>

#include <set>

#include "checks/check.h"
#include "checks/fact_path.h"
#include "checks/fleet/model.h"
#include "checks/fleet/odd_one_out.h"
#include "checks/host_view.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

std::vector<Observation> Observe(const HostView& host) {
  std::vector<Observation> observations;
  std::set<const v1::RdmaDevice*> seen;
  for (const PortView& port : host.ports()) {
    // What a software device offers is the kernel's constant.
    if (port.family == NicFamily::kSoft) continue;
    if (port.pci == nullptr && !port.LacksFunction()) continue;
    if (!seen.insert(port.device).second) continue;
    if (!IsModelKnown(port)) {
      observations.push_back(UnknownModel(host, port));
      continue;
    }
    const v1::RdmaAttributes& attributes = port.device->attributes();
    const v1::Reading reading = ReadingOf(port.device->has_attributes(), attributes);
    Observation observation{.subject = host.SubjectOfPort(port),
                            .group = fmt::format("{:04x}:{:04x} with {}", port.pci->vendor(),
                                                 port.pci->device(), port.device->driver()),
                            .value = {}};
    observation.evidence =
        host.EvidenceAt(RdmaPath(port.device->id(), "attributes.max_qp"), {}, reading);
    if (!IsOk(reading)) {
      observation.unknown = ReasonOf(reading);
    } else if (attributes.max_qp() == 0) {
      observation.unknown = "the answer does not hold this value";
    } else {
      observation.value = fmt::format("{} queue pairs", attributes.max_qp());
      observation.evidence.set_value(std::to_string(attributes.max_qp()));
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

void JudgeModel(const FleetGroup& group, Judge& judge) {
  JudgeOddOneOut(group, "as many queue pairs on all NICs of a model",
                 "Load the driver with the same resource profile on all hosts (devlink resources "
                 "or module parameters), and run the same firmware.",
                 judge);
}

}  // namespace

Check QueuePairsOddOneOut() {
  return {
      .id = "queue-pairs.odd-one-out",
      .title = "NICs of one model offer as many queue pairs",
      .scope = v1::SCOPE_FLEET,
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A driver that was loaded with a small profile, or firmware with other resources, leaves "
          "a host with too few queue pairs: an all-to-all job fails there alone.",
      .how =
          "The number of queue pairs that a device advertises (max_qp) is compared over the "
          "hosts with NICs of one model and driver; whoever differs from the most is named. A "
          "majority is a hint, not a proof. Software devices are left out.",
      .fix = "Load the driver with one profile everywhere.",
      .sources = {"verbs ibv_query_device, max_qp"},
      .explained_by = {"device.rdma-present", "device.verbs-access", "firmware.minimum",
                       "firmware.odd-one-out", "driver.odd-one-out"},
      .observe = Observe,
      .fleet = JudgeModel,
  };
}

}  // namespace roceready::checks
