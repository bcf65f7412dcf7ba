// SPDX-License-Identifier: Apache-2.0
#include "checks/site_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "checks/policy/pattern.h"
#include "checks/reading.h"
#include "proto/yaml/field_text.h"

namespace roceready::checks {
namespace {

using google::protobuf::FieldDescriptor, google::protobuf::Message;

// Facts whose own answer another Reading tells of than the `reading` beside them (facts.proto).
struct OwnReading {
  const google::protobuf::Descriptor* type;
  const char* field;
  const char* reading;
};
const std::vector<OwnReading>& OwnReadings() {
  static const std::vector<OwnReading> all = {
      {v1::HostFacts::descriptor(), "pci_functions", "pci_scan"},
      {v1::HostFacts::descriptor(), "gpus", "pci_scan"},
      {v1::HostFacts::descriptor(), "net_devices", "net_scan"},
      {v1::HostFacts::descriptor(), "rdma_devices", "rdma_scan"},
      {v1::Ethernet::descriptor(), "fec_active", "fec_reading"},
      {v1::Ethernet::descriptor(), "fec_configured", "fec_reading"},
      {v1::Ethernet::descriptor(), "fec_auto", "fec_reading"},
      {v1::PciHop::descriptor(), "max_read_request_bytes", "config_space"},
      {v1::PciHop::descriptor(), "max_payload_bytes", "config_space"},
      {v1::PciHop::descriptor(), "relaxed_ordering", "config_space"},
      {v1::PciHop::descriptor(), "acs_control", "config_space"},
      {v1::KernelModule::descriptor(), "build_id_on_disk", "on_disk"},
      {v1::KernelModule::descriptor(), "srcversion_on_disk", "on_disk"},
      {v1::Firewall::descriptor(), "legacy_tables", "legacy"},
  };
  return all;
}

const FieldDescriptor* FindReading(const google::protobuf::Descriptor& type,
                                   const std::string& name) {
  const FieldDescriptor* field = type.FindFieldByName(name);
  return field != nullptr && field->message_type() == v1::Reading::descriptor() ? field : nullptr;
}

v1::Reading NotCollected() {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_NOT_COLLECTED);
  return reading;
}

v1::Reading ReadingAt(const Message& message, const FieldDescriptor& field) {
  v1::Reading reading;
  reading.CopyFrom(message.GetReflection()->GetMessage(message, &field));
  return reading.outcome() == v1::OUTCOME_UNSPECIFIED ? NotCollected() : reading;
}

// `index` -1: of a field that is no list. Nothing where it holds nothing.
std::optional<SiteValue> ValueAt(const Message& message, const FieldDescriptor& field, int index) {
  const auto& reflection = *message.GetReflection();
  const bool one = index < 0;
  if (one && field.has_presence() && !reflection.HasField(message, &field)) return std::nullopt;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::uint64_t{one ? reflection.GetUInt32(message, &field)
                               : reflection.GetRepeatedUInt32(message, &field, index)};
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::uint64_t{one ? reflection.GetUInt64(message, &field)
                               : reflection.GetRepeatedUInt64(message, &field, index)};
    case FieldDescriptor::CPPTYPE_INT32:
      return std::int64_t{one ? reflection.GetInt32(message, &field)
                              : reflection.GetRepeatedInt32(message, &field, index)};
    case FieldDescriptor::CPPTYPE_INT64:
      return std::int64_t{one ? reflection.GetInt64(message, &field)
                              : reflection.GetRepeatedInt64(message, &field, index)};
    case FieldDescriptor::CPPTYPE_BOOL:
      return one ? reflection.GetBool(message, &field)
                 : reflection.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = one ? reflection.GetEnum(message, &field)
                              : reflection.GetRepeatedEnum(message, &field, index);
      std::string word = yaml::EnumWord(*value);
      if (word.empty()) return std::nullopt;
      return word;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = one ? reflection.GetString(message, &field)
                             : reflection.GetRepeatedString(message, &field, index);
      // A key that is empty was not given.
      if (text.empty() && !field.has_presence()) return std::nullopt;
      return text;
    }
    default:
      return std::nullopt;
  }
}

