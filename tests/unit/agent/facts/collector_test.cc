// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/fake_clock.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

// Named doors that a reading waits at while they are shut, as a thread waits in the kernel.
class Doors {
 public:
  void Shut(const std::string& door) {
    const std::lock_guard lock(mutex_);
    shut_.insert(door);
  }
  void Open(const std::string& door) {
    const std::lock_guard lock(mutex_);
    shut_.erase(door);
    changed_.notify_all();
  }
  void Pass(const std::string& door) {
    std::unique_lock lock(mutex_);
    ++passed_[door];
    changed_.wait(lock, [&] { return !shut_.contains(door); });
  }
  // How often somebody came to the door.
  int visits(const std::string& door) {
    const std::lock_guard lock(mutex_);
    return passed_[door];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> shut_;
  std::map<std::string, int> passed_;
};

constexpr uint16_t kGetDcb = 78;

// Refuses everything like a kernel without the interface, after the door.
class RefusingTransport : public netlink::Transport {
 public:
  RefusingTransport(std::shared_ptr<Doors> doors, netlink::Protocol protocol)
      : doors_(std::move(doors)), protocol_(protocol) {}
  absl::StatusOr<std::vector<netlink::Message>> Exchange(const netlink::Request& request) override {
    if (request.type == kGetDcb) {
      doors_->Pass("dcb");
    } else if (protocol_ == netlink::Protocol::kRoute) {
      doors_->Pass("route");
    }
    return ErrnoError(EOPNOTSUPP, request.what);
  }

 private:
  const std::shared_ptr<Doors> doors_;
  const netlink::Protocol protocol_;
};

class RefusingEthtool : public netlink::EthtoolControl {
 public:
  absl::Status Call(const std::string& netdev, std::span<uint8_t>) override {
    return ErrnoError(EOPNOTSUPP, netdev);
  }
};

class DoorVerbs : public Verbs {
 public:
  explicit DoorVerbs(std::shared_ptr<Doors> doors) : doors_(std::move(doors)) {}
  absl::StatusOr<VerbsDevice> ReadDevice(const std::string& rdma_device, size_t) override {
    doors_->Pass("verbs " + rdma_device);
    return ErrnoError(EOPNOTSUPP, rdma_device);
  }
  absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& rdma_device) override {
    doors_->Pass("ports " + rdma_device);
    return ErrnoError(EOPNOTSUPP, rdma_device);
  }

  absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(const std::string&) override {
    return VerbsCongestionPoints();
  }

 private:
  const std::shared_ptr<Doors> doors_;
};

class DoorSources : public Sources {
 public:
  DoorSources(const std::string& root, std::shared_ptr<Doors> doors)
      : root_(root), doors_(std::move(doors)) {}
  const HostRoot& root() const override { return root_; }
  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    return std::make_unique<RefusingTransport>(doors_, protocol);
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    return std::make_unique<RefusingEthtool>();
  }
  std::unique_ptr<Verbs> OpenVerbs() const override { return std::make_unique<DoorVerbs>(doors_); }

 private:
  const HostRoot root_;
  const std::shared_ptr<Doors> doors_;
};

// A host with eth0, Soft-RoCE on it, and an mlx5 port.
class Collecting : public testing::Test {
 protected:
  static constexpr char kNic[] = "/sys/devices/pci0000:00/0000:3b:00.0";

