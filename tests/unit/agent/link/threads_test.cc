// SPDX-License-Identifier: Apache-2.0
// The link among real threads, over memory, for ThreadSanitizer: its own loop, a controller's loop,
// a thread that collects, one that answers probe orders, one that reports kernel events.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "agent/link/agent_link.h"
#include "proto/process/durations.h"
#include "tests/unit/agent/link/fakes.h"

namespace roceready::link {
namespace {

// A stream whose ends live on two loops.
struct MemoryStream {
  StreamEvents agent;
  std::atomic<bool> agent_left = false;
};

// Wants facts, orders probes, mirrors facts, breaks the stream now and then. Of its own loop.
class MemoryController {
 public:
  explicit MemoryController(EventLoop* agents) : agents_(agents) {}

  void Opened(std::shared_ptr<MemoryStream> stream) {
    stream_ = std::move(stream);
    mirror_ = FactsMirror();
  }
  void Take(const std::shared_ptr<MemoryStream>& stream, const v1::ConnectRequest& message) {
    if (stream != stream_) return;
    Tell(stream, [stream] { stream->agent.on_sent(); });
    v1::ConnectResponse answer;
    if (message.has_hello()) {
      answer.mutable_welcome()->set_epoch(++epoch_);
      Send(stream, answer);
      answer.mutable_facts_wanted()->set_collect_now(true);
      Send(stream, answer);
      answer.mutable_prepare_probe()->mutable_order()->set_epoch(epoch_);
      Send(stream, answer);
    } else if (message.has_facts_chunk()) {
      if (!mirror_.Take(message.facts_chunk())) return;
      answer.mutable_facts_accepted()->set_instance(message.facts_chunk().instance());
      answer.mutable_facts_accepted()->set_generation(message.facts_chunk().generation());
      Send(stream, answer);
      if (++transfers_ % 10 == 0) {
        Tell(stream, [stream] { stream->agent.on_closed(absl::UnavailableError("restart")); });
        stream_ = nullptr;
      }
      if (transfers_ == kTransfers) enough_.set_value();
    } else if (message.has_probe_prepared()) {
      ++answers_;
    }
  }
  void WaitForEnough() { enough_.get_future().wait(); }
  int answers() const { return answers_; }

  static constexpr int kTransfers = 35;

 private:
  void Send(const std::shared_ptr<MemoryStream>& stream, const v1::ConnectResponse& message) {
    Tell(stream, [stream, message] { stream->agent.on_message(message); });
  }
  void Tell(const std::shared_ptr<MemoryStream>& stream, std::function<void()> event) {
    agents_->PostControl([stream, event = std::move(event)] {
      if (!stream->agent_left) event();
    });
  }

  EventLoop* const agents_;
  std::shared_ptr<MemoryStream> stream_;
  FactsMirror mirror_;
  uint64_t epoch_ = 0;
  int transfers_ = 0;
  std::atomic<int> answers_ = 0;
  std::promise<void> enough_;
};

class MemoryDialer final : public Dialer {
 public:
  MemoryDialer(EventLoop* controllers, MemoryController* controller)
      : controllers_(controllers), controller_(controller) {}
  std::unique_ptr<Transport> Dial(const std::string&, StreamEvents events) override {
    auto stream = std::make_shared<MemoryStream>();
    stream->agent = std::move(events);
    controllers_->PostControl([this, stream] { controller_->Opened(stream); });
    return std::make_unique<End>(this, stream);
  }

 private:
  struct End final : Transport {
    End(MemoryDialer* dialer, std::shared_ptr<MemoryStream> stream)
        : dialer(dialer), stream(std::move(stream)) {}
    ~End() override { stream->agent_left = true; }
    void Send(const v1::ConnectRequest& message) override {
      dialer->controllers_->PostControl([controller = dialer->controller_, stream = stream,
                                         message] { controller->Take(stream, message); });
    }
    void Finish() override {}
    MemoryDialer* const dialer;
    const std::shared_ptr<MemoryStream> stream;
  };

  EventLoop* const controllers_;
  MemoryController* const controller_;
};

// A worker thread with its own queue.
class Worker {
 public:
  ~Worker() {
    loop_.Stop();
    thread_.join();
  }
  void Do(std::function<void()> task) { loop_.PostControl(std::move(task)); }

 private:
  SystemClock clock_;
  EventLoop loop_{&clock_};
  std::thread thread_{[this] { loop_.Run(); }};
};

class ThreadedFacts final : public FactsSource {
 public:
  void Collect(bool, std::function<void(Collection)> done) override {
    worker_.Do([this, done = std::move(done)] {
      Collection collection;
      collection.began = std::chrono::steady_clock::now();
      v1::NetDevice* device = collection.facts.add_net_devices();
      device->set_id("name:eth0");
      device->mutable_mtu()->set_mtu_bytes(++mtu_);
      done(std::move(collection));
    });
  }

 private:
  uint32_t mtu_ = 0;
  Worker worker_;
};

TEST(AgentLinkThreads, TransfersAndOrdersGoOnThroughRestartsOfTheController) {
  SystemClock clock;
  EventLoop agents(&clock);
  EventLoop controllers(&clock);
  MemoryController controller(&agents);
  MemoryDialer dialer(&controllers, &controller);
  ThreadedFacts facts;
  FakeEpochStore epochs;
  Worker executor;
  AgentLink* link_address = nullptr;

  // Answers each order from another thread.
  class AnsweringRunner final : public ProbeRunner {
   public:
    AnsweringRunner(Worker* worker, AgentLink** link) : worker_(worker), link_(link) {}
    void BeginSession(uint64_t, std::string_view) override {}
    void Execute(const v1::ConnectResponse&) override {
      worker_->Do([link = *link_] {
        v1::ConnectRequest answer;
        answer.mutable_probe_prepared();
        link->ProbeAnswered(answer);
      });
    }
    void EndAll(std::string_view) override {}
    std::vector<v1::EndReport> UnacceptedReports() const override { return {}; }
    void Accepted(const v1::EndReportAccepted&) override {}
    std::vector<std::string> OpenProbes() const override { return {}; }
    size_t LiveSessions() const override { return 0; }
    v1::ProbeLimits Limits() const override { return {}; }

   private:
    Worker* const worker_;
    AgentLink** const link_;
  } runner(&executor, &link_address);

  AgentLink::Options options;
  options.endpoint = "memory";
  options.instance = "i";
  options.collect_interval = std::chrono::milliseconds(2);
  AgentLink link({.loop = &agents,
                  .dialer = &dialer,
                  .facts = &facts,
                  .probes = &runner,
                  .epochs = &epochs,
                  .random = [] { return 0.0; },
                  .on_change = nullptr},
                 options);
  link_address = &link;
  agents.PostControl([&] { link.Start(); });
  std::thread agent_thread([&] { agents.Run(); });
  std::thread controller_thread([&] { controllers.Run(); });
  std::thread kernel([&] {
    for (int i = 0; i < 10'000; ++i) link.FactsMayHaveChanged();
  });

  controller.WaitForEnough();
  std::promise<void> closed;
  agents.PostControl([&] { link.Shutdown([&] { closed.set_value(); }); });
  closed.get_future().wait();
  kernel.join();
  agents.Stop();
  controllers.Stop();
  agent_thread.join();
  controller_thread.join();

  EXPECT_GE(controller.answers(), 1);
}

}  // namespace
}  // namespace roceready::link
