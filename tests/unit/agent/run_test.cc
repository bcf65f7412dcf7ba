// SPDX-License-Identifier: Apache-2.0
// The program itself, started as a service would be, against a controller in this process.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <roceready/v1/agent_link.grpc.pb.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "agent/status_command.h"
#include "proto/contract/fact_parts.h"
#include "proto/process/grpc_credentials.h"
#include "proto/process/grpc_settings.h"
#include "tests/support/test_ca.h"

namespace roceready::agent {
namespace {

using ::testing::HasSubstr;

// Only bounds a test that fails.
constexpr std::chrono::seconds kPatience(60);

// Welcomes every agent, wants all facts, accepts them; notes what came.
class TinyController final : public v1::AgentLinkService::Service {
 public:
  explicit TinyController(const v1::TlsFiles& files) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", ServerCredentialsFromFiles(files), &port_);
    builder.RegisterService(this);
    ApplyServerSettings(&builder);
    server_ = builder.BuildAndStart();
  }
  ~TinyController() override { server_->Shutdown(std::chrono::system_clock::now()); }

  int port() const { return port_; }

  grpc::Status Connect(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::ConnectResponse, v1::ConnectRequest>* stream) override {
    v1::ConnectRequest request;
    while (stream->Read(&request)) {
      v1::ConnectResponse response;
      if (request.has_hello()) {
        Note(PeerIdentityOf(*context->auth_context()).Describe());
        response.mutable_welcome()->set_epoch(3);
        stream->Write(response);
        response.mutable_facts_wanted();
        stream->Write(response);
      } else if (request.has_facts_chunk() && request.facts_chunk().last()) {
        response.mutable_facts_accepted()->set_instance(request.facts_chunk().instance());
        response.mutable_facts_accepted()->set_generation(request.facts_chunk().generation());
        stream->Write(response);
        Note("facts");
      } else if (request.has_goodbye()) {
        Note("goodbye: " + request.goodbye().reason());
      }
    }
    Note("closed");
    return grpc::Status::OK;
  }

  bool WaitFor(const std::string& what) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return seen_.contains(what); });
  }

 private:
  void Note(const std::string& what) {
    std::lock_guard lock(mutex_);
    seen_.insert(what);
    changed_.notify_all();
  }

  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> seen_;
};

