// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/prober.h"

#include <algorithm>
#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

struct Addressed {
  std::string probe_id;
  std::uint32_t attempt = 0;
};

Addressed AddressOf(const v1::ConnectRequest& message) {
  switch (message.body_case()) {
    case v1::ConnectRequest::kProbePrepared:
      return {message.probe_prepared().probe_id(), message.probe_prepared().attempt()};
    case v1::ConnectRequest::kProbeRefused:
      return {message.probe_refused().probe_id(), message.probe_refused().attempt()};
    case v1::ConnectRequest::kProbeConnected:
      return {message.probe_connected().probe_id(), message.probe_connected().attempt()};
    case v1::ConnectRequest::kPhaseDone:
      return {message.phase_done().probe_id(), message.phase_done().attempt()};
    case v1::ConnectRequest::kEndReport:
      return {message.end_report().probe_id(), message.end_report().attempt()};
    default:
      return {};
  }
}

std::size_t PairsOfIncast(const std::vector<WaitingPair>& pairs, std::size_t first) {
  std::size_t end = first;
  while (end < pairs.size() && pairs[end].incast == pairs[first].incast) ++end;
  return end - first;
}

}  // namespace

Prober::Prober(EventLoop* loop, Fleet* fleet) : loop_(loop), fleet_(fleet) {
  link_.loop = loop;
  link_.lease = fleet->options().lease;
  link_.send = [fleet](const std::string& host, v1::ConnectResponse order) {
    return fleet->SendOrder(host, std::move(order));
  };
  link_.instance_of = [this](const std::string& host) { return InstanceOf(host); };
  fleet_->SetProbeListener(this);
}

Prober::~Prober() {
  *alive_ = false;
  fleet_->SetProbeListener(nullptr);
  for (const auto& [probe_id, lingering] : lingering_) loop_->Cancel(lingering.timer);
}

ProbeRunner::RunId Prober::Start(ProbeWork work, Callbacks callbacks) {
  const RunId id = next_run_++;
  if (work.at_once == 0) work.at_once = kMaxPairs;
  PairQueue waiting(work.pairs);
  runs_.emplace(id, Run{.work = std::move(work),
                        .waiting = std::move(waiting),
                        .running = {},
                        .callbacks = std::move(callbacks)});
  ScheduleBegin();
  return id;
}

void Prober::ScheduleBegin() {
  if (std::exchange(begin_scheduled_, true)) return;
  loop_->PostControl([this, alive = alive_] {
    if (!*alive) return;
    begin_scheduled_ = false;
    BeginPairs();
  });
}

void Prober::BeginPairs() {
  for (auto& [id, run] : runs_) {
    BeginPairsOf(id, &run);
    if (run.waiting.empty() && run.running.empty()) TellDone(id);
  }
}

void Prober::BeginPairsOf(RunId id, Run* run) {
  const std::size_t at_once = std::min<std::size_t>(run->work.at_once, kMaxPairs);
  const std::size_t of_run = at_once - std::min(at_once, run->running.size());
  const std::size_t of_all = kMaxPairs - std::min(kMaxPairs, running_.size());
  std::uint32_t incast = 0;
  std::shared_ptr<IncastGates> gates;
  run->waiting.Begin(
      std::min(of_run, of_all), [this](const PairAdapter& adapter) { return CanUse(adapter); },
      [&](std::size_t place) {
        const WaitingPair& pair = run->work.pairs[place];
        // An incast's pairs come in a row.
        const bool is_first = pair.incast != 0 && pair.incast != incast;
        incast = pair.incast;
        if (is_first) gates = std::make_shared<IncastGates>(PairsOfIncast(run->work.pairs, place));
        BeginPair(
            id, run,
            {run->work.spec_of(place), pair.a.name, pair.b.name, incast == 0 ? nullptr : gates});
      });
}

// An adapter left behind by an agent that is gone may be busy for as long as its last session can
// last. A pair that needs it fails without touching it, and need not wait to do so.
bool Prober::CanUse(const PairAdapter& adapter) const {
  if (!busy_.contains(adapter.name)) return true;
  const HostRecord* record = fleet_->Find(adapter.host);
  const bool connected = record != nullptr && record->connected;
  return !connected && std::ranges::any_of(lingering_, [&](const auto& lingering) {
    return lingering.second.adapter == adapter.name;
  });
}

// Others may still use it.
void Prober::Release(const std::string& adapter) {
  const auto use = busy_.find(adapter);
  if (use != busy_.end()) busy_.erase(use);
  for (auto& [id, run] : runs_) run.waiting.Freed(adapter);
}

void Prober::BeginPair(RunId id, Run* run, PlannedPair pair) {
  const std::string probe_id = pair.spec.probe_id();
  busy_.insert(pair.adapter_a);
  busy_.insert(pair.adapter_b);
  run->running.insert(probe_id);
  auto pair_run =
      std::make_unique<PairRun>(&link_, std::move(pair), [this, alive = alive_, id, probe_id] {
        // From the loop: the pair is in the middle of a call.
        loop_->PostControl([this, alive, id, probe_id] {
          if (*alive) PairEnded(id, probe_id);
        });
      });
  PairRun* begun = pair_run.get();
  running_[probe_id] = std::move(pair_run);
  begun->Begin();
}

