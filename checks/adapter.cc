// SPDX-License-Identifier: Apache-2.0
#include "checks/adapter.h"

#include <set>

#include "checks/fact_path.h"
#include "checks/reading.h"

namespace roceready::checks {
namespace {

std::string DriverOf(const PortView& port) {
  if (port.net_device != nullptr && !port.net_device->driver().name().empty()) {
    return port.net_device->driver().name();
  }
  return port.pci != nullptr && !port.pci->driver().empty() ? port.pci->driver()
                                                            : port.device->driver();
}

Adapter AdapterOf(const PortView& port) {
  Adapter adapter{.port = &port};
  adapter.identity.driver = DriverOf(port);
  if (port.pci != nullptr) {
    if (port.pci->has_vendor() && port.pci->has_device()) {
      adapter.identity.device_id =
          fmt::format("{:04x}:{:04x}", port.pci->vendor(), port.pci->device());
    }
    adapter.identity.psid = port.pci->firmware().psid();
  }
  return adapter;
}

// The names under which drivers give the firmware that matters, best first (devlink documentation).
std::vector<std::string_view> VersionNames(std::string_view driver) {
  if (driver.starts_with("mlx5")) return {"fw.version", "fw"};
  if (driver == "ice") return {"fw.mgmt", "fw.bundle_id", "fw"};
  return {"fw", "fw.version", "fw.mgmt"};
}

}  // namespace

std::vector<Adapter> AdaptersOf(const HostView& host) {
  std::vector<Adapter> adapters;
  std::set<const v1::PciFunction*> seen;
  for (const PortView& port : host.ports()) {
    if (port.pci != nullptr && seen.insert(port.pci).second) adapters.push_back(AdapterOf(port));
  }
  return adapters;
}

std::string ModelOf(const Adapter& adapter) {
  const HardwareIdentity& identity = adapter.identity;
  std::string model = "driver=" + identity.driver;
  if (!identity.psid.empty()) {
    model += " psid=" + identity.psid;
  } else if (!identity.device_id.empty()) {
    model += " device=" + identity.device_id;
  }
  return model;
}

std::string RunningVersion(const v1::Firmware& firmware, std::string_view name) {
  for (const v1::FirmwareVersion& version : firmware.running()) {
    if (version.name() == name) return version.value();
  }
  return {};
}

Version FirmwareOf(const HostView& host, const Adapter& adapter, std::string_view version_name) {
  const PortView& port = *adapter.port;
  const v1::Firmware& firmware = port.pci->firmware();
  const v1::Reading reading = ReadingOf(port.pci->has_firmware(), firmware);
  const std::string path = PciPath(port.pci->id(), "firmware.running");
  std::vector<std::string_view> names = {version_name};
  if (version_name.empty()) names = VersionNames(adapter.identity.driver);
  for (const std::string_view name : names) {
    const std::string value = RunningVersion(firmware, name);
    if (!value.empty()) return {value, std::string(name), host.EvidenceAt(path, value, reading)};
  }
  // A rule that names one version must not be answered with another.
  if (version_name.empty()) {
    if (port.net_device != nullptr && !port.net_device->driver().firmware().empty()) {
      const v1::NetDriver& driver = port.net_device->driver();
      return {driver.firmware(), "firmware of the net driver",
              host.EvidenceAt(NetPath(port.net_device->id(), "driver.firmware"), driver.firmware(),
                              driver.reading())};
    }
    if (port.family != NicFamily::kSoft && !port.device->firmware().empty()) {
      return {port.device->firmware(), "firmware of the RDMA device",
              host.EvidenceAt(RdmaPath(port.device->id(), "firmware"), port.device->firmware(),
                              port.device->reading())};
    }
  }
  return {{}, names.empty() ? "" : std::string(names.front()), host.EvidenceAt(path, {}, reading)};
}

std::string WhyNoVersion(const Version& version) {
  if (IsOk(version.evidence.reading())) {
    return fmt::format("no source gives a version {}", version.name);
  }
  return ReasonOf(version.evidence.reading());
}

}  // namespace roceready::checks
