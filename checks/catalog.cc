// SPDX-License-Identifier: Apache-2.0
// All checks. A new one is a file beside the others and one line here.
#include <algorithm>

#include "checks/check.h"

namespace roceready::checks {

// In the order of the checklist: causes before what follows from them.
#define ROCEREADY_CHECKS(CHECK)    \
  CHECK(HostHeardFrom)             \
  CHECK(FleetDuplicateHost)        \
  CHECK(DeviceRoceEnabled)         \
  CHECK(DeviceRdmaPresent)         \
  CHECK(DeviceFunctionWithoutRdma) \
  CHECK(DeviceTakenAway)           \
  CHECK(LinkLayerOddOneOut)        \
  CHECK(DeviceVerbsAccess)         \
  CHECK(DeviceHealth)              \
  CHECK(PortActive)                \
  CHECK(PortLid)                   \
  CHECK(LinkModuleAlarms)          \
  CHECK(LinkFlaps)                 \
  CHECK(LinkFec)                   \
  CHECK(LinkBitErrors)             \
  CHECK(AddressDuplicate)          \
  CHECK(AddressDuplicateMac)       \
  CHECK(AddressArpFlux)            \
  CHECK(AddressReversePath)        \
  CHECK(AddressIpv6Enabled)        \
  CHECK(AddressPermanent)          \
  CHECK(AddressPrefixAlike)        \
  CHECK(RailAlone)                 \
  CHECK(NeighbourMac)              \
  CHECK(NeighbourAnswered)         \
  CHECK(VlanPeerMismatch)          \
  CHECK(RouteRailDevice)           \
  CHECK(RouteToPeer)               \
  CHECK(FirewallRocePort)          \
  CHECK(GidRocev2Ipv4)             \
  CHECK(InventoryRails)            \
  CHECK(GidIndexAlike)             \
  CHECK(CmRoceMode)                \
  CHECK(JobGidIndex)               \
  CHECK(JobTrafficClass)           \
  CHECK(JobTimers)                 \
  CHECK(JobQueuePairs)             \
  CHECK(CmDefaultTos)              \
  CHECK(MtuNetdev)                 \
  CHECK(MtuRdmaActive)             \
  CHECK(MtuPeerMismatch)           \
  CHECK(PfcLosslessPriority)       \
  CHECK(PfcPeerAgrees)             \
  CHECK(PauseWithPfc)              \
  CHECK(LldpFrameSize)             \
  CHECK(DcbxSettingsHold)          \
  CHECK(LldpOneSpeaker)            \
  CHECK(EtsRoceBandwidth)          \
  CHECK(EtsRoceClass)              \
  CHECK(BufferLosslessPriority)    \
  CHECK(PauseStorm)                \
  CHECK(QosDscpPriority)           \
  CHECK(QosVlanPriority)           \
  CHECK(SriovVfSettings)           \
  CHECK(EcnDcqcnEnabled)           \
  CHECK(EcnDcqcnParameters)        \
  CHECK(EcnOddOneOut)              \
  CHECK(EcnCnpIgnored)             \
  CHECK(EcnCnpAnswered)            \
  CHECK(BondMode)                  \
  CHECK(BondRoceLag)               \
  CHECK(BondMembersUp)             \
  CHECK(BondMembersAlike)          \
  CHECK(BondHashPolicy)            \
  CHECK(FirmwareMinimum)           \
  CHECK(FirmwareOddOneOut)         \
  CHECK(FirmwarePending)           \
  CHECK(FirmwareParametersPending) \
  CHECK(DriverOnDisk)              \
  CHECK(KernelOddOneOut)           \
  CHECK(DriverOddOneOut)           \
  CHECK(DeviceModelOddOneOut)      \
  CHECK(DeviceSlotOddOneOut)       \
  CHECK(DeviceNameOddOneOut)       \
  CHECK(NicCountMissing)           \
  CHECK(NicCountOddOneOut)         \
  CHECK(QueuePairsOddOneOut)       \
  CHECK(NetnsOddOneOut)            \
  CHECK(LldpRailLeaf)              \
  CHECK(PcieLink)                  \
  CHECK(PcieBandwidth)             \
  CHECK(PciePayload)               \
  CHECK(PcieReadRequest)           \
  CHECK(PcieAcs)                   \
  CHECK(PcieErrors)                \
  CHECK(PciePowerState)            \
  CHECK(IommuPassthrough)          \
  CHECK(GpuPeerMemory)             \
  CHECK(GpuNumaNode)               \
  CHECK(LimitsLockedMemory)        \
  CHECK(LimitsOpenFiles)           \
  CHECK(LimitsRdmaCgroup)          \
  CHECK(LimitsRdmaCgroupRoom)      \
  CHECK(UseForeignPrograms)        \
  CHECK(UseQueuePairsInError)      \
  CHECK(UseQueuePairsLeft)         \
  CHECK(UseStorageLive)            \
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
  CHECK(BlameNoTraffic)            \
  CHECK(BlameLargeOnly)            \
  CHECK(BlameLoss)                 \
  CHECK(BlameSlow)                 \
  CHECK(ProbeLargeOnly)            \
  CHECK(ProbeWrite)                \
  CHECK(ProbeRead)                 \
  CHECK(ProbeRoceVersion)          \
  CHECK(ProbeTrafficClass)         \
  CHECK(ProbeEcnBits)              \
  CHECK(ProbeCongestionMarks)      \
  CHECK(ProbeDelivery)             \
  CHECK(ProbeFlowLoss)             \
  CHECK(ProbeLoss)                 \
  CHECK(ProbeIncast)               \
  CHECK(ReceiverReady)             \
  CHECK(LossCountersMoving)        \
  CHECK(ProbeBandwidth)            \
  CHECK(ProbeLatency)

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
