// SPDX-License-Identifier: Apache-2.0
#include "agent/privileged/server.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/privileged/client.h"

namespace roceready::privileged {
namespace {

// What was asked for, and an answer that can be told from others.
struct FakePowers {
  int lldp_sockets = 0;
  std::string address;

  Powers Make() {
    return {.open_lldp_socket = [this](uint32_t index) -> absl::StatusOr<Descriptor> {
              ++lldp_sockets;
              if (index == 404) return ErrnoError(ENODEV, "no such net device");
              return Descriptor(eventfd(index, EFD_CLOEXEC));
            },
            .read_mlx5_congestion = [this](const std::string& pci) -> absl::StatusOr<std::string> {
              address = pci;
              return "np_cnp_dscp 48\n";
            },
            .read_bnxt_congestion = [this](const std::string& pci) -> absl::StatusOr<std::string> {
              address = pci;
              return "tos_dscp 26\n";
            },
            .read_pci_config = [this](const std::string& pci) -> absl::StatusOr<std::string> {
              address = pci;
              return std::string("\x86\x80\0\n", 4);
            }};
  }
};

class PrivilegedServer : public testing::Test {
 protected:
  PrivilegedServer() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = Descriptor(ends[0]);
    theirs_ = Descriptor(ends[1]);
  }
  // Asks while the server answers on a thread of its own.
  absl::StatusOr<std::string> AskServer(const Request& request, std::vector<uid_t> allowed,
                                        Descriptor* passed) {
    std::thread server([&] { Answer(theirs_.get(), allowed, powers_.Make()); });
    absl::StatusOr<std::string> answer = Ask(ours_.get(), request, passed);
    server.join();
    return answer;
  }

  FakePowers powers_;
  Descriptor ours_;
  Descriptor theirs_;
};

TEST_F(PrivilegedServer, PassesTheSocketOn) {
  Descriptor passed;
  const auto answer =
      AskServer({.kind = Kind::kLldpSocket, .net_device_index = 7}, {getuid()}, &passed);
  ASSERT_TRUE(answer.ok()) << answer.status();
  // The very one that the power opened: an event counter of 7.
  eventfd_t value = 0;
  ASSERT_EQ(eventfd_read(passed.get(), &value), 0);
  EXPECT_EQ(value, 7u);
}

TEST_F(PrivilegedServer, PassesThePowersErrnoOn) {
  Descriptor passed;
  const auto answer =
      AskServer({.kind = Kind::kLldpSocket, .net_device_index = 404}, {getuid()}, &passed);
  EXPECT_EQ(ErrnoOf(answer.status()), ENODEV) << answer.status();
  EXPECT_FALSE(passed.is_open());
}

TEST_F(PrivilegedServer, ReadsCongestionParametersOfTheFunctionAsked) {
  Descriptor passed;
  const auto answer =
      AskServer({.kind = Kind::kMlx5CongestionParameters, .pci_address = "0000:3b:00.0"},
                {getuid()}, &passed);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "np_cnp_dscp 48\n");
  EXPECT_EQ(powers_.address, "0000:3b:00.0");
}

TEST_F(PrivilegedServer, ReadsWhatTheKindNamesAndNothingElse) {
  Descriptor passed;
  const auto bnxt =
      AskServer({.kind = Kind::kBnxtCongestionParameters, .pci_address = "0000:17:00.0"},
                {getuid()}, &passed);
  ASSERT_TRUE(bnxt.ok()) << bnxt.status();
  EXPECT_EQ(*bnxt, "tos_dscp 26\n");
  EXPECT_EQ(powers_.address, "0000:17:00.0");
  // Bytes of any value come through.
  const auto config = AskServer({.kind = Kind::kPciConfiguration, .pci_address = "0000:3a:01.0"},
                                {getuid()}, &passed);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config, std::string("\x86\x80\0\n", 4));
  EXPECT_EQ(powers_.address, "0000:3a:01.0");
  EXPECT_FALSE(passed.is_open());
}

TEST_F(PrivilegedServer, DoesNothingForOtherUsers) {
  Descriptor passed;
  const auto answer =
      AskServer({.kind = Kind::kLldpSocket, .net_device_index = 7}, {getuid() + 1}, &passed);
  EXPECT_EQ(ErrnoOf(answer.status()), EACCES) << answer.status();
  EXPECT_FALSE(passed.is_open());
  EXPECT_EQ(powers_.lldp_sockets, 0);
}

