// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/fact_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "roceready/v1/facts.pb.h"

namespace roceready::drift {
namespace {

using google::protobuf::Descriptor;
using testing::IsEmpty;

// Every message that HostFacts can hold.
void Gather(const Descriptor* type, std::set<const Descriptor*>* all) {
  if (!all->insert(type).second) return;
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Gather(type->field(i)->message_type(), all);
    }
  }
}

const FieldDescriptor* Field(const Descriptor* type, const std::string& name) {
  return type->FindFieldByName(name);
}

TEST(FactFields, TheTablesNameOnlyWhatThereIs) { EXPECT_THAT(UnknownNames(), IsEmpty()); }

TEST(FactFields, EveryReadingGovernsItsMessageOrIsInTheTable) {
  std::set<const Descriptor*> all;
  Gather(v1::HostFacts::descriptor(), &all);
  EXPECT_GT(all.size(), 50u);
  for (const Descriptor* type : all) EXPECT_THAT(ForgottenReadings(type), IsEmpty());
}

TEST(FactFields, TellsConfigurationFromState) {
  EXPECT_TRUE(IsConfig(Field(v1::Pfc::descriptor(), "enabled_priorities")));
  EXPECT_TRUE(IsConfig(Field(v1::NetDevice::descriptor(), "dcb")));
  EXPECT_FALSE(IsConfig(Field(v1::NetLink::descriptor(), "carrier")));
  EXPECT_FALSE(IsConfig(Field(v1::NetDevice::descriptor(), "bond_member")));
  EXPECT_FALSE(IsConfig(Field(v1::Pfc::descriptor(), "reading")));
  EXPECT_FALSE(IsConfig(Field(v1::NetDevice::descriptor(), "index")));
  EXPECT_FALSE(IsConfig(Field(v1::HostFacts::descriptor(), "rdma_use")));
}

TEST(FactFields, NamesRowsByWhatTellsThemApart) {
  v1::IpAddress address;
  address.set_address("10.77.3.17");
  address.set_prefix_bits(24);
  EXPECT_EQ(KeyOf(address), "10.77.3.17 24");
  v1::Gid gid;
  gid.set_index(3);
  gid.set_gid("::ffff:10.77.3.17");
  EXPECT_EQ(KeyOf(gid), "3");
  v1::NetDevice device;
  device.set_id("pci:0000:3b:00.0/0");
  device.set_index(7);
  EXPECT_EQ(KeyOf(device), "pci:0000:3b:00.0/0");
  EXPECT_EQ(KeyOf(v1::IpRule()), "");
}

}  // namespace
}  // namespace roceready::drift
