// SPDX-License-Identifier: Apache-2.0
#include "controller/drift/fact_fields.h"

#include <algorithm>
#include <map>
#include <set>

#include "roceready/v1/facts.pb.h"

namespace roceready::drift {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Reflection;

constexpr std::string_view kPackage = "roceready.v1.";

// Numbers that the kernel gives anew at each load of a driver, and a number of ours.
const std::set<std::string, std::less<>> kOfTheMoment = {"NetDevice.index", "RdmaDevice.index",
                                                         "HostFacts.schema_version"};

// Fields that came by another answer than the one that `reading` of their message is about.
const std::map<std::string, std::string, std::less<>> kOtherReadings = {
    {"HostFacts.pci_functions", "pci_scan"},
    {"HostFacts.gpus", "pci_scan"},
    {"HostFacts.net_devices", "net_scan"},
    {"HostFacts.rdma_devices", "rdma_scan"},
    {"KernelModule.srcversion_on_disk", "on_disk"},
    {"KernelModule.build_id_on_disk", "on_disk"},
    {"Firewall.legacy_tables", "legacy"},
    {"PciHop.max_read_request_bytes", "config_space"},
    {"PciHop.acs_control", "config_space"},
    {"PciHop.max_payload_bytes", "config_space"},
    {"PciHop.relaxed_ordering", "config_space"},
    {"Ethernet.fec_configured", "fec_reading"},
    {"Ethernet.fec_auto", "fec_reading"},
};

const std::set<std::string, std::less<>> kSets = {
    "Pfc.enabled_priorities",     "PriorityMask.enabled_priorities",
    "AppEntry.protocols",         "Dcbx.modes",
    "Ethernet.fec_configured",    "OptionalCounters.enabled",
    "OptionalCounters.disabled",  "LldpDaemons.running",
    "Firewall.legacy_tables",     "LldpNeighbour.management_addresses",
    "LldpNeighbour.capabilities", "LldpNeighbour.dcbx_dialects",
    "LldpNeighbour.refused_tlvs",
};

// Rows that are named otherwise than by all their values without presence.
const std::map<std::string, std::vector<std::string>, std::less<>> kKeys = {
    {"Gid", {"index"}},
    {"FirmwareVersion", {"name"}},
    {"CongestionParameter", {"name"}},
    {"QosMapping", {"from"}},
    {"NetDevice", {"id"}},
    {"RdmaDevice", {"id"}},
    {"LldpNeighbour", {"chassis_id", "port_id", "scope"}},
    {"IpRoute", {"table", "destination", "metric"}},
};

std::string ShortName(const FieldDescriptor* field) {
  return field->full_name().substr(kPackage.size());
}

bool IsReading(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field->message_type() == v1::Reading::descriptor();
}

bool IsPlain(const FieldDescriptor* field) {
  return !field->is_repeated() && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
}

std::vector<const FieldDescriptor*> KeyFieldsOf(const Descriptor* type) {
  std::vector<const FieldDescriptor*> fields;
  if (const auto named = kKeys.find(type->name()); named != kKeys.end()) {
    for (const std::string& name : named->second) fields.push_back(type->FindFieldByName(name));
    return fields;
  }
  for (int i = 0; i < type->field_count(); ++i) {
    if (IsPlain(type->field(i)) && !type->field(i)->has_presence()) {
      fields.push_back(type->field(i));
    }
  }
  return fields;
}

std::string PlainText(const Message& message, const FieldDescriptor* field) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->GetString(message, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(reflection->GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->GetEnum(message, field)->name();
    default:
      return {};
  }
}

}  // namespace

bool IsConfig(const FieldDescriptor* field) {
  if (IsReading(field) || kOfTheMoment.contains(ShortName(field))) return false;
  if (field->options().HasExtension(v1::fact_kind)) {
    return field->options().GetExtension(v1::fact_kind) == v1::FACT_KIND_CONFIG;
  }
  const Descriptor* marked = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE
                                 ? field->message_type()
                                 : field->containing_type();
  return marked->options().GetExtension(v1::group_fact_kind) == v1::FACT_KIND_CONFIG;
}

const FieldDescriptor* ReadingOf(const FieldDescriptor* field) {
  const auto other = kOtherReadings.find(ShortName(field));
  return field->containing_type()->FindFieldByName(other == kOtherReadings.end() ? "reading"
                                                                                 : other->second);
}

bool CameIn(const Message& message, const FieldDescriptor* reading) {
  const Reflection* reflection = message.GetReflection();
  if (!reflection->HasField(message, reading)) return false;
  return static_cast<const v1::Reading&>(reflection->GetMessage(message, reading)).outcome() ==
         v1::OUTCOME_OK;
}

bool IsSet(const FieldDescriptor* list) { return kSets.contains(ShortName(list)); }

std::string KeyOf(const Message& row) {
  std::string key;
  for (const FieldDescriptor* field : KeyFieldsOf(row.GetDescriptor())) {
    const std::string text = PlainText(row, field);
    if (!key.empty() && !text.empty()) key += ' ';
    key += text;
  }
  return key;
}

std::vector<std::string> UnknownNames() {
  std::vector<std::string> unknown;
  const auto look = [&](const std::string& name) {
    const std::string full = std::string(kPackage) + name;
    const auto* pool = v1::HostFacts::descriptor()->file()->pool();
    if (pool->FindFieldByName(full) == nullptr) unknown.push_back(name);
  };
  for (const std::string& name : kOfTheMoment) look(name);
  for (const std::string& name : kSets) look(name);
  for (const auto& [name, reading] : kOtherReadings) {
    look(name);
    look(name.substr(0, name.find('.') + 1) + reading);
  }
  for (const auto& [type, fields] : kKeys) {
    for (const std::string& field : fields) look(type + "." + field);
  }
  return unknown;
}

std::vector<std::string> ForgottenReadings(const Descriptor* message) {
  std::vector<std::string> forgotten;
  for (int i = 0; i < message->field_count(); ++i) {
    const FieldDescriptor* field = message->field(i);
    if (!IsReading(field) || field->name() == "reading") continue;
    const std::string of = message->name() + ".";
    const bool known = std::ranges::any_of(kOtherReadings, [&](const auto& entry) {
      return entry.first.starts_with(of) && entry.second == field->name();
    });
    if (!known) forgotten.push_back(ShortName(field));
  }
  return forgotten;
}

}  // namespace roceready::drift
