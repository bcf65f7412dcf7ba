// SPDX-License-Identifier: Apache-2.0
// Sick, odd and very large hosts: always a complete answer, in which everything that is missing has
// its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <mutex>
#include <set>

#include "agent/netlink/recorded_transport.h"
#include "tests/support/fixture_tree.h"
#include "tests/unit/agent/facts/host_files.h"

namespace roceready::facts {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Message;

// Groups below `message` that have no reading with an outcome, of those named.
void RequireReadings(const Message& message, const std::string& who,
                     std::initializer_list<const char*> groups, std::vector<std::string>* missing) {
  const auto* reflection = message.GetReflection();
  for (const char* name : groups) {
    const auto* field = message.GetDescriptor()->FindFieldByName(name);
    ASSERT_NE(field, nullptr) << name;
    const Message& group = reflection->GetMessage(message, field);
    const auto* reading = field->message_type() == v1::Reading::descriptor()
                              ? nullptr
                              : field->message_type()->FindFieldByName("reading");
    const auto& answer = static_cast<const v1::Reading&>(
        reading == nullptr ? group : group.GetReflection()->GetMessage(group, reading));
    if (answer.outcome() == v1::OUTCOME_UNSPECIFIED) missing->push_back(who + "." + name);
  }
}

// What a complete answer has whatever happened.
std::vector<std::string> MissingParts(const v1::HostFacts& facts) {
  std::vector<std::string> missing;
  RequireReadings(facts, "host",
                  {"pci_scan", "net_scan", "rdma_scan", "kernel", "rdma_stack", "rdma_use",
                   "ip_stack", "kernel_users", "neighbours", "firewall"},
                  &missing);
  RequireReadings(facts.kernel(), "kernel", {"job_limits"}, &missing);
  RequireReadings(facts.kernel().job_limits(), "job_limits", {"rdma_cgroup"}, &missing);
  for (const v1::PciFunction& function : facts.pci_functions()) {
    RequireReadings(function, function.id(),
                    {"reading", "firmware", "health", "parameters", "sriov"}, &missing);
    for (const v1::PciHop& hop : function.path_to_root()) {
      RequireReadings(hop, hop.address(), {"reading", "config_space"}, &missing);
    }
  }
  for (const v1::Gpu& gpu : facts.gpus()) RequireReadings(gpu, gpu.id(), {"reading"}, &missing);
  for (const v1::NetDevice& device : facts.net_devices()) {
    RequireReadings(device, device.name(),
                    {"mtu", "link", "ethernet", "pause", "addresses", "sysctl", "driver"},
                    &missing);
    RequireReadings(device.ethernet(), device.name(), {"fec_reading"}, &missing);
    RequireReadings(device.dcb(), device.name() + ".dcb",
                    {"pfc", "ets", "app", "buffer", "dcbx", "app_trust", "maxrate", "peer_pfc",
                     "peer_ets", "peer_app"},
                    &missing);
  }
  for (const v1::RdmaDevice& device : facts.rdma_devices()) {
    RequireReadings(device, device.name(), {"reading", "attributes", "uverbs"}, &missing);
    for (const v1::RdmaPort& port : device.ports()) {
      RequireReadings(
          port, device.name() + "/1",
          {"reading", "attributes", "gid_table", "congestion", "cm_defaults", "optional_counters"},
          &missing);
    }
  }
  return missing;
}

// Owners whose counters say nothing, not even why.
std::vector<std::string> SilentOwners(const v1::HostCounters& counters) {
  std::vector<std::string> silent;
  for (const v1::PortCounters& port : counters.ports()) {
    if (port.reading().outcome() == v1::OUTCOME_UNSPECIFIED) silent.push_back(port.owner_id());
  }
  return silent;
}

void ExpectComplete(const Collection& collection, const std::string& when) {
  EXPECT_THAT(MissingParts(collection.facts), testing::IsEmpty()) << when;
  EXPECT_THAT(SilentOwners(collection.counters), testing::IsEmpty()) << when;
}

// A recorded host of which one netlink question fails; which ones are asked is noted.
class OneFailure : public Sources {
 public:
  using Question = std::pair<netlink::Protocol, netlink::Bytes>;
  OneFailure(std::shared_ptr<const Sources> inner, std::optional<Question> failing, int error)
      : inner_(std::move(inner)), failing_(std::move(failing)), error_(error) {}

