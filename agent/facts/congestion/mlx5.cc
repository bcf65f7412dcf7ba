// SPDX-License-Identifier: Apache-2.0
// mlx5: parameters from debugfs mlx5/<BDF>/cc_params (drivers/infiniband/hw/mlx5/cong.c; mode 0600,
// asks the firmware) or, with the vendor's driver, from sysfs <netdev>/ecn, which is readable by
// all. Which priorities the notification and reaction points work on is shown by the vendor's
// driver only: mainline has no file and no netlink attribute for it.
#include "agent/facts/congestion/congestion.h"
#include "agent/facts/congestion/parameter_files.h"
#include "agent/facts/readings.h"
#include "agent/privileged/client.h"

namespace roceready::facts {
namespace {

constexpr uint32_t kPriorities = 8;

v1::PriorityMask ReadEnabledPriorities(const HostRoot& root, const std::string& folder) {
  v1::PriorityMask mask;
  for (uint32_t priority = 0; priority < kPriorities; ++priority) {
    const absl::StatusOr<int64_t> enabled =
        root.ReadNumber(fmt::format("{}/enable/{}", folder, priority));
    *mask.mutable_reading() = ReadingOf(enabled.status(), v1::SOURCE_VENDOR_SYSFS);
    if (!enabled.ok()) {
      mask.clear_enabled_priorities();
      return mask;
    }
    if (*enabled != 0) mask.add_enabled_priorities(priority);
  }
  return mask;
}

v1::PriorityMask NotShown() {
  v1::PriorityMask mask;
  *mask.mutable_reading() = MissingReading(
      v1::OUTCOME_UNSUPPORTED, v1::SOURCE_VENDOR_SYSFS,
      "the kernel's own mlx5 driver shows no per-priority switch of congestion control",
      "the vendor's driver (sysfs ecn/)");
  return mask;
}

void SetCnp(std::string_view dscp, std::string_view priority, v1::CongestionParameters* result) {
  if (const auto value = FindParameter(*result, dscp)) {
    result->set_cnp_dscp(static_cast<uint32_t>(*value));
  }
  if (const auto value = FindParameter(*result, priority)) {
    result->set_cnp_priority(static_cast<uint32_t>(*value));
  }
}

// Vendor sysfs: NP and RP parameters lie beside each directory `enable`.
v1::CongestionParameters ReadVendorParameters(const HostRoot& root, const std::string& ecn) {
  v1::CongestionParameters parameters;
  absl::Status status = ReadParameterFiles(root, ecn + "/roce_np", &parameters);
  if (status.ok()) status = ReadParameterFiles(root, ecn + "/roce_rp", &parameters);
  *parameters.mutable_reading() = ReadingOf(status, v1::SOURCE_VENDOR_SYSFS);
  if (!status.ok()) parameters.clear_raw();
  SetCnp("cnp_dscp", "cnp_802p_prio", &parameters);
  return parameters;
}

// debugfs is mode 0700 for root: an unprivileged reader cannot tell whether the directory exists.
v1::CongestionParameters ReadDebugfsParameters(const HostRoot& root, const std::string& address) {
  v1::CongestionParameters parameters;
  const std::string folder = fmt::format("/sys/kernel/debug/mlx5/{}/cc_params", address);
  absl::Status status = ReadParameterFiles(root, folder, &parameters);
  if (absl::IsPermissionDenied(status) && root.is_live()) {
    // Where we may not, the privileged program may.
    status = TakeParameters(privileged::ReadMlx5Congestion(address), &parameters);
  }
  v1::Reading reading = ReadingOf(status, v1::SOURCE_DEBUGFS, kReadCongestionDebugfs);
  reading.set_locator(status.ok() ? "" : folder);
  if (reading.outcome() == v1::OUTCOME_ABSENT) {
    const bool mounted = root.Exists("/sys/kernel/debug/mlx5");
    reading.set_detail(mounted ? "the firmware does not let this function read congestion control"
                               : "debugfs is not mounted or has no mlx5 in it");
    if (!mounted) reading.set_needs("debugfs mounted");
  }
  *parameters.mutable_reading() = reading;
  if (!status.ok()) parameters.clear_raw();
  SetCnp("np_cnp_dscp", "np_cnp_prio", &parameters);
  return parameters;
}

}  // namespace

v1::CongestionControl ReadMlx5Congestion(const HostRoot& root, const CongestionPort& port) {
  v1::CongestionControl congestion;
  const std::string ecn = fmt::format("/sys/class/net/{}/ecn", port.net_device);
  if (!port.net_device.empty() && root.Exists(ecn)) {
    *congestion.mutable_notification_point() = ReadEnabledPriorities(root, ecn + "/roce_np");
    *congestion.mutable_reaction_point() = ReadEnabledPriorities(root, ecn + "/roce_rp");
    *congestion.mutable_parameters() = ReadVendorParameters(root, ecn);
  } else {
    *congestion.mutable_notification_point() = NotShown();
    *congestion.mutable_reaction_point() = NotShown();
    *congestion.mutable_parameters() = ReadDebugfsParameters(root, port.pci_address);
  }
  *congestion.mutable_reading() = congestion.parameters().reading();
  // Firmware can run another algorithm (RTTCC, a program of the user's) and tells it nowhere:
  // `algorithm` stays absent.
  return congestion;
}

}  // namespace roceready::facts
