// SPDX-License-Identifier: Apache-2.0
// How to read the DCB answers of a physical port: the same numbers mean different things in
// different drivers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "checks/host_view.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// bnxt_en in HOST mode answers ETS and PFC from what was set through the kernel since it was
// loaded; all zero then means that nothing was, while firmware may hold anything (bnxt_dcb.c).
bool ShowsOnlyAnEmptyCache(const CarrierView& carrier);

// DCBX is the firmware's ("lld-managed"): host settings may be refused or overwritten.
bool FirmwareRunsDcbx(const v1::NetDevice& net_device);

enum class Trust { kUnknown, kDscp, kPcp };

// What the port derives a packet's priority from: the apptrust table where there is one. mlx5, ice
// and hns3 hold DSCP entries exactly while they trust DSCP; elsewhere entries tell nothing.
Trust TrustOf(const CarrierView& carrier);

// The apptrust table was read and names neither: what the port does then its driver decides.
bool TrustsNothing(const CarrierView& carrier);

// DSCP -> priorities, from the APP table. More than one priority is a contradiction in the table.
using DscpMap = std::map<uint32_t, std::set<uint32_t>>;
DscpMap DscpMapOf(const v1::AppTable& table);

// ice: the "priority" of a DSCP entry is a traffic class (ice_dcb_nl.c).
bool DscpEntriesNameClasses(const CarrierView& carrier);

// The class of a priority by the ETS table; empty where that was not read.
std::optional<uint32_t> ClassOfPriority(const v1::NetDevice& net_device, uint32_t priority);

// "26:3 48:6", for comparing hosts and for people.
std::string TextOf(const DscpMap& map);

}  // namespace roceready::checks