  const HostRoot& root() const override { return inner_->root(); }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return inner_->OpenEthtool();
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return inner_->OpenVerbs(); }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    ASSIGN_OR_RETURN(auto inner, inner_->OpenNetlink(protocol));
    return std::make_unique<Transport>(this, protocol, std::move(inner));
  }
  std::set<Question> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  class Transport : public netlink::Transport {
   public:
    Transport(const OneFailure* owner, netlink::Protocol protocol,
              std::unique_ptr<netlink::Transport> inner)
        : owner_(owner), protocol_(protocol), inner_(std::move(inner)) {}
    absl::StatusOr<std::vector<netlink::Message>> Exchange(
        const netlink::Request& request) override {
      netlink::Bytes key = {static_cast<uint8_t>(request.type & 0xff),
                            static_cast<uint8_t>(request.type >> 8),
                            static_cast<uint8_t>(request.dump)};
      key.insert(key.end(), request.payload.begin(), request.payload.end());
      const Question question(protocol_, std::move(key));
      {
        const std::lock_guard lock(owner_->mutex_);
        owner_->asked_.insert(question);
      }
      if (question == owner_->failing_) return ErrnoError(owner_->error_, request.what);
      return inner_->Exchange(request);
    }

   private:
    const OneFailure* const owner_;
    const netlink::Protocol protocol_;
    const std::unique_ptr<netlink::Transport> inner_;
  };

  const std::shared_ptr<const Sources> inner_;
  const std::optional<Question> failing_;
  const int error_;
  mutable std::mutex mutex_;
  mutable std::set<Question> asked_;
};

class EachQuestionFails : public testing::TestWithParam<std::string> {};

TEST_P(EachQuestionFails, InTurnAndTheAnswerIsComplete) {
  const std::string folder = HostsFolder() + "/" + GetParam();
  const auto healthy = std::make_shared<OneFailure>(RecordedSources(folder), std::nullopt, 0);
  ExpectComplete(CollectFrom(healthy), "healthy");
  const auto questions = healthy->asked();
  ASSERT_GT(questions.size(), 10u);
  int errors = 0;
  for (const auto& question : questions) {
    // Every answer a driver may give in turn: broken, gone, forbidden.
    const int error = std::array{EIO, ENODEV, EPERM}[static_cast<size_t>(errors++ % 3)];
    const auto failing = std::make_shared<OneFailure>(RecordedSources(folder), question, error);
    ExpectComplete(CollectFrom(failing),
                   fmt::format("errno {} for {}", error, netlink::HexOfBytes(question.second)));
  }
}
INSTANTIATE_TEST_SUITE_P(Hosts, EachQuestionFails,
                         testing::Values("mlx5-vendor-broken", "mlx5-bond", "vf-container"));

// Copies a recorded host, for tests that change it.
std::string CopyOf(const std::string& host, const TemporaryDirectory& directory) {
  const std::string folder = directory.path() + "/host";
  fs::copy(HostsFolder() + "/" + host, folder,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  return folder;
}

TEST(Robustness, EachFileThatCannotBeReadLeavesACompleteAnswer) {
  TemporaryDirectory directory;
  const std::string folder = CopyOf("vf-container", directory);
  std::vector<std::string> files;
  for (const char* part : {"/proc", "/sys", "/etc", "/lib"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder + part)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string().substr(folder.size()));
    }
  }
  ASSERT_GT(files.size(), 30u);
  for (const std::string& file : files) {
    // By its own path, and by the class and bus folders that lead to it.
    std::ofstream(folder + "/errors.txt")
        << "5 " << file << "\n5 /sys/class/net/net1/" << fs::path(file).filename().string()
        << "\n5 /sys/bus/pci/devices/0000:3b:00.2/" << fs::path(file).filename().string() << "\n";
    ExpectComplete(CollectFrom(RecordedSources(folder)), file);
  }
}

