// SPDX-License-Identifier: Apache-2.0
// Sick, odd and very large hosts: always a complete answer, in which everything that is missing has
// its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <mutex>
#include <set>

#include "agent/facts/fragment.h"
#include "agent/facts/plan.h"
#include "agent/facts/readings.h"
#include "agent/netlink/recorded_transport.h"
#include "tests/support/fixture_tree.h"
#include "tests/unit/agent/facts/completeness.h"
#include "tests/unit/agent/facts/host_files.h"

namespace roceready::facts {
namespace {

namespace fs = std::filesystem;

void ExpectComplete(const Collection& collection, const std::string& when) {
  EXPECT_THAT(Completeness(collection.facts).complaints(), testing::IsEmpty()) << when;
  EXPECT_THAT(SilentOwners(collection.facts, collection.counters), testing::IsEmpty()) << when;
}

// The measure itself: it sees a group that is gone, a reason that is not said, an owner that is
// silent.
TEST(Completeness, ComplainsOfWhatIsLeftOut) {
  const Collection whole = CollectFromRecording("mlx5-vendor-broken");
  ExpectComplete(whole, "as recorded");
  const auto complaints_after = [&whole](const auto& change) {
    v1::HostFacts facts = whole.facts;
    change(&facts);
    return Completeness(facts).complaints();
  };
  EXPECT_THAT(complaints_after([](v1::HostFacts* facts) {
                facts->mutable_net_devices(0)->mutable_dcb()->clear_buffer();
              }),
              testing::ElementsAre("net_devices[pci:0000:18:00.0/0].dcb.buffer.reading: "
                                   "no outcome"));
  EXPECT_THAT(complaints_after(
                  [](v1::HostFacts* facts) { facts->mutable_net_devices(0)->clear_transceiver(); }),
              testing::SizeIs(1));
  EXPECT_THAT(complaints_after([](v1::HostFacts* facts) {
                v1::Reading* reading = facts->mutable_firewall()->mutable_reading();
                reading->set_outcome(v1::OUTCOME_DENIED);
                reading->set_detail("not permitted");
                reading->clear_needs();
              }),
              testing::ElementsAre("firewall.reading: denied, and does not say what would unlock "
                                   "it"));
  EXPECT_THAT(complaints_after([](v1::HostFacts* facts) {
                facts->mutable_net_scan()->set_outcome(v1::OUTCOME_FAILED);
                facts->mutable_net_scan()->clear_detail();
              }),
              testing::ElementsAre("net_scan: no reason"));
  v1::HostCounters counters = whole.counters;
  counters.mutable_ports(0)->mutable_reading()->clear_outcome();
  EXPECT_THAT(SilentOwners(whole.facts, counters),
              testing::ElementsAre(counters.ports(0).owner_id()));
}

// A recorded host of which one question fails, whatever it is asked by; which ones are asked is
// noted.
class OneFailure : public Sources {
 public:
  using Question = std::string;
  OneFailure(std::shared_ptr<const Sources> inner, std::optional<Question> failing, int error)
      : inner_(std::move(inner)), failing_(std::move(failing)), error_(error) {}

  const HostRoot& root() const override { return inner_->root(); }
  lldp::Ears* ears() const override { return inner_->ears(); }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    RETURN_IF_ERROR(Ask("open ethtool"));
    ASSIGN_OR_RETURN(auto inner, inner_->OpenEthtool());
    return std::make_unique<Ethtool>(this, std::move(inner));
  }
  std::unique_ptr<Verbs> OpenVerbs() const override {
    return std::make_unique<FailingVerbs>(this, inner_->OpenVerbs());
  }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    RETURN_IF_ERROR(Ask(fmt::format("open netlink {}", static_cast<int>(protocol))));
    ASSIGN_OR_RETURN(auto inner, inner_->OpenNetlink(protocol));
    return std::make_unique<Transport>(this, protocol, std::move(inner));
  }
  std::set<Question> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  absl::Status Ask(const Question& question) const {
    const std::lock_guard lock(mutex_);
    asked_.insert(question);
    if (question != failing_) return absl::OkStatus();
    return ErrnoError(error_, question);
  }

  class Transport : public netlink::Transport {
   public:
    Transport(const OneFailure* owner, netlink::Protocol protocol,
              std::unique_ptr<netlink::Transport> inner)
        : owner_(owner), protocol_(protocol), inner_(std::move(inner)) {}
    absl::StatusOr<std::vector<netlink::Message>> Exchange(
        const netlink::Request& request) override {
      RETURN_IF_ERROR(owner_->Ask(
          fmt::format("netlink {} type 0x{:x}{} {}", static_cast<int>(protocol_), request.type,
                      request.dump ? " dump" : "", netlink::HexOfBytes(request.payload))));
      return inner_->Exchange(request);
    }

   private:
    const OneFailure* const owner_;
    const netlink::Protocol protocol_;
    const std::unique_ptr<netlink::Transport> inner_;
  };

  class Ethtool : public netlink::EthtoolControl {
   public:
    Ethtool(const OneFailure* owner, std::unique_ptr<netlink::EthtoolControl> inner)
        : owner_(owner), inner_(std::move(inner)) {}
    absl::Status Call(const std::string& netdev, std::span<uint8_t> command) override {
      RETURN_IF_ERROR(
          owner_->Ask(fmt::format("ethtool {} {}", netdev, netlink::HexOfBytes(command.first(4)))));
      return inner_->Call(netdev, command);
    }

   private:
    const OneFailure* const owner_;
    const std::unique_ptr<netlink::EthtoolControl> inner_;
  };

