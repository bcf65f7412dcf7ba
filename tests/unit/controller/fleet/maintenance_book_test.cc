// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/maintenance_book.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 2026-12-01 18:00:00 UTC
const WallTime kNow{seconds(1796148000)};

v1::SetMaintenanceRequest Request(const std::string& hosts, Duration duration = hours(4)) {
  v1::SetMaintenanceRequest request;
  request.set_hosts(hosts);
  request.set_reason("new optics");
  *request.mutable_duration() = ToProto(duration);
  return request;
}

class Maintenance : public testing::Test {
 protected:
  void Set(const std::string& hosts, Duration duration, WallTime now = kNow) {
    const auto marks = book_.MarksOf(Request(hosts, duration), "ann", now);
    ASSERT_TRUE(marks.ok()) << marks.status();
    book_.Put(*marks, now);
  }

  std::string Complaint(const v1::SetMaintenanceRequest& request) {
    return std::string(Message(book_.MarksOf(request, "ann", kNow).status()));
  }

  std::vector<std::string> HostsAt(WallTime now) {
    std::vector<std::string> hosts;
    for (const auto& [host, mark] : book_.MarksAt(now)) hosts.push_back(host);
    return hosts;
  }

  MaintenanceBook book_;
};

TEST_F(Maintenance, SetsHostsAsideUntilTheirTimeIsOver) {
  Set("gpu[9-10]", hours(4));
  const v1::MaintenanceMark* mark = book_.Find("gpu10", kNow + hours(3));
  ASSERT_NE(mark, nullptr);
  EXPECT_EQ(InWords(*mark), "set aside by ann until 2026-12-01 22:00 UTC: new optics");
  EXPECT_EQ(book_.Find("gpu1", kNow), nullptr);
  EXPECT_EQ(book_.Find("gpu10", kNow + hours(4)), nullptr) << "until is not included";
  EXPECT_THAT(HostsAt(kNow), ElementsAre("gpu9", "gpu10")) << "in the order of people";
  EXPECT_THAT(HostsAt(kNow + hours(4)), IsEmpty());
}

TEST_F(Maintenance, TheLastMarkOfAHostCounts) {
  Set("gpu1", hours(4));
  Set("gpu1", hours(1));
  EXPECT_EQ(book_.Find("gpu1", kNow + hours(2)), nullptr);
}

TEST_F(Maintenance, IsEndedByHand) {
  Set("gpu[1-2]", hours(4));
  book_.Remove({"gpu1", "nobody"});
  EXPECT_THAT(HostsAt(kNow), ElementsAre("gpu2"));
}

TEST_F(Maintenance, ForgetsWhatHasEnded) {
  Set("gpu[1-2]", hours(1));
  Set("gpu3", hours(1), kNow + hours(2));
  // The clock is set back: what had ended stays so.
  EXPECT_THAT(HostsAt(kNow), ElementsAre("gpu3"));
}

TEST_F(Maintenance, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(Complaint(Request("*")), HasSubstr("name them"));
  EXPECT_THAT(Complaint(Request("")), HasSubstr("no host name found"));
  EXPECT_THAT(Complaint(Request("gpu[1-")), HasSubstr("column"));
  EXPECT_THAT(Complaint(Request("gpu1", seconds(0))), HasSubstr("from 1 s to 90 days"));
  EXPECT_THAT(Complaint(Request("gpu1", -hours(1))), HasSubstr("from 1 s to 90 days"));
  EXPECT_THAT(Complaint(Request("gpu1", hours(24 * 90) + seconds(1))), HasSubstr("90 days"));
  v1::SetMaintenanceRequest request = Request("gpu1");
  request.clear_duration();
  EXPECT_THAT(Complaint(request), HasSubstr("duration"));
  request = Request("gpu1");
  request.clear_reason();
  EXPECT_THAT(Complaint(request), HasSubstr("say why"));
  request.set_reason(std::string(MaintenanceBook::kMaxReasonBytes + 1, 'x'));
  EXPECT_THAT(Complaint(request), HasSubstr("1001 bytes are given, at most 1000"));
}

TEST_F(Maintenance, OfSoManyHostsAndNoMore) {
  Set(fmt::format("n[1-{}]", MaintenanceBook::kMaxMarks), hours(1));
  EXPECT_THAT(Complaint(Request("other")), HasSubstr("at most 100000"));
  EXPECT_TRUE(book_.MarksOf(Request("n5"), "ann", kNow).ok()) << "it has a mark already";
  EXPECT_TRUE(book_.MarksOf(Request("other"), "ann", kNow + hours(1)).ok()) << "those are over";
}

}  // namespace
}  // namespace roceready