// The tree of a device goes while it is read: at the first netlink connection.
class Vanishing : public Sources {
 public:
  Vanishing(const std::string& folder, std::vector<std::string> paths)
      : inner_(RecordedSources(folder)), folder_(folder), paths_(std::move(paths)) {}
  const HostRoot& root() const override { return inner_->root(); }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    std::call_once(gone_, [this] {
      for (const std::string& path : paths_) fs::remove_all(folder_ + path);
    });
    return inner_->OpenNetlink(protocol);
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return inner_->OpenEthtool();
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return inner_->OpenVerbs(); }

 private:
  const std::shared_ptr<const Sources> inner_;
  const std::string folder_;
  const std::vector<std::string> paths_;
  mutable std::once_flag gone_;
};

TEST(Robustness, ADeviceThatVanishesDuringCollectionIsStillAnsweredFor) {
  TemporaryDirectory directory;
  const std::string folder = CopyOf("mlx5-inbox", directory);
  const auto vanishing = std::make_shared<Vanishing>(
      folder, std::vector<std::string>{"/sys/class/net/ens1np0", "/sys/class/infiniband/mlx5_0",
                                       "/sys/bus/pci/devices/0000:3b:00.0",
                                       "/sys/devices/pci0000:3a", "/dev/infiniband/uverbs0"});
  const Collection collection = CollectFrom(vanishing);
  ExpectComplete(collection, "vanishing");
  EXPECT_EQ(collection.facts.net_devices_size(), 2);
  // The next look knows that it is gone.
  const Collection next = CollectFrom(RecordedSources(folder));
  ExpectComplete(next, "gone");
  EXPECT_EQ(next.facts.net_devices_size(), 1);
}

TEST(Robustness, SixtyFourNicsWithTheirVirtualFunctionsAreOneAnswer) {
  FixtureTree tree;
  constexpr int kNics = 64;
  for (int nic = 0; nic < kNics; ++nic) {
    for (const int function : {0, 2}) {
      const std::string address = fmt::format("0000:{:02x}:00.{}", nic + 1, function);
      const std::string real = "/sys/devices/pci0000:00/" + address;
      tree.PciFunction(address);
      const std::string name = fmt::format("ens{}f{}", nic, function);
      tree.NetDevice(name, 2 + 2 * nic + function / 2, real);
      tree.RdmaDevice(fmt::format("mlx5_{}", 2 * nic + function / 2), real);
      if (function == 0) continue;
      tree.Link(real + "/physfn", fmt::format("/sys/devices/pci0000:00/0000:{:02x}:00.0", nic + 1));
    }
  }
  const Collection collection = CollectFrom(RecordedSources(tree.path()));
  ExpectComplete(collection, "64 NICs");
  EXPECT_EQ(collection.facts.pci_functions_size(), 2 * kNics);
  EXPECT_EQ(collection.facts.rdma_devices_size(), 2 * kNics);
  EXPECT_EQ(collection.facts.net_devices_size(), 2 * kNics);
  EXPECT_EQ(collection.facts.pci_functions(1).physical_function_id(), "pci:0000:01:00.0");
}

TEST(Robustness, WithoutIpv6AndWithoutRdmaIpv4IsTheWhole) {
  const Collection collection = CollectFromRecording("no-rdma");
  ExpectComplete(collection, "no-rdma");
  EXPECT_EQ(collection.facts.ip_stack().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(collection.facts.neighbours().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_TRUE(collection.facts.net_devices(0).sysctl().ipv6_disabled());
  EXPECT_EQ(collection.facts.rdma_scan().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(collection.facts.rdma_use().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST(Robustness, AnEmptyHostIsACompleteAnswer) {
  TemporaryDirectory directory;
  ExpectComplete(CollectFrom(RecordedSources(directory.path())), "empty");
}

}  // namespace
}  // namespace roceready::facts
