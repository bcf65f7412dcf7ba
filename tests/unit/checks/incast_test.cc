// SPDX-License-Identifier: Apache-2.0
// probe.incast over ports of any speed, with what the cases of a whole fleet do not reach.
#include "checks/probe/incast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "tests/support/builders/facts_builder.h"
#include "tests/support/builders/probe_builder.h"

namespace roceready::checks {
namespace {

using builders::kLargeBytes;
using builders::ProbeBuilder;
using testing::HasSubstr;

class Incast : public testing::Test {
 protected:
  Incast() {
    policy_.intent.add_lossless_priorities(3);
    Port("to", 200'000);
  }

  void Port(const std::string& host, std::optional<uint64_t> mbps, bool software = false) {
    PortCapacity& capacity = ports_[host];
    capacity.model = software ? "rxe" : "nic";
    capacity.is_software = software;
    capacity.mbps = mbps;
  }

  ProbeBuilder& Sender(const std::string& host, std::optional<uint64_t> mbps, double gbps,
                       const std::string& to = "to") {
    Port(host, mbps, ports_[to].is_software);
    return builders_.emplace_back(End(host), End(to)).SendsInIncast("group " + to, gbps * 1e9);
  }

  // Without CNPs.
  static void Unseen(ProbeBuilder& sender) {
    sender.Active(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes)
        .mutable_counters(0)
        ->mutable_samples()
        ->RemoveLast();
  }

  static void Counts(ProbeBuilder& sender, uint64_t gaps, uint64_t duplicates, uint64_t repeats) {
    sender.Counts(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes,
                  {.sent = 200'000, .repeats = repeats},
                  {.received = 400'000, .gaps = gaps, .duplicates = duplicates});
  }

  // "PASS", "FAIL ...", "UNKNOWN ..." of the first group that is no PASS; "N/A" where nothing is
  // said.
  std::string Judged() {
    Judge judge(*FindCheck("probe.incast"), v1::SCOPE_PROBE, policy_);
    std::vector<ProbedPair> pairs;
    for (ProbeBuilder& one : builders_) pairs.push_back(ViewProbe(one.Planned(), &one.result()));
    JudgeIncasts(
        pairs,
        [this](const v1::ProbeEnd& end) {
          const auto found = ports_.find(end.host());
          return found == ports_.end() ? nullptr : &found->second;
        },
        judge);
    const std::deque<Draft> drafts = judge.TakeDrafts();
    if (drafts.empty()) return judge.tally().pass() > 0 ? "PASS" : "N/A";
    const v1::Finding& finding = drafts.front().finding;
    return finding.status() == v1::CHECK_STATUS_FAIL ? "FAIL " + finding.actual()
                                                     : "UNKNOWN " + finding.reason();
  }

  static v1::ProbeEnd End(const std::string& host) {
    v1::ProbeEnd end;
    end.set_host(host);
    end.set_rdma_device_id("pci:0000:3b:00.0");
    end.set_port(1);
    return end;
  }

  EffectivePolicy policy_;
  std::map<std::string, PortCapacity> ports_;
  std::deque<ProbeBuilder> builders_;
};

TEST_F(Incast, SlowSendersDoNotMakeAFastPortCollapse) {
  Sender("a", 40'000, 38);
  Sender("b", 40'000, 38);
  EXPECT_EQ(Judged(), "PASS") << "CNPs were answered";
  for (ProbeBuilder& one : builders_) Unseen(one);
  EXPECT_THAT(Judged(), HasSubstr("UNKNOWN nothing was lost, but the senders reached 76.00 Gb/s"));
}

TEST_F(Incast, BackPressureDoesNotExcuseACollapse) {
  Sender("a", 200'000, 1);
  Sender("b", 200'000, 1);
  EXPECT_THAT(Judged(), HasSubstr("FAIL 2.00 Gb/s together of a,b at once"));
}

TEST_F(Incast, ALimitOfTheOrderIsNoFullPort) {
  for (const char* host : {"a", "b"}) {
    ProbeBuilder& sender = Sender(host, 200'000, 1);
    sender.result().mutable_spec()->set_rate_limit_bps(1'000'000'000);
    Unseen(sender);
  }
  EXPECT_THAT(Judged(), HasSubstr("UNKNOWN nothing was lost, but the senders reached 2.00 Gb/s"));
}

TEST_F(Incast, WhatThePortCanCarryHasToBeKnown) {
  Port("to", std::nullopt);
  Sender("a", 200'000, 1);
  Sender("b", 200'000, 1);
  EXPECT_THAT(Judged(), HasSubstr("UNKNOWN nothing was lost, but what the port can carry"));
}

TEST_F(Incast, MoreThanThePortCarriesWasNotSentAtTheSameTime) {
  Sender("a", 200'000, 190);
  Sender("b", 200'000, 190);
  EXPECT_THAT(Judged(), HasSubstr("UNKNOWN together 380.00 Gb/s, more than the 200.00 Gb/s"));
}

TEST_F(Incast, LossIsSeenWhoeverElseCouldNotBeProbed) {
  Sender("a", 200'000, 90);
  Counts(Sender("b", 200'000, 90), 90, 0, 90);
  ProbeBuilder& refused = Sender("c", 200'000, 0);
  refused.result().set_refusal(v1::REFUSAL_REASON_BUSY);
  refused.result().set_refused_by(v1::PROBE_SIDE_A);
  EXPECT_THAT(Judged(), HasSubstr("FAIL 0.022 % of packets lost"));
}

TEST_F(Incast, RepeatsOfWhatHadArrivedAreNoLossOthersAre) {
  Counts(Sender("a", 200'000, 90), 0, 500, 20);
  Counts(Sender("b", 200'000, 90), 0, 500, 20);
  EXPECT_EQ(Judged().substr(0, 4), "PASS");
  Counts(builders_.front(), 0, 1, 10'000);
  Counts(builders_.back(), 0, 1, 20);
  EXPECT_THAT(Judged(), HasSubstr("FAIL"));
}

TEST_F(Incast, WithoutALosslessPriorityLossIsNotJudgedNorDenied) {
  policy_.intent.clear_lossless_priorities();
  Counts(Sender("a", 200'000, 60), 90, 0, 90);
  Counts(Sender("b", 200'000, 60), 90, 0, 90);
  EXPECT_THAT(Judged(), HasSubstr("UNKNOWN the senders reached 120.00 Gb/s"));
}

TEST_F(Incast, WhereNothingWasMovedNothingIsSaid) {
  Port("to", 200'000, true);
  for (const char* host : {"a", "b"}) {
    Sender(host, 200'000, 0)
        .Active(v1::PROBE_OPERATION_WRITE, v1::PROBE_SIDE_A, kLargeBytes)
        .set_bytes_moved(0);
  }
  EXPECT_EQ(Judged(), "UNKNOWN nothing was moved");
}

TEST_F(Incast, OfSoftwareNothingButLossIsAsked) {
  Port("to", 200'000, true);
  Sender("a", 200'000, 0.1);
  Sender("b", 200'000, 0.1);
  EXPECT_EQ(Judged(), "PASS");
  policy_.intent.clear_lossless_priorities();
  EXPECT_EQ(Judged(), "N/A");
}

TEST_F(Incast, SoftwareIsComparedWithSoftware) {
  for (const char* to : {"h1", "h2", "h3", "h4"}) {
    Sender(std::string(to) + "a", 200'000, 95, to);
    Port(to, 200'000);
    Sender(std::string(to) + "b", 200'000, 95, to);
  }
  Port("to", 200'000, true);
  Sender("a", 200'000, 0.1);
  Sender("b", 200'000, 0.1);
  EXPECT_EQ(Judged(), "PASS") << "far below the hardware's";
}

}  // namespace
}  // namespace roceready::checks
