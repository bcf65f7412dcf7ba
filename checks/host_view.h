// SPDX-License-Identifier: Apache-2.0
// What a host check sees: one host's facts, its ports and what carries them, and the means to name
// a subject and to say on which fact a finding rests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/evaluate.h"
#include "checks/policy/effective_policy.h"
#include "checks/ports.h"

namespace roceready::checks {

// A physical port once, with all RDMA ports that it carries (several for virtual functions).
struct CarrierView {
  const v1::NetDevice* net_device = nullptr;
  NicFamily family = NicFamily::kOther;
  std::vector<const PortView*> ports;
};

class HostView {
 public:
  // `input.facts` and `input.policy` are not null and outlive the view.
  explicit HostView(const HostInput& input);
  HostView(const HostView&) = delete;

  const std::string& host() const { return input_.host; }
  const v1::HostFacts& facts() const { return *input_.facts; }
  // Null: none known.
  const v1::HostCounters* counters() const { return input_.counters; }
  const EffectivePolicy& policy() const { return *input_.policy; }
  const v1::FabricIntent& intent() const { return input_.policy->intent; }

  // The ports that are judged: RoCE ports, narrowed to the job's interfaces where the policy names
  // any.
  const std::vector<PortView>& ports() const { return ports_; }
  const std::vector<CarrierView>& carriers() const { return carriers_; }
  // Virtual functions beside their physical one, without an address and not named by the job: kept
  // for guests, and so not among ports().
  size_t idle_virtual_functions() const { return idle_virtual_functions_; }
  // Ports whose net device or physical port is not visible, so that nothing of it can be judged.
  std::vector<const PortView*> PortsWithoutCarrier() const;

  // Those of the policy's job.interfaces that the job uses; the others ("^mlx5_2") it leaves out.
  std::vector<std::string> NamedInterfaces() const;
  // Whether a RoCE port of this host goes by this name of the policy's job.interfaces.
  bool HasInterface(const std::string& name) const;
  // Names of all RDMA devices, RoCE or not.
  std::vector<std::string> DeviceNames() const;

  v1::Subject SubjectOfHost() const;
  v1::Subject SubjectOfPort(const PortView& port) const;
  v1::Subject SubjectOfCarrier(const CarrierView& carrier) const;
  // A net device of a port that is not (only) its carrier: a VLAN, a bond.
  v1::Subject SubjectOfNetDevice(const PortView& port, const v1::NetDevice& net_device) const;

  // `path` from fact_path.h; the age is that of the part that holds it.
  v1::Evidence EvidenceAt(std::string path, std::string value, const v1::Reading& reading) const;
  v1::Evidence CounterEvidence(const v1::PortCounters& counters) const;

  // Why a port's PCI function, or its model, is not known; OK: it is, or there is none.
  v1::Reading FunctionReading(const PortView& port) const;
  // Why a port shows no net device.
  v1::Reading NetDeviceReading(const PortView& port) const;

 private:
  void LeaveOutIdleVirtualFunctions();

  const HostInput& input_;
  std::vector<PortView> ports_;
  std::vector<CarrierView> carriers_;
  size_t idle_virtual_functions_ = 0;
};

}  // namespace roceready::checks
