// SPDX-License-Identifier: Apache-2.0
// The hosts of tests/hosts: each replays to its facts.json, is whole, and together they show that
// no fact is a constant.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "proto/contract/fact_parts.h"
#include "proto/contract/facts_file.h"
#include "tests/unit/agent/facts/host_files.h"

namespace roceready::facts {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

v1::FactsFile Load(const std::string& host) {
  const std::string path = HostsFolder() + "/" + host + "/facts.json";
  const absl::StatusOr<std::string> text = HostRoot().Read(path);
  EXPECT_TRUE(text.ok()) << text.status();
  const absl::StatusOr<v1::FactsFile> file = ParseFactsFile(text.value_or(""), path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.value_or(v1::FactsFile());
}

// A checkout does not keep the permissions of a recorded device node.
v1::HostFacts WithoutNodeModes(v1::HostFacts facts) {
  for (v1::RdmaDevice& device : *facts.mutable_rdma_devices()) {
    device.mutable_uverbs()->clear_mode();
  }
  return facts;
}

TEST(Hosts, ThereIsOneOfEachKind) {
  EXPECT_THAT(
      HostsWith("facts.json"),
      testing::IsSupersetOf({"bnxt-7.2", "hns-vendor", "ice-irdma", "lab-guest", "mlx5-bond",
                             "mlx5-broken", "mlx5-inbox", "mlx5-vendor", "mlx5-vendor-broken",
                             "no-rdma", "qede-dcbx", "vf-container"}));
}

// `roceready-agent facts --root tests/hosts/HOST --host HOST` wrote the file.
TEST(Hosts, EachRecordingReplaysToItsFactsFile) {
  for (const std::string& host : HostsWith("facts.json")) {
    const v1::FactsFile file = Load(host);
    Collection replayed = CollectFromRecording(host);
    replayed.facts.mutable_identity()->set_host(file.facts().identity().host());
    EXPECT_EQ(WithoutNodeModes(replayed.facts).DebugString(),
              WithoutNodeModes(file.facts()).DebugString())
        << host;
    if (!file.has_counters()) continue;
    for (v1::PortCounters& port : *replayed.counters.mutable_ports()) port.clear_raw();
    EXPECT_EQ(replayed.counters.DebugString(), file.counters().DebugString()) << host;
  }
}

TEST(Hosts, EachIsAWholeFactsFile) {
  for (const std::string& host : HostsWith("facts.json")) {
    const v1::FactsFile file = Load(host);
    EXPECT_EQ(file.format(), "roceready-facts/1") << host;
    EXPECT_EQ(file.facts().schema_version(), 1u) << host;
    EXPECT_FALSE(file.facts().identity().host().empty()) << host;
    const auto parts = SplitFacts(file.facts());
    EXPECT_TRUE(parts.ok()) << host << ": " << parts.status();
  }
}

// A composed host answers everything that is asked; a question that it does not know shows.
TEST(Hosts, NothingWasForgottenInAComposedHost) {
  for (const std::string& host : HostsWith("route.txt")) {
    if (host == "guest-6.1" || host == "lab-guest" || host == "sriov-6.1") continue;
    const std::string facts = CollectFromRecording(host).facts.DebugString();
    const size_t forgotten = facts.find("not recorded");
    EXPECT_EQ(forgotten, std::string::npos)
        << host << ": " << facts.substr(forgotten == std::string::npos ? 0 : forgotten - 200, 400);
  }
}

// Joins go by ids: each reference names a row that is there.
TEST(Hosts, EachJoinsItsDevices) {
  for (const std::string& host : HostsWith("facts.json")) {
    const v1::HostFacts facts = Load(host).facts();
    std::set<std::string> net_devices;
    std::set<std::string> functions;
    std::set<std::string> gpus;
    for (const auto& device : facts.net_devices()) net_devices.insert(device.id());
    for (const auto& function : facts.pci_functions()) functions.insert(function.id());
    for (const auto& gpu : facts.gpus()) gpus.insert(gpu.id());
    for (const auto& device : facts.rdma_devices()) {
      for (const auto& port : device.ports()) {
        EXPECT_TRUE(net_devices.contains(port.net_device_id())) << host << ": " << device.name();
        for (const auto& gid : port.gid_table().gids()) {
          EXPECT_TRUE(net_devices.contains(gid.net_device_id())) << host << ": " << gid.gid();
        }
      }
    }
    for (const auto& function : facts.pci_functions()) {
      for (const auto& gpu : function.gpus_near()) EXPECT_TRUE(gpus.contains(gpu.gpu_id())) << host;
      if (!function.has_physical_function_id()) continue;
      EXPECT_TRUE(functions.contains(function.physical_function_id())) << host << function.id();
    }
    for (const auto& row : facts.neighbours().neighbours()) {
      EXPECT_TRUE(net_devices.contains(row.net_device_id())) << host << row.address();
    }
  }
}

TEST(Hosts, TheInboxDriverShowsNeitherPointAndKeepsParametersToRoot) {
  const v1::FactsFile file = Load("mlx5-inbox");
  ASSERT_GT(file.facts().rdma_devices_size(), 0);
  for (const auto& device : file.facts().rdma_devices()) {
    const v1::CongestionControl& congestion = device.ports(0).congestion();
    EXPECT_EQ(congestion.notification_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
    EXPECT_EQ(congestion.reaction_point().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
    EXPECT_EQ(congestion.parameters().reading().outcome(), v1::OUTCOME_DENIED);
    EXPECT_FALSE(congestion.parameters().has_cnp_dscp());
  }
}

TEST(Hosts, ADeadNicHasAFamilyAndNoDeviceOfIt) {
  const v1::HostFacts facts = Load("mlx5-broken").facts();
  std::set<std::string> alive;
  for (const auto& device : facts.rdma_devices()) alive.insert(device.id());
  std::vector<std::string> dead;
  for (const auto& function : facts.pci_functions()) {
    if (function.has_rdma_family() && !alive.contains(function.id())) dead.push_back(function.id());
  }
  EXPECT_THAT(dead, testing::ElementsAre("pci:0000:85:00.0", "pci:0000:86:00.0"));
}

TEST(Hosts, AVirtualFunctionNamesTheFunctionThatHoldsItsSettings) {
  const v1::HostFacts facts = Load("vf-container").facts();
  ASSERT_EQ(facts.pci_functions_size(), 2);
  EXPECT_EQ(facts.pci_functions(1).physical_function_id(), "pci:0000:3b:00.0");
  EXPECT_EQ(facts.pci_functions(0).adapter_id(), facts.pci_functions(1).adapter_id());
  EXPECT_EQ(facts.net_devices(0).dcb().pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

// Values seen of each scalar, by the path of its field.
using Values = std::map<std::string, std::set<std::string>>;

std::string TextOf(const Message& message, const FieldDescriptor* field, int index) {
  const auto* reflection = message.GetReflection();
  const bool list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return list ? reflection->GetRepeatedString(message, field, index)
                  : reflection->GetString(message, field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return std::to_string(reflection->GetEnumValue(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(list ? reflection->GetRepeatedUInt32(message, field, index)
                                 : reflection->GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, field));
    default:
      return std::to_string(list ? reflection->GetRepeatedUInt64(message, field, index)
                                 : reflection->GetUInt64(message, field));
  }
}

void AddValues(const Message& message, const std::string& path, Values* values) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->message_type() == v1::Reading::descriptor()) continue;
    const std::string name = path.empty() ? field->name() : path + "." + field->name();
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        (*values)[name].insert(TextOf(message, field, i));
      } else {
        AddValues(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                       : reflection->GetMessage(message, field),
                  name, values);
      }
    }
  }
}

// All scalars that the schema has; fields with a default that is not sent count it as a value.
void AddFields(const google::protobuf::Descriptor* type, const std::string& path, Values* values) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const std::string name = path.empty() ? field->name() : path + "." + field->name();
    if (field->message_type() == v1::Reading::descriptor()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      AddFields(field->message_type(), name, values);
    } else {
      (*values)[name];
    }
  }
}