class RunTest : public ::testing::Test {
 protected:
  RunTest() : notify_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = directory_.File("notify");
    path.copy(address.sun_path, path.size());
    EXPECT_EQ(bind(notify_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const timeval patience{kPatience.count(), 0};
    setsockopt(notify_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  ~RunTest() override {
    if (agent_ > 0) {
      kill(agent_, SIGKILL);
      waitpid(agent_, nullptr, 0);
    }
    close(notify_);
  }

  void Configure(int port, const v1::TlsFiles& files) {
    std::ofstream(config_) << "controller: 127.0.0.1:" << port
                           << "\nstate_directory: " << directory_.path()
                           << "\nstatus_socket: " << directory_.File("sock")
                           << "\ntls:\n  ca: " << files.ca()
                           << "\n  certificate: " << files.certificate()
                           << "\n  key: " << files.key() << "\n";
  }
  void Start(const std::string& watchdog_microseconds = "") {
    // The process ends with gRPC's threads still in OpenSSL, which would count as a leak of theirs;
    // leaks of ours are looked for where the parts are tested, in-process.
    std::vector<std::string> environment = {"NOTIFY_SOCKET=" + directory_.File("notify"),
                                            "ASAN_OPTIONS=detect_leaks=0"};
    if (!watchdog_microseconds.empty()) {
      environment.push_back("WATCHDOG_USEC=" + watchdog_microseconds);
    }
    std::vector<std::string> words = {ROCEREADY_AGENT_PROGRAM, "run", "--config", config_};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    ASSERT_EQ(posix_spawn(&agent_, ROCEREADY_AGENT_PROGRAM, &actions, nullptr,
                          Pointers(words).data(), Pointers(environment).data()),
              0);
    posix_spawn_file_actions_destroy(&actions);
  }
  // The exit status, or -1 for a death by signal.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(std::exchange(agent_, 0), &status, 0), LastPid()) << Log();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int Stop() {
    last_pid_ = agent_;
    kill(agent_, SIGTERM);
    return Wait();
  }
  pid_t LastPid() const { return last_pid_; }

  bool WaitForNotice(const std::string& wanted) {
    std::array<char, 512> buffer{};
    while (true) {
      const ssize_t size = recv(notify_, buffer.data(), buffer.size(), 0);
      if (size < 0) return false;
      if (std::string(buffer.data(), static_cast<size_t>(size)).starts_with(wanted)) return true;
    }
  }
  int Status(std::string* text) {
    std::ostringstream out;
    const int exit_status = PrintStatus(config_, out, out);
    *text = out.str();
    return exit_status;
  }
  std::string Log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  static std::vector<char*> Pointers(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  TestCa ca_;
  TemporaryDirectory directory_;
  const std::string config_ = directory_.File("agent.yaml");
  const std::string log_ = directory_.File("log");
  const int notify_;
  pid_t agent_ = 0;
  pid_t last_pid_ = 0;
};

TEST_F(RunTest, ConnectsSendsFactsTellsItsStatusAndStopsWithAGoodbye) {
  TinyController controller(ca_.Controller({"127.0.0.1"}));
  Configure(controller.port(), ca_.Host("gpu001"));
  Start("500000");

  EXPECT_TRUE(controller.WaitFor("host gpu001")) << Log();
  EXPECT_TRUE(controller.WaitFor("facts")) << Log();
  EXPECT_TRUE(WaitForNotice("READY=1")) << Log();
  EXPECT_TRUE(WaitForNotice("WATCHDOG=1")) << Log();
  std::string text;
  EXPECT_EQ(Status(&text), 0) << text;
  EXPECT_THAT(text, HasSubstr("gpu001: connected to 127.0.0.1:"));

  EXPECT_EQ(Stop(), 0) << Log();

  EXPECT_TRUE(controller.WaitFor("goodbye: the agent stops")) << Log();
  EXPECT_EQ(Status(&text), 69) << text;
  std::ifstream epoch(directory_.File("highest-epoch"));
  std::string kept;
  std::getline(epoch, kept);
  EXPECT_EQ(kept, "3");
}

TEST_F(RunTest, WithoutAControllerItIsReadyAllTheSameAndSaysWhyItIsNotConnected) {
  int port = 0;
  {
    port = TinyController(ca_.Controller({"127.0.0.1"})).port();
  }
  Configure(port, ca_.Host("gpu001"));
  Start();

  EXPECT_TRUE(WaitForNotice("STATUS=gpu001: not connected")) << Log();
  std::string text;
  EXPECT_EQ(Status(&text), 1) << text;
  EXPECT_THAT(text, HasSubstr("what to do: check that roceready-controller runs"));
  EXPECT_TRUE(WaitForNotice("READY=1")) << Log();
  EXPECT_EQ(Stop(), 0) << Log();
}

TEST_F(RunTest, SecondAgentOnOneHostDoesNotStart) {
  Configure(1, ca_.Host("gpu001"));
  Start();
  EXPECT_TRUE(WaitForNotice("READY=1")) << Log();
  const pid_t first = std::exchange(agent_, 0);

  Start();
  last_pid_ = agent_;
  EXPECT_EQ(Wait(), 69);
  EXPECT_THAT(Log(), HasSubstr("another agent runs on this host"));

  agent_ = first;
  EXPECT_EQ(Stop(), 0) << Log();
}

TEST_F(RunTest, WrongConfigurationEndsWith78) {
  std::ofstream(config_) << "nonsense: 1\n";
  Start();
  last_pid_ = agent_;
  EXPECT_EQ(Wait(), 78);
  EXPECT_THAT(Log(), HasSubstr("nonsense"));
}

}  // namespace
}  // namespace roceready::agent
