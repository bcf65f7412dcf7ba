// SPDX-License-Identifier: Apache-2.0
// What every store must do, run over each of them. A new store is one more line at the end.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "controller/store/sqlite_store.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "tests/support/temporary_directory.h"

namespace roceready {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre, testing::IsEmpty;

struct Kind {
  const char* name;
  // The same store again, for the same directory.
  absl::StatusOr<std::unique_ptr<Store>> (*open)(const std::string& directory);
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

v1::Audit AuditOf(const AuditId& id, const std::string& request_id = "") {
  v1::Audit audit;
  audit.set_audit_id(id.Text());
  audit.set_requested_by("alice");
  audit.mutable_request()->set_request_id(request_id);
  audit.mutable_request()->set_hosts("gpu[1-4]");
  audit.set_state(v1::AUDIT_STATE_QUEUED);
  return audit;
}

std::vector<v1::Finding> Findings(int count) {
  std::vector<v1::Finding> findings(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) findings[i].set_key(fmt::format("mtu.low/gpu{}", i));
  return findings;
}

std::vector<std::shared_ptr<const v1::ProbeResult>> ProbeResults(int count) {
  std::vector<std::shared_ptr<const v1::ProbeResult>> results;
  for (int i = 0; i < count; ++i) {
    auto result = std::make_shared<v1::ProbeResult>();
    result->mutable_spec()->set_probe_id(fmt::format("p{}", i));
    results.push_back(std::move(result));
  }
  return results;
}

class StoreConformance : public testing::TestWithParam<Kind> {
 protected:
  StoreConformance() { Open(); }

