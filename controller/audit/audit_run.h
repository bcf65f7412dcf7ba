// SPDX-License-Identifier: Apache-2.0
// One audit, from its creation to its report:
//
//   QUEUED -> REFRESHING -> PROBING -> JUDGING -> DONE | CANCELLED | ABORTED
//
// Hosts are judged, and their findings shown, as soon as facts are in; probes follow, those of the
// plan and then a few that tell who is to blame for bad ones; then all is concluded. An audit that
// is cancelled or out of time stops its probes and concludes from what there is: it ends with the
// partial report and says so. Runs on the event loop, judges on the worker.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/audit/after_plan.h"
#include "controller/audit/audit_id.h"
#include "controller/audit/audit_log.h"
#include "controller/audit/audited_pairs.h"
#include "controller/audit/judging.h"
#include "controller/audit/kept_audit.h"
#include "controller/audit/work_thread.h"
#include "controller/fleet/fleet.h"
#include "controller/fleet/fresh_facts.h"
#include "controller/probing/plan.h"
#include "controller/probing/probe_runner.h"

namespace roceready {

// What every audit of a controller works with. Not owned; all outlive the audits.
struct AuditTools {
  EventLoop* loop = nullptr;
  Fleet* fleet = nullptr;
  Worker* worker = nullptr;
  ProbeRunner* prober = nullptr;
  const SwitchBook* switches = nullptr;
};

class AuditRun : public std::enable_shared_from_this<AuditRun> {
 public:
  static constexpr Duration kFactsTimeout = std::chrono::seconds(5);
  static constexpr Duration kTimeout = std::chrono::minutes(15);
  // Events kept for watchers; more only where a large fleet is all broken.
  static constexpr std::size_t kMaxEvents = 20'000;

  struct Order {
    AuditId id;
    v1::CreateAuditRequest request;
    std::vector<std::string> hosts;
    std::shared_ptr<const LoadedPolicy> policy;
    std::string requested_by;
    // Runs once, when the state is final.
    std::function<void()> on_end;
  };

  // Why an audit has ended that the controller did not live to end.
  static constexpr char kLost[] = "lost: controller restarted";

  AuditRun(Order order, AuditTools tools);
  // One of an earlier start, which has ended; if by that alone, as ABORTED and kLost. Of its events
  // there is only the last.
  AuditRun(KeptAudit kept, AuditTools tools);

  // Leaves QUEUED.
  void Begin();
  // Does nothing once the audit has ended. An audit in QUEUED ends at once.
  void Cancel(const std::string& reason);

  // What a stop of the probes did to an audit.
  struct ProbeStop {
    // False: it had no probes left to run, and goes on.
    bool stopped = false;
    ProbeRunner::Stopped pairs;
  };
  // Ends its probes at once, and it with them: it is CANCELLED with `reason`, with what was
  // measured by then. It could not be DONE, for that would let pairs that nobody probed pass.
  // `over` is called once, when no pair of it runs any more, perhaps before this returns.
  ProbeStop StopProbes(const std::string& reason, std::function<void()> over);

  const AuditId& id() const { return id_; }
  const v1::Audit& audit() const { return audit_; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  bool ProbesAsked() const;
  // When it left QUEUED.
  MonotonicTime begun() const { return begun_; }
  AuditLog& log() { return log_; }
  bool ended() const { return log_.closed(); }
  // Nothing is known but that it was asked for.
  bool lost() const { return ended() && !audit_.has_verdict() && audit_.abort_reason() == kLost; }
  // Findings known so far; complete once ended.
  const std::vector<v1::Finding>& findings() const { return report_.findings; }
  const std::vector<std::shared_ptr<const v1::ProbeResult>>& probe_results() const {
    return pairs_.to_judge().results;
  }

 private:
  // How an audit that does not run to its end will end.
  struct EarlyEnd {
    v1::AuditState state;
    std::string reason;
  };
  struct Report {
    std::vector<v1::Finding> findings;
    std::map<std::string, std::string> shown;  // key -> bytes, of what watchers have seen
  };

  // From now: until when pairs may be added to the plan's, and until when they must have ended.
  struct RetestTime {
    Duration begin{}, stop{};
  };

  Duration Timeout() const;
  Duration TimeLeft() const;
  void EnterState(v1::AuditState state);
  void AddEvent(v1::WatchAuditResponse event);
  void Refresh();
  void HostRefreshed();
  void JudgeAllHosts();
  HostSnapshot SnapshotOf(const std::string& host) const;
  void NoteSilentHosts(const std::vector<HostSnapshot>& hosts);
  void HostsJudged(std::shared_ptr<const JudgedHosts> judged, v1::AuditReport report);
  void Probe();
  void StartProbes(ProbePlanned plan);
  // `lead` and the plan's words are told to watchers; `done` runs when no pair is left.
  void StartPairs(ProbePlanned plan, std::string_view lead, std::function<void()> done);
  void BeginNoPairsAfterBudget();
  void ProbeEnded(std::shared_ptr<const v1::ProbeResult> result);
  void PlanDone();
  RetestTime TimeForRetests() const;
  void PlanJudged(AfterPlan after);
  void StopRetestsInTime(RetestTime time);
  void RetestEnded(std::shared_ptr<const v1::ProbeResult> result);
  // Has the agents read their counters: the windows that follow are free of our probes.
  void StartNewCounterWindows();
  void ConcludeAll();
  void Conclude(v1::AuditReport* report);
  void ShowFindings(v1::AuditReport* report);
  void WithdrawFindings();
  void End(v1::Verdict verdict);
  ProbeRunner::Stopped EndEarly(v1::AuditState state, std::string reason);
  void CloseWith(v1::AuditState state);
  v1::WatchAuditResponse LastEvent() const;

  const AuditId id_;
  const AuditTools tools_;
  const std::vector<std::string> hosts_;
  const std::shared_ptr<const LoadedPolicy> policy_;
  v1::Audit audit_;
  AuditLog log_{kMaxEvents};
  std::function<void()> on_end_;
  std::optional<EarlyEnd> early_end_;
  EventLoop::TimerId timeout_timer_ = 0;
  MonotonicTime begun_{};

  // REFRESHING: the wait for the hosts, and who had not answered at its end.
  FreshFacts fresh_facts_;
  std::set<std::string> late_;
  std::shared_ptr<const JudgedHosts> judged_;
  // PROBING: the plan's pairs, then those that are added to tell who is to blame.
  ProbeRunner::RunId probe_run_ = 0;
  EventLoop::TimerId probes_timer_ = 0;
  MonotonicTime probing_begun_{};
  v1::PlanKind plan_kind_ = v1::PLAN_KIND_UNSPECIFIED;
  Duration of_a_pair_{};
  bool are_retests_stopped_ = false;
  AuditedPairs pairs_;
  Report report_;
  std::vector<std::function<void()>> when_probes_are_over_;
};

}  // namespace roceready
