// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/collector.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "agent/facts/firmware.h"
#include "agent/facts/gpus.h"
#include "agent/facts/pci.h"
#include "agent/facts/readings.h"
#include "proto/contract/fact_parts.h"

namespace roceready::facts {
namespace {

constexpr uint32_t kSchemaVersion = 1;
// How long a reading is left alone after it hung once; after hanging again, twice as long as it
// hung, within the bounds.
constexpr Duration kFirstRest = std::chrono::seconds(5);
constexpr Duration kLongestRest = std::chrono::minutes(5);

std::string SecondsText(Duration duration) {
  return fmt::format("{:g} s", std::chrono::duration<double>(duration).count());
}

}  // namespace

struct Collector::Mailbox : std::enable_shared_from_this<Mailbox> {
  std::mutex mutex;
  EventLoop* loop = nullptr;  // null once the collector is gone

  // The task is dropped when the collector is gone, now or when the loop comes to it.
  void Post(EventLoop::Task task) {
    const std::lock_guard lock(mutex);
    if (loop == nullptr) return;
    loop->PostControl([self = shared_from_this(), task = std::move(task)] {
      if (self->loop != nullptr) task();
    });
  }
};

Collector::Collector(EventLoop* loop, std::shared_ptr<const Sources> sources,
                     CollectorOptions options)
    : loop_(loop),
      sources_(std::move(sources)),
      options_(std::move(options)),
      windows_(options_.counter_window),
      mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->loop = loop;
}

Collector::~Collector() {
  {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->loop = nullptr;
  }
  for (const auto& [name, lane] : lanes_) loop_->Cancel(lane->deadline);
  if (inventory_deadline_) loop_->Cancel(*inventory_deadline_);
}

void Collector::Collect(bool with_raw_counters, std::function<void(const Collection&)> done) {
  raw_wanted_ = raw_wanted_ || with_raw_counters;
  CollectChanged(watch::Changes::Everything(), std::move(done));
}

void Collector::CollectChanged(const watch::Changes& changes,
                               std::function<void(const Collection&)> done) {
  waiting_.push_back(std::move(done));
  changes_wanted_.Merge(changes);
  if (!round_running_) BeginRound();
}

std::map<std::string, std::string> Collector::hanging() const {
  std::map<std::string, std::string> result;
  for (const auto& [name, lane] : lanes_) {
    if (lane->quarantined) result[name] = lane->running->what;
  }
  return result;
}

std::map<std::string, std::string> Collector::running() const {
  std::map<std::string, std::string> result;
  for (const auto& [name, lane] : lanes_) {
    if (lane->running) result[name] = lane->running->what;
  }
  return result;
}

void Collector::BeginRound() {
  round_running_ = true;
  round_began_ = Now();
  served_ = std::exchange(waiting_, {});
  with_raw_ = std::exchange(raw_wanted_, false);
  changes_ = std::exchange(changes_wanted_, {});
  ReadTheInventory();
}

void Collector::ReadTheInventory() {
  const auto give_up = [this] {
    inventory_deadline_.reset();
    Inventory last = *inventory_;
    const v1::Reading reading =
        MissingReading(v1::OUTCOME_TIMED_OUT, v1::SOURCE_SYSFS,
                       fmt::format("sysfs did not answer in {}", SecondsText(options_.deadline)));
    last.pci_scan = last.net_scan = last.rdma_scan = reading;
    PlanRound(std::move(last), Affected::Everything());
  };
  if (inventory_running_) return give_up();
  inventory_running_ = true;
  inventory_deadline_ = loop_->RunAfter(options_.deadline, give_up);
  inventory_lane_.Run(
      [this, mailbox = mailbox_, sources = sources_, before = inventory_, changes = changes_] {
        auto inventory = std::make_shared<Inventory>(ReadInventory(sources->root()));
        auto affected = Affected::By(changes, sources->root(), *inventory, *before);
        mailbox->Post([this, inventory, affected = std::move(affected)] {
          inventory_running_ = false;
          // Too late for its round: the next one reads anew.
          if (!inventory_deadline_) return;
          loop_->Cancel(*std::exchange(inventory_deadline_, std::nullopt));
          PlanRound(std::move(*inventory), affected);
        });
      });
}

