// SPDX-License-Identifier: Apache-2.0
#include "controller/why/end.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace roceready::why {
namespace {

constexpr char kVirbr[] = "192.168.122.1";

void Add(v1::WhoIsResponse* answer, const std::string& host, const std::string& net_device,
         int age_seconds, const std::string& rdma_device = "",
         const std::string& as = "IPv4 address") {
  v1::Place& place = *answer->add_places();
  place.set_host(host);
  place.set_net_device(net_device);
  place.set_rdma_device(rdma_device);
  place.set_as(as);
  place.mutable_fact_age()->set_seconds(age_seconds);
}

TEST(End, IsTheOneWhoHasTheAddress) {
  v1::WhoIsResponse answer;
  Add(&answer, "gpu1", "eth0", 5, "mlx5_0");
  const End end = EndOf("10.77.0.1", "", answer);
  EXPECT_EQ(end.place.host(), "gpu1");
  EXPECT_EQ(end.place.net_device(), "eth0");
  EXPECT_EQ(end.unclear, "");
}

TEST(End, NobodyHasIt) {
  const End end = EndOf("10.77.0.9", "gpu1", {});
  EXPECT_EQ(end.place.host(), "");
  EXPECT_EQ(end.unclear, "nobody has 10.77.0.9");
}

TEST(End, AnAddressThatManyHaveIsNobodys) {
  v1::WhoIsResponse answer;
  for (const char* host : {"gpu1", "gpu2"}) Add(&answer, host, "virbr0", 20);
  End end = EndOf(kVirbr, "", answer);
  EXPECT_EQ(end.place.host(), "");
  EXPECT_EQ(end.unclear, "192.168.122.1 fits 2 hosts: gpu1, gpu2");
  Add(&answer, "gpu3", "virbr0", 20);
  EXPECT_EQ(EndOf(kVirbr, "", answer).unclear, "192.168.122.1 fits 3 hosts: gpu1, gpu2, gpu3");
  Add(&answer, "gpu4", "virbr0", 20);
  EXPECT_EQ(EndOf(kVirbr, "", answer).unclear,
            "192.168.122.1 fits 4 hosts: gpu1, gpu2, gpu3 and others");
  answer.set_more_places(900);
  EXPECT_EQ(EndOf(kVirbr, "", answer).unclear,
            "192.168.122.1 fits more than 4 hosts: gpu1, gpu2, gpu3 and others");
}

TEST(End, OneThatIsNamedAmongOthersThatAreNotIsNotTheOnlyOne) {
  v1::WhoIsResponse answer;
  Add(&answer, "gpu1", "virbr0", 20);
  Add(&answer, "gpu2", "virbr0", 9000);
  answer.set_more_places(3);
  EXPECT_EQ(EndOf(kVirbr, "", answer).place.host(), "");
  EXPECT_EQ(EndOf(kVirbr, "gpu1", answer).place.host(), "gpu1");
}

// A host that was installed anew under another name: the controller still knows the old one.
TEST(End, AHostThatHasGoneGivesWayToALivingOne) {
  v1::WhoIsResponse answer;
  Add(&answer, "gpu1-old", "eth0", 86400, "mlx5_0");
  Add(&answer, "rack7-gpu1", "eth0", 20, "mlx5_0");
  EXPECT_EQ(EndOf("10.77.0.1", "", answer).place.host(), "rack7-gpu1");
  // Two that live, though one was read more lately.
  answer.mutable_places(0)->mutable_fact_age()->set_seconds(79);
  EXPECT_EQ(EndOf("10.77.0.1", "", answer).place.host(), "");
  // All have been silent: the controller has lost them together.
  answer.mutable_places(0)->mutable_fact_age()->set_seconds(7200);
  answer.mutable_places(1)->mutable_fact_age()->set_seconds(7210);
  EXPECT_EQ(EndOf("10.77.0.1", "", answer).unclear, "10.77.0.1 fits 2 hosts: gpu1-old, rack7-gpu1");
}

TEST(End, WhoWroteTheLineHasTheAddressIfOneOfThemHas) {
  v1::WhoIsResponse answer;
  for (const char* host : {"gpu1.lab.example", "gpu2.lab.example"})
    Add(&answer, host, "docker0", 20);
  EXPECT_EQ(EndOf("172.17.0.1", "gpu2", answer).place.host(), "gpu2.lab.example");
  EXPECT_EQ(EndOf("172.17.0.1", "gpu3", answer).place.host(), "");
}

TEST(End, AShortNameMayBeThatOfSeveral) {
  v1::WhoIsResponse answer;
  for (const char* host : {"gpu1.hall1.example", "gpu1.hall2.example"}) {
    Add(&answer, host, "eth0", 20, "mlx5_0", "RDMA device");
  }
  const End end = EndOf("gpu1/mlx5_0", "gpu1", answer);
  EXPECT_EQ(end.place.host(), "");
  EXPECT_EQ(end.unclear, "gpu1/mlx5_0 fits 2 hosts: gpu1.hall1.example, gpu1.hall2.example");
}

TEST(End, OfAHostAloneNoDeviceIsKnown) {
  v1::WhoIsResponse answer;
  for (const char* net : {"eth0", "eth1"}) Add(&answer, "gpu1", net, 20, "mlx5_0", "host");
  const End end = EndOf("gpu1", "gpu1", answer);
  EXPECT_EQ(end.place.host(), "gpu1");
  EXPECT_EQ(end.place.net_device(), "");
}

TEST(End, OfTheDevicesOfAHostThatWithRdmaIsMeant) {
  v1::WhoIsResponse answer;
  Add(&answer, "gpu1", "br0", 20);
  Add(&answer, "gpu1", "eth0", 20, "mlx5_0");
  EXPECT_EQ(EndOf("10.77.0.1", "", answer).place.net_device(), "eth0");
  Add(&answer, "gpu1", "eth1", 20, "mlx5_1");
  const End end = EndOf("10.77.0.1", "", answer);
  EXPECT_EQ(end.place.host(), "gpu1");
  EXPECT_EQ(end.place.net_device(), "");
}

TEST(End, AnRdmaDeviceIsItsOwnNetDeviceAndNotAVlan) {
  v1::WhoIsResponse answer;
  for (const char* net : {"eth0", "eth0.100"})
    Add(&answer, "gpu1", net, 20, "mlx5_0", "RDMA device");
  EXPECT_EQ(EndOf("gpu1/mlx5_0", "gpu1", answer).place.net_device(), "eth0");
}

}  // namespace
}  // namespace roceready::why