// A socket that is closed with a request unread resets its peer, which then sees no answer.
TEST_F(PrivilegedServer, ReadsTheRequestOfOtherUsersBeforeItRefuses) {
  const Bytes request = Encode({.kind = Kind::kLldpSocket, .net_device_index = 7});
  ASSERT_EQ(send(ours_.get(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  Answer(theirs_.get(), {getuid() + 1}, powers_.Make());
  theirs_ = Descriptor();
  Bytes answer(kLongestReply);
  const ssize_t size = recv(ours_.get(), answer.data(), answer.size(), 0);
  ASSERT_GT(size, 0) << errno;
  const auto reply = DecodeReply(std::span(answer).first(static_cast<size_t>(size)));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->error, EACCES);
}

TEST_F(PrivilegedServer, RefusesWhatIsNotOnTheList) {
  Descriptor passed;
  const auto answer = AskServer({.kind = static_cast<Kind>(9)}, {getuid()}, &passed);
  EXPECT_EQ(ErrnoOf(answer.status()), EINVAL) << answer.status();
}

TEST_F(PrivilegedServer, LeavesWhoeverSaysNothing) {
  ours_ = Descriptor();
  Answer(theirs_.get(), {getuid()}, powers_.Make());
  EXPECT_EQ(powers_.lldp_sockets, 0);
}

class RealFiles : public testing::Test {
 protected:
  RealFiles() {
    std::string pattern = testing::TempDir() + "filesXXXXXX";
    root_ = mkdtemp(pattern.data());
    folder_ = root_ / "0000:3b:00.0" / "cc_params";
  }
  ~RealFiles() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path root_;
  std::filesystem::path folder_;
};

TEST_F(RealFiles, OfMlx5AreTheKnownOnesThatAreThere) {
  Put("np_cnp_dscp", "48\n");
  Put("rp_gd", "11\n");
  Put("something_else", "1\n");
  const auto text = ReadMlx5Files(root_, "0000:3b:00.0");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "np_cnp_dscp 48\nrp_gd 11\n");
}

TEST_F(RealFiles, AreNotThereWithoutTheFolder) {
  EXPECT_EQ(ErrnoOf(ReadMlx5Files(root_, "0000:3b:00.1").status()), ENOENT);
  EXPECT_EQ(ErrnoOf(ReadBnxtFiles(root_, "0000:3b:00.1").status()), ENOENT);
  EXPECT_EQ(ErrnoOf(ReadPciConfigFile(root_, "0000:3b:00.1").status()), ENOENT);
}

TEST_F(RealFiles, AreNotReadThroughALink) {
  Put("np_cnp_dscp", "48\n");
  std::filesystem::create_symlink("/etc/hostname", folder_ / "rp_gd");
  EXPECT_FALSE(ReadMlx5Files(root_, "0000:3b:00.0").ok());
}

TEST_F(RealFiles, OfBnxtAreTheKnownOnesThatAreThere) {
  folder_ = root_ / "0000:3b:00.0" / "cc_config";
  Put("tos_dscp", "26\n");
  Put("enable_cc", "1\n");
  // By design it cannot be read; it is not asked for.
  Put("tx_queue", "0\n");
  const auto text = ReadBnxtFiles(root_, "0000:3b:00.0");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "enable_cc 1\ntos_dscp 26\n");
}

TEST_F(RealFiles, AConfigurationSpaceIsItsBytesAndNotMoreThanThereCanBe) {
  folder_ = root_ / "0000:3b:00.0";
  std::string space("\xb3\x15\0\n", 4);
  space.resize(5000, '\x7f');
  Put("config", space);
  const auto bytes = ReadPciConfigFile(root_, "0000:3b:00.0");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, space.substr(0, 4096));
  std::filesystem::remove(folder_ / "config");
  std::filesystem::create_symlink("/etc/hostname", folder_ / "config");
  EXPECT_FALSE(ReadPciConfigFile(root_, "0000:3b:00.0").ok());
}

}  // namespace
}  // namespace roceready::privileged
