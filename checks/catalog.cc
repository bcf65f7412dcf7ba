// SPDX-License-Identifier: Apache-2.0
// All checks. A new one is a file beside the others and one line here.
#include <algorithm>

#include "checks/check.h"

namespace roceready::checks {

// In the order of the checklist: causes before what follows from them.
#define ROCEREADY_CHECKS(CHECK)    \
  CHECK(HostHeardFrom)             \
  CHECK(FleetDuplicateHost)        \
  CHECK(DeviceRdmaPresent)         \
  CHECK(DeviceFunctionWithoutRdma) \
  CHECK(DeviceVerbsAccess)         \
  CHECK(DeviceHealth)              \
  CHECK(PortActive)                \
  CHECK(PortLid)                   \
  CHECK(LinkFlaps)                 \
  CHECK(LinkFec)                   \
  CHECK(AddressDuplicate)          \
  CHECK(AddressDuplicateMac)       \
  CHECK(AddressArpFlux)            \
  CHECK(AddressPermanent)          \
  CHECK(RouteRailDevice)           \
  CHECK(GidRocev2Ipv4)             \
  CHECK(GidIndexAlike)             \
  CHECK(JobGidIndex)               \
  CHECK(JobTrafficClass)           \
  CHECK(JobTimers)                 \
  CHECK(MtuNetdev)                 \
  CHECK(MtuRdmaActive)             \
  CHECK(MtuPeerMismatch)           \
  CHECK(PfcLosslessPriority)       \
  CHECK(PfcPeerAgrees)             \
  CHECK(PauseWithPfc)              \
  CHECK(DcbxSettingsHold)          \
  CHECK(EtsRoceBandwidth)          \
  CHECK(EtsRoceClass)              \
  CHECK(BufferLosslessPriority)    \
  CHECK(QosDscpPriority)           \
  CHECK(QosVlanPriority)           \
  CHECK(EcnDcqcnEnabled)           \
  CHECK(EcnDcqcnParameters)        \
  CHECK(EcnCnpIgnored)             \
  CHECK(EcnCnpAnswered)            \
  CHECK(BondMode)                  \
  CHECK(BondMembersUp)             \
  CHECK(BondHashPolicy)            \
  CHECK(FirmwareMinimum)           \
  CHECK(FirmwareOddOneOut)         \
  CHECK(FirmwarePending)           \
  CHECK(KernelOddOneOut)           \
  CHECK(DriverOddOneOut)           \
  CHECK(DeviceModelOddOneOut)      \
  CHECK(DeviceSlotOddOneOut)       \
  CHECK(DeviceNameOddOneOut)       \
  CHECK(PcieLink)                  \
  CHECK(PcieBandwidth)             \
  CHECK(IommuPassthrough)          \
  CHECK(LimitsLockedMemory)        \
  CHECK(LimitsOpenFiles)           \
  CHECK(SpeedAsPlanned)            \
  CHECK(SpeedOddOneOut)            \
  CHECK(SwitchPfcLossless)         \
  CHECK(SwitchRoceClass)           \
  CHECK(SwitchMtu)                 \
  CHECK(SwitchEcnEnabled)          \
  CHECK(SwitchEcnThresholds)       \
  CHECK(SwitchHeadroom)            \
  CHECK(SwitchCnpClass)            \
  CHECK(SwitchPfcWatchdog)         \
  CHECK(SwitchPfcUnwanted)         \
  CHECK(SwitchHostPfc)             \
  CHECK(SwitchHostDscp)            \
  CHECK(SwitchHostMtu)             \
  CHECK(SwitchHostCabling)         \
  CHECK(ProbeLargeOnly)            \
  CHECK(ProbeWrite)                \
  CHECK(ProbeRead)                 \
  CHECK(ProbeLoss)                 \
  CHECK(LossCountersMoving)

#define DECLARE(name) Check name();
ROCEREADY_CHECKS(DECLARE)
#undef DECLARE

const std::vector<Check>& Catalog() {
#define LIST(name) name(),
  static const std::vector<Check>* checks = new std::vector<Check>{ROCEREADY_CHECKS(LIST)};
#undef LIST
  return *checks;
}

const Check* FindCheck(std::string_view id) {
  const auto found = std::ranges::find(Catalog(), id, &Check::id);
  return found == Catalog().end() ? nullptr : &*found;
}

}  // namespace roceready::checks
