// SPDX-License-Identifier: Apache-2.0
// Reads the whole host: the inventory first, then every planned reading on its lane (plan.h).
//
// * Each reading has a deadline. One that does not answer is TIMED_OUT and quarantines its lane:
//   the readings behind it are TIMED_OUT as well, with its name in the reason, and later
//   collections do not wait for the lane. All other lanes go on.
// * When the hung reading answers at last, its answer is kept (as of that moment), the lane is free
//   again and on_recovered is called: the owner then collects again. The reading that hung is left
//   alone for a while, longer each time: a query that hangs with RTNL held must not become the
//   reason why the host has no RTNL.
//
// All calls and callbacks on the event loop's thread; the lanes' threads only post to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/facts/affected.h"
#include "agent/facts/collection.h"
#include "agent/facts/counter_window.h"
#include "agent/facts/lane.h"
#include "agent/facts/plan.h"
#include "agent/facts/sources.h"
#include "agent/watch/changes.h"
#include "proto/process/event_loop.h"

namespace roceready::facts {

struct CollectorOptions {
  // The name in the agent's certificate.
  std::string host;
  // Of one reading.
  Duration deadline = std::chrono::seconds(2);
  // Counter deltas span at least this.
  Duration counter_window = std::chrono::seconds(10);
};

class Collector {
 public:
  Collector(EventLoop* loop, std::shared_ptr<const Sources> sources, CollectorOptions options);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Begins a collection, or joins the one that has not begun reading yet; `done` is called once,
  // after at most about one deadline for each slow lane. Callers that come during a collection wait
  // for the next one: theirs must not be older than their call.
  void Collect(bool with_raw_counters, std::function<void(const Collection&)> done);
  // The same, reading only what `changes` concern; all else is as it was last read, and named with
  // its time in Collection::older. Joins a full collection where one waits already.
  void CollectChanged(const watch::Changes& changes, std::function<void(const Collection&)> done);

  // A probe of ours has ended: counters count anew from here.
  void ForgetCountersBeforeNow() { windows_.ForgetBefore(Now()); }
  // Tells whether one is running; nothing counts then.
  void set_own_traffic(std::function<bool()> own_traffic) { own_traffic_ = std::move(own_traffic); }

  // A quarantined lane answers again.
  void set_on_recovered(std::function<void()> on_recovered) {
    on_recovered_ = std::move(on_recovered);
  }
  // What hangs now, by lane: "DCB of ens7f0".
  std::map<std::string, std::string> hanging() const;
  // What the lanes are at now, hanging or not, by lane.
  std::map<std::string, std::string> running() const;

 private:
  struct Answer {
    Fragment fragment;
    MonotonicTime read_at{};
    bool timed_out = false;
  };
  // A reading that once hung and has answered since.
  struct Convalescent {
    Answer late_answer;
    int hangs_in_a_row = 0;
    MonotonicTime leave_alone_until{};
  };
  struct LaneState {
    Lane lane;
    // What runs on the thread now, and since when.
    std::optional<PlannedReading> running;
    size_t running_index = 0;  // in readings_, while not quarantined
    MonotonicTime running_since{};
    EventLoop::TimerId deadline = 0;
    bool quarantined = false;
    std::vector<size_t> waiting;  // in readings_, the next one last
  };
  // How the lanes' threads reach the loop; they may outlive both it and the collector.
  struct Mailbox;

  void BeginRound();
  void ReadTheInventory();
  void PlanRound(Inventory inventory, const Affected& affected);
  void PlanReading(size_t index, const Affected& affected);
  void DropUnplanned();
  void RunNext(const std::string& lane_name);
  void Answered(const std::string& lane_name, Fragment fragment);
  void AnsweredLate(LaneState* lane, Answer answer);
  void DeadlinePassed(const std::string& lane_name);
  void Settle(size_t index, Answer answer);
  void SettleTimedOut(size_t index, const LaneState& lane);
  v1::Reading TimedOut(const PlannedReading& reading, const PlannedReading& culprit) const;
  void FinishIfComplete();
  Collection Assemble();
  void NoteOlder(const Answer& answer, const std::map<std::string, bool>& rows,
                 Collection* collection) const;
  MonotonicTime Now() const { return loop_->clock()->Now(); }

  EventLoop* const loop_;
  const std::shared_ptr<const Sources> sources_;
  const CollectorOptions options_;
  std::function<void()> on_recovered_;
  std::function<bool()> own_traffic_ = [] { return false; };

  std::map<std::string, std::unique_ptr<LaneState>> lanes_;
  std::map<std::string, Convalescent> convalescents_;  // by reading key
  CounterWindows windows_;
  Lane inventory_lane_;
  bool inventory_running_ = false;
  std::optional<EventLoop::TimerId> inventory_deadline_;
  std::shared_ptr<const Inventory> inventory_ = std::make_shared<Inventory>();

  // The round under way.
  bool round_running_ = false;
  MonotonicTime round_began_{};
  bool with_raw_ = false;
  watch::Changes changes_;
  std::vector<PlannedReading> readings_;
  std::vector<std::optional<Answer>> answers_;  // of readings_, same index
  size_t unanswered_ = 0;
  std::vector<std::function<void(const Collection&)>> served_;

  // What the round before read, by reading key; without what did not answer.
  std::map<std::string, Answer> last_answers_;

  // For the next round.
  std::vector<std::function<void(const Collection&)>> waiting_;
  watch::Changes changes_wanted_;
  bool raw_wanted_ = false;

  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace roceready::facts
