// SPDX-License-Identifier: Apache-2.0
#include "proto/contract/fact_parts.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace roceready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::HostFacts FromText(const std::string& text) {
  v1::HostFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  return facts;
}

std::vector<std::string> KeysOf(const FactParts& parts) {
  std::vector<std::string> keys;
  for (const auto& [key, part] : parts) keys.push_back(key);
  return keys;
}

v1::HostFacts PartOf(const FactParts& parts, const std::string& key) {
  v1::HostFacts facts;
  EXPECT_TRUE(facts.ParseFromString(parts.at(key).bytes));
  return facts;
}

FactParts SplitOrDie(const v1::HostFacts& facts) {
  absl::StatusOr<FactParts> parts = SplitFacts(facts);
  EXPECT_TRUE(parts.ok()) << parts.status();
  return parts.ok() ? *parts : FactParts{};
}

bool EqualUpToRowOrder(const v1::HostFacts& a, const v1::HostFacts& b) {
  google::protobuf::util::MessageDifferencer differencer;
  const auto* host = v1::HostFacts::descriptor();
  const auto* id = v1::NetDevice::descriptor()->FindFieldByName("id");
  differencer.TreatAsMap(host->FindFieldByName("net_devices"), id);
  differencer.TreatAsMap(host->FindFieldByName("pci_functions"),
                         v1::PciFunction::descriptor()->FindFieldByName("id"));
  differencer.TreatAsMap(host->FindFieldByName("gpus"),
                         v1::Gpu::descriptor()->FindFieldByName("id"));
  differencer.TreatAsMap(host->FindFieldByName("rdma_devices"),
                         v1::RdmaDevice::descriptor()->FindFieldByName("id"));
  differencer.TreatAsMap(v1::RdmaDevice::descriptor()->FindFieldByName("ports"),
                         v1::RdmaPort::descriptor()->FindFieldByName("number"));
  return differencer.Compare(a, b);
}

constexpr char kOneHost[] = R"pb(
  schema_version: 1
  identity { host: "gpu001" machine_id: "m" }
  kernel {
    reading { outcome: OUTCOME_OK }
    release: "6.1.0"
    modules { name: "mlx5_core" }
  }
  net_scan { outcome: OUTCOME_OK }
  net_devices {
    id: "pci:0000:3b:00.0/0"
    index: 4
    name: "ens1f0"
    mtu { mtu_bytes: 9000 }
    dcb { pfc { enabled_priorities: [ 3 ] } }
  }
  rdma_devices {
    id: "pci:0000:3b:00.0"
    name: "mlx5_0"
    reading { outcome: OUTCOME_OK }
    driver: "mlx5_core"
    attributes { max_qp: 100 }
    ports {
      number: 1
      state: PORT_STATE_ACTIVE
      gid_table { gids { index: 0 gid: "fe80::1" } }
    }
  }
)pb";

TEST(SplitFacts, NamesEachRowAndEachGroupOfARow) {
  EXPECT_THAT(
      KeysOf(SplitOrDie(FromText(kOneHost))),
      ElementsAre("identity", "kernel", "net_devices/pci:0000:3b:00.0/0",
                  "net_devices/pci:0000:3b:00.0/0/dcb", "net_devices/pci:0000:3b:00.0/0/mtu",
                  "net_scan", "rdma_devices/pci:0000:3b:00.0",
                  "rdma_devices/pci:0000:3b:00.0/attributes",
                  "rdma_devices/pci:0000:3b:00.0/ports/1",
                  "rdma_devices/pci:0000:3b:00.0/ports/1/gid_table", "schema_version"));
}

TEST(SplitFacts, GroupPartCarriesTheRowKeysAboveItAndNothingElseOfTheRow) {
  const FactParts parts = SplitOrDie(FromText(kOneHost));

  EXPECT_THAT(PartOf(parts, "rdma_devices/pci:0000:3b:00.0/ports/1/gid_table").ShortDebugString(),
              FromText(R"pb(rdma_devices {
                              id: "pci:0000:3b:00.0"
                              ports {
                                number: 1
                                gid_table { gids { index: 0 gid: "fe80::1" } }
                              }
                            })pb")
                  .ShortDebugString());
}

TEST(SplitFacts, RowPartCarriesPlainValuesAndReadings) {
  const FactParts parts = SplitOrDie(FromText(kOneHost));

  EXPECT_EQ(PartOf(parts, "rdma_devices/pci:0000:3b:00.0").ShortDebugString(),
            FromText(R"pb(rdma_devices {
                            id: "pci:0000:3b:00.0"
                            name: "mlx5_0"
                            reading { outcome: OUTCOME_OK }
                            driver: "mlx5_core"
                          })pb")
                .ShortDebugString());
}

