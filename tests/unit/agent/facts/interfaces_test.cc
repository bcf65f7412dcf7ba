// SPDX-License-Identifier: Apache-2.0
// The table fact -> interface -> capability: complete, as the README prints it, and as the recorded
// hosts were read.
#include "agent/facts/interfaces.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tests/support/source_path.h"
#include "tests/unit/agent/facts/host_files.h"

namespace roceready::facts {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Below(const std::string& path, const FieldDescriptor* field) {
  return path.empty() ? field->name() : path + "." + field->name();
}

// The paths of all readings that HostFacts can hold; "reading" itself is left out of a path.
void CollectPaths(const Descriptor* type, const std::string& path, std::set<std::string>* paths) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string name = Below(path, field);
    if (field->message_type() == v1::Reading::descriptor()) {
      paths->insert(field->name() == "reading" ? path : name);
    } else {
      CollectPaths(field->message_type(), name, paths);
    }
  }
}

std::set<std::string> PathsOfReadings() {
  std::set<std::string> paths;
  CollectPaths(v1::HostFacts::descriptor(), "", &paths);
  return paths;
}

void VisitReadings(const Message& message, const std::string& path,
                   const std::function<void(const std::string&, const v1::Reading&)>& visit) {
  std::vector<const FieldDescriptor*> fields;
  const auto* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const Message& inner = field->is_repeated()
                                 ? reflection->GetRepeatedMessage(message, field, i)
                                 : reflection->GetMessage(message, field);
      const std::string name = Below(path, field);
      if (field->message_type() == v1::Reading::descriptor()) {
        visit(field->name() == "reading" ? path : name, static_cast<const v1::Reading&>(inner));
      } else {
        VisitReadings(inner, name, visit);
      }
    }
  }
}

TEST(Interfaces, EveryReadingOfTheSchemaHasARow) {
  for (const std::string& path : PathsOfReadings()) {
    EXPECT_NE(FindInterface(path), nullptr) << path;
  }
}

TEST(Interfaces, EveryRowNamesAReadingOfTheSchema) {
  const std::set<std::string> paths = PathsOfReadings();
  for (const FactInterface& row : AllInterfaces()) {
    const bool found = std::ranges::any_of(
        paths, [&row](const std::string& path) { return FindInterface(path) == &row; });
    EXPECT_TRUE(found) << row.facts;
    const std::string file =
        SourcePath("agent/facts/") + std::string(row.file.substr(0, row.file.find(',')));
    EXPECT_TRUE(std::filesystem::exists(file) || std::filesystem::exists(file + ".cc")) << file;
  }
}

TEST(Interfaces, TheReadmeHoldsTheTable) {
  const auto readme = HostRoot(SourcePath("")).Read("/agent/facts/README.md");
  ASSERT_TRUE(readme.ok());
  EXPECT_NE(readme->find(RenderInterfaces()), std::string::npos)
      << "agent/facts/README.md must hold this table:\n"
      << RenderInterfaces();
}

// The rows say what the code does: on every recorded host.
TEST(Interfaces, RecordedHostsWereReadByTheInterfacesOfTheTable) {
  for (const std::string& host : HostsWith("route.txt")) {
    const Collection collection = CollectFromRecording(host);
    VisitReadings(collection.facts, "", [&host](const std::string& path, const v1::Reading& read) {
      const FactInterface* row = FindInterface(path);
      ASSERT_NE(row, nullptr) << host << ": " << path;
      EXPECT_NE(std::ranges::find(row->sources, read.source()), row->sources.end())
          << host << ": " << path << " by " << v1::Source_Name(read.source());
      if (read.outcome() != v1::OUTCOME_DENIED) return;
      EXPECT_FALSE(row->needs.empty()) << host << ": " << path;
      EXPECT_TRUE(read.needs().starts_with(row->needs))
          << host << ": " << path << " needs '" << read.needs() << "'";
    });
  }
}

}  // namespace
}  // namespace roceready::facts
