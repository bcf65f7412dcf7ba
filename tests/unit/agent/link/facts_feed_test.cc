// SPDX-License-Identifier: Apache-2.0
#include "agent/link/facts_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proto/process/durations.h"
#include "tests/unit/agent/link/fakes.h"

namespace roceready::link {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr MonotonicTime kStart{seconds(1000)};

Collection HostWithMtu(uint32_t mtu_bytes, MonotonicTime began = kStart) {
  Collection collection;
  collection.began = began;
  collection.facts.mutable_kernel()->set_release("6.1.0");
  v1::NetDevice* device = collection.facts.add_net_devices();
  device->set_id("name:eth0");
  device->mutable_mtu()->set_mtu_bytes(mtu_bytes);
  return collection;
}

std::vector<std::string> KeysOf(const v1::FactsChunk& chunk) {
  std::vector<std::string> keys;
  for (const auto& part : chunk.parts()) keys.push_back(part.key());
  return keys;
}

v1::FactsAccepted AcceptanceOf(const v1::FactsChunk& chunk) {
  v1::FactsAccepted accepted;
  accepted.set_instance(chunk.instance());
  accepted.set_generation(chunk.generation());
  return accepted;
}

class FactsFeedTest : public ::testing::Test {
 protected:
  FactsFeedTest() {
    EXPECT_TRUE(feed_.Update(HostWithMtu(1500)).value());
    feed_.BeginStream(0);
  }

  std::vector<v1::ConnectRequest> All(MonotonicTime now = kStart) {
    std::vector<v1::ConnectRequest> messages;
    while (auto message = feed_.Next(now)) messages.push_back(*std::move(message));
    return messages;
  }
  v1::FactsChunk TheChunk(MonotonicTime now = kStart) {
    const auto messages = All(now);
    EXPECT_THAT(messages, SizeIs(1));
    EXPECT_TRUE(!messages.empty() && messages[0].has_facts_chunk());
    return messages.empty() ? v1::FactsChunk() : messages[0].facts_chunk();
  }
  v1::FactsConfirmed TheConfirmation(MonotonicTime now = kStart) {
    const auto messages = All(now);
    EXPECT_THAT(messages, SizeIs(1));
    EXPECT_TRUE(!messages.empty() && messages[0].has_facts_confirmed());
    return messages.empty() ? v1::FactsConfirmed() : messages[0].facts_confirmed();
  }
  void SendAndAcceptEverything() {
    feed_.Want(0, 0);
    feed_.Accepted(AcceptanceOf(TheChunk()));
  }

