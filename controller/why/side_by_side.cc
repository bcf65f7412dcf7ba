// SPDX-License-Identifier: Apache-2.0
#include "controller/why/side_by_side.h"

#include <fmt/format.h>

#include <array>

namespace roceready::why {
namespace {

constexpr char kUnknown[] = "unknown";

bool Answered(const v1::Reading& reading) { return reading.outcome() == v1::OUTCOME_OK; }

struct End {
  const v1::NetDevice* net = nullptr;
  const v1::RdmaPort* port = nullptr;
  const v1::PciFunction* function = nullptr;
};

End FindEnd(const v1::HostFacts& facts, std::string_view name) {
  End end;
  for (const v1::NetDevice& net : facts.net_devices()) {
    if (net.name() == name) end.net = &net;
  }
  if (end.net == nullptr) return end;
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    for (const v1::RdmaPort& port : device.ports()) {
      if (port.net_device_id() == end.net->id()) end.port = &port;
    }
  }
  for (const v1::PciFunction& function : facts.pci_functions()) {
    // "pci:0000:3b:00.0/0" is of "pci:0000:3b:00.0".
    if (end.net->id().starts_with(function.id() + "/")) end.function = &function;
  }
  return end;
}

std::string MtuOf(const End& end) {
  if (end.net == nullptr || !Answered(end.net->mtu().reading())) return kUnknown;
  return std::to_string(end.net->mtu().mtu_bytes());
}

std::string RdmaMtuOf(const End& end) {
  if (end.port == nullptr || !Answered(end.port->attributes().reading())) return kUnknown;
  return std::to_string(end.port->attributes().active_mtu_bytes());
}

std::string StateOf(const End& end) {
  if (end.port == nullptr) return "no RDMA port";
  if (!Answered(end.port->reading())) return kUnknown;
  const std::string name = v1::PortState_Name(end.port->state());
  return name.substr(name.rfind('_') + 1);
}

std::string SpeedOf(const End& end) {
  if (end.net == nullptr || !end.net->ethernet().has_speed_mbps()) return kUnknown;
  return fmt::format("{} Mb/s", end.net->ethernet().speed_mbps());
}

std::string PfcOf(const End& end) {
  if (end.net == nullptr || !Answered(end.net->dcb().pfc().reading())) return kUnknown;
  const auto& priorities = end.net->dcb().pfc().enabled_priorities();
  return priorities.empty() ? "off" : fmt::format("{}", fmt::join(priorities, ", "));
}

std::string FirmwareOf(const End& end) {
  if (end.function == nullptr || end.function->firmware().running().empty()) return kUnknown;
  return end.function->firmware().running(0).value();
}

}  // namespace

std::vector<Row> SideBySide(const v1::HostFacts& first, std::string_view first_device,
                            const v1::HostFacts& second, std::string_view second_device) {
  using Tell = std::string (*)(const End&);
  static constexpr std::array<std::pair<std::string_view, Tell>, 6> kRows = {{
      {"port", StateOf},
      {"MTU", MtuOf},
      {"RDMA MTU", RdmaMtuOf},
      {"PFC", PfcOf},
      {"speed", SpeedOf},
      {"firmware", FirmwareOf},
  }};
  const End a = FindEnd(first, first_device), b = FindEnd(second, second_device);
  std::vector<Row> rows;
  for (const auto& [name, tell] : kRows) {
    rows.push_back({.name = name, .first = tell(a), .second = tell(b)});
  }
  return rows;
}

}  // namespace roceready::why
