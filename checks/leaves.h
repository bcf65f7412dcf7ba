// SPDX-License-Identifier: Apache-2.0
// The switches that a host's ports hear by LLDP (IEEE 802.1AB): the leaf that a port is plugged
// into.
#pragma once

#include <string>

#include "checks/ports.h"
#include "roceready/v1/facts.pb.h"

namespace roceready::checks {

// Another host, or the NIC itself, is no switch. One that does not say what it is, is taken for
// one.
bool IsSwitch(const v1::LldpNeighbour& neighbour);

// With the chassis, as names alone are often what the switches came with. Empty where it says
// neither.
std::string NameOfSwitch(const v1::LldpNeighbour& neighbour);

// The switches that the port's carriers hear, joined where a bond has several ("leaf1+leaf2").
// Empty where none was heard or read.
std::string LeafOf(const PortView& port);

}  // namespace roceready::checks