  class FailingVerbs : public Verbs {
   public:
    FailingVerbs(const OneFailure* owner, std::unique_ptr<Verbs> inner)
        : owner_(owner), inner_(std::move(inner)) {}
    absl::StatusOr<VerbsDevice> ReadDevice(const std::string& device, size_t slots) override {
      RETURN_IF_ERROR(owner_->Ask("verbs device " + device));
      return inner_->ReadDevice(device, slots);
    }
    absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& device) override {
      RETURN_IF_ERROR(owner_->Ask("verbs ports " + device));
      return inner_->ReadPorts(device);
    }
    absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(const std::string& device) override {
      RETURN_IF_ERROR(owner_->Ask("verbs congestion points " + device));
      return inner_->ReadCongestionPoints(device);
    }

   private:
    const OneFailure* const owner_;
    const std::unique_ptr<Verbs> inner_;
  };

  const std::shared_ptr<const Sources> inner_;
  const std::optional<Question> failing_;
  const int error_;
  mutable std::mutex mutex_;
  mutable std::set<Question> asked_;
};

class EachQuestion : public testing::TestWithParam<std::string> {
 protected:
  std::string folder() const { return HostsFolder() + "/" + GetParam(); }
};

TEST_P(EachQuestion, FailsInTurnAndTheAnswerIsComplete) {
  const auto healthy = std::make_shared<OneFailure>(RecordedSources(folder()), std::nullopt, 0);
  ExpectComplete(CollectFrom(healthy), "healthy");
  const auto questions = healthy->asked();
  for (const std::string_view kind : {"open ", "netlink 0 ", "netlink 16 ", "ethtool ", "verbs "}) {
    const auto is_of_kind = [kind](const auto& question) { return question.starts_with(kind); };
    EXPECT_TRUE(std::ranges::any_of(questions, is_of_kind)) << kind;
  }
  int errors = 0;
  for (const auto& question : questions) {
    // Every answer a driver may give in turn: broken, gone, forbidden, not supported.
    const int error = std::array{EIO, ENODEV, EPERM, EOPNOTSUPP}[static_cast<size_t>(errors++ % 4)];
    const auto failing = std::make_shared<OneFailure>(RecordedSources(folder()), question, error);
    ExpectComplete(CollectFrom(failing), fmt::format("errno {} for {}", error, question));
  }
}

// What the collector puts in the place of a reading that hangs and of all that wait behind it on
// its thread (collector_test.cc has the threads).
TEST_P(EachQuestion, HangsInTurnAndTheAnswerIsComplete) {
  const std::shared_ptr<const Sources> sources = RecordedSources(folder());
  const auto inventory = std::make_shared<const Inventory>(ReadInventory(sources->root()));
  const std::vector<PlannedReading> readings = PlanReadings(sources, inventory, "h", true);
  std::vector<Fragment> answers;
  for (const PlannedReading& reading : readings) answers.push_back(reading.read());
  for (size_t hanging = 0; hanging < readings.size(); ++hanging) {
    Collection collection;
    collection.facts = FactsOf(*inventory);
    for (size_t i = 0; i < readings.size(); ++i) {
      const bool waits = i >= hanging && readings[i].lane == readings[hanging].lane;
      const Fragment fragment = waits ? readings[i].missing(MissingReading(
                                            v1::OUTCOME_TIMED_OUT, readings[i].source, "no answer"))
                                      : answers[i];
      PutFacts(fragment.facts, &collection.facts);
      for (const PortTotals& port : fragment.ports) {
        *collection.counters.add_ports() = port.counters;
      }
    }
    ExpectComplete(collection, readings[hanging].what + " hangs");
    const std::string text =
        collection.facts.ShortDebugString() + collection.counters.ShortDebugString();
    EXPECT_NE(text.find("OUTCOME_TIMED_OUT"), std::string::npos)
        << readings[hanging].what << " hangs and nothing says so";
  }
}
INSTANTIATE_TEST_SUITE_P(Hosts, EachQuestion,
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

// The other way round: sysfs was still there when the inventory was made, and netlink has it no
// more.
TEST(Robustness, ADeviceThatNetlinkKnowsNoMoreIsStillAnsweredFor) {
  TemporaryDirectory directory;
  const std::string folder = CopyOf("mlx5-inbox", directory);
  // No answer about any device: the lists are empty, what asks for one by name is refused.
  for (const char* file : {"/route.txt", "/generic.txt", "/rdma.txt"}) {
    std::ifstream recorded(folder + file);
    std::string text, line;
    bool of_a_list = false, of_a_family = false;
    while (std::getline(recorded, line)) {
      if (line.starts_with("ask ")) {
        of_a_list = line.find(" dump ") != std::string::npos;
        of_a_family = line.starts_with("ask 0x0010 ");
        text += line + "\n";
        if (!of_a_list && !of_a_family) text += fmt::format("error {}\n", ENODEV);
      } else if (of_a_family) {
        text += line + "\n";
      }
    }
    std::ofstream(folder + file) << text;
  }
  const Collection collection = CollectFrom(RecordedSources(folder));
  ExpectComplete(collection, "netlink knows it no more");
  ASSERT_EQ(collection.facts.net_devices_size(), 2);
  EXPECT_EQ(collection.facts.net_devices(0).link().reading().outcome(), v1::OUTCOME_ABSENT);
  EXPECT_EQ(collection.facts.net_devices(0).dcb().pfc().reading().outcome(), v1::OUTCOME_ABSENT);
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