TEST(SplitFacts, ChangeInOneGroupChangesOnePart) {
  const v1::HostFacts before = FromText(kOneHost);
  v1::HostFacts after = before;
  after.mutable_net_devices(0)->mutable_dcb()->mutable_pfc()->clear_enabled_priorities();

  const PartChanges changes = CompareParts(SplitOrDie(before), SplitOrDie(after));

  EXPECT_THAT(changes.changed, ElementsAre("net_devices/pci:0000:3b:00.0/0/dcb"));
  EXPECT_THAT(changes.removed, IsEmpty());
}

TEST(SplitFacts, RemovedDeviceRemovesAllItsParts) {
  const v1::HostFacts before = FromText(kOneHost);
  v1::HostFacts after = before;
  after.clear_rdma_devices();

  const PartChanges changes = CompareParts(SplitOrDie(before), SplitOrDie(after));

  EXPECT_THAT(changes.changed, IsEmpty());
  EXPECT_THAT(changes.removed, ElementsAre("rdma_devices/pci:0000:3b:00.0",
                                           "rdma_devices/pci:0000:3b:00.0/attributes",
                                           "rdma_devices/pci:0000:3b:00.0/ports/1",
                                           "rdma_devices/pci:0000:3b:00.0/ports/1/gid_table"));
}

