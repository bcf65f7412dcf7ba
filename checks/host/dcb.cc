// SPDX-License-Identifier: Apache-2.0
#include "checks/host/dcb.h"

#include <algorithm>

#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

bool HasMode(const v1::NetDevice& net_device, std::string_view mode) {
  return std::ranges::find(net_device.dcb().dcbx().modes(), mode) !=
         net_device.dcb().dcbx().modes().end();
}

bool IsAllZero(const google::protobuf::RepeatedField<uint32_t>& values) {
  return std::ranges::all_of(values, [](uint32_t value) { return value == 0; });
}

}  // namespace

bool ShowsOnlyAnEmptyCache(const CarrierView& carrier) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  return carrier.family == NicFamily::kBnxt && HasMode(*carrier.net_device, "host") &&
         dcb.pfc().enabled_priorities().empty() && IsAllZero(dcb.ets().priority_to_class()) &&
         IsAllZero(dcb.ets().tx_bandwidth_percent());
}

bool FirmwareRunsDcbx(const v1::NetDevice& net_device) {
  if (HasMode(net_device, "lld-managed")) return true;
  // mlx5 leaves the bit out and only drops "host" when firmware owns DCBX (en_dcbnl.c).
  return FamilyOfDriver(net_device.driver().name()) == NicFamily::kMlx5 &&
         IsOk(net_device.dcb().dcbx().reading()) && !HasMode(net_device, "host");
}

Trust TrustOf(const CarrierView& carrier) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  if (IsOk(dcb.app_trust().reading()) && !dcb.app_trust().order().empty()) {
    const std::string& first = dcb.app_trust().order(0);
    if (first == "dscp") return Trust::kDscp;
    if (first == "pcp") return Trust::kPcp;
    return Trust::kUnknown;
  }
  const bool entries_tell = carrier.family == NicFamily::kMlx5 ||
                            carrier.family == NicFamily::kHns || DscpEntriesNameClasses(carrier);
  if (!entries_tell || !IsOk(dcb.app().reading())) return Trust::kUnknown;
  const bool has_entries = std::ranges::any_of(dcb.app().entries(), [](const v1::AppEntry& entry) {
    return entry.selector() == "dscp" && !entry.protocols().empty();
  });
  return has_entries ? Trust::kDscp : Trust::kPcp;
}

bool TrustsNothing(const CarrierView& carrier) {
  const v1::AppTrust& trust = carrier.net_device->dcb().app_trust();
  return IsOk(trust.reading()) && trust.order().empty();
}

DscpMap DscpMapOf(const v1::AppTable& table) {
  DscpMap map;
  for (const v1::AppEntry& entry : table.entries()) {
    if (entry.selector() != "dscp") continue;
    for (const uint32_t dscp : entry.protocols()) map[dscp].insert(entry.priority());
  }
  return map;
}

bool DscpEntriesNameClasses(const CarrierView& carrier) {
  return carrier.net_device->driver().name() == "ice";
}

std::optional<uint32_t> ClassOfPriority(const v1::NetDevice& net_device, uint32_t priority) {
  const v1::Ets& ets = net_device.dcb().ets();
  if (!IsOk(ets.reading()) || priority >= static_cast<uint32_t>(ets.priority_to_class_size())) {
    return std::nullopt;
  }
  return ets.priority_to_class(static_cast<int>(priority));
}

std::string TextOf(const DscpMap& map) {
  std::string text;
  for (const auto& [dscp, priorities] : map) {
    if (!text.empty()) text += ' ';
    text += std::to_string(dscp) + ":" + JoinWords(priorities, ",");
  }
  return text;
}

}  // namespace roceready::checks