// A bond, a VLAN and a bond's member are told by the answer that tells of the link: where that came
// and holds none, the net device is none.
bool IsToldByLink(const FieldDescriptor& field) {
  const google::protobuf::Descriptor* type = field.message_type();
  return field.containing_type() == v1::NetDevice::descriptor() &&
         (type == v1::Bond::descriptor() || type == v1::BondMember::descriptor() ||
          type == v1::Vlan::descriptor());
}

// How the elements of one list are called: by what tells them apart, else by their place.
std::vector<std::string> NamesOf(const std::vector<const Message*>& rows) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const Message* row : rows) {
    std::string name;
    for (const FieldDescriptor* field : NamesOfRow(*row->GetDescriptor())) {
      const std::optional<SiteValue> value = ValueAt(*row, *field, -1);
      if (value) name = ValueText(*value);
      if (!name.empty()) break;
    }
    ++count[name];
    names.push_back(std::move(name));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto same = count.find(names[i]);
    if (names[i].empty() || (same != count.end() && same->second > 1)) {
      names[i] += fmt::format("{}{}", names[i].empty() ? "" : "#", i);
    }
  }
  return names;
}

bool IsCalled(const Message& row, const std::string& pattern) {
  return std::ranges::any_of(NamesOfRow(*row.GetDescriptor()), [&](const FieldDescriptor* field) {
    const std::optional<SiteValue> value = ValueAt(row, *field, -1);
    return value && MatchesPattern(pattern, ValueText(*value));
  });
}

// Where the walk stands.
struct Place {
  const Message* message = nullptr;
  std::string path;
  v1::Reading reading;
  v1::Subject subject;
  // The path since the element that the subject names.
  std::string below;
  bool is_elsewhere = false;
};

void Append(std::string& path, std::string_view name) {
  if (!path.empty()) path += '.';
  path += name;
}

// The subject of an element that has one of its own.
bool SetSubject(const Message& row, v1::Subject& subject) {
  const std::string lead = subject.host() + " ";
  if (row.GetDescriptor() == v1::NetDevice::descriptor()) {
    const auto& device = static_cast<const v1::NetDevice&>(row);
    subject.set_net_device_id(device.id());
    subject.set_label(lead + device.name());
  } else if (row.GetDescriptor() == v1::RdmaDevice::descriptor()) {
    const auto& device = static_cast<const v1::RdmaDevice&>(row);
    subject.set_device_id(device.id());
    subject.set_label(lead + device.name());
  } else if (row.GetDescriptor() == v1::RdmaPort::descriptor()) {
    const auto& port = static_cast<const v1::RdmaPort&>(row);
    subject.set_port(port.number());
    subject.set_label(fmt::format("{} port {}", subject.label(), port.number()));
  } else if (row.GetDescriptor() == v1::PciFunction::descriptor()) {
    subject.set_device_id(static_cast<const v1::PciFunction&>(row).id());
    subject.set_label(lead + subject.device_id());
  } else if (row.GetDescriptor() == v1::Gpu::descriptor()) {
    subject.set_device_id(static_cast<const v1::Gpu&>(row).id());
    subject.set_label(lead + subject.device_id());
  } else {
    return false;
  }
  return true;
}

class Walk {
 public:
  explicit Walk(const std::vector<SiteStep>& path) : path_(path) {}

  void From(const Place& place) { Step(place, 0); }
  std::vector<SiteFact> Take() { return std::move(facts_); }

 private:
  void Step(const Place& place, std::size_t index) {
    const SiteStep& step = path_[index];
    const bool is_last = index + 1 == path_.size();
    if (step.field->message_type() == nullptr) {
      step.field->is_repeated() ? List(place, step) : Single(place, step);
    } else if (step.field->is_repeated()) {
      is_last ? RowsAsWhole(place, step) : EachRow(place, index);
    } else {
      Group(place, index, is_last);
    }
  }