TEST(SplitFacts, TwoRowsWithOneIdAreRefusedByName) {
  const auto parts = SplitFacts(FromText(R"pb(net_devices { id: "a" }
                                              net_devices { id: "a" })pb"));

  EXPECT_EQ(parts.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(parts.status().message()), HasSubstr("net_devices/a: two rows"));
}

TEST(SplitFacts, RowWithoutAnIdIsRefused) {
  const auto parts = SplitFacts(FromText(R"pb(net_devices { name: "eth0" })pb"));

  EXPECT_THAT(std::string(parts.status().message()), HasSubstr("a row has no id"));
}

TEST(SplitFacts, IdThatLooksLikeARowAndAGroupDoesNotShareItsKey) {
  const FactParts parts = SplitOrDie(FromText(R"pb(net_devices {
                                                     id: "a"
                                                     mtu { mtu_bytes: 1 }
                                                   }
                                                   net_devices { id: "a/mtu" })pb"));

  EXPECT_THAT(KeysOf(parts),
              ElementsAre("net_devices/a", "net_devices/a%2fmtu", "net_devices/a/mtu"));
}

TEST(AssembleFacts, KeepsFieldsOfANewerAgent) {
  v1::HostFacts newer = FromText(R"pb(net_devices { id: "a" })pb");
  newer.GetReflection()->MutableUnknownFields(&newer)->AddVarint(999, 7);
  auto* row = newer.mutable_net_devices(0);
  row->GetReflection()->MutableUnknownFields(row)->AddLengthDelimited(998, "x");
  const FactParts parts = {{"net_devices/a", MakePart(newer.SerializeAsString())},
                           {"net_devices/a/mtu", SplitOrDie(FromText(R"pb(
                                                   net_devices {
                                                     id: "a"
                                                     mtu { mtu_bytes: 9000 }
                                                   })pb"))
                                                     .at("net_devices/a/mtu")}};

  v1::HostFacts facts;
  ASSERT_TRUE(AssembleFacts(parts, &facts).ok());

  ASSERT_EQ(facts.net_devices_size(), 1);
  EXPECT_EQ(facts.net_devices(0).mtu().mtu_bytes(), 9000u);
  EXPECT_EQ(facts.GetReflection()->GetUnknownFields(facts).field_count(), 1);
  EXPECT_EQ(row->GetReflection()->GetUnknownFields(facts.net_devices(0)).field_count(), 1);
}

TEST(AssembleFacts, NamesThePartThatIsNotAHostFacts) {
  v1::HostFacts facts;
  const absl::Status status =
      AssembleFacts({{"kernel", MakePart(std::string("\x1a\xff", 2))}}, &facts);

  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("part kernel"));
}

TEST(DigestOfParts, DependsOnKeysAndOnContents) {
  const PartBytes x = MakePart("x");
  const PartBytes y = MakePart("y");
  const std::string base = DigestOfParts({{"a", x}, {"b", y}});

  EXPECT_EQ(base.size(), 32u);
  EXPECT_EQ(base, DigestOfParts({{"b", y}, {"a", x}}));
  EXPECT_NE(base, DigestOfParts({{"a", y}, {"b", x}}));
  EXPECT_NE(base, DigestOfParts({{"a", x}, {"c", y}}));
  EXPECT_NE(base, DigestOfParts({{"a", x}}));
}

TEST(Sha256, OfTheStandardsExample) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(HexOfDigest(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// ---- properties over arbitrary facts -----------------------------------------------------------

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Fills a message by its descriptor with generated values, so that a new field of the contract is
// covered the day it is added.
void FillArbitrarily(Message* message, int depth) {
  const auto* reflection = message->GetReflection();
  const auto* type = message->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const int copies = *rc::gen::inRange(0, field->is_repeated() ? 4 : 2);
    for (int n = 0; n < copies; ++n) {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_MESSAGE: {
          if (depth == 0) break;
          Message* child = field->is_repeated() ? reflection->AddMessage(message, field)
                                                : reflection->MutableMessage(message, field);
          FillArbitrarily(child, depth - 1);
          break;
        }
        case FieldDescriptor::CPPTYPE_STRING: {
          const auto text =
              *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/01%:mtu")));
          if (field->is_repeated()) {
            reflection->AddString(message, field, text);
          } else {
            reflection->SetString(message, field, text);
          }
          break;
        }
        case FieldDescriptor::CPPTYPE_UINT32: {
          const auto number = *rc::gen::arbitrary<uint32_t>();
          if (field->is_repeated()) {
            reflection->AddUInt32(message, field, number);
          } else {
            reflection->SetUInt32(message, field, number);
          }
          break;
        }
        case FieldDescriptor::CPPTYPE_BOOL:
          if (!field->is_repeated())
            reflection->SetBool(message, field, *rc::gen::arbitrary<bool>());
          break;
        case FieldDescriptor::CPPTYPE_ENUM:
          if (!field->is_repeated()) {
            reflection->SetEnumValue(message, field, *rc::gen::inRange(0, 9));
          }
          break;
        default:
          break;
      }
    }
  }
}

template <typename Rows>
void MakeStringIdsDistinct(Rows* rows) {
  int n = 0;
  for (auto& row : *rows) row.set_id(row.id() + std::to_string(n++));
}

v1::HostFacts ArbitraryFacts() {
  v1::HostFacts facts;
  FillArbitrarily(&facts, 4);
  MakeStringIdsDistinct(facts.mutable_pci_functions());
  MakeStringIdsDistinct(facts.mutable_gpus());
  MakeStringIdsDistinct(facts.mutable_net_devices());
  MakeStringIdsDistinct(facts.mutable_rdma_devices());
  for (auto& device : *facts.mutable_rdma_devices()) {
    uint32_t n = 0;
    for (auto& port : *device.mutable_ports()) port.set_number(n++);
  }
  return facts;
}

RC_GTEST_PROP(FactParts, AssembledAgainAreTheFactsUpToRowOrder, ()) {
  const v1::HostFacts facts = ArbitraryFacts();
  v1::HostFacts back;

  const auto parts = SplitFacts(facts);

  RC_ASSERT(parts.ok());
  RC_ASSERT(AssembleFacts(*parts, &back).ok());
  RC_ASSERT(EqualUpToRowOrder(facts, back));
}

RC_GTEST_PROP(FactParts, DoNotDependOnTheOrderOfRows, ()) {
  const v1::HostFacts facts = ArbitraryFacts();
  v1::HostFacts turned = facts;
  std::reverse(turned.mutable_net_devices()->begin(), turned.mutable_net_devices()->end());
  std::reverse(turned.mutable_rdma_devices()->begin(), turned.mutable_rdma_devices()->end());

  RC_ASSERT(SplitFacts(facts).value() == SplitFacts(turned).value());
}

RC_GTEST_PROP(FactParts, ChangesAppliedToTheOldGiveTheNew, ()) {
  const FactParts before = SplitFacts(ArbitraryFacts()).value();
  const FactParts after = SplitFacts(ArbitraryFacts()).value();

  const PartChanges changes = CompareParts(before, after);
  FactParts built = before;
  for (const std::string& key : changes.removed) built.erase(key);
  for (const std::string& key : changes.changed) built[key] = after.at(key);

  RC_ASSERT(built == after);
  RC_ASSERT(DigestOfParts(built) == DigestOfParts(after));
  RC_ASSERT(CompareParts(built, after).empty());
}

}  // namespace
}  // namespace roceready
