// SPDX-License-Identifier: Apache-2.0
// The listener over socket pairs in place of packet sockets: what is written at the other end is
// what a port hears.
#include "agent/lldp/listener.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <set>

#include "tests/support/fake_clock.h"
#include "tests/unit/agent/lldp/frames.h"

namespace roceready::lldp {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ListenerTest : public testing::Test {
 protected:
  ListenerTest() { EXPECT_TRUE(listener_->Start().ok()); }
  // Only bounds a test that fails.
  static constexpr seconds kLong{30};

  absl::StatusOr<Descriptor> Open(uint32_t index) {
    const std::lock_guard lock(mutex_);
    ++opened_[index];
    if (refused_.contains(index)) return ErrnoError(refusal_, "packet socket for LLDP");
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return ErrnoError(errno, "socketpair");
    }
    wires_[index] = Descriptor(ends[0]);
    return Descriptor(ends[1]);
  }
  void Send(uint32_t index, const Bytes& frame) {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(send(wires_[index].get(), frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
  }
  // Whether the listener has closed its end.
  bool Closes(uint32_t index) {
    int wire = -1;
    {
      const std::lock_guard lock(mutex_);
      wire = wires_[index].get();
    }
    pollfd waited = {wire, POLLIN, 0};
    return poll(&waited, 1, 30'000) == 1 && (waited.revents & POLLHUP) != 0;
  }
  // The hearing of a port once it is as wished.
  template <typename Wish>
  Hearing Await(uint32_t index, Wish wish) {
    std::unique_lock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + kLong;
    while (true) {
      const int told = told_;
      lock.unlock();
      const Hearing hearing = listener_->Listen(ports_)[index];
      if (wish(hearing)) return hearing;
      lock.lock();
      if (!changed_.wait_until(lock, deadline, [&] { return told_ != told; })) {
        ADD_FAILURE() << "not told of a change in a long time";
        return hearing;
      }
    }
  }
  Hearing AwaitOpen(uint32_t index) {
    return Await(index, [](const Hearing& hearing) { return hearing.socket.ok(); });
  }
  Hearing AwaitNeighbours(uint32_t index, size_t count) {
    return Await(index, [&](const Hearing& hearing) { return hearing.neighbours.size() == count; });
  }

  FakeClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int told_ = 0;
  std::map<uint32_t, int> opened_;
  std::set<uint32_t> refused_;
  int refusal_ = EPERM;
  std::map<uint32_t, Descriptor> wires_;
  std::vector<uint32_t> ports_ = {7};
  // Last: its thread uses the others.
  std::unique_ptr<Listener> listener_ =
      std::make_unique<Listener>([this](uint32_t index) { return Open(index); }, &clock_,
                                 [this] {
                                   const std::lock_guard lock(mutex_);
                                   ++told_;
                                   changed_.notify_all();
                                 });
};

TEST_F(ListenerTest, PortIsBeingOpenedThenSilentThenSilentForLongEnough) {
  EXPECT_TRUE(absl::IsUnavailable(listener_->Listen(ports_)[7].socket));
  EXPECT_FALSE(AwaitOpen(7).long_enough);
  clock_.Advance(kLongEnough - seconds(1));
  EXPECT_FALSE(listener_->Listen(ports_)[7].long_enough);
  clock_.Advance(seconds(1));
  EXPECT_TRUE(listener_->Listen(ports_)[7].long_enough);
}

TEST_F(ListenerTest, SilenceBeforeTheLinkCameUpSaysNothing) {
  listener_->TellLinkUps(7, 1);
  AwaitOpen(7);
  clock_.Advance(kLongEnough);
  listener_->TellLinkUps(7, 1);
  EXPECT_TRUE(listener_->Listen(ports_)[7].long_enough);
  listener_->TellLinkUps(7, 2);
  EXPECT_FALSE(listener_->Listen(ports_)[7].long_enough);
  clock_.Advance(kLongEnough);
  EXPECT_TRUE(listener_->Listen(ports_)[7].long_enough);
}

TEST_F(ListenerTest, HearsEachPortByItself) {
  ports_ = {7, 8};
  AwaitOpen(7);
  AwaitOpen(8);
  Send(8, BytesOf(kDcbxFrame));
  const Hearing hearing = AwaitNeighbours(8, 1);
  EXPECT_TRUE(hearing.long_enough);
  EXPECT_EQ(hearing.neighbours[0].frame.said.system_name, "leaf1");
  EXPECT_EQ(hearing.neighbours[0].heard_at, clock_.Now());
  EXPECT_THAT(listener_->Listen(ports_)[7].neighbours, IsEmpty());
}

TEST_F(ListenerTest, NeighbourGoesWithItsTimeToLiveAndByItsLastFrame) {
  AwaitOpen(7);
  Send(7, BytesOf(kPlainFrame));  // 4 s
  AwaitNeighbours(7, 1);
  clock_.Advance(seconds(4));
  EXPECT_THAT(listener_->Listen(ports_)[7].neighbours, IsEmpty());
  Send(7, BytesOf(kPlainFrame));
  AwaitNeighbours(7, 1);
  Send(7, BytesOf(kShutdownFrame));
  AwaitNeighbours(7, 0);
}

TEST_F(ListenerTest, FrameThatMakesNoSenseIsToldForAWhile) {
  AwaitOpen(7);
  Send(7, BytesOf("0180c200000e 0c42a1000001 88cc 0207 04"));
  const Hearing hearing = Await(7, [](const Hearing& hearing) { return !hearing.refused.empty(); });
  EXPECT_THAT(hearing.refused, HasSubstr("byte 0"));
  EXPECT_THAT(hearing.neighbours, IsEmpty());
  clock_.Advance(seconds(120));
  EXPECT_THAT(listener_->Listen(ports_)[7].refused, IsEmpty());
}

TEST_F(ListenerTest, RefusedSocketSaysWhyAndIsTriedAgainWithTheNextCollection) {
  refused_ = {7};
  const Hearing hearing = Await(7, [](const Hearing& hearing) {
    return hearing.socket.code() == absl::StatusCode::kPermissionDenied;
  });
  EXPECT_EQ(ErrnoOf(hearing.socket), EPERM);
  {
    const std::lock_guard lock(mutex_);
    refused_.clear();
  }
  AwaitOpen(7);
}

TEST_F(ListenerTest, SocketThatCouldNotBeHadForNowIsTriedAgainToo) {
  // kUnavailable, as a socket that is being opened is.
  refusal_ = EBUSY;
  refused_ = {7};
  Await(7, [](const Hearing& hearing) { return ErrnoOf(hearing.socket) == EBUSY; });
  {
    const std::lock_guard lock(mutex_);
    refused_.clear();
  }
  AwaitOpen(7);
}

TEST_F(ListenerTest, PortThatGoesAndComesAtOnceIsHeardAgain) {
  AwaitOpen(7);
  EXPECT_THAT(listener_->Listen({}), IsEmpty());
  AwaitOpen(7);
  Send(7, BytesOf(kDcbxFrame));
  AwaitNeighbours(7, 1);
}

TEST_F(ListenerTest, PortThatIsNoLongerWantedIsClosed) {
  ports_ = {7, 8};
  AwaitOpen(7);
  AwaitOpen(8);
  ports_ = {8};
  EXPECT_THAT(listener_->Listen(ports_), SizeIs(1));
  EXPECT_TRUE(Closes(7));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(opened_[8], 1);
}

TEST(Listener, ThatIsNotStartedHearsNothingAndEnds) {
  const SystemClock clock;
  Listener listener([](uint32_t) -> absl::StatusOr<Descriptor> { return Descriptor(); }, &clock,
                    [] { ADD_FAILURE() << "told without having been started"; });
  EXPECT_TRUE(absl::IsUnavailable(listener.Listen({7})[7].socket));
}

TEST(Listener, ThatHasEndedLooksAtNoClock) {
  auto clock = std::make_unique<FakeClock>();
  Listener listener([](uint32_t) -> absl::StatusOr<Descriptor> { return Descriptor(); },
                    clock.get(), [] {});
  ASSERT_TRUE(listener.Start().ok());
  listener.Stop();
  clock.reset();
  EXPECT_TRUE(absl::IsUnavailable(listener.Listen({7})[7].socket));
}

TEST(Listener, EndsWithoutWaitingForASocketThatHangs) {
  struct Door {
    std::mutex mutex;
    std::condition_variable changed;
    bool asked = false;
    bool open = false;
    bool passed = false;
  };
  const auto door = std::make_shared<Door>();
  const SystemClock clock;
  Listener listener(
      [door](uint32_t) -> absl::StatusOr<Descriptor> {
        std::unique_lock lock(door->mutex);
        door->asked = true;
        door->changed.notify_all();
        door->changed.wait(lock, [&] { return door->open; });
        door->passed = true;
        door->changed.notify_all();
        return ErrnoError(ENODEV, "gone");
      },
      &clock, [] { ADD_FAILURE() << "told after its end"; });
  listener.Listen({7});
  ASSERT_TRUE(listener.Start().ok());
  {
    std::unique_lock lock(door->mutex);
    door->changed.wait(lock, [&] { return door->asked; });
  }
  listener.Stop();
  std::unique_lock lock(door->mutex);
  door->open = true;
  door->changed.notify_all();
  door->changed.wait(lock, [&] { return door->passed; });
}

}  // namespace
}  // namespace roceready::lldp
