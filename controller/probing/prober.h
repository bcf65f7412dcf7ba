// SPDX-License-Identifier: Apache-2.0
// Runs the pairs of all audits, one at a time on each physical adapter, and those of an incast
// together. An adapter is free again when its session has reported its end, or must have ended: by
// the agent's own deadlines, or with the agent's process when another has taken its place. Never
// before, whatever becomes of the audit. Runs on the event loop.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/fleet/fleet.h"
#include "controller/probing/pair_queue.h"
#include "controller/probing/pair_run.h"
#include "controller/probing/probe_counters.h"
#include "controller/probing/probe_runner.h"

namespace roceready {

class Prober final : public ProbeRunner, public ProbeListener {
 public:
  // Listens to the fleet until it is destroyed.
  Prober(EventLoop* loop, Fleet* fleet);
  ~Prober() override;

  RunId Start(ProbeWork work, Callbacks callbacks) override;
  void BeginNoMore(RunId run) override;
  Stopped Stop(RunId run, const std::string& reason) override;
  std::vector<std::string> HostsUnsure() const override;

  void OnProbeMessage(const std::string& host, const v1::ConnectRequest& message) override;
  void OnAgentGone(const std::string& host, const absl::Status& why) override;
  void OnAgentStarted(const std::string& host) override;

  // Adapters that no new pair may use now ("host/adapter").
  std::vector<std::string> BusyAdapters() const;
  std::size_t running_pairs() const { return running_.size(); }
  const ProbeCounters& counters() const { return counters_; }

 private:
  struct Run {
    ProbeWork work;
    PairQueue waiting;
    std::set<std::string> running;  // probe ids
    Callbacks callbacks;
    bool done_told = false;
  };
  // An adapter whose session has not reported its end.
  struct Lingering {
    std::string host;
    std::string adapter;
    std::string instance;  // the agent's start that holds it
    EventLoop::TimerId timer;
  };

  void BeginPairs();
  void BeginPairsOf(RunId id, Run* run);
  bool CanUse(const PairAdapter& adapter) const;
  void Release(const std::string& adapter);
  void BeginPair(RunId id, Run* run, PlannedPair pair);
  void PairEnded(RunId id, const std::string& probe_id);
  void Linger(const std::string& probe_id, const PairRun::LeftBehind& left);
  void EndLinger(const std::string& probe_id, const std::string& host);
  std::string InstanceOf(const std::string& host) const;
  void TellDone(RunId id);
  void ScheduleBegin();

  EventLoop* loop_;
  Fleet* fleet_;
  ProbeLink link_;
  RunId next_run_ = 1;
  std::map<RunId, Run> runs_;
  std::map<std::string, std::unique_ptr<PairRun>> running_;  // by probe id
  // Once for each pair or lingering session that uses it.
  std::multiset<std::string> busy_;
  std::multimap<std::string, Lingering> lingering_;  // by probe id
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool begin_scheduled_ = false;
  ProbeCounters counters_;
};

}  // namespace roceready
