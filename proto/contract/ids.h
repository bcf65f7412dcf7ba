// SPDX-License-Identifier: Apache-2.0
// Identities of what a host has, as text with its kind in front. All joins (net device <-> RDMA
// device <-> PCI function, finding subjects, probe ends, counters) go by these, never by names or
// kernel indexes: those are values of the moment.
//
//   pci:0000:3b:00.0            PCI function
//   pci:0000:3b:00.0/0          net device: its function and dev_port
//   mac:52:54:00:00:00:01       net device without a PCI function, by its permanent address
//   name:bond0                  net device with neither
//   pci:0000:3b:00.0            RDMA device of that function
//   netdev:name:dummy0          RDMA device made on a net device (rxe, siw)
//   rdma:pci:0000:3b:00.0/1     owner of an RDMA port's counters
//   cm:pci:0000:3b:00.0/1       owner of what the connection manager counts on that port
//   link:pci:0000:3b:00.0/0     owner of what the kernel counts of a net device's link
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace roceready {

std::string PciId(std::string_view address);
std::string PciNetDeviceId(std::string_view address, uint32_t dev_port);
std::string MacNetDeviceId(std::string_view permanent_address);
std::string NamedNetDeviceId(std::string_view name);

std::string PciRdmaDeviceId(std::string_view address);
std::string SoftRdmaDeviceId(std::string_view net_device_id);

// PortCounters.owner_id of an RDMA port; that of a net device is the net device's id itself.
std::string RdmaPortOwnerId(std::string_view rdma_device_id, uint32_t port);
// The same port's connection manager, and a net device's link. A PCI function's counters belong to
// its own id.
std::string CmOwnerId(std::string_view rdma_device_id, uint32_t port);
std::string LinkOwnerId(std::string_view net_device_id);

// "0000:3b:00.0" of "pci:0000:3b:00.0" and of "pci:0000:3b:00.0/0"; empty for other kinds.
std::string_view PciAddressOf(std::string_view id);

// "netdev:X" -> "X"; empty for a device with a PCI function.
std::string_view NetDeviceOfSoftRdma(std::string_view rdma_device_id);

// PciFunction.adapter_id where no serial number is known: the address without its function.
std::string AdapterIdOfAddress(std::string_view address);

// PciFunction.adapter_id where the card tells its serial number.
std::string AdapterIdOfSerial(std::string_view serial_number);

// A session of a link (Welcome.session) as both ends' logs and `roceready-agent status` name it:
// its first four octets in hexadecimal, enough to tell one stream of a host from the next.
std::string SessionName(std::string_view token);

// True for "0000:3b:00.0": domain, bus, device, function, as sysfs writes them.
bool IsPciAddress(std::string_view text);

}  // namespace roceready
