// SPDX-License-Identifier: Apache-2.0
// The GIDs that a job may use by the policy, and whether their addresses are still there.
#pragma once

#include <vector>

#include "checks/host_view.h"

namespace roceready::checks {

// Of the RoCE version and address family that the policy wants (v2 over IPv4 unless it says
// otherwise).
bool HasWantedForm(const v1::Gid& gid, const v1::FabricIntent& intent);

// Those of the wanted form on the port's own net devices; where the policy names the job's index or
// VLANs, and such a one is among them, these alone.
std::vector<const v1::Gid*> JobGidsOf(const HostView& host, const PortView& port);

// The net device of a GID of the wanted form of which it is not known whether it is the port's, as
// its link was not read; null: there is none.
const v1::NetDevice* UnreadHolderOf(const HostView& host, const PortView& port);

enum class GidAddress {
  // The net device has it; or its addresses were not read.
  kNotMissed,
  // It has it, but the kernel has not (yet) found that nobody else does: nothing is sent from it.
  kTentative,
  // The net device no longer has it.
  kGone,
};

// Of a GID that is made from an address: not of a link-local one, which is made from the MAC.
GidAddress AddressOf(const v1::HostFacts& facts, const v1::Gid& gid);

}  // namespace roceready::checks