  void Open() {
    store_.reset();
    auto opened = GetParam().open(directory_.path());
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  void Begin(const AuditId& id, const std::string& request_id = "") {
    const absl::Status begun = store_->BeginAudit(id, AuditOf(id, request_id));
    ASSERT_TRUE(begun.ok()) << begun;
  }

  void End(const AuditId& id) {
    v1::Audit audit = AuditOf(id);
    audit.set_state(v1::AUDIT_STATE_DONE);
    const absl::Status ended = store_->EndAudit(id, audit, Findings(2), ProbeResults(3));
    ASSERT_TRUE(ended.ok()) << ended;
  }

  std::vector<std::string> Newest(std::size_t count) {
    std::vector<std::string> ids;
    const auto audits = store_->NewestAudits(count);
    EXPECT_TRUE(audits.ok()) << audits.status();
    for (const KeptAudit& kept : *audits) ids.push_back(kept.id.Text());
    return ids;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreConformance, ABegunAuditIsThereAfterARestart) {
  Begin({7, 1}, "r1");
  Open();
  const auto kept = store_->FindAudit({7, 1});
  ASSERT_TRUE(kept.ok() && kept->has_value()) << kept.status();
  EXPECT_EQ((*kept)->id, (AuditId{7, 1}));
  EXPECT_FALSE((*kept)->ended);
  EXPECT_TRUE(MessageDifferencer::Equals((*kept)->audit, AuditOf({7, 1}, "r1")));
  EXPECT_THAT((*kept)->findings, IsEmpty());
}

TEST_P(StoreConformance, AnEndedAuditHasItsFindingsAndProbeResultsInOrder) {
  Begin({7, 1});
  End({7, 1});
  Open();
  const auto kept = store_->FindAudit({7, 1});
  ASSERT_TRUE(kept.ok() && kept->has_value()) << kept.status();
  EXPECT_TRUE((*kept)->ended);
  EXPECT_EQ((*kept)->audit.state(), v1::AUDIT_STATE_DONE);
  ASSERT_EQ((*kept)->findings.size(), 2u);
  EXPECT_EQ((*kept)->findings[1].key(), "mtu.low/gpu1");
  ASSERT_EQ((*kept)->probe_results.size(), 3u);
  EXPECT_EQ((*kept)->probe_results[2]->spec().probe_id(), "p2");
}

TEST_P(StoreConformance, TheLastEndOfAnAuditCounts) {
  Begin({7, 1});
  End({7, 1});
  ASSERT_TRUE(store_->EndAudit({7, 1}, AuditOf({7, 1}), Findings(1), {}).ok());
  const auto kept = store_->FindAudit({7, 1});
  ASSERT_TRUE(kept.ok() && kept->has_value()) << kept.status();
  EXPECT_EQ((*kept)->findings.size(), 1u);
  EXPECT_THAT((*kept)->probe_results, IsEmpty());
}

TEST_P(StoreConformance, RefusesTheSameIdTwiceAndTheEndOfAnUnknownAudit) {
  Begin({7, 1});
  EXPECT_EQ(store_->BeginAudit({7, 1}, AuditOf({7, 1})).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->EndAudit({7, 2}, AuditOf({7, 2}), {}, {}).code(), absl::StatusCode::kNotFound);
  const auto unknown = store_->FindAudit({8, 1});
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE(unknown->has_value());
}

TEST_P(StoreConformance, ListsTheNewestByEpochAndNumber) {
  for (const AuditId& id : {AuditId{9, 2}, AuditId{10, 1}, AuditId{9, 11}, AuditId{10, 2}}) {
    Begin(id);
    End(id);
  }
  EXPECT_THAT(Newest(3), ElementsAre("a10-2", "a10-1", "a9-11"));
  EXPECT_THAT(Newest(100), ElementsAre("a10-2", "a10-1", "a9-11", "a9-2"));
  EXPECT_THAT(Newest(0), IsEmpty());
}

TEST_P(StoreConformance, ListsWhatHasNotEndedHoweverOldItIs) {
  for (std::uint64_t number = 1; number <= 4; ++number) Begin({7, number});
  for (std::uint64_t number = 2; number <= 4; ++number) End({7, number});
  EXPECT_THAT(Newest(2), ElementsAre("a7-4", "a7-3", "a7-1"));
}

TEST_P(StoreConformance, FindsTheNewestAuditOfARequestOfACaller) {
  const std::string odd("r\0\xc3\xa9'", 5);
  Begin({7, 1}, odd);
  Begin({7, 2}, odd);
  Begin({7, 3});
  EXPECT_EQ(store_->FindRequest("alice", odd).value(), (AuditId{7, 2}));
  EXPECT_FALSE(store_->FindRequest("bob", odd).value().has_value());
  EXPECT_FALSE(store_->FindRequest("alice", "r").value().has_value());
  EXPECT_FALSE(store_->FindRequest("alice", "").value().has_value());
}

TEST_P(StoreConformance, ForgetsTheOldestALittleAtATimeAndNoneThatHasNotEnded) {
  for (std::uint64_t number = 1; number <= 6; ++number) Begin({7, number});
  for (std::uint64_t number = 2; number <= 6; ++number) End({7, number});
  EXPECT_EQ(store_->ForgetAudits(6, 10).value(), 0u);
  EXPECT_EQ(store_->ForgetAudits(3, 2).value(), 2u);
  EXPECT_THAT(Newest(9), ElementsAre("a7-6", "a7-5", "a7-4", "a7-1"));
  EXPECT_EQ(store_->ForgetAudits(3, 2).value(), 1u);
  EXPECT_EQ(store_->ForgetAudits(0, 10).value(), 2u);
  EXPECT_THAT(Newest(9), ElementsAre("a7-1"));
  EXPECT_TRUE(store_->CheckIntegrity().ok());
}

TEST_P(StoreConformance, KeepsSwitchesByName) {
  const auto leaf = [](const std::string& name, int ports) {
    auto facts = std::make_shared<v1::SwitchFacts>();
    facts->set_name(name);
    for (int i = 0; i < ports; ++i) facts->add_ports()->set_name(fmt::format("Ethernet{}", i));
    return facts;
  };
  const KeptMoment at{WallTime(std::chrono::nanoseconds(1'709'251'200'123'456'789)), "boot-1",
                      MonotonicTime(std::chrono::nanoseconds(77'123'456'789))};
  ASSERT_TRUE(
      store_->PutSwitches({{leaf("leaf1", 1), at, "otto"}, {leaf("leaf2", 1), at, ""}}).ok());
  ASSERT_TRUE(store_->PutSwitches({{leaf("leaf1", 4), at, "vera"}}).ok());
  ASSERT_TRUE(store_->RemoveSwitch("leaf2").ok());
  ASSERT_TRUE(store_->RemoveSwitch("nobody").ok());
  Open();
  const auto switches = store_->Switches();
  ASSERT_TRUE(switches.ok()) << switches.status();
  ASSERT_EQ(switches->size(), 1u);
  EXPECT_EQ(switches->front().facts->ports_size(), 4);
  EXPECT_EQ(switches->front().imported_at, at);
  EXPECT_EQ(switches->front().imported_by, "vera");
}

TEST_P(StoreConformance, KeepsWhoIsSetAsideUntilThatHasEnded) {
  const WallTime now{std::chrono::seconds(1'709'251'200)};
  const auto mark = [&](const std::string& host, int seconds) {
    v1::MaintenanceMark mark;
    mark.set_host(host);
    mark.set_reason("new optics");
    *mark.mutable_until() = ToProto(now + std::chrono::seconds(seconds));
    return mark;
  };
  const auto kept = [&] {
    std::vector<std::string> hosts;
    const auto marks = store_->Maintenance();
    EXPECT_TRUE(marks.ok()) << marks.status();
    for (const v1::MaintenanceMark& one : *marks) {
      hosts.push_back(
          fmt::format("{} {}", one.host(), (FromProto(one.until()) - now).count() / 1'000'000'000));
    }
    return hosts;
  };
  ASSERT_TRUE(
      store_->PutMaintenance({mark("gpu2", 10), mark("gpu1", 5), mark("gpu3", 99)}, now).ok());
  Open();
  EXPECT_THAT(kept(), ElementsAre("gpu1 5", "gpu2 10", "gpu3 99"));
  ASSERT_TRUE(store_->PutMaintenance({mark("gpu2", 60)}, now + std::chrono::seconds(5)).ok());
  EXPECT_THAT(kept(), ElementsAre("gpu2 60", "gpu3 99"));
  ASSERT_TRUE(store_->RemoveMaintenance({"gpu3", "nobody"}).ok());
  Open();
  EXPECT_THAT(kept(), ElementsAre("gpu2 60"));
}

KeptMoment At(int seconds, const std::string& boot = "boot-1") {
  return {WallTime(std::chrono::seconds(1'000 + seconds)), boot,
          MonotonicTime(std::chrono::seconds(seconds))};
}

KeptFacts FactsOf(const std::string& host, const std::string& release, int seconds) {
  KeptFacts kept;
  kept.host = host;
  kept.read_at = At(seconds);
  kept.facts.mutable_kernel()->set_release(release);
  return kept;
}

TEST_P(StoreConformance, KeepsTheLatestFactsOfEachHost) {
  ASSERT_TRUE(store_->PutFacts({FactsOf("gpu2", "6.1", 10), FactsOf("gpu1", "6.1", 11)}, {}).ok());
  ASSERT_TRUE(store_->PutFacts({FactsOf("gpu1", "6.2", 12), FactsOf("gpu3", "6.1", 12)}, {}).ok());
  ASSERT_TRUE(store_->ForgetFacts({"gpu3", "nobody"}).ok());
  Open();
  const auto all = store_->LatestFacts();
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].host, "gpu1");
  EXPECT_EQ((*all)[0].facts.kernel().release(), "6.2");
  EXPECT_EQ((*all)[0].read_at, At(12));
  EXPECT_EQ((*all)[1].host, "gpu2");
}

TEST_P(StoreConformance, FactsThatWereReadAgainHaveANewTime) {
  ASSERT_TRUE(store_->PutFacts({FactsOf("gpu1", "6.1", 10), FactsOf("gpu2", "6.1", 10)}, {}).ok());
  ASSERT_TRUE(store_->ConfirmFacts({{"gpu1", At(70, "boot-2")}, {"nobody", At(70)}}).ok());
  Open();
  const auto all = store_->LatestFacts();
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].read_at, At(70, "boot-2"));
  EXPECT_EQ((*all)[0].facts.kernel().release(), "6.1");
  EXPECT_EQ((*all)[1].read_at, At(10));
}

v1::Event EventOf(const std::string& host, int seconds) {
  v1::Event event;
  event.set_host(host);
  event.mutable_at()->set_seconds(seconds);
  event.set_path("kernel.release");
  return event;
}

std::vector<std::uint64_t> NumbersOf(const absl::StatusOr<EventPage>& page) {
  EXPECT_TRUE(page.ok()) << page.status();
  std::vector<std::uint64_t> numbers;
  for (const v1::Event& event : page->events) numbers.push_back(event.number());
  return numbers;
}

TEST_P(StoreConformance, NumbersEventsAndGivesThemInPages) {
  ASSERT_TRUE(store_->PutFacts({}, {EventOf("gpu1", 10), EventOf("gpu2", 20)}).ok());
  ASSERT_TRUE(store_->PutFacts({}, {EventOf("gpu1", 30), EventOf("gpu3", 40)}).ok());
  Open();
  EXPECT_THAT(NumbersOf(store_->Events({})), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(store_->Events({})->next_after, 0u);
  EXPECT_EQ(store_->Events({})->last, 4u);
  EXPECT_EQ(store_->Events({})->events[3].host(), "gpu3");
  const auto first = store_->Events({.at_most = 3});
  EXPECT_THAT(NumbersOf(first), ElementsAre(1, 2, 3));
  EXPECT_THAT(NumbersOf(store_->Events({.after = first->next_after, .at_most = 3})),
              ElementsAre(4));
  EXPECT_THAT(NumbersOf(store_->Events({.since = WallTime(std::chrono::seconds(20))})),
              ElementsAre(2, 3, 4));
  const auto of_gpu1 = [](const std::string& host) { return host == "gpu1"; };
  EXPECT_THAT(NumbersOf(store_->Events({.of_host = of_gpu1})), ElementsAre(1, 3));
  EXPECT_EQ(store_->Events({.of_host = of_gpu1})->last, 4u);
  EXPECT_EQ(store_->Events({.after = 9})->last, 9u);
}

TEST_P(StoreConformance, ForgetsTheOldestEventsAndGivesNoNumberTwice) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->PutFacts({}, {EventOf("gpu1", i)}).ok());
  EXPECT_EQ(store_->ForgetEvents(3, 1).value(), 1u);
  EXPECT_EQ(store_->ForgetEvents(3, 10).value(), 1u);
  EXPECT_EQ(store_->ForgetEvents(3, 10).value(), 0u);
  EXPECT_THAT(NumbersOf(store_->Events({})), ElementsAre(3, 4, 5));
  EXPECT_EQ(store_->ForgetEvents(1, 10).value(), 2u);
  Open();
  EXPECT_EQ(store_->ForgetEvents(0, 10).value(), 1u);
  ASSERT_TRUE(store_->PutFacts({}, {EventOf("gpu1", 9)}).ok());
  EXPECT_THAT(NumbersOf(store_->Events({})), ElementsAre(6));
}

// A process that makes audits until it is killed, and tells by a byte each what is on disk.
class Writer {
 public:
  Writer(const Kind& kind, const std::string& directory, std::uint64_t epoch) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      Write(kind, directory, epoch, ends[1]);
    }
    close(ends[1]);
    acknowledged_ = ends[0];
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { close(acknowledged_); }

  // 'b' begun, 'e' ended; 0: the process has said its last.
  char Read() const {
    char said = 0;
    return read(acknowledged_, &said, 1) == 1 ? said : '\0';
  }
  void Kill() const {
    kill(child_, SIGKILL);
    int status = 0;
    waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;
  }

 private:
  [[noreturn]] static void Write(const Kind& kind, const std::string& directory,
                                 std::uint64_t epoch, int to) {
    auto store = kind.open(directory);
    for (std::uint64_t number = 1; store.ok(); ++number) {
      const AuditId id{epoch, number};
      if (!(*store)->BeginAudit(id, AuditOf(id)).ok() || write(to, "b", 1) != 1) break;
      if (!(*store)->EndAudit(id, AuditOf(id), Findings(20), ProbeResults(5)).ok()) break;
      if (write(to, "e", 1) != 1) break;
    }
    _exit(1);
  }

  pid_t child_ = -1;
  int acknowledged_ = -1;
};

TEST_P(StoreConformance, WhatWasAcknowledgedOutlivesAKill) {
  std::mt19937 random(4711);
  for (std::uint64_t epoch = 1; epoch <= 50; ++epoch) {
    store_.reset();
    std::uint64_t begun = 0, ended = 0;
    const auto hear = [&](char said) {
      begun += said == 'b';
      ended += said == 'e';
      return said != '\0';
    };
    Writer writer(GetParam(), directory_.path(), epoch);
    const unsigned enough = 1 + random() % 12;
    while (begun + ended < enough && hear(writer.Read())) {
    }
    // Wherever it is by now.
    random.discard(random() % 100'000);
    writer.Kill();
    while (hear(writer.Read())) {
    }

    Open();
    ASSERT_TRUE(store_->CheckIntegrity().ok()) << "round " << epoch;
    for (std::uint64_t number = 1; number <= begun; ++number) {
      const auto kept = store_->FindAudit({epoch, number});
      ASSERT_TRUE(kept.ok() && kept->has_value()) << kept.status();
      if (number > ended && !(*kept)->ended) continue;
      EXPECT_EQ((*kept)->findings.size(), 20u) << "all or nothing";
      EXPECT_EQ((*kept)->probe_results.size(), 5u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance,
                         testing::Values(Kind{"Sqlite",
                                              [](const std::string& directory) {
                                                return OpenSqliteStore(directory + "/" +
                                                                       kStoreFileName);
                                              }}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace roceready
