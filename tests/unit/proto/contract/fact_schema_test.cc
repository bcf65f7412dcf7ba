// SPDX-License-Identifier: Apache-2.0
// Rules that every field of HostFacts keeps, checked over the descriptors, so that a field added
// later cannot forget them.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "roceready/v1/facts.pb.h"

namespace roceready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Scalars without presence that name their row (or are all of it): Message.field.
const std::set<std::string>& RowKeys() {
  static const std::set<std::string> keys = {
      "HostFacts.schema_version",
      "HostIdentity.host",
      "HostIdentity.machine_id",
      "HostIdentity.boot_id",
      "KernelModule.name",
      "RdmaDeviceUse.device_id",
      "PciFunction.id",
      "PciHop.address",
      "FirmwareVersion.name",
      "FirmwareVersion.value",
      "HealthReporter.name",
      "NetDevice.id",
      "NetDevice.index",
      "NetDevice.name",
      "AppEntry.selector",
      "AppEntry.priority",
      "VirtualFunction.index",
      "QosMapping.from",
      "QosMapping.to",
      "IpAddress.address",
      "IpAddress.prefix_bits",
      "RdmaDevice.id",
      "RdmaDevice.index",
      "RdmaDevice.name",
      "RdmaPort.number",
      "Gid.index",
      "Gid.gid",
      "Gid.type",
      "CongestionParameter.name",
      "CongestionParameter.value",
      "DevlinkParameter.name",
      "FirewallChain.family",
      "FirewallChain.table",
      "FirewallChain.name",
      "FirewallRule.family",
      "FirewallRule.table",
      "FirewallRule.chain",
      "Gpu.id",
      "GpuNearness.gpu_id",
      "KernelUser.kind",
      "KernelUser.name",
      "Neighbour.net_device_id",
      "Neighbour.address",
      "RdmaCgroupLimit.name",
      "RdmaUser.name",
      "LldpVlan.vlan_id",
      "CeeFeature.name",
  };
  return keys;
}

void Collect(const Descriptor* type, std::set<const Descriptor*>* types) {
  if (!types->insert(type).second) return;
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Collect(type->field(i)->message_type(), types);
    }
  }
}

std::set<const Descriptor*> TypesOfHostFacts() {
  std::set<const Descriptor*> types;
  Collect(v1::HostFacts::descriptor(), &types);
  return types;
}

bool IsRow(const Descriptor* type) {
  // Told apart by chassis and port, which a malformed frame may lack.
  if (type == v1::LldpNeighbour::descriptor()) return true;
  for (int i = 0; i < type->field_count(); ++i) {
    if (RowKeys().contains(type->name() + "." + type->field(i)->name())) return true;
  }
  return false;
}

TEST(FactSchema, EveryScalarHasPresenceOrIsARowKey) {
  for (const Descriptor* type : TypesOfHostFacts()) {
    if (type == v1::Reading::descriptor()) continue;
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (field->is_repeated() || field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) continue;
      const std::string name = type->name() + "." + field->name();
      EXPECT_NE(field->has_presence(), RowKeys().contains(name))
          << name << " must be optional, or a row key, and not both";
    }
  }
}

TEST(FactSchema, RowKeysNameFieldsThatExist) {
  const auto* file = v1::HostFacts::descriptor()->file();
  for (const std::string& key : RowKeys()) {
    const size_t dot = key.find('.');
    const Descriptor* type = file->FindMessageTypeByName(key.substr(0, dot));
    ASSERT_NE(type, nullptr) << key;
    EXPECT_NE(type->FindFieldByName(key.substr(dot + 1)), nullptr) << key;
  }
}

TEST(FactSchema, EveryFieldIsConfigOrState) {
  for (const Descriptor* type : TypesOfHostFacts()) {
    const v1::FactKind group = type->options().GetExtension(v1::group_fact_kind);
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      const v1::FactKind kind = field->options().HasExtension(v1::fact_kind)
                                    ? field->options().GetExtension(v1::fact_kind)
                                    : group;
      EXPECT_NE(kind, v1::FACT_KIND_UNSPECIFIED) << field->full_name();
    }
  }
}

// A list that is empty must be told from a list that was not read.
TEST(FactSchema, EveryRepeatedFieldHasAReadingBesideItOrInTheRowsAbove) {
  for (const Descriptor* type : TypesOfHostFacts()) {
    if (type->FindFieldByName("reading") != nullptr || IsRow(type)) continue;
    for (int i = 0; i < type->field_count(); ++i) {
      EXPECT_FALSE(type->field(i)->is_repeated())
          << type->field(i)->full_name() << " has no reading that says whether it was read";
    }
  }
}

TEST(FactSchema, TheListsOfHostFactsHaveScanReadings) {
  for (const char* name : {"pci_scan", "net_scan", "rdma_scan"}) {
    const FieldDescriptor* field = v1::HostFacts::descriptor()->FindFieldByName(name);
    ASSERT_NE(field, nullptr) << name;
    EXPECT_EQ(field->message_type(), v1::Reading::descriptor());
  }
}

}  // namespace
}  // namespace roceready