void Collector::PlanRound(Inventory inventory, const Affected& affected) {
  inventory_ = std::make_shared<const Inventory>(std::move(inventory));
  readings_ = PlanReadings(sources_, inventory_, options_.host, with_raw_);
  answers_.assign(readings_.size(), std::nullopt);
  unanswered_ = readings_.size();
  DropUnplanned();
  for (size_t index = readings_.size(); index-- > 0;) PlanReading(index, affected);
  for (const auto& [name, lane] : lanes_) {
    if (!lane->running) RunNext(name);
  }
  FinishIfComplete();
}

void Collector::PlanReading(size_t index, const Affected& affected) {
  const PlannedReading& reading = readings_[index];
  std::unique_ptr<LaneState>& lane = lanes_[reading.lane];
  if (lane == nullptr) lane = std::make_unique<LaneState>();
  if (lane->quarantined) return SettleTimedOut(index, *lane);
  const auto convalescent = convalescents_.find(reading.key);
  if (convalescent != convalescents_.end() && Now() < convalescent->second.leave_alone_until) {
    return Settle(index, convalescent->second.late_answer);
  }
  const auto last = last_answers_.find(reading.key);
  if (last != last_answers_.end() && !affected.Touches(reading.key)) {
    return Settle(index, std::move(last->second));
  }
  lane->waiting.push_back(index);
}

// Lanes and memories of devices that are gone. A lane that hangs stays: its thread still does.
void Collector::DropUnplanned() {
  std::erase_if(lanes_, [this](const auto& entry) {
    return !entry.second->running &&
           std::ranges::find(readings_, entry.first, &PlannedReading::lane) == readings_.end();
  });
  std::erase_if(convalescents_, [this](const auto& entry) {
    return std::ranges::find(readings_, entry.first, &PlannedReading::key) == readings_.end();
  });
}

void Collector::RunNext(const std::string& lane_name) {
  LaneState& lane = *lanes_.at(lane_name);
  if (lane.waiting.empty()) return;
  lane.running_index = lane.waiting.back();
  lane.waiting.pop_back();
  lane.running = readings_[lane.running_index];
  lane.running_since = Now();
  lane.deadline =
      loop_->RunAfter(options_.deadline, [this, lane_name] { DeadlinePassed(lane_name); });
  lane.lane.Run([this, mailbox = mailbox_, lane_name, read = lane.running->read] {
    auto fragment = std::make_shared<Fragment>(read());
    mailbox->Post([this, lane_name, fragment] { Answered(lane_name, std::move(*fragment)); });
  });
}

void Collector::Answered(const std::string& lane_name, Fragment fragment) {
  LaneState& lane = *lanes_.at(lane_name);
  Answer answer{std::move(fragment), Now()};
  if (lane.quarantined) return AnsweredLate(&lane, std::move(answer));
  loop_->Cancel(lane.deadline);
  convalescents_.erase(lane.running->key);
  lane.running.reset();
  Settle(lane.running_index, std::move(answer));
  RunNext(lane_name);
  FinishIfComplete();
}

void Collector::AnsweredLate(LaneState* lane, Answer answer) {
  Convalescent& convalescent = convalescents_[lane->running->key];
  const Duration hung = Now() - lane->running_since;
  ++convalescent.hangs_in_a_row;
  const Duration rest = convalescent.hangs_in_a_row == 1
                            ? kFirstRest
                            : std::clamp(2 * hung, kFirstRest, kLongestRest);
  convalescent.leave_alone_until = Now() + rest;
  convalescent.late_answer = std::move(answer);
  lane->running.reset();
  lane->quarantined = false;
  if (on_recovered_) on_recovered_();
}

