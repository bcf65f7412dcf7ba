// SPDX-License-Identifier: Apache-2.0
#include "checks/host_view.h"

#include <algorithm>
#include <set>

#include "checks/fact_path.h"
#include "checks/policy/pattern.h"
#include "checks/reading.h"
#include "proto/contract/concat.h"

namespace roceready::checks {
namespace {

bool IsNamed(const PortView& port, std::string_view interface) {
  if (MatchesPattern(interface, port.device->name())) return true;
  if (MatchesPattern(interface, fmt::format("{}:{}", port.device->name(), port.port->number()))) {
    return true;
  }
  const auto is_it = [&](const v1::NetDevice* net_device) {
    return MatchesPattern(interface, net_device->name());
  };
  return std::ranges::any_of(port.AddressedNetDevices(), is_it) ||
         std::ranges::any_of(port.carriers,
                             [&](const Carrier& carrier) { return is_it(carrier.net_device); });
}

bool LeavesOut(std::string_view interface) { return interface.starts_with('^'); }

bool IsUsedByJob(const PortView& port, const v1::JobSettings& job) {
  bool names_any = false, is_named = false;
  for (const std::string& name : job.interfaces()) {
    if (LeavesOut(name)) {
      if (IsNamed(port, std::string_view(name).substr(1))) return false;
    } else {
      names_any = true;
      is_named |= IsNamed(port, name);
    }
  }
  return is_named || !names_any;
}

bool IsLinkLocal(std::string_view address) {
  return address.starts_with("fe80:") || address.starts_with("169.254.");
}

// Its physical function is seen here (in a container it is not), and no net device of its has an
// address that a job could use.
bool IsIdleVirtualFunction(const v1::HostFacts& facts, const PortView& port) {
  if (!port.is_virtual_function || port.net_device == nullptr) return false;
  if (FindPciFunction(facts, port.pci->physical_function_id()) == nullptr) return false;
  return std::ranges::all_of(port.AddressedNetDevices(), [](const v1::NetDevice* net_device) {
    const v1::IpAddresses& addresses = net_device->addresses();
    return IsOk(ReadingOf(net_device->has_addresses(), addresses)) &&
           std::ranges::all_of(addresses.addresses(), [](const v1::IpAddress& address) {
             return IsLinkLocal(address.address());
           });
  });
}

void SetAge(v1::Evidence& evidence, std::optional<Age> age) {
  if (!age) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age);
  evidence.mutable_age()->set_seconds(seconds.count());
  evidence.mutable_age()->set_nanos(static_cast<int32_t>((*age - seconds).count()));
}

}  // namespace

HostView::HostView(const HostInput& input) : input_(input) {
  for (PortView& port : PortsOf(*input.facts)) {
    if (IsUsedByJob(port, input.policy->job)) ports_.push_back(std::move(port));
  }
  LeaveOutIdleVirtualFunctions();
  for (const PortView& port : ports_) {
    for (const Carrier& carrier : port.carriers) {
      auto known = std::ranges::find(carriers_, carrier.net_device, &CarrierView::net_device);
      if (known == carriers_.end()) {
        carriers_.push_back({carrier.net_device, carrier.family, {}});
        known = std::prev(carriers_.end());
      }
      known->ports.push_back(&port);
    }
  }
}

void HostView::LeaveOutIdleVirtualFunctions() {
  if (!policy().job.interfaces().empty()) return;
  const auto is_idle = [&](const PortView& port) { return IsIdleVirtualFunction(facts(), port); };
  // A host with nothing else is not ready: then these are what it has.
  if (std::ranges::all_of(ports_, is_idle)) return;
  std::set<const v1::PciFunction*> idle;
  for (const PortView& port : ports_) {
    if (is_idle(port)) idle.insert(port.pci);
  }
  idle_virtual_functions_ = idle.size();
  std::erase_if(ports_, is_idle);
}

