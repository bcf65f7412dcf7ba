// SPDX-License-Identifier: Apache-2.0
// A whole controller without gRPC: loop, fleet, prober, audits, verdicts and the shipped policies,
// under a clock that the test moves, with agents in memory.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checks/policy/policy_file.h"
#include "checks/policy/policy_set.h"
#include "controller/audit/audit_book.h"
#include "controller/fleet/fleet.h"
#include "controller/fleet/switch_book.h"
#include "controller/probing/prober.h"
#include "controller/verdict/verdict_book.h"
#include "tests/support/builders/facts_builder.h"
#include "tests/support/fake_agent.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_archive.h"
#include "tests/support/source_path.h"

namespace roceready {

// Does the work when the loop comes to it, on the loop's own thread.
class InlineWorker final : public Worker {
 public:
  explicit InlineWorker(EventLoop* loop) : loop_(loop) {}
  void Run(std::function<void()> work, std::function<void()> done) override {
    loop_->PostControl([work = std::move(work), done = std::move(done)] {
      work();
      done();
    });
  }

 private:
  EventLoop* loop_;
};

class ControllerWorld {
 public:
  static constexpr std::uint64_t kEpoch = 7;

  explicit ControllerWorld(std::uint64_t epoch = kEpoch) : options_(OptionsOf(epoch)) {
    const auto texts = ReadPolicyDirectory(SourcePath("checks/policy/policies"));
    EXPECT_TRUE(texts.ok()) << texts.status();
    PolicyContext context;
    context.now = std::chrono::time_point_cast<std::chrono::system_clock::duration>(clock.Wall());
    const auto outcome = policies.Replace(*texts, context);
    EXPECT_TRUE(outcome.ok()) << yaml::Render(outcome.problems);
    book = MakeBook({.epoch = epoch});
    verdicts = std::make_unique<VerdictBook>(VerdictBook::Tools{.loop = &loop,
                                                                .fleet = &fleet,
                                                                .worker = &worker,
                                                                .worker_of_large_sets = &worker,
                                                                .audits = book.get(),
                                                                .switches = &switches});
  }

  std::unique_ptr<AuditBook> MakeBook(AuditBook::Options book_options) {
    return std::make_unique<AuditBook>(AuditTools{.loop = &loop,
                                                  .fleet = &fleet,
                                                  .worker = &worker,
                                                  .prober = &prober,
                                                  .switches = &switches},
                                       &archive, book_options);
  }

  // An audit that the archive takes at once.
  absl::StatusOr<std::shared_ptr<AuditRun>> Create(const v1::CreateAuditRequest& request,
                                                   std::vector<std::string> hosts,
                                                   const std::string& caller = "alice") const {
    absl::StatusOr<std::shared_ptr<AuditRun>> created = absl::UnknownError("not answered yet");
    book->Create(
        request, std::move(hosts), policies.Find(request.policy()), caller,
        [&](absl::StatusOr<std::shared_ptr<AuditRun>> audit) { created = std::move(audit); });
    return created;
  }

  // A host that is right in every respect under policy "lab", connected.
  FakeAgent* Connect(const std::string& host, std::uint32_t number) {
    auto& agent = agents[host];
    agent = std::make_unique<FakeAgent>(&loop, &fleet, host);
    builders::HostBuilder builder(host, number);
    agent->facts = builder.facts();
    agent->facts.mutable_identity()->set_host(host);
    agent->Connect();
    loop.RunPending();
    return agent.get();
  }

  void Pass(Duration time) { RunFor(&clock, &loop, time); }

  static v1::CreateAuditRequest Ask(const std::string& hosts,
                                    v1::PlanKind plan = v1::PLAN_KIND_RING) {
    v1::CreateAuditRequest request;
    request.set_hosts(hosts);
    request.set_policy("lab");
    request.mutable_plan()->set_kind(plan);
    return request;
  }

  FakeClock clock;
  EventLoop loop{&clock};

 private:
  static LinkOptions OptionsOf(std::uint64_t epoch) {
    LinkOptions options;
    options.epoch = epoch;
    return options;
  }
  LinkOptions options_;

 public:
  Fleet fleet{&loop, options_};
  Prober prober{&loop, &fleet};
  InlineWorker worker{&loop};
  PolicySet policies;
  SwitchBook switches;
  MemoryArchive archive;
  MemorySwitchArchive switch_archive;
  std::unique_ptr<AuditBook> book;
  std::unique_ptr<VerdictBook> verdicts;
  std::map<std::string, std::unique_ptr<FakeAgent>> agents;
};

}  // namespace roceready