void Collector::DeadlinePassed(const std::string& lane_name) {
  LaneState& lane = *lanes_.at(lane_name);
  lane.quarantined = true;
  SettleTimedOut(lane.running_index, lane);
  for (const size_t index : std::exchange(lane.waiting, {})) SettleTimedOut(index, lane);
  FinishIfComplete();
}

void Collector::Settle(size_t index, Answer answer) {
  answers_[index] = std::move(answer);
  --unanswered_;
}

void Collector::SettleTimedOut(size_t index, const LaneState& lane) {
  const PlannedReading& reading = readings_[index];
  Settle(index, Answer{reading.missing(TimedOut(reading, *lane.running)), Now(), true});
}

// No times in the text: facts that stay the same must stay equal bytes while the hang lasts.
v1::Reading Collector::TimedOut(const PlannedReading& reading,
                                const PlannedReading& culprit) const {
  const std::string_view why = culprit.lane == kRtnlLane
                                   ? "a driver holds RTNL, the kernel's lock of all net devices"
                                   : "the device or its driver hangs";
  const std::string detail =
      reading.key == culprit.key
          ? fmt::format("{} did not answer in {}: {}", culprit.what, SecondsText(options_.deadline),
                        why)
          : fmt::format("not asked, for {} does not answer: {}", culprit.what, why);
  return MissingReading(v1::OUTCOME_TIMED_OUT, reading.source, detail);
}

void Collector::FinishIfComplete() {
  if (!round_running_ || unanswered_ > 0) return;
  round_running_ = false;
  const Collection collection = Assemble();
  last_answers_.clear();
  for (size_t i = 0; i < readings_.size(); ++i) {
    if (!answers_[i]->timed_out) last_answers_[readings_[i].key] = *std::move(answers_[i]);
  }
  readings_.clear();
  answers_.clear();
  for (const auto& done : std::exchange(served_, {})) done(collection);
  if (!round_running_ && !waiting_.empty()) BeginRound();
}

Collection Collector::Assemble() {
  Collection collection;
  collection.began = round_began_;
  if (own_traffic_()) ForgetCountersBeforeNow();
  collection.hanging = inventory_running_ || !hanging().empty();
  collection.partial = !changes_.everything();
  collection.facts = FactsOf(*inventory_);
  collection.facts.set_schema_version(kSchemaVersion);
  std::map<std::string, bool> rows;
  if (const auto parts = SplitFacts(collection.facts); parts.ok()) {
    for (const auto& [key, part] : *parts) rows[key] = true;
  }
  std::map<std::string, bool> owners;
  for (const std::optional<Answer>& answer : answers_) {
    PutFacts(answer->fragment.facts, &collection.facts);
    if (answer->read_at < round_began_) NoteOlder(*answer, rows, &collection);
    for (const PortTotals& port : answer->fragment.ports) {
      owners[port.counters.owner_id()] = true;
      windows_.AddDeltas(port, answer->read_at, collection.counters.add_ports());
    }
    v1::HostCounters health = answer->fragment.counters;
    windows_.AddDeltas(answer->read_at, &health);
    for (const v1::HealthReporterErrors& errors : health.health_errors()) {
      owners["health:" + errors.pci_id()] = true;
    }
    collection.counters.MergeFrom(health);
  }
  windows_.KeepOnly(owners);
  CompleteFirmware(&collection.facts);
  CompleteAdapters(&collection.facts);
  CompleteGpusNear(&collection.facts);
  return collection;
}

void Collector::NoteOlder(const Answer& answer, const std::map<std::string, bool>& rows,
                          Collection* collection) const {
  const auto parts = SplitFacts(answer.fragment.facts);
  if (!parts.ok()) return;
  for (const auto& [key, part] : *parts) {
    // The rows themselves are of this round's inventory.
    if (!rows.contains(key)) collection->older[key] = answer.read_at;
  }
}

}  // namespace roceready::facts
