// SPDX-License-Identifier: Apache-2.0
// The client against the real server, over a listening socket as systemd would hand it over.
#include "agent/privileged/client.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "agent/privileged/server.h"

namespace roceready::privileged {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class PrivilegedClient : public testing::Test {
 protected:
  PrivilegedClient() {
    std::string pattern = testing::TempDir() + "privilegedXXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "socket";
  }
  ~PrivilegedClient() override { std::filesystem::remove_all(folder_); }

  Descriptor Listen() {
    Descriptor listening(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path_, address.sun_path);
    EXPECT_EQ(bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listening.get(), 4), 0);
    return listening;
  }
  // The answer of a server whose power answers with `text`; the server ends when it is idle.
  absl::StatusOr<std::map<std::string, uint64_t>> ReadFrom(absl::StatusOr<std::string> text) {
    const Descriptor listening = Listen();
    const Powers powers = {.read_mlx5_congestion = [text](const std::string&) { return text; }};
    std::thread server([&] {
      EXPECT_TRUE(Serve(listening.get(), {getuid()}, powers, std::chrono::milliseconds(50)).ok());
    });
    auto parameters = ReadMlx5Congestion("0000:3b:00.0", path_);
    server.join();
    return parameters;
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(PrivilegedClient, GetsParametersByName) {
  const auto parameters = ReadFrom("np_cnp_dscp 48\nrp_gd 11\n");
  ASSERT_TRUE(parameters.ok()) << parameters.status();
  EXPECT_THAT(*parameters, ElementsAre(Pair("np_cnp_dscp", 48), Pair("rp_gd", 11)));
}

TEST_F(PrivilegedClient, GetsTheErrnoOfWhatCouldNotBeRead) {
  EXPECT_EQ(ErrnoOf(ReadFrom(ErrnoError(ENOENT, "cc_params")).status()), ENOENT);
}

TEST_F(PrivilegedClient, RefusesAValueThatIsNoNumber) {
  EXPECT_TRUE(absl::IsDataLoss(ReadFrom("np_cnp_dscp forty\n").status()));
  std::filesystem::remove(path_);
  EXPECT_TRUE(absl::IsDataLoss(ReadFrom("np_cnp_dscp\n").status()));
}

TEST_F(PrivilegedClient, AsksForTheFamilyAndTheSpaceItIsAskedFor) {
  const Descriptor listening = Listen();
  const Powers powers = {
      .read_bnxt_congestion = [](const std::string& pci) -> absl::StatusOr<std::string> {
        return pci == "0000:17:00.0" ? "tos_dscp 26\n" : "";
      },
      .read_pci_config = [](const std::string&) -> absl::StatusOr<std::string> {
        return std::string(64, '\x86');
      }};
  std::thread server([&] {
    EXPECT_TRUE(Serve(listening.get(), {getuid()}, powers, std::chrono::milliseconds(50)).ok());
  });
  const auto parameters = ReadBnxtCongestion("0000:17:00.0", path_);
  const auto config = ReadPciConfiguration("0000:17:00.0", path_);
  server.join();
  ASSERT_TRUE(parameters.ok()) << parameters.status();
  EXPECT_THAT(*parameters, ElementsAre(Pair("tos_dscp", 26)));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->size(), 64u);
}

TEST_F(PrivilegedClient, SaysWhatToStartWhereNobodyAnswers) {
  const auto parameters = ReadMlx5Congestion("0000:3b:00.0", path_);
  EXPECT_EQ(ErrnoOf(parameters.status()), EPERM);
  EXPECT_THAT(std::string(Message(parameters.status())),
              HasSubstr("start roceready-agent-privileged.socket"));
}

}  // namespace
}  // namespace roceready::privileged