  void Single(const Place& place, const SiteStep& step) {
    SiteFact& fact = Add(Below(place, step.field->name()), ReadingFor(place, *step.field));
    if (const auto value = ValueAt(*place.message, *step.field, -1)) {
      fact.is_present = true;
      fact.values.push_back(*value);
    }
  }

  void List(const Place& place, const SiteStep& step) {
    const int size = place.message->GetReflection()->FieldSize(*place.message, step.field);
    const v1::Reading reading = ReadingFor(place, *step.field);
    const Place whole = Below(place, step.field->name());
    if (!step.each) {
      SiteFact& fact = Add(whole, reading);
      fact.is_present = size > 0;
      for (int i = 0; i < size; ++i) {
        if (auto value = ValueAt(*place.message, *step.field, i)) fact.values.push_back(*value);
      }
      return;
    }
    if (!IsOk(reading) || size == 0) return AddEmpty(whole, reading);
    for (int i = 0; i < size; ++i) {
      Place element = whole;
      element.path += fmt::format("[{}]", i);
      element.below += fmt::format("[{}]", i);
      SiteFact& fact = Add(element, reading);
      if (auto value = ValueAt(*place.message, *step.field, i)) {
        fact.is_present = true;
        fact.values.push_back(*value);
      }
    }
  }

  void Group(const Place& place, std::size_t index, bool is_last) {
    const FieldDescriptor& field = *path_[index].field;
    const auto& reflection = *place.message->GetReflection();
    const bool is_there = reflection.HasField(*place.message, &field);
    Place next = Below(place, field.name());
    next.message = &reflection.GetMessage(*place.message, &field);
    const FieldDescriptor* own = FindReading(*field.message_type(), "reading");
    if (!is_there && IsToldByLink(field)) {
      next.reading = LinkReading(*place.message);
      next.is_elsewhere = next.reading.outcome() == v1::OUTCOME_ABSENT;
    } else if (!is_there && !place.is_elsewhere) {
      // Why the whole was not read says more; that it is not there says nothing about its parts.
      if (IsOk(place.reading) || place.reading.outcome() == v1::OUTCOME_ABSENT) {
        next.reading = NotCollected();
      }
    } else if (own != nullptr) {
      next.reading = ReadingAt(*next.message, *own);
    }
    if (!is_last) return Step(next, index + 1);
    Add(next, next.reading).is_present = is_there && (own == nullptr || IsOk(next.reading));
  }