// Why facts may be the same on all recorded hosts; each pattern names whole paths.
struct OneValue {
  const char* paths;
  const char* reason;
};
constexpr OneValue kOneValueIsEnough[] = {
    {"schema_version", "the same for all agents of a release"},
    {"firewall\\.roce_rules_left_out", "none has so many rules; the firewall's tests do"},
    {"identity\\.machine_id", "left out of recordings: a secret"},
    {"net_devices\\.dcb\\.(peer_)?pfc\\.willing", "the kernel's PFC does not say, only LLDP's"},
    {"net_devices\\.lldp\\.neighbours_left_out", "none has so many speakers; lldp's tests do"},
    {"net_devices\\.lldp\\.neighbours\\.(dcb|cee)\\."
     "(buffer|dcbx|app_trust|maxrate|peer_pfc|peer_ets|peer_app)\\..*",
     "a frame says PFC, ETS and applications, nothing else of DCB"},
    {"net_devices\\.lldp\\.neighbours\\..*\\.(delay|rx_bandwidth_percent)",
     "no field of a frame; the kernel's answers alone have them"},
    {"net_devices\\.lldp\\.neighbours\\.cee\\.(pfc\\.macsec_bypass|ets\\.selection_algorithm)",
     "CEE has no field for it"},
    {"net_devices\\.lldp\\.neighbours\\.ets_recommendation\\.(willing|capable_classes)",
     "reserved bits of that TLV"},
    {"net_devices\\.virtual_functions\\.functions\\.vlan_protocol",
     "another tag than 802.1Q is a fault; sriov-6.1 has one, see virtual_functions_test"},
    {"rdma_devices\\.protocol", "only RoCE is audited"},
    {"rdma_devices\\.ports\\.number", "RoCE NICs have a device for each port"},
    {"rdma_devices\\.ports\\.attributes\\.lid", "only InfiniBand ports have one"},
    {"rdma_devices\\.ports\\.attributes\\.link_layer", "only Ethernet is audited"},
    {"rdma_devices\\.ports\\.attributes\\.max_mtu_bytes", "all NICs that we know can do 4096"},
};

