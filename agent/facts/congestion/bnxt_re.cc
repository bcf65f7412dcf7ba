// SPDX-License-Identifier: Apache-2.0
// bnxt_re: newer kernels show the settings in debugfs bnxt_re/<BDF>/cc_config (mode 0400); 6.1 and
// 6.12 show nothing. The vendor's driver has configfs, where reading needs a mkdir, that is a
// write.
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/congestion/parameter_files.h"
#include "agent/facts/readings.h"
#include "agent/privileged/client.h"

namespace roceready::facts {
namespace {

constexpr std::string_view kConfigfs = "/sys/kernel/config/bnxt_re";

// Reading this file fails with EINVAL by design (tx_queue), so files are asked for by name.
constexpr std::string_view kFiles[] = {
    "alt_vlan_dscp", "alt_vlan_pcp",     "cc_mode", "enable_cc", "inactivity_cp",
    "init_cr",       "init_tr",          "rtt",     "tcp_cp",    "num_phase_per_state",
    "tos_dscp",      "run_avg_weight_g", "tos_ecn",
};

v1::Reading ReasonWhyMissing(const HostRoot& root, const absl::Status& status) {
  v1::Reading reading = ReadingOf(status, v1::SOURCE_DEBUGFS, kReadCongestionDebugfs);
  if (reading.outcome() != v1::OUTCOME_ABSENT) return reading;
  if (root.Exists(kConfigfs)) {
    return MissingReading(v1::OUTCOME_SKIPPED, v1::SOURCE_CONFIGFS,
                          "the vendor's driver shows it in configfs after a mkdir, which writes");
  }
  reading.set_detail(
      "this kernel's bnxt_re does not show congestion control (only newer kernels do, in debugfs)");
  return reading;
}

absl::Status ReadParameters(const HostRoot& root, const std::string& address,
                            v1::CongestionParameters* parameters) {
  const std::string folder = fmt::format("/sys/kernel/debug/bnxt_re/{}/cc_config", address);
  const absl::Status readable = root.ReadNumber(folder + "/enable_cc").status();
  // Where we may not, the privileged program may.
  if (absl::IsPermissionDenied(readable) && root.is_live()) {
    return TakeParameters(privileged::ReadBnxtCongestion(address), parameters);
  }
  RETURN_IF_ERROR(readable);
  for (const std::string_view file : kFiles) {
    const absl::StatusOr<int64_t> value = root.ReadNumber(fmt::format("{}/{}", folder, file));
    if (!value.ok()) continue;
    v1::CongestionParameter* parameter = parameters->add_raw();
    parameter->set_name(std::string(file));
    parameter->set_value(static_cast<uint64_t>(*value));
  }
  return absl::OkStatus();
}

}  // namespace

v1::CongestionControl ReadBnxtCongestion(const HostRoot& root, const CongestionPort& port) {
  v1::CongestionControl congestion;
  v1::CongestionParameters* parameters = congestion.mutable_parameters();
  const absl::Status status = ReadParameters(root, port.pci_address, parameters);
  if (!status.ok()) return CongestionMissing(ReasonWhyMissing(root, status));
  *congestion.mutable_reading() = OkReading(v1::SOURCE_DEBUGFS);
  *parameters->mutable_reading() = OkReading(v1::SOURCE_DEBUGFS);
  if (const auto dscp = FindParameter(*parameters, "alt_vlan_dscp")) {
    parameters->set_cnp_dscp(static_cast<uint32_t>(*dscp));
  }
  if (const auto priority = FindParameter(*parameters, "alt_vlan_pcp")) {
    parameters->set_cnp_priority(static_cast<uint32_t>(*priority));
  }
  // One switch for the whole port; which priorities it covers is not shown.
  const v1::Reading not_shown = MissingReading(
      v1::OUTCOME_UNSUPPORTED, v1::SOURCE_DEBUGFS,
      "bnxt_re switches congestion control for the port, not by priority (see enable_cc)");
  *congestion.mutable_notification_point()->mutable_reading() = not_shown;
  *congestion.mutable_reaction_point()->mutable_reading() = not_shown;
  return congestion;
}

}  // namespace roceready::facts