  Collecting() {
    tree_.NetDevice("eth0", 2).File("/sys/class/net/eth0/mtu", "4200");
    tree_.RdmaDevice("rxe0").File("/sys/class/infiniband/rxe0/parent", "eth0");
    tree_.Gid("rxe0", 0, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2", "eth0");
    tree_.PciFunction("0000:3b:00.0").RdmaDevice("mlx5_0", kNic);
    tree_.Link(std::string(kNic) + "/driver", "/sys/bus/pci/drivers/mlx5_core");
    tree_.Folder("/sys/bus/pci/drivers/mlx5_core");
    tree_.File("/sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0");
    tree_.File("/sys/class/infiniband_verbs/uverbs1/ibdev", "mlx5_0");
    tree_.File("/dev/infiniband/uverbs0", "").File("/dev/infiniband/uverbs1", "");
    Make();
  }
  ~Collecting() override {
    // Threads that wait may go before the process does.
    for (const char* door : {"dcb", "route", "verbs mlx5_0"}) doors_->Open(door);
  }

  void Make() {
    collector_ = std::make_unique<Collector>(
        &loop_, std::make_shared<DoorSources>(tree_.path(), doors_), CollectorOptions{.host = "h"});
    collector_->set_on_recovered([this] { ++recovered_; });
  }
  void Begin() {
    collector_->Collect(false,
                        [this](const Collection& collection) { done_.push_back(collection); });
  }
  // Lets the lanes' threads and the loop work until it is so; not by the clock, which stands still.
  template <typename Condition>
  void RunUntil(Condition condition) {
    while (!condition()) {
      if (loop_.RunPending() == 0) std::this_thread::yield();
    }
  }
  Collection Finish() {
    RunUntil([this] { return !done_.empty(); });
    Collection collection = std::move(done_.front());
    done_.erase(done_.begin());
    return collection;
  }
  Collection Collect() {
    Begin();
    return Finish();
  }
  // A collection in which just this one reading hangs until its deadline has passed.
  Collection CollectWhileHanging(const std::string& lane, const std::string& what,
                                 const std::string& door) {
    const int visits = doors_->visits(door);
    Begin();
    RunUntil([&] {
      const std::map<std::string, std::string> only = {{lane, what}};
      return collector_->running() == only && doors_->visits(door) > visits;
    });
    RunFor(&clock_, &loop_, seconds(2));
    return Finish();
  }
  static const v1::NetDevice& Eth0(const Collection& collection) {
    return collection.facts.net_devices(0);
  }
  static const v1::RdmaDevice& Rdma(const Collection& collection, std::string_view name) {
    for (const v1::RdmaDevice& device : collection.facts.rdma_devices()) {
      if (device.name() == name) return device;
    }
    return v1::RdmaDevice::default_instance();
  }

  FixtureTree tree_;
  FakeClock clock_;
  EventLoop loop_{&clock_};
  std::shared_ptr<Doors> doors_ = std::make_shared<Doors>();
  std::unique_ptr<Collector> collector_;
  std::vector<Collection> done_;
  int recovered_ = 0;
};

TEST_F(Collecting, EndsWithoutTheClockMovingWhereNothingHangs) {
  const Collection collection = Collect();
  EXPECT_FALSE(collection.hanging);
  EXPECT_THAT(collection.older, IsEmpty());
  EXPECT_EQ(collection.facts.schema_version(), 1u);
  EXPECT_EQ(collection.facts.identity().host(), "h");
  EXPECT_EQ(Eth0(collection).dcb().pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST_F(Collecting, AHungDcbQueryTakesOnlyItselfDown) {
  doors_->Shut("dcb");
  const Collection collection = CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
  EXPECT_TRUE(collection.hanging);
  const v1::Reading& pfc = Eth0(collection).dcb().pfc().reading();
  EXPECT_EQ(pfc.outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(pfc.source(), v1::SOURCE_DCBNL);
  EXPECT_THAT(pfc.detail(), HasSubstr("DCB of eth0 did not answer in 2 s: a driver holds RTNL"));
  // Read before the query hung.
  EXPECT_EQ(Eth0(collection).link().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST_F(Collecting, WhatDoesNotTakeRtnlStaysFreshWhileADriverHoldsIt) {
  doors_->Shut("route");
  const Collection collection = CollectWhileHanging("rtnl", "rtnetlink", "route");
  for (const v1::Reading& reading :
       {Eth0(collection).link().reading(), Eth0(collection).ethernet().reading(),
        Eth0(collection).dcb().pfc().reading(), Rdma(collection, "rxe0").ports(0).reading(),
        Rdma(collection, "rxe0").ports(0).attributes().reading()}) {
    EXPECT_EQ(reading.outcome(), v1::OUTCOME_TIMED_OUT);
    EXPECT_THAT(reading.detail(), HasSubstr("RTNL"));
  }
  EXPECT_EQ(Eth0(collection).mtu().mtu_bytes(), 4200u);
  EXPECT_EQ(Eth0(collection).mtu().reading().source(), v1::SOURCE_SYSFS);
  const v1::RdmaPort& port = Rdma(collection, "rxe0").ports(0);
  EXPECT_EQ(port.gid_table().reading().outcome(), v1::OUTCOME_OK);
  EXPECT_EQ(port.gid_table().gids_size(), 1);
  EXPECT_EQ(port.net_device_id(), "name:eth0");
  // Not RTNL-bound on this driver.
  EXPECT_EQ(Rdma(collection, "mlx5_0").ports(0).attributes().reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(collection.facts.pci_functions(0).reading().outcome(), v1::OUTCOME_OK);
}

TEST_F(Collecting, AWedgedDeviceBlocksNoOtherDevice) {
  doors_->Shut("verbs mlx5_0");
  const Collection collection =
      CollectWhileHanging("pci:0000:3b:00.0", "verbs of mlx5_0", "verbs mlx5_0");
  const v1::Reading& mlx5 = Rdma(collection, "mlx5_0").attributes().reading();
  EXPECT_EQ(mlx5.outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_THAT(mlx5.detail(), HasSubstr("the device or its driver hangs"));
  // Behind it on the same thread.
  EXPECT_THAT(Rdma(collection, "mlx5_0").ports(0).congestion().reading().detail(),
              HasSubstr("not asked, for verbs of mlx5_0 does not answer"));
  EXPECT_EQ(Rdma(collection, "rxe0").ports(0).attributes().reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(Eth0(collection).dcb().pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST_F(Collecting, DoesNotWaitForAQuarantinedLaneNorAskItAgain) {
  doors_->Shut("dcb");
  const Collection first = CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
  const int visits = doors_->visits("dcb");
  const Collection second = Collect();
  EXPECT_EQ(Eth0(second).dcb().pfc().reading().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(Eth0(second).link().reading().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(doors_->visits("dcb"), visits);
  EXPECT_EQ(collector_->hanging().at("rtnl"), "DCB of eth0");
}

TEST_F(Collecting, FactsStayEqualBytesWhileAHangLasts) {
  doors_->Shut("route");
  CollectWhileHanging("rtnl", "rtnetlink", "route");
  const Collection second = Collect();
  clock_.Advance(seconds(30));
  const Collection third = Collect();
  EXPECT_EQ(second.facts.SerializeAsString(), third.facts.SerializeAsString());
}

TEST_F(Collecting, SaysWhenALaneAnswersAgainAndIsFreshAtOnce) {
  doors_->Shut("route");
  CollectWhileHanging("rtnl", "rtnetlink", "route");
  doors_->Open("route");
  RunUntil([this] { return recovered_ == 1; });
  const Collection collection = Collect();
  EXPECT_FALSE(collection.hanging);
  EXPECT_EQ(Eth0(collection).link().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(Eth0(collection).ethernet().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  EXPECT_EQ(Rdma(collection, "rxe0").ports(0).attributes().reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
}

TEST_F(Collecting, KeepsTheLateAnswerAndLeavesWhatHungAloneForAWhile) {
  doors_->Shut("dcb");
  CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
  doors_->Open("dcb");
  RunUntil([this] { return recovered_ == 1; });
  const MonotonicTime answered_at = clock_.Now();
  const int visits = doors_->visits("dcb");

  clock_.Advance(seconds(1));
  const Collection resting = Collect();
  EXPECT_EQ(doors_->visits("dcb"), visits);
  EXPECT_EQ(Eth0(resting).dcb().pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
  ASSERT_TRUE(resting.older.contains("net_devices/name:eth0/dcb"));
  EXPECT_EQ(resting.older.at("net_devices/name:eth0/dcb"), answered_at);
  EXPECT_EQ(resting.older.size(), 1u);

  clock_.Advance(seconds(5));
  const Collection fresh = Collect();
  EXPECT_EQ(doors_->visits("dcb"), visits + 1);
  EXPECT_THAT(fresh.older, IsEmpty());
}

// A query that hangs each time, with RTNL held by itself, must not be asked without end.
TEST_F(Collecting, RestsLongerEachTimeAQueryHangsAgain) {
  const auto hang_for = [this](seconds how_long) {
    const int before = recovered_;
    doors_->Shut("dcb");
    CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
    clock_.Advance(how_long - seconds(2));
    doors_->Open("dcb");
    RunUntil([&] { return recovered_ > before; });
  };
  hang_for(seconds(60));
  clock_.Advance(seconds(5));
  hang_for(seconds(60));
  const int visits = doors_->visits("dcb");
  clock_.Advance(seconds(119));
  Collect();
  EXPECT_EQ(doors_->visits("dcb"), visits);
  clock_.Advance(seconds(1));
  Collect();
  EXPECT_EQ(doors_->visits("dcb"), visits + 1);
}

TEST_F(Collecting, AChangeIsReadAloneAndTheRestKeepsItsAge) {
  Collect();
  const MonotonicTime first = clock_.Now();
  clock_.Advance(seconds(10));
  const int dcb = doors_->visits("dcb");
  const int route = doors_->visits("route");
  const int verbs = doors_->visits("verbs rxe0");
  collector_->CollectChanged(watch::Changes({watch::Topic::kDcb, 0, "eth0"}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  const Collection collection = Finish();
  EXPECT_TRUE(collection.partial);
  EXPECT_EQ(doors_->visits("dcb"), dcb + 1);
  EXPECT_EQ(doors_->visits("route"), route);
  EXPECT_EQ(doors_->visits("verbs rxe0"), verbs);
  EXPECT_FALSE(collection.older.contains("net_devices/name:eth0/dcb"));
  ASSERT_TRUE(collection.older.contains("net_devices/name:eth0/link"));
  EXPECT_EQ(collection.older.at("net_devices/name:eth0/link"), first);
}

TEST_F(Collecting, APartialCollectionIsAsCompleteAsAFullOne) {
  const Collection full = Collect();
  collector_->CollectChanged(watch::Changes({watch::Topic::kLldp, 0, ""}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  const Collection partial = Finish();
  EXPECT_EQ(partial.facts.SerializeAsString(), full.facts.SerializeAsString());
}

TEST_F(Collecting, ADeviceThatCameIsReadWholeByAPartialCollection) {
  Collect();
  tree_.NetDevice("eth1", 3);
  const int dcb = doors_->visits("dcb");
  collector_->CollectChanged(watch::Changes({watch::Topic::kDevices, 0, ""}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  const Collection collection = Finish();
  ASSERT_EQ(collection.facts.net_devices_size(), 2);
  EXPECT_EQ(collection.facts.net_devices(1).dcb().pfc().reading().outcome(),
            v1::OUTCOME_UNSUPPORTED);
  // Of eth1 alone.
  EXPECT_EQ(doors_->visits("dcb"), dcb + 1);
}

TEST_F(Collecting, ADeviceThatWentLeavesNothingBehindInAPartialCollection) {
  tree_.NetDevice("eth1", 3);
  ASSERT_EQ(Collect().facts.net_devices_size(), 2);
  tree_.Remove("/sys/class/net/eth1");
  collector_->CollectChanged(watch::Changes({watch::Topic::kDevices, 0, ""}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  EXPECT_EQ(Finish().facts.net_devices_size(), 1);
}

TEST_F(Collecting, WhatDidNotAnswerIsAskedAgainByTheNextPartialCollection) {
  doors_->Shut("dcb");
  CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
  doors_->Open("dcb");
  RunUntil([this] { return recovered_ == 1; });
  collector_->CollectChanged(watch::Changes({watch::Topic::kLldp, 0, ""}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  EXPECT_EQ(Eth0(Finish()).dcb().pfc().reading().outcome(), v1::OUTCOME_UNSUPPORTED);
}

TEST_F(Collecting, AFullCollectionThatWaitsTakesChangesAlong) {
  Collect();
  Begin();  // under way
  collector_->CollectChanged(watch::Changes({watch::Topic::kLldp, 0, ""}),
                             [this](const Collection& collection) { done_.push_back(collection); });
  Begin();
  EXPECT_FALSE(Finish().partial);
  EXPECT_FALSE(Finish().partial);
  EXPECT_FALSE(Finish().partial);
}

TEST_F(Collecting, AThreadThatHangsMayOutliveTheCollector) {
  doors_->Shut("dcb");
  CollectWhileHanging("rtnl", "DCB of eth0", "dcb");
  collector_.reset();
  doors_->Open("dcb");
  Make();
  EXPECT_FALSE(Collect().hanging);
}

TEST_F(Collecting, ACallerDuringACollectionGetsOneThatBeganAfterItsCall) {
  Begin();
  clock_.Advance(std::chrono::milliseconds(1));
  const MonotonicTime asked_at = clock_.Now();
  Begin();
  const Collection first = Finish();
  const Collection second = Finish();
  EXPECT_LT(first.began, asked_at);
  EXPECT_GE(second.began, asked_at);
}

TEST_F(Collecting, ADeviceThatIsGoneIsGone) {
  EXPECT_EQ(Collect().facts.rdma_devices_size(), 2);
  tree_.Remove("/sys/class/infiniband/rxe0");
  EXPECT_EQ(Collect().facts.rdma_devices_size(), 1);
}

TEST_F(Collecting, EveryReadingOfEveryGroupHasAnOutcome) {
  const Collection collection = Collect();
  std::vector<const google::protobuf::Message*> open = {&collection.facts};
  int readings = 0;
  while (!open.empty()) {
    const google::protobuf::Message* message = open.back();
    open.pop_back();
    if (message->GetDescriptor() == v1::Reading::descriptor()) {
      const auto& reading = static_cast<const v1::Reading&>(*message);
      EXPECT_NE(reading.outcome(), v1::OUTCOME_UNSPECIFIED);
      if (reading.outcome() != v1::OUTCOME_OK) {
        EXPECT_FALSE(reading.detail().empty());
      }
      ++readings;
      continue;
    }
    const google::protobuf::Reflection* reflection = message->GetReflection();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const auto* field : fields) {
      if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
      const int count = field->is_repeated() ? reflection->FieldSize(*message, field) : 1;
      for (int i = 0; i < count; ++i) {
        open.push_back(field->is_repeated() ? &reflection->GetRepeatedMessage(*message, field, i)
                                            : &reflection->GetMessage(*message, field));
      }
    }
  }
  EXPECT_GT(readings, 30);
}

}  // namespace
}  // namespace roceready::facts
