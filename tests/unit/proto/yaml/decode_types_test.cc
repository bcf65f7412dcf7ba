// SPDX-License-Identifier: Apache-2.0
// Every type a field can have, on a message made for this test: the decoder knows descriptors only.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <roceready/v1/policy.pb.h>

#include <memory>

#include "proto/yaml/decode.h"

namespace roceready::yaml {
namespace {

constexpr char kFile[] = R"pb(
  name: "types.proto"
  syntax: "proto3"
  dependency: "google/protobuf/duration.proto"
  dependency: "roceready/v1/policy.proto"
  enum_type {
    name: "DeviceKind"
    value { name: "DEVICE_KIND_UNSPECIFIED" number: 0 }
    value { name: "DEVICE_KIND_SMART_NIC" number: 1 }
  }
  message_type {
    name: "Types"
    field {
      name: "gap"
      number: 12
      type: TYPE_MESSAGE
      label: LABEL_OPTIONAL
      type_name: ".google.protobuf.Duration"
    }
    field { name: "i32" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
    field { name: "i64" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
    field { name: "u64" number: 3 type: TYPE_UINT64 label: LABEL_OPTIONAL }
    field { name: "real" number: 4 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
    field { name: "single" number: 5 type: TYPE_FLOAT label: LABEL_OPTIONAL }
    field { name: "flags" number: 6 type: TYPE_BOOL label: LABEL_REPEATED }
    field { name: "kinds" number: 7 type: TYPE_ENUM label: LABEL_REPEATED type_name: ".DeviceKind" }
    field {
      name: "waits"
      number: 8
      type: TYPE_MESSAGE
      label: LABEL_REPEATED
      type_name: ".google.protobuf.Duration"
      options {
        [roceready.v1.range] { min: 500 max: 60000 }
      }
    }
    field {
      name: "words"
      number: 9
      type: TYPE_STRING
      label: LABEL_REPEATED
      options {
        [roceready.v1.required]: true
      }
    }
    field {
      name: "limits"
      number: 10
      type: TYPE_MESSAGE
      label: LABEL_REPEATED
      type_name: ".Types.LimitsEntry"
    }
    field { name: "inner" number: 11 type: TYPE_MESSAGE label: LABEL_OPTIONAL type_name: ".Types" }
    nested_type {
      name: "LimitsEntry"
      field { name: "key" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_UINT32 label: LABEL_OPTIONAL }
      options { map_entry: true }
    }
  })pb";

class DecodeTypes : public ::testing::Test {
 protected:
  DecodeTypes() : pool_(google::protobuf::DescriptorPool::generated_pool()) {
    // The options and Duration live in the generated pool; make sure they are linked in.
    v1::Policy::descriptor();
    google::protobuf::FileDescriptorProto file;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kFile, &file));
    const auto* built = pool_.BuildFile(file);
    EXPECT_NE(built, nullptr);
    factory_.SetDelegateToGeneratedFactory(true);
    message_.reset(factory_.GetPrototype(built->FindMessageTypeByName("Types"))->New());
  }

  std::string DecodeToText(std::string_view yaml) {
    const Decoded decoded = Decode(yaml, "t", *message_);
    EXPECT_EQ(Render(decoded.problems), "");
    return message_->ShortDebugString();
  }
  std::string ErrorOf(std::string_view yaml) {
    return Render(Decode(yaml, "t", *message_).problems);
  }

  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
  std::unique_ptr<google::protobuf::Message> message_;
};

TEST_F(DecodeTypes, FillsNumbersOfEverySize) {
  EXPECT_EQ(DecodeToText("{words: [a], i32: -2147483648, i64: -9223372036854775807, "
                         "u64: 18446744073709551615, real: 0.5, single: 1.5}"),
            "i32: -2147483648 i64: -9223372036854775807 u64: 18446744073709551615 real: 0.5 "
            "single: 1.5 words: \"a\"");
}

TEST_F(DecodeTypes, FillsListsOfEverything) {
  EXPECT_EQ(DecodeToText("{words: [a, \"b\"], flags: [true, false], kinds: [smart-nic, smart_nic], "
                         "waits: [1s, 500ms]}"),
            "flags: true flags: false kinds: DEVICE_KIND_SMART_NIC kinds: DEVICE_KIND_SMART_NIC "
            "waits { seconds: 1 } waits { nanos: 500000000 } words: \"a\" words: \"b\"");
}

TEST_F(DecodeTypes, FillsMapsWithNumbers) {
  EXPECT_EQ(DecodeToText("{words: [a], limits: {3: 7}}"),
            "words: \"a\" limits { key: 3 value: 7 }");
}

TEST_F(DecodeTypes, BoundsNumbersByTheirType) {
  EXPECT_EQ(ErrorOf("{words: [a], i32: 2147483648}"),
            "t:1:19: i32: found 2147483648, expected a whole number");
  EXPECT_EQ(ErrorOf("{words: [a], u64: -1}"),
            "t:1:19: u64: found -1, expected a number from 0 to 18446744073709551615");
  EXPECT_EQ(ErrorOf("{words: [a], limits: {x: 7}}"),
            "t:1:23: limits.x: found \"x\", expected a number from 0 to 4294967295");
}

TEST_F(DecodeTypes, BoundsDurationsInMilliseconds) {
  EXPECT_EQ(ErrorOf("{words: [a], waits: [499ms]}"),
            "t:1:22: waits[0]: found \"499ms\", expected a duration from 500ms to 60s");
  EXPECT_EQ(ErrorOf("{words: [a], waits: [60000.001ms]}"),
            "t:1:22: waits[0]: found \"60000.001ms\", expected a duration from 500ms to 60s");
  EXPECT_EQ(ErrorOf("{words: [a], waits: [500ms, 60s]}"), "");
}

TEST_F(DecodeTypes, ShowsHowADurationIsWritten) {
  EXPECT_EQ(ErrorOf("{words: [a], gap: soon}"),
            "t:1:19: gap: found \"soon\", expected a duration such as 90s or 500ms");
}

TEST_F(DecodeTypes, WantsSomethingInARequiredList) {
  EXPECT_EQ(ErrorOf("{words: []}"),
            "t:1:9: words: found an empty list, expected at least one element");
  EXPECT_EQ(ErrorOf("{i32: 1}"),
            "t:1:1: words: found nothing, expected a list, each text: this key is required");
  EXPECT_EQ(ErrorOf("{words: [\"\"]}"), "t:1:10: words[0]: found the text \"\", expected text");
}

TEST_F(DecodeTypes, RefusesNonsenseForRealNumbers) {
  EXPECT_EQ(ErrorOf("{words: [a], real: .nan}"), "t:1:20: real: found \".nan\", expected a number");
}

TEST_F(DecodeTypes, NamesThePathOfANestedMistake) {
  EXPECT_EQ(ErrorOf("{words: [a], inner: {words: [b], inner: {words: [c], i32: x}}}"),
            "t:1:59: inner.inner.i32: found \"x\", expected a whole number");
}

}  // namespace
}  // namespace roceready::yaml
