// SPDX-License-Identifier: Apache-2.0
// A host's files (sysfs, procfs ...) made by a test under a directory of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_directory.h"

namespace roceready {

class FixtureTree {
 public:
  const std::string& path() const { return directory_.path(); }

  // "/sys/class/net/eth0/mtu", as the host sees it; a newline is added, as sysfs does.
  FixtureTree& File(std::string_view path, std::string_view text) {
    const std::filesystem::path full = Full(path);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
    return *this;
  }
  FixtureTree& Folder(std::string_view path) {
    std::filesystem::create_directories(Full(path));
    return *this;
  }
  // `target` as the host sees it; the link itself is relative, like those of sysfs.
  FixtureTree& Link(std::string_view path, std::string_view target) {
    const std::filesystem::path full = Full(path);
    std::filesystem::create_directories(full.parent_path());
    std::filesystem::create_symlink(std::filesystem::relative(Full(target), full.parent_path()),
                                    full);
    return *this;
  }
  FixtureTree& Remove(std::string_view path) {
    std::filesystem::remove_all(Full(path));
    return *this;
  }

  // A PCI function at /sys/devices/pci0000:00/<path of addresses>, with its link on the bus.
  FixtureTree& PciFunction(std::string_view chain, std::string_view class_code = "0x020000") {
    const std::string real = "/sys/devices/pci0000:00/" + std::string(chain);
    const std::string address(chain.substr(chain.rfind('/') + 1));
    File(real + "/class", class_code);
    return Link("/sys/bus/pci/devices/" + address, real);
  }
  // A net device of a PCI function (`device` is the function's folder) or a virtual one (empty).
  FixtureTree& NetDevice(std::string_view name, int index, std::string_view device = {}) {
    const std::string real = (device.empty() ? "/sys/devices/virtual" : std::string(device)) +
                             "/net/" + std::string(name);
    File(real + "/ifindex", std::to_string(index));
    File(real + "/type", "1");
    File(real + "/dev_port", "0");
    File(real + "/mtu", "1500");
    if (!device.empty()) Link(real + "/device", device);
    return Link("/sys/class/net/" + std::string(name), real);
  }
  // An RDMA device with port 1 of link layer Ethernet.
  FixtureTree& RdmaDevice(std::string_view name, std::string_view device = {}) {
    const std::string real = (device.empty() ? "/sys/devices/virtual" : std::string(device)) +
                             "/infiniband/" + std::string(name);
    File(real + "/ports/1/link_layer", "Ethernet");
    File(real + "/node_guid", "0000:0000:0000:0000");
    if (!device.empty()) Link(real + "/device", device);
    return Link("/sys/class/infiniband/" + std::string(name), real);
  }
  FixtureTree& Gid(std::string_view rdma_device, int index, std::string_view gid,
                   std::string_view type, std::string_view net_device) {
    const std::string port = "/sys/class/infiniband/" + std::string(rdma_device) + "/ports/1/";
    const std::string slot = std::to_string(index);
    File(port + "gids/" + slot, gid);
    if (type.empty()) return *this;
    File(port + "gid_attrs/types/" + slot, type);
    return File(port + "gid_attrs/ndevs/" + slot, net_device);
  }

 private:
  std::filesystem::path Full(std::string_view path) const {
    return directory_.path() + std::string(path);
  }
  TemporaryDirectory directory_;
};

}  // namespace roceready