  void EachRow(const Place& place, std::size_t index) {
    const SiteStep& step = path_[index];
    const std::vector<const Message*> rows = RowsOf(place, step);
    const std::vector<std::string> names = NamesOf(rows);
    const v1::Reading reading = ListReading(place, *step.field, rows.empty());
    const Place whole = Below(place, step.field->name());
    bool any = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!step.row.empty() && !IsCalled(*rows[i], step.row)) continue;
      any = true;
      Place next = whole;
      next.message = rows[i];
      next.path += "[" + names[i] + "]";
      next.below += "[" + names[i] + "]";
      if (SetSubject(*rows[i], next.subject)) next.below.clear();
      const FieldDescriptor* own = FindReading(*rows[i]->GetDescriptor(), "reading");
      next.reading = own != nullptr ? ReadingAt(*rows[i], *own) : RowReading(*step.field, reading);
      Step(next, index + 1);
    }
    if (!any || !IsOk(reading)) AddEmpty(whole, reading);
  }

  void RowsAsWhole(const Place& place, const SiteStep& step) {
    const std::vector<const Message*> rows = RowsOf(place, step);
    const std::vector<std::string> names = NamesOf(rows);
    SiteFact& fact =
        Add(Below(place, step.field->name()), ListReading(place, *step.field, rows.empty()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!step.row.empty() && !IsCalled(*rows[i], step.row)) continue;
      fact.is_present = true;
      fact.values.push_back(names[i]);
    }
    if (fact.is_present) fact.reading = RowReading(*step.field, fact.reading);
  }

  static std::vector<const Message*> RowsOf(const Place& place, const SiteStep& step) {
    std::vector<const Message*> rows;
    const auto& reflection = *place.message->GetReflection();
    const int size = reflection.FieldSize(*place.message, step.field);
    rows.reserve(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      rows.push_back(&reflection.GetRepeatedMessage(*place.message, step.field, i));
    }
    return rows;
  }

  // A list of the host whose scan says nothing was read if it holds rows (an older agent).
  static v1::Reading ListReading(const Place& place, const FieldDescriptor& field, bool is_empty) {
    const FieldDescriptor* own = ReadingOfField(field);
    if (own == nullptr) return place.reading;
    if (place.message->GetReflection()->HasField(*place.message, own)) {
      return ReadingAt(*place.message, *own);
    }
    v1::Reading reading;
    reading.set_outcome(is_empty ? v1::OUTCOME_NOT_COLLECTED : v1::OUTCOME_OK);
    return reading;
  }

  // A device that is there is there, whatever became of the scan for the rest; other lists are as
  // well known as the answer that holds them.
  static v1::Reading RowReading(const FieldDescriptor& list, v1::Reading reading) {
    if (ReadingOfField(list) != nullptr) reading.set_outcome(v1::OUTCOME_OK);
    return reading;
  }

  static v1::Reading ReadingFor(const Place& place, const FieldDescriptor& field) {
    const FieldDescriptor* own = ReadingOfField(field);
    if (own == nullptr) return place.reading;
    const auto& reflection = *place.message->GetReflection();
    const bool holds = field.is_repeated() ? reflection.FieldSize(*place.message, &field) > 0
                                           : reflection.HasField(*place.message, &field);
    // An older agent gave the value and no reading of its own.
    if (holds && !reflection.HasField(*place.message, own)) return place.reading;
    return ReadingAt(*place.message, *own);
  }

  static v1::Reading LinkReading(const Message& net_device) {
    const auto& device = static_cast<const v1::NetDevice&>(net_device);
    v1::Reading reading = ReadingOf(device.has_link(), device.link());
    if (IsOk(reading)) reading.set_outcome(v1::OUTCOME_ABSENT);
    return reading;
  }

  static Place Below(const Place& place, const std::string& name) {
    Place next = place;
    Append(next.path, name);
    Append(next.below, name);
    return next;
  }

  SiteFact& Add(const Place& place, const v1::Reading& reading) {
    SiteFact& fact = facts_.emplace_back();
    fact.subject = place.subject;
    // What is one of several in its device, port or host tells itself apart by where it is.
    if (place.below.find('[') != std::string::npos) {
      fact.subject.set_group(place.below);
      fact.subject.set_label(place.subject.label() + " " + place.below);
    }
    fact.path = place.path;
    fact.reading = reading;
    fact.is_elsewhere = place.is_elsewhere;
    return fact;
  }

  void AddEmpty(const Place& place, const v1::Reading& reading) {
    Add(place, reading).kind = IsOk(reading) || place.is_elsewhere ? SiteFact::Kind::kNoElement
                                                                   : SiteFact::Kind::kUnreadList;
  }

  const std::vector<SiteStep>& path_;
  std::vector<SiteFact> facts_;
};

}  // namespace

const FieldDescriptor* ReadingOfField(const FieldDescriptor& field) {
  for (const OwnReading& own : OwnReadings()) {
    if (own.type == field.containing_type() && field.name() == own.field) {
      return FindReading(*own.type, own.reading);
    }
  }
  return nullptr;
}

std::vector<SiteFact> FactsAt(const v1::HostFacts& facts, const std::string& host,
                              const std::vector<SiteStep>& path) {
  Place place;
  place.message = &facts;
  place.reading.set_outcome(v1::OUTCOME_OK);
  place.subject.set_host(host);
  place.subject.set_label(host);
  Walk walk(path);
  walk.From(place);
  return walk.Take();
}

}  // namespace roceready::checks
