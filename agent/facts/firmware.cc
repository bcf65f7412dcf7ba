// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/firmware.h"

#include <algorithm>
#include <string_view>

#include "agent/facts/host_root.h"
#include "agent/facts/readings.h"
#include "agent/netlink/words.h"
#include "proto/contract/ids.h"

namespace roceready::facts {
namespace {

constexpr std::string_view kPsid = "fw.psid";
// The name that mlx5 gives the version in devlink and that a bare text has none of.
constexpr std::string_view kPlainVersion = "fw.version";

constexpr std::string_view kParameters[] = {"enable_roce", "enable_rdma", "enable_iwarp",
                                            "enable_sriov"};

std::optional<std::string> TextOf(const netlink::DevlinkValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<uint64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::nullopt;
}

void Copy(const std::vector<netlink::DevlinkVersion>& versions,
          google::protobuf::RepeatedPtrField<v1::FirmwareVersion>* rows) {
  for (const netlink::DevlinkVersion& version : versions) {
    v1::FirmwareVersion* row = rows->Add();
    row->set_name(version.name);
    row->set_value(version.value);
  }
}

std::optional<std::string> FindPsid(const netlink::DevlinkInfo& info) {
  for (const auto* versions : {&info.fixed, &info.running}) {
    const auto found = std::ranges::find(*versions, kPsid, &netlink::DevlinkVersion::name);
    if (found != versions->end()) return found->value;
  }
  return std::nullopt;
}

void AddRunning(const std::string& version, v1::Firmware* firmware) {
  v1::FirmwareVersion* row = firmware->add_running();
  row->set_name(std::string(kPlainVersion));
  row->set_value(version);
}

bool TakeFromEthtool(const v1::HostFacts& facts, std::string_view address, v1::Firmware* firmware) {
  for (const v1::NetDevice& device : facts.net_devices()) {
    if (PciAddressOf(device.id()) != address || device.driver().firmware().empty()) continue;
    const FirmwareText text = ParseFirmwareText(device.driver().firmware());
    const std::string before = firmware->reading().detail();
    *firmware->mutable_reading() = OkReading(v1::SOURCE_ETHTOOL_IOCTL);
    firmware->mutable_reading()->set_detail("devlink did not answer: " + before);
    AddRunning(text.version, firmware);
    if (!text.psid.empty()) firmware->set_psid(text.psid);
    return true;
  }
  return false;
}

bool TakeFromRdma(const v1::HostFacts& facts, const std::string& function_id,
                  v1::Firmware* firmware) {
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    if (device.id() != function_id || device.firmware().empty()) continue;
    const std::string before = firmware->reading().detail();
    *firmware->mutable_reading() = OkReading(device.reading().source());
    firmware->mutable_reading()->set_detail("devlink did not answer: " + before);
    AddRunning(device.firmware(), firmware);
    // mlx5 shows its PSID as the board id.
    if (device.driver() == "mlx5" && device.has_board_id()) firmware->set_psid(device.board_id());
    return true;
  }
  return false;
}

}  // namespace

void FillFirmware(const absl::StatusOr<netlink::DevlinkInfo>& info, v1::PciFunction* function) {
  v1::Firmware* firmware = function->mutable_firmware();
  *firmware->mutable_reading() = ReadingOf(info.status(), v1::SOURCE_DEVLINK);
  if (!info.ok()) return;
  Copy(info->running, firmware->mutable_running());
  Copy(info->stored, firmware->mutable_stored());
  Copy(info->fixed, firmware->mutable_fixed());
  if (const auto psid = FindPsid(*info)) firmware->set_psid(*psid);
  const auto& serial = info->serial_number ? info->serial_number : info->board_serial_number;
  if (serial && !serial->empty()) {
    function->set_serial_number(*serial);
    function->set_adapter_id(AdapterIdOfSerial(*serial));
  }
}

v1::PciFunction ReadFirmware(netlink::Transport& generic, const netlink::GenericFamily& family,
                             const std::string& address) {
  v1::PciFunction function;
  function.set_id(PciId(address));
  FillFirmware(netlink::ReadDevlinkInfo(generic, family, {"pci", address}), &function);
  return function;
}

v1::DevlinkParameters ReadDevlinkParameters(netlink::Transport& generic,
                                            const netlink::GenericFamily& family,
                                            const std::string& address) {
  v1::DevlinkParameters result;
  *result.mutable_reading() = OkReading(v1::SOURCE_DEVLINK);
  for (const std::string_view name : kParameters) {
    const auto parameter =
        netlink::ReadDevlinkParam(generic, family, {"pci", address}, std::string(name));
    if (absl::IsInvalidArgument(parameter.status())) continue;
    if (!parameter.ok()) {
      result.clear_parameters();
      *result.mutable_reading() = ReadingOf(parameter.status(), v1::SOURCE_DEVLINK);
      return result;
    }
    v1::DevlinkParameter* row = result.add_parameters();
    row->set_name(std::string(name));
    for (const netlink::DevlinkParamValue& value : parameter->values) {
      const std::optional<std::string> text = TextOf(value.value);
      if (!text) continue;
      const std::string mode = netlink::DevlinkModeWord(value.mode);
      if (mode == "runtime") row->set_runtime(*text);
      if (mode == "driverinit") row->set_driverinit(*text);
      if (mode == "permanent") row->set_permanent(*text);
    }
  }
  return result;
}

Health HealthOf(const absl::StatusOr<std::vector<netlink::DevlinkHealthReporter>>& reporters,
                const std::vector<std::string>& pci_addresses) {
  Health health;
  for (const std::string& address : pci_addresses) {
    v1::PciFunction* function = health.facts.add_pci_functions();
    function->set_id(PciId(address));
    *function->mutable_health()->mutable_reading() =
        ReadingOf(reporters.status(), v1::SOURCE_DEVLINK);
    if (!reporters.ok()) continue;
    for (const netlink::DevlinkHealthReporter& reporter : *reporters) {
      if (reporter.handle.bus != "pci" || reporter.handle.device != address) continue;
      // Ports of one device have reporters of the same names.
      const std::string name = reporter.port_index
                                   ? fmt::format("port{}/{}", *reporter.port_index, reporter.name)
                                   : reporter.name;
      v1::HealthReporter* row = function->mutable_health()->add_reporters();
      row->set_name(name);
      if (reporter.state) row->set_state(netlink::DevlinkHealthWord(*reporter.state));
      if (reporter.error_count) {
        v1::HealthReporterErrors* errors = health.counters.add_health_errors();
        errors->set_pci_id(function->id());
        errors->set_reporter(name);
        errors->set_total(*reporter.error_count);
      }
    }
  }
  return health;
}

FirmwareText ParseFirmwareText(std::string_view text) {
  const size_t open = text.find(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) return {std::string(text), {}};
  return {std::string(text.substr(0, open)),
          std::string(text.substr(open + 2, text.size() - open - 3))};
}

void CompleteFirmware(v1::HostFacts* facts) {
  for (v1::PciFunction& function : *facts->mutable_pci_functions()) {
    if (!function.has_firmware()) continue;
    v1::Firmware* firmware = function.mutable_firmware();
    if (firmware->reading().outcome() == v1::OUTCOME_OK && firmware->running_size() > 0) continue;
    if (TakeFromEthtool(*facts, PciAddressOf(function.id()), firmware)) continue;
    TakeFromRdma(*facts, function.id(), firmware);
  }
}

}  // namespace roceready::facts