std::vector<const PortView*> HostView::PortsWithoutCarrier() const {
  std::vector<const PortView*> ports;
  for (const PortView& port : ports_) {
    if (port.carriers.empty()) ports.push_back(&port);
  }
  return ports;
}

std::vector<std::string> HostView::NamedInterfaces() const {
  std::vector<std::string> names;
  for (const std::string& name : policy().job.interfaces()) {
    if (!LeavesOut(name)) names.push_back(name);
  }
  return names;
}

bool HostView::HasInterface(const std::string& name) const {
  return std::ranges::any_of(ports_, [&](const PortView& port) { return IsNamed(port, name); });
}

std::vector<std::string> HostView::DeviceNames() const {
  std::vector<std::string> names;
  for (const v1::RdmaDevice& device : facts().rdma_devices()) names.push_back(device.name());
  return names;
}

v1::Subject HostView::SubjectOfHost() const {
  v1::Subject subject;
  subject.set_host(host());
  subject.set_label(host());
  return subject;
}

v1::Subject HostView::SubjectOfPort(const PortView& port) const {
  v1::Subject subject;
  subject.set_host(host());
  subject.set_device_id(port.device->id());
  subject.set_port(port.port->number());
  if (port.net_device != nullptr) subject.set_net_device_id(port.net_device->id());
  subject.set_label(Concat({host(), " ", port.label}));
  return subject;
}

v1::Subject HostView::SubjectOfCarrier(const CarrierView& carrier) const {
  if (carrier.ports.size() == 1) return SubjectOfNetDevice(*carrier.ports[0], *carrier.net_device);
  v1::Subject subject = SubjectOfHost();
  subject.set_net_device_id(carrier.net_device->id());
  subject.set_label(fmt::format("{} {} ({} RDMA ports)", host(), carrier.net_device->name(),
                                carrier.ports.size()));
  return subject;
}

v1::Subject HostView::SubjectOfNetDevice(const PortView& port,
                                         const v1::NetDevice& net_device) const {
  v1::Subject subject = SubjectOfPort(port);
  subject.set_net_device_id(net_device.id());
  if (&net_device != port.net_device) {
    subject.set_label(Concat({host(), " ", net_device.name(), " of ", port.label}));
  }
  return subject;
}

v1::Evidence HostView::EvidenceAt(std::string path, std::string value,
                                  const v1::Reading& reading) const {
  v1::Evidence evidence;
  evidence.set_host(host());
  SetAge(evidence, AgeOfPath(path, input_.fact_ages));
  evidence.set_fact_path(std::move(path));
  evidence.set_value(std::move(value));
  *evidence.mutable_reading() = reading;
  return evidence;
}

v1::Evidence HostView::CounterEvidence(const v1::PortCounters& counters) const {
  v1::Evidence evidence;
  evidence.set_host(host());
  evidence.set_fact_path(CountersPath(counters.owner_id()));
  *evidence.mutable_reading() = counters.reading();
  SetAge(evidence, input_.counters_age);
  return evidence;
}

v1::Reading HostView::FunctionReading(const PortView& port) const {
  if (port.pci != nullptr) return ReadingOf(true, *port.pci);
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_OK);
  if (!port.LacksFunction()) return reading;
  v1::Reading scan = ScanReading(facts().has_pci_scan(), facts().pci_scan());
  if (!IsOk(scan)) return scan;
  reading.set_outcome(v1::OUTCOME_ABSENT);
  reading.set_source(v1::SOURCE_SYSFS);
  reading.set_detail("the port's PCI function is not listed");
  return reading;
}

v1::Reading HostView::NetDeviceReading(const PortView& port) const {
  if (facts().has_net_scan() && !IsOk(facts().net_scan())) return facts().net_scan();
  if (!IsOk(port.port->reading())) return ReadingOf(true, *port.port);
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_ABSENT);
  reading.set_source(v1::SOURCE_RDMA_NETLINK);
  reading.set_detail(port.net_device == nullptr
                         ? "the port shows no net device in this network namespace"
                         : "the physical port below is not visible on this host");
  return reading;
}

}  // namespace roceready::checks
