// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/host_copy.h"

#include <gtest/gtest.h>

namespace roceready::accuracy {
namespace {

v1::FactsFile Original() {
  v1::FactsFile file;
  v1::HostFacts& facts = *file.mutable_facts();
  facts.mutable_identity()->set_host("recorded");
  facts.mutable_identity()->set_boot_id("0b8d7f9e-5b0c-4c6a-9d0e-2f4a6c8e0a1b");
  v1::PciFunction& function = *facts.add_pci_functions();
  function.set_serial_number("MT2342X00001");
  function.set_adapter_id("serial:MT2342X00001");
  v1::NetDevice& device = *facts.add_net_devices();
  device.set_id("mac:94:6d:ae:00:00:01");
  device.mutable_link()->set_mac("94:6d:ae:00:00:01");
  for (const char* address : {"10.1.0.7", "fe80::966d:aeff:fe00:1", "2001:db8::7"}) {
    device.mutable_addresses()->add_addresses()->set_address(address);
  }
  device.mutable_bond()->set_partner_mac("44:38:39:ff:00:01");
  v1::RdmaPort& port = *facts.add_rdma_devices()->add_ports();
  port.set_net_device_id("mac:94:6d:ae:00:00:01");
  for (const char* gid :
       {"fe80:0000:0000:0000:966d:aeff:fe00:0001", "0000:0000:0000:0000:0000:ffff:0a01:0007"}) {
    port.mutable_gid_table()->add_gids()->set_gid(gid);
  }
  facts.mutable_ip_stack()->add_routes()->set_source("10.1.0.7");
  facts.mutable_ip_stack()->mutable_routes(0)->set_destination("10.1.0.0/24");
  facts.mutable_ip_stack()->mutable_routes(0)->set_gateway("10.1.0.1");
  file.mutable_counters()->add_ports()->set_owner_id("link:mac:94:6d:ae:00:00:01");
  return file;
}

TEST(HostCopy, TheFirstIsTheOriginalUnderItsName) {
  v1::FactsFile expected = Original();
  expected.mutable_facts()->mutable_identity()->set_host("gpu1");
  EXPECT_EQ(CopyOfHost(Original(), "gpu1", 0).DebugString(), expected.DebugString());
}

TEST(HostCopy, NothingThatIsTheHostsOwnIsShared) {
  const v1::FactsFile copy = CopyOfHost(Original(), "gpu3", 2);
  const v1::HostFacts& facts = copy.facts();
  const v1::NetDevice& device = facts.net_devices(0);
  EXPECT_EQ(facts.identity().host(), "gpu3");
  EXPECT_NE(facts.identity().boot_id(), Original().facts().identity().boot_id());
  EXPECT_EQ(facts.pci_functions(0).adapter_id(),
            "serial:" + facts.pci_functions(0).serial_number());
  EXPECT_EQ(facts.pci_functions(0).serial_number(), "MT2342X00201");
  EXPECT_EQ(device.link().mac(), "94:6d:ae:02:00:01");
  EXPECT_EQ(device.addresses().addresses(0).address(), "10.1.0.9");
  EXPECT_EQ(device.addresses().addresses(1).address(), "fe80::966d:aeff:fe02:1");
  EXPECT_EQ(device.addresses().addresses(2).address(), "2001:db8::9");
  const v1::GidTable& gids = facts.rdma_devices(0).ports(0).gid_table();
  EXPECT_EQ(gids.gids(0).gid(), "fe80:0000:0000:0000:966d:aeff:fe02:0001");
  EXPECT_EQ(gids.gids(1).gid(), "0000:0000:0000:0000:0000:ffff:0a01:0009");
  EXPECT_EQ(facts.ip_stack().routes(0).source(), "10.1.0.9");
}

TEST(HostCopy, IdsStillJoin) {
  const v1::FactsFile copy = CopyOfHost(Original(), "gpu2", 1);
  const std::string& id = copy.facts().net_devices(0).id();
  EXPECT_EQ(id, "mac:94:6d:ae:01:00:01");
  EXPECT_EQ(copy.facts().rdma_devices(0).ports(0).net_device_id(), id);
  EXPECT_EQ(copy.counters().ports(0).owner_id(), "link:" + id);
}

TEST(HostCopy, WhatIsOutsideStays) {
  const v1::FactsFile copy = CopyOfHost(Original(), "gpu2", 1);
  EXPECT_EQ(copy.facts().net_devices(0).bond().partner_mac(), "44:38:39:ff:00:01");
  EXPECT_EQ(copy.facts().ip_stack().routes(0).gateway(), "10.1.0.1");
  EXPECT_EQ(copy.facts().ip_stack().routes(0).destination(), "10.1.0.0/24");
}

}  // namespace
}  // namespace roceready::accuracy