  FactsFeed feed_{"instance"};
};

TEST_F(FactsFeedTest, SaysNothingBeforeFactsAreWanted) {
  EXPECT_THAT(All(), IsEmpty());
  feed_.Want(0, 0);
  EXPECT_THAT(All(), SizeIs(1));
}

TEST_F(FactsFeedTest, FirstTransferReplacesEverythingAndEchoesTheRequest) {
  feed_.Want(0, 42);

  const v1::FactsChunk chunk = TheChunk(kStart + seconds(3));

  EXPECT_EQ(chunk.instance(), "instance");
  EXPECT_EQ(chunk.generation(), 1u);
  EXPECT_EQ(chunk.since_generation(), 0u);
  EXPECT_EQ(chunk.request(), 42u);
  EXPECT_TRUE(chunk.last());
  EXPECT_THAT(KeysOf(chunk),
              ElementsAre("kernel", "net_devices/name:eth0", "net_devices/name:eth0/mtu"));
  EXPECT_EQ(FromProto(chunk.parts(0).age()), seconds(3));
  FactsMirror mirror;
  EXPECT_TRUE(mirror.Take(chunk));
}

TEST_F(FactsFeedTest, ChangeIsPushedAsTheChangedPartsSinceTheAcceptedGeneration) {
  SendAndAcceptEverything();

  EXPECT_TRUE(feed_.Update(HostWithMtu(9000)).value());
  const v1::FactsChunk chunk = TheChunk();

  EXPECT_EQ(chunk.since_generation(), 1u);
  EXPECT_EQ(chunk.generation(), 2u);
  EXPECT_THAT(KeysOf(chunk), ElementsAre("net_devices/name:eth0/mtu"));
}

TEST_F(FactsFeedTest, RemovedDeviceIsPushedAsRemovedKeys) {
  SendAndAcceptEverything();
  Collection without = HostWithMtu(1500);
  without.facts.clear_net_devices();

  EXPECT_TRUE(feed_.Update(without).value());
  const v1::FactsChunk chunk = TheChunk();

  EXPECT_THAT(chunk.removed_keys(),
              ElementsAre("net_devices/name:eth0", "net_devices/name:eth0/mtu"));
  EXPECT_THAT(KeysOf(chunk), IsEmpty());
}

TEST_F(FactsFeedTest, ChangesDuringATransferAreMergedIntoOneDifference) {
  feed_.Want(0, 0);
  const v1::FactsChunk first = TheChunk();

  for (const uint32_t mtu : {2000, 3000, 4000}) {
    ASSERT_TRUE(feed_.Update(HostWithMtu(mtu)).value());
    EXPECT_THAT(All(), IsEmpty());
  }
  feed_.Accepted(AcceptanceOf(first));
  const v1::FactsChunk second = TheChunk();

  EXPECT_EQ(second.since_generation(), 1u);
  EXPECT_EQ(second.generation(), 4u);
  EXPECT_THAT(KeysOf(second), ElementsAre("net_devices/name:eth0/mtu"));
}

TEST_F(FactsFeedTest, UnchangedCollectionIsConfirmedWithItsAge) {
  SendAndAcceptEverything();

  EXPECT_FALSE(feed_.Update(HostWithMtu(1500, kStart + seconds(60))).value());
  const v1::FactsConfirmed confirmed = TheConfirmation(kStart + seconds(61));

  EXPECT_EQ(confirmed.generation(), 1u);
  EXPECT_EQ(FromProto(confirmed.age()), seconds(1));
  EXPECT_EQ(confirmed.request(), 0u);
}

TEST_F(FactsFeedTest, RequestWithNothingNewIsAnsweredByAConfirmationOfItsOwn) {
  SendAndAcceptEverything();

  feed_.Want(1, 7);
  EXPECT_EQ(TheConfirmation().request(), 7u);
  feed_.Want(1, 8);
  EXPECT_EQ(TheConfirmation().request(), 8u);
}

TEST_F(FactsFeedTest, EveryRequestIsAnsweredWhenOneTransferServesSeveral) {
  feed_.Want(0, 7);
  feed_.Want(0, 8);

  const v1::FactsChunk chunk = TheChunk();
  feed_.Accepted(AcceptanceOf(chunk));

  EXPECT_EQ(chunk.request(), 8u);
  EXPECT_EQ(TheConfirmation().request(), 7u);
}

TEST_F(FactsFeedTest, RequestThatCrossesATransferWaitsForItsAcceptance) {
  SendAndAcceptEverything();
  ASSERT_TRUE(feed_.Update(HostWithMtu(9000)).ok());
  const v1::FactsChunk pushed = TheChunk();

  feed_.Want(1, 9);  // asked before the controller had read the push

  EXPECT_THAT(All(), IsEmpty());
  feed_.Accepted(AcceptanceOf(pushed));
  EXPECT_EQ(TheConfirmation().request(), 9u);
}

TEST_F(FactsFeedTest, ControllerThatCouldNotApplyATransferGetsEverything) {
  SendAndAcceptEverything();
  ASSERT_TRUE(feed_.Update(HostWithMtu(9000)).ok());
  (void)TheChunk();

  feed_.Want(0, 0);

  const v1::FactsChunk chunk = TheChunk();
  EXPECT_EQ(chunk.since_generation(), 0u);
  EXPECT_EQ(chunk.parts_size(), 3);
}

TEST_F(FactsFeedTest, NewStreamResumesFromWhatTheControllerKept) {
  SendAndAcceptEverything();
  feed_.EndStream();
  ASSERT_TRUE(feed_.Update(HostWithMtu(9000)).ok());
  feed_.BeginStream(0);

  feed_.Want(1, 0);

  EXPECT_THAT(KeysOf(TheChunk()), ElementsAre("net_devices/name:eth0/mtu"));
}

TEST_F(FactsFeedTest, NewStreamToAControllerThatForgotSendsEverything) {
  SendAndAcceptEverything();
  feed_.BeginStream(0);
  feed_.Want(0, 0);
  EXPECT_EQ(TheChunk().since_generation(), 0u);
}

TEST_F(FactsFeedTest, GenerationNobodyKnowsAnyMoreIsAnsweredWithEverything) {
  SendAndAcceptEverything();
  feed_.BeginStream(0);
  feed_.Want(99, 0);
  EXPECT_EQ(TheChunk().since_generation(), 0u);
}

TEST_F(FactsFeedTest, AcceptanceOfAnotherInstanceOrGenerationChangesNothing) {
  feed_.Want(0, 0);
  v1::FactsAccepted accepted = AcceptanceOf(TheChunk());
  ASSERT_TRUE(feed_.Update(HostWithMtu(9000)).ok());

  accepted.set_generation(2);
  feed_.Accepted(accepted);
  EXPECT_THAT(All(), IsEmpty());
  accepted.set_generation(1);
  accepted.set_instance("another");
  feed_.Accepted(accepted);
  EXPECT_THAT(All(), IsEmpty());
}

TEST_F(FactsFeedTest, PartsThatWereNotReadAgainKeepTheirAgeAndAreNamed) {
  SendAndAcceptEverything();
  Collection collection = HostWithMtu(1500, kStart + seconds(60));
  collection.older["kernel"] = kStart;

  EXPECT_FALSE(feed_.Update(collection).value());
  EXPECT_THAT(TheConfirmation(kStart + seconds(60)).except_keys(), ElementsAre("kernel"));
  feed_.Want(0, 0);
  const v1::FactsChunk chunk = TheChunk(kStart + seconds(60));
  EXPECT_EQ(FromProto(chunk.parts(0).age()), seconds(60));
  EXPECT_EQ(FromProto(chunk.parts(1).age()), seconds(0));
}

TEST_F(FactsFeedTest, PartialCollectionSendsWhatChangedAndConfirmsNothing) {
  SendAndAcceptEverything();
  Collection partial = HostWithMtu(1500);
  partial.partial = true;
  partial.began = kStart + seconds(10);
  partial.older["kernel"] = kStart;
  EXPECT_FALSE(feed_.Update(partial).value());
  EXPECT_THAT(All(), IsEmpty());

  Collection changed = HostWithMtu(9000);
  changed.partial = true;
  changed.began = kStart + seconds(20);
  changed.older["kernel"] = kStart;
  EXPECT_TRUE(feed_.Update(changed).value());
  const v1::FactsChunk chunk = TheChunk(kStart + seconds(21));
  EXPECT_THAT(KeysOf(chunk), ElementsAre("net_devices/name:eth0/mtu"));
  EXPECT_EQ(FromProto(chunk.parts(0).age()), seconds(1));
}

TEST_F(FactsFeedTest, ConfirmationOfAFullCollectionOutlivesAPartialOne) {
  SendAndAcceptEverything();
  Collection full = HostWithMtu(1500);
  full.began = kStart + seconds(10);
  EXPECT_FALSE(feed_.Update(full).value());
  Collection partial = full;
  partial.partial = true;
  partial.began = kStart + seconds(11);
  partial.older["kernel"] = kStart + seconds(10);
  EXPECT_FALSE(feed_.Update(partial).value());
  const v1::FactsConfirmed confirmed = TheConfirmation(kStart + seconds(12));
  EXPECT_EQ(FromProto(confirmed.age()), seconds(2));
  EXPECT_THAT(confirmed.except_keys(), IsEmpty());
}

TEST_F(FactsFeedTest, FactsThatCannotBeCutLeaveWhatWasThere) {
  Collection twice = HostWithMtu(9000);
  *twice.facts.add_net_devices() = twice.facts.net_devices(0);

  const absl::StatusOr<bool> changed = feed_.Update(twice);

  EXPECT_THAT(std::string(changed.status().message()), HasSubstr("two rows have this id"));
  EXPECT_EQ(feed_.generation(), 1u);
}

TEST_F(FactsFeedTest, PongClaimsWhatTheControllerHasOnceItHasReadAllThatWasWritten) {
  feed_.Want(0, 0);
  EXPECT_EQ(feed_.LastWritten().generation, 0u);
  const v1::FactsChunk first = TheChunk();
  EXPECT_EQ(feed_.LastWritten().generation, 1u);
  EXPECT_EQ(feed_.LastWritten().digest, first.digest());

  ASSERT_TRUE(feed_.Update(HostWithMtu(9000)).ok());  // waits for the acceptance

  EXPECT_EQ(feed_.LastWritten().generation, 1u);
}

Collection HostWithManyDevices(int count, size_t name_bytes) {
  Collection collection;
  collection.began = kStart;
  for (int i = 0; i < count; ++i) {
    v1::NetDevice* device = collection.facts.add_net_devices();
    device->set_id("name:eth" + std::to_string(i));
    device->set_name(std::string(name_bytes, 'x'));
  }
  return collection;
}

TEST(FactsFeedChunks, StayUnderTheLimitOfTheContractAndOfTheController) {
  for (const uint32_t limit : {0u, 64u * 1024}) {
    FactsFeed feed("i");
    ASSERT_TRUE(feed.Update(HostWithManyDevices(300, 4000)).ok());
    feed.BeginStream(limit);
    feed.Want(0, 0);
    FactsMirror mirror;
    int chunks = 0;

    while (const auto message = feed.Next(kStart)) {
      ++chunks;
      EXPECT_LE(message->ByteSizeLong(), limit == 0 ? 256u * 1024 : limit);
      mirror.Take(message->facts_chunk());
    }

    EXPECT_GT(chunks, 4);
    EXPECT_EQ(mirror.parts.size(), 300u);
  }
}

TEST(FactsFeedChunks, FullTransferAskedForWithinATransferFollowsItWhole) {
  FactsFeed feed("i");
  ASSERT_TRUE(feed.Update(HostWithManyDevices(300, 4000)).ok());
  feed.BeginStream(0);
  feed.Want(0, 1);
  FactsMirror mirror;
  mirror.Take(feed.Next(kStart)->facts_chunk());

  feed.Want(0, 2);
  int applied = 0;
  while (const auto message = feed.Next(kStart)) applied += mirror.Take(message->facts_chunk());

  EXPECT_EQ(applied, 2);
}

// Whatever changes, gets lost, restarts and crosses: once all is quiet the controller has the
// facts.
RC_GTEST_PROP(FactsFeed, ControllerEndsWithTheHostsFacts, ()) {
  FactsFeed feed("i");
  FactsMirror mirror;
  std::deque<v1::ConnectRequest> wire;
  std::vector<v1::FactsAccepted> acceptances;
  const auto read_one = [&] {
    if (wire.empty()) return;
    const v1::ConnectRequest message = wire.front();
    wire.pop_front();
    if (message.has_facts_chunk() && mirror.Take(message.facts_chunk())) {
      acceptances.push_back(AcceptanceOf(message.facts_chunk()));
    }
  };
  const auto begin_stream = [&] {
    wire.clear();
    acceptances.clear();
    const auto parts = mirror.parts;
    const uint64_t generation = mirror.generation;
    mirror = FactsMirror();
    if (*rc::gen::arbitrary<bool>()) {  // else it restarted and forgot
      mirror.parts = parts;
      mirror.generation = generation;
    }
    feed.BeginStream(0);
    feed.Want(mirror.generation, 0);
  };
  begin_stream();
  for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 7))) {
    switch (step) {
      case 0:
      case 1: {
        const auto changed = feed.Update(HostWithMtu(*rc::gen::inRange(1, 4)));
        RC_ASSERT(changed.ok());
        break;
      }
      case 2:
        read_one();
        break;
      case 3:
        if (auto message = feed.Next(kStart)) wire.push_back(*message);
        break;
      case 4:
        if (!acceptances.empty()) {
          feed.Accepted(acceptances.front());
          acceptances.erase(acceptances.begin());
        }
        break;
      case 5:
        feed.Want(mirror.generation, 5);
        break;
      case 6:
        begin_stream();
        break;
      default:
        break;
    }
  }
  for (int quiet = 0; quiet < 3; ++quiet) {
    while (auto message = feed.Next(kStart)) wire.push_back(*message);
    while (!wire.empty()) read_one();
    for (const auto& accepted : acceptances) feed.Accepted(accepted);
    acceptances.clear();
  }

  RC_ASSERT(mirror.generation == feed.generation());
  if (feed.has_facts()) RC_ASSERT(DigestOfParts(mirror.parts) == feed.digest());
}

}  // namespace
}  // namespace roceready::link
