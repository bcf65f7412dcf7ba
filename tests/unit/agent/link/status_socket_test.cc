// SPDX-License-Identifier: Apache-2.0
#include "agent/link/status_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace roceready::link {
namespace {

using ::testing::HasSubstr;

LinkStatus Connected() {
  LinkStatus status;
  status.connected = true;
  status.host = "gpu001";
  status.endpoint = "c1:7471";
  return status;
}

class StatusSocketTest : public ::testing::Test {
 protected:
  ~StatusSocketTest() override {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }
  void RunLoop() {
    thread_ = std::thread([this] { loop_.Run(); });
  }
  std::unique_ptr<StatusSocket> Listen(LinkStatus status) {
    auto socket = StatusSocket::Listen(path_, &loop_, [status] { return status; });
    EXPECT_TRUE(socket.ok()) << socket.status();
    return socket.ok() ? *std::move(socket) : nullptr;
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.File("agent.sock");
  SystemClock clock_;
  EventLoop loop_{&clock_};
  std::thread thread_;
};

TEST_F(StatusSocketTest, TellsWhetherTheAgentIsConnected) {
  RunLoop();
  const auto socket = Listen(Connected());

  const auto answer = AskStatus(path_);

  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->connected);
  EXPECT_THAT(answer->text, HasSubstr("gpu001: connected to c1:7471"));
}

TEST_F(StatusSocketTest, TellsWhyItIsNotAndWhatToDo) {
  RunLoop();
  LinkStatus status = Connected();
  status.connected = false;
  status.last_error = "refused";
  status.advice = "start it";
  const auto socket = Listen(status);

  for (int i = 0; i < 3; ++i) {
    const auto answer = AskStatus(path_);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_FALSE(answer->connected);
    EXPECT_THAT(answer->text, HasSubstr("refused\nwhat to do: start it\n"));
  }
}

TEST_F(StatusSocketTest, HungLoopIsSaidToHang) {
  const auto socket = Listen(Connected());  // the loop does not run

  const auto answer = AskStatus(path_);

  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->connected);
  EXPECT_THAT(answer->text, HasSubstr("does not answer"));
}

TEST_F(StatusSocketTest, EveryLocalUserMayAsk) {
  const auto socket = Listen(Connected());
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666u);
}

TEST_F(StatusSocketTest, ReplacesTheSocketOfAnAgentThatDiedAndRemovesItsOwn) {
  RunLoop();
  {
    const int dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    close(dead);
    const auto socket = Listen(Connected());
    EXPECT_TRUE(AskStatus(path_).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(StatusSocketTest, DoesNotRemoveAFileThatIsNoSocket) {
  std::ofstream(path_) << "precious";
  EXPECT_FALSE(StatusSocket::Listen(path_, &loop_, [] { return LinkStatus(); }).ok());
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(StatusSocketTest, WithoutAnAgentTheErrorSaysSo) {
  const auto answer = AskStatus(path_);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("is roceready-agent running?"));
}

TEST_F(StatusSocketTest, PathThatIsTooLongIsAnErrorNotAnotherPath) {
  EXPECT_FALSE(AskStatus("/" + std::string(200, 'x')).ok());
  EXPECT_FALSE(AskStatus("").ok());
}

}  // namespace
}  // namespace roceready::link
