// SPDX-License-Identifier: Apache-2.0
// What a complete answer is, whatever happened to the host: each group that the schema has is there
// with an outcome, what is missing has its reason, what is denied says what would unlock it, and
// every owner of counters speaks. From the schema, so that no new group is forgotten.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "agent/facts/collection.h"
#include "proto/contract/ids.h"

namespace roceready::facts {

class Completeness {
 public:
  explicit Completeness(const v1::HostFacts& facts) { Visit(facts, ""); }
  // "net_devices[eth0].mtu: no outcome"; empty: complete.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  using Message = google::protobuf::Message;
  using FieldDescriptor = google::protobuf::FieldDescriptor;

  // Groups that are there only where the device is of that kind, and what a switch did not say.
  static bool MayBeLeftOut(const Message& owner, const FieldDescriptor& field) {
    const std::string& name = field.name();
    if (owner.GetDescriptor() != v1::NetDevice::descriptor()) {
      return owner.GetDescriptor() == v1::Lldp::descriptor() && name == "neighbours";
    }
    if (name == "vlan" || name == "bond" || name == "bond_member") return true;
    // Asked of what has a PCI function only: no other device has a plug or virtual functions.
    const bool has_function = static_cast<const v1::NetDevice&>(owner).id().starts_with("pci:");
    return !has_function && (name == "transceiver" || name == "virtual_functions");
  }

  static bool HoldsReadings(const google::protobuf::Descriptor* type) {
    if (type == v1::Reading::descriptor()) return true;
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor* field = type->field(i);
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated() &&
          HoldsReadings(field->message_type())) {
        return true;
      }
    }
    return false;
  }

  static std::string KeyOf(const Message& row, int place) {
    for (const char* name : {"id", "name", "address"}) {
      const FieldDescriptor* key = row.GetDescriptor()->FindFieldByName(name);
      if (key != nullptr && key->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        return row.GetReflection()->GetString(row, key);
      }
    }
    return std::to_string(place);
  }

  void VisitReading(const v1::Reading& reading, const std::string& path) {
    if (reading.outcome() == v1::OUTCOME_UNSPECIFIED) complaints_.push_back(path + ": no outcome");
    if (reading.outcome() == v1::OUTCOME_OK || reading.outcome() == v1::OUTCOME_UNSPECIFIED) return;
    if (reading.detail().empty()) complaints_.push_back(path + ": no reason");
    if (reading.source() == v1::SOURCE_UNSPECIFIED) complaints_.push_back(path + ": no source");
    if (reading.outcome() == v1::OUTCOME_DENIED && reading.needs().empty()) {
      complaints_.push_back(path + ": denied, and does not say what would unlock it");
    }
  }

  void Visit(const Message& message, const std::string& path) {
    if (message.GetDescriptor() == v1::Reading::descriptor()) {
      return VisitReading(static_cast<const v1::Reading&>(message), path);
    }
    const auto* reflection = message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = message.GetDescriptor()->field(i);
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      const std::string below = path.empty() ? field->name() : path + "." + field->name();
      if (field->is_repeated()) {
        if (MayBeLeftOut(message, *field)) continue;
        for (int row = 0; row < reflection->FieldSize(message, field); ++row) {
          const Message& entry = reflection->GetRepeatedMessage(message, field, row);
          Visit(entry, below + "[" + KeyOf(entry, row) + "]");
        }
        continue;
      }
      const bool there = reflection->HasField(message, field);
      if (!there && (MayBeLeftOut(message, *field) || !HoldsReadings(field->message_type()))) {
        continue;
      }
      // One that is not there is visited as an empty one: that complains.
      Visit(reflection->GetMessage(message, field), below);
    }
  }

  std::vector<std::string> complaints_;
};

// Owners whose counters say nothing, not even why or what would unlock them, or are not there at
// all.
inline std::vector<std::string> SilentOwners(const v1::HostFacts& facts,
                                             const v1::HostCounters& counters) {
  std::set<std::string> silent;
  for (const v1::PciFunction& function : facts.pci_functions()) silent.insert(function.id());
  for (const v1::NetDevice& device : facts.net_devices()) {
    silent.insert(device.id());
    silent.insert(LinkOwnerId(device.id()));
  }
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    for (const v1::RdmaPort& port : device.ports()) {
      silent.insert(RdmaPortOwnerId(device.id(), port.number()));
      silent.insert(CmOwnerId(device.id(), port.number()));
    }
  }
  for (const v1::PortCounters& port : counters.ports()) {
    const v1::Reading& reading = port.reading();
    const bool says_why = reading.outcome() == v1::OUTCOME_OK || !reading.detail().empty();
    const bool unlocks = reading.outcome() != v1::OUTCOME_DENIED || !reading.needs().empty();
    if (reading.outcome() != v1::OUTCOME_UNSPECIFIED && says_why && unlocks) {
      silent.erase(port.owner_id());
    }
  }
  return {silent.begin(), silent.end()};
}

}  // namespace roceready::facts
