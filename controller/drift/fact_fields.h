// SPDX-License-Identifier: Apache-2.0
// What is known of the fields of HostFacts beside their types: which are configuration, which
// reading tells whether a field is known, what names a row of a list. All of it follows from the
// descriptors but for the tables in the .cc file, which a test holds against them.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

namespace roceready::drift {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// By the field's mark, else its message's. False for a Reading and for what is of the moment.
bool IsConfig(const FieldDescriptor* field);

// The field that says how the answer went that `field` was in; null where no reading of this
// message tells (then the message above does).
const FieldDescriptor* ReadingOf(const FieldDescriptor* field);

// Whether this reading (a field of `message`) says that the answer came.
bool CameIn(const Message& message, const FieldDescriptor* reading);

// A list of plain values whose order means nothing.
bool IsSet(const FieldDescriptor* list);

// What names a row of this list, joined by spaces; empty where nothing does.
std::string KeyOf(const Message& row);

// Of every name that the tables use ("Message.field"), those that there are none of: for the test.
std::vector<std::string> UnknownNames();

// Readings that neither govern their whole message nor are in the table: for the test.
std::vector<std::string> ForgottenReadings(const google::protobuf::Descriptor* message);

}  // namespace roceready::drift