void Prober::PairEnded(RunId id, const std::string& probe_id) {
  auto found = running_.find(probe_id);
  if (found == running_.end()) return;
  const std::unique_ptr<PairRun> pair = std::move(found->second);
  running_.erase(found);
  counters_.Count(*pair->result());
  for (const PairRun::LeftBehind& left : pair->left_behind()) Linger(probe_id, left);
  Release(pair->pair().adapter_a);
  Release(pair->pair().adapter_b);
  auto run = runs_.find(id);
  if (run != runs_.end()) {
    run->second.running.erase(probe_id);
    run->second.callbacks.result(pair->result());
  }
  ScheduleBegin();
}

std::string Prober::InstanceOf(const std::string& host) const {
  const HostRecord* record = fleet_->Find(host);
  return record == nullptr ? "" : record->speaker;
}

void Prober::Linger(const std::string& probe_id, const PairRun::LeftBehind& left) {
  if (InstanceOf(left.host) != left.instance) return;
  busy_.insert(left.adapter);
  const EventLoop::TimerId timer =
      loop_->RunAt(left.surely_free, [this, probe_id, host = left.host] {
        LogWarn("a probe's end never reported; its adapter counts as free by its deadline",
                {{"probe", probe_id}, {"host", host}});
        EndLinger(probe_id, host);
      });
  lingering_.emplace(probe_id, Lingering{left.host, left.adapter, left.instance, timer});
}

void Prober::EndLinger(const std::string& probe_id, const std::string& host) {
  auto [first, last] = lingering_.equal_range(probe_id);
  for (auto lingering = first; lingering != last;) {
    if (lingering->second.host != host) {
      ++lingering;
      continue;
    }
    loop_->Cancel(lingering->second.timer);
    Release(lingering->second.adapter);
    lingering = lingering_.erase(lingering);
  }
  ScheduleBegin();
}

void Prober::TellDone(RunId id) {
  Run& run = runs_.at(id);
  if (std::exchange(run.done_told, true)) return;
  loop_->PostControl([this, alive = alive_, id] {
    if (!*alive) return;
    auto found = runs_.find(id);
    if (found == runs_.end()) return;
    const Callbacks callbacks = std::move(found->second.callbacks);
    runs_.erase(found);
    callbacks.done();
  });
}

void Prober::BeginNoMore(RunId id) {
  auto run = runs_.find(id);
  if (run == runs_.end()) return;
  run->second.waiting.Clear();
  ScheduleBegin();
}

ProbeRunner::Stopped Prober::Stop(RunId id, const std::string& reason) {
  auto run = runs_.find(id);
  if (run == runs_.end()) return {};
  const Stopped stopped{.ended = run->second.running.size(),
                        .not_begun = run->second.waiting.pairs()};
  run->second.waiting.Clear();
  for (const std::string& probe_id : run->second.running) running_.at(probe_id)->Stop(reason);
  ScheduleBegin();
  return stopped;
}

std::vector<std::string> Prober::HostsUnsure() const {
  std::set<std::string> hosts;
  for (const auto& [probe_id, lingering] : lingering_) hosts.insert(lingering.host);
  return {hosts.begin(), hosts.end()};
}

void Prober::OnProbeMessage(const std::string& host, const v1::ConnectRequest& message) {
  const Addressed to = AddressOf(message);
  auto running = running_.find(to.probe_id);
  if (running != running_.end()) {
    running->second->OnMessage(host, to.attempt, message);
  } else if (message.has_end_report()) {
    EndLinger(to.probe_id, host);
  }
}

void Prober::OnAgentGone(const std::string& host, const absl::Status& why) {
  for (const auto& [probe_id, pair] : running_) {
    pair->OnAgentGone(host, std::string(Message(why)));
  }
  // Pairs that waited for it wait no longer.
  for (const auto& [probe_id, lingering] : lingering_) {
    if (lingering.host != host) continue;
    for (auto& [id, run] : runs_) run.waiting.Freed(lingering.adapter);
  }
  ScheduleBegin();
}

void Prober::OnAgentStarted(const std::string& host) {
  const std::string now = InstanceOf(host);
  std::set<std::string> over;
  for (const auto& [probe_id, lingering] : lingering_) {
    if (lingering.host == host && lingering.instance != now) over.insert(probe_id);
  }
  for (const std::string& probe_id : over) EndLinger(probe_id, host);
}

std::vector<std::string> Prober::BusyAdapters() const {
  std::vector<std::string> adapters;
  std::ranges::unique_copy(busy_, std::back_inserter(adapters));
  return adapters;
}

}  // namespace roceready