const OneValue* FindReason(const std::string& path) {
  for (const OneValue& row : kOneValueIsEnough) {
    if (std::regex_match(path, std::regex(row.paths))) return &row;
  }
  return nullptr;
}

// What is wrong with the values of all hosts together; empty: no fact is a constant of our own.
std::vector<std::string> InventedFacts(const std::vector<v1::HostFacts>& hosts) {
  Values values;
  AddFields(v1::HostFacts::descriptor(), "", &values);
  for (const v1::HostFacts& facts : hosts) AddValues(facts, "", &values);
  std::vector<std::string> complaints;
  std::set<const OneValue*> used;
  for (const auto& [path, seen] : values) {
    const OneValue* reason = FindReason(path);
    if (reason != nullptr) used.insert(reason);
    if ((seen.size() < 2) == (reason != nullptr)) continue;
    complaints.push_back(fmt::format("{} takes {} values: {}", path, seen.size(),
                                     seen.empty() ? "none" : *seen.begin()));
  }
  for (const OneValue& row : kOneValueIsEnough) {
    if (!used.contains(&row)) complaints.push_back(fmt::format("{} names no fact", row.paths));
  }
  return complaints;
}

std::vector<v1::HostFacts> AllHosts() {
  std::vector<v1::HostFacts> hosts;
  for (const std::string& host : HostsWith("facts.json")) hosts.push_back(Load(host).facts());
  return hosts;
}

TEST(Hosts, NoFactIsInvented) { EXPECT_THAT(InventedFacts(AllHosts()), testing::IsEmpty()); }

// The measure itself: a reader that gives out a constant, one that gives nothing, and an exception
// that is none show.
TEST(Hosts, AnInventedFactWouldShow) {
  std::vector<v1::HostFacts> hosts = AllHosts();
  for (v1::HostFacts& facts : hosts) {
    for (v1::NetDevice& device : *facts.mutable_net_devices()) {
      if (device.dcb().pfc().has_capable_classes()) {
        device.mutable_dcb()->mutable_pfc()->set_capable_classes(8);
      }
      device.mutable_bond()->clear_min_links();
    }
    for (v1::RdmaDevice& device : *facts.mutable_rdma_devices()) device.set_protocol(device.name());
  }
  EXPECT_THAT(InventedFacts(hosts),
              testing::ElementsAre("net_devices.bond.min_links takes 0 values: none",
                                   "net_devices.dcb.pfc.capable_classes takes 1 values: 8",
                                   testing::StartsWith("rdma_devices.protocol takes ")));
}

TEST(Hosts, FirmwareThatSpeaksDcbxShowsItsPartnerBesideWhatTheSwitchSays) {
  const v1::HostFacts facts = Load("qede-dcbx").facts();
  ASSERT_EQ(facts.net_devices_size(), 2);
  const v1::NetDevice& first = facts.net_devices(0);
  EXPECT_THAT(first.dcb().peer_pfc().enabled_priorities(), testing::ElementsAre(3));
  ASSERT_EQ(first.lldp().neighbours_size(), 1);
  const v1::LldpNeighbour& leaf = first.lldp().neighbours(0);
  EXPECT_EQ(leaf.system_name(), "leaf-a");
  EXPECT_THAT(leaf.dcb().pfc().enabled_priorities(), testing::ElementsAre(3, 4));
  EXPECT_THAT(leaf.dcbx_dialects(), testing::ElementsAre("ieee", "cee"));
  // Three speakers on the other port; what two of them said wrong is refused and the rest kept.
  const v1::Lldp& second = facts.net_devices(1).lldp();
  ASSERT_EQ(second.neighbours_size(), 3);
  int refused = 0;
  for (const v1::LldpNeighbour& speaker : second.neighbours())
    refused += speaker.refused_tlvs_size();
  EXPECT_EQ(refused, 2);
}

}  // namespace
}  // namespace roceready::facts
