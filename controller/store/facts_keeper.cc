// SPDX-License-Identifier: Apache-2.0
#include "controller/store/facts_keeper.h"

#include <algorithm>
#include <utility>

#include "controller/drift/fact_changes.h"
#include "controller/drift/last_known.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "proto/process/logging.h"

namespace roceready {
namespace {

// `before`, `now`: when the one facts were read last, and the others were seen.
void AddEvents(const std::string& host, const drift::FactChanges& changes, WallTime before,
               WallTime now, std::vector<v1::Event>* events) {
  for (const drift::FactChange& change : changes.changes) {
    v1::Event& event = events->emplace_back();
    event.set_host(host);
    *event.mutable_at() = ToProto(now);
    *event.mutable_not_before() = ToProto(before);
    event.set_path(change.path);
    event.set_device(change.device);
    if (change.from) event.set_from(*change.from);
    if (change.to) event.set_to(*change.to);
  }
  if (changes.left_out > 0) events->back().set_more(static_cast<std::uint32_t>(changes.left_out));
}

}  // namespace

struct FactsKeeper::Changed {
  std::string host;
  std::shared_ptr<const FactParts> before;  // null: there was none
  WallTime before_read_at{};
  std::shared_ptr<const FactParts> after;
  std::string digest;
  MonotonicTime read_at{};
  KeptMoment moment;
  // Whatever has changed.
  bool due = false;
  // By the worker: it is in the store now.
  bool written = false;
  // By the worker: Kept::known.
  std::shared_ptr<const FactParts> known;
};

struct FactsKeeper::Pass {
  std::vector<Changed> changed;
  struct Confirmed {
    std::string host;
    MonotonicTime read_at{};
  };
  std::vector<Confirmed> confirmed;
  std::vector<FactsRead> confirmations;  // the same for the store
  MonotonicTime at{};
  WallTime wall{};
  // There was more than one piece of work takes.
  bool more = false;
  absl::Status status;

  bool empty() const { return changed.empty() && confirmed.empty(); }
};

absl::Status FactsKeeper::TakeUp() {
  ASSIGN_OR_RETURN(const std::vector<KeptFacts> all, tools_.store->LatestFacts());
  const KeptMoment now = tools_.moments.Now();
  std::size_t taken = 0;
  std::vector<std::string> too_old;
  for (const KeptFacts& one : all) {
    const Duration age = AgeOf(one.read_at, now);
    if (age > kForgottenAfter) {
      // The clock may come right, or the host replaces them.
      if (age != kAgeUnknown) too_old.push_back(one.host);
      continue;
    }
    if (absl::Status taken_up = tools_.fleet->TakeUp(one.host, one.facts, age); !taken_up.ok()) {
      LogWarn("kept facts cannot be used", {{"host", one.host}, {"error", Message(taken_up)}});
      continue;
    }
    const HostRecord& record = *tools_.fleet->Find(one.host);
    kept_[one.host] = {.seen = record.parts,
                       .known = record.parts,
                       .digest = record.facts_digest,
                       .read_at = now.monotonic - age,
                       .written_at = now.monotonic};
    ++taken;
  }
  LogInfo("facts taken up", {{"hosts", taken},
                             {"too_old", too_old.size()},
                             {"unusable", all.size() - taken - too_old.size()}});
  return too_old.empty() ? absl::OkStatus() : tools_.store->ForgetFacts(too_old);
}

std::shared_ptr<FactsKeeper::Pass> FactsKeeper::WhatIsDue(std::size_t changed_at_most,
                                                          std::size_t confirmed_at_most) const {
  auto pass = std::make_shared<Pass>();
  const MonotonicTime now = tools_.loop->clock()->Now();
  pass->at = now;
  pass->wall = tools_.loop->clock()->Wall();
  for (const auto& [host, record] : tools_.fleet->hosts()) {
    // Of a stream of this start; what was kept is kept.
    if (record.generation == 0) continue;
    const auto found = kept_.find(host);
    const Kept* kept = found == kept_.end() ? nullptr : &found->second;
    const Duration since = kept == nullptr ? kRewrite : now - kept->written_at;
    const bool stored = kept != nullptr && kept->digest == record.facts_digest;
    const bool due = !stored && since >= kRewrite;
    if (due || kept == nullptr || (kept->seen != record.parts && !stored)) {
      if (pass->changed.size() >= changed_at_most) {
        pass->more = true;
        continue;
      }
      const MonotonicTime read_at = now - record.OldestFact(now).value_or(Duration::zero());
      pass->changed.push_back(
          {.host = host,
           .before = kept == nullptr ? nullptr : kept->known,
           .before_read_at = kept == nullptr ? WallTime() : pass->wall - (now - kept->read_at),
           .after = record.parts,
           .digest = record.facts_digest,
           .read_at = read_at,
           .moment = tools_.moments.At(read_at),
           .due = due || kept == nullptr});
    } else if (stored && since >= kConfirm) {
      const MonotonicTime read_at = now - record.OldestFact(now).value_or(Duration::zero());
      if (read_at <= kept->read_at) continue;
      if (pass->confirmed.size() >= confirmed_at_most) {
        pass->more = true;
        continue;
      }
      pass->confirmed.push_back({host, read_at});
      pass->confirmations.push_back({host, tools_.moments.At(read_at)});
    }
  }
  return pass;
}

absl::Status FactsKeeper::Write(Store* store, std::size_t events_kept, Pass* pass) {
  std::vector<KeptFacts> facts;
  std::vector<v1::Event> events;
  for (Changed& one : pass->changed) {
    KeptFacts now{.host = one.host, .read_at = one.moment, .facts = {}};
    // Bytes of agents: what cannot be put together is judged nowhere, and kept nowhere.
    if (!AssembleFacts(*one.after, &now.facts).ok()) continue;
    one.known = one.after;
    one.written = one.due;
    if (one.before != nullptr) {
      v1::HostFacts before;
      RETURN_IF_ERROR(AssembleFacts(*one.before, &before));
      const drift::FactChanges changes = drift::ConfigChanges(before, now.facts);
      AddEvents(one.host, changes, one.before_read_at, pass->wall, &events);
      one.written |= !changes.empty();
      v1::HostFacts known = now.facts;
      if (drift::KeepLastKnown(before, &known)) {
        ASSIGN_OR_RETURN(FactParts parts, SplitFacts(known));
        one.known = std::make_shared<const FactParts>(std::move(parts));
      }
    }
    if (one.written) facts.push_back(std::move(now));
  }
  if (!pass->confirmations.empty()) RETURN_IF_ERROR(store->ConfirmFacts(pass->confirmations));
  // Last: once they are there, events are not to come again.
  if (!facts.empty()) RETURN_IF_ERROR(store->PutFacts(facts, events));
  // Where that fails, the next ones try again.
  if (!events.empty()) (void)store->ForgetEvents(events_kept, kEventsForgottenAtOnce);
  return absl::OkStatus();
}

void FactsKeeper::Look() {
  const std::shared_ptr<Pass> pass = WhatIsDue(kAtOnce, kConfirmedAtOnce);
  if (pass->empty()) {
    tools_.loop->RunAfter(kLook, [this] { Look(); });
    return;
  }
  under_way_ = pass;
  tools_.worker->Run([store = tools_.store, kept = events_kept_,
                      pass] { pass->status = Write(store, kept, pass.get()); },
                     [this, pass] { Written(*pass); });
}

void FactsKeeper::Written(Pass& pass) {
  under_way_ = nullptr;
  NoteHealth(pass.status);
  if (!pass.status.ok()) {
    tools_.loop->RunAfter(pause_, [this] { Look(); });
    pause_ = std::min(2 * pause_, kLongestPause);
    return;
  }
  pause_ = kLook;
  for (Changed& one : pass.changed) {
    Kept& kept = kept_[one.host];
    kept.seen = std::move(one.after);
    kept.known = one.known == nullptr ? kept.seen : std::move(one.known);
    if (!one.written) continue;
    kept.digest = std::move(one.digest);
    kept.read_at = one.read_at;
    kept.written_at = pass.at;
  }
  for (const Pass::Confirmed& one : pass.confirmed) {
    Kept& kept = kept_[one.host];
    kept.read_at = one.read_at;
    kept.written_at = pass.at;
  }
  // Work that others have for the store's thread comes in between.
  tools_.loop->RunAfter(pass.more ? Duration::zero() : kLook, [this] { Look(); });
}

void FactsKeeper::NoteHealth(const absl::Status& status) {
  if (status.ok() != failing_) return;
  failing_ = !status.ok();
  if (failing_) {
    LogError("facts cannot be kept: after a restart hosts would be judged by older ones",
             {{"error", Message(status)}});
  } else {
    LogInfo("facts are kept again");
  }
}

void FactsKeeper::HandOverAll() {
  const std::shared_ptr<Pass> all = WhatIsDue(SIZE_MAX, SIZE_MAX);
  std::vector<Changed> changed = std::move(all->changed);
  // What the worker has already: its events would come twice.
  if (under_way_ != nullptr) {
    std::erase_if(changed, [this](const Changed& one) {
      return std::ranges::find(under_way_->changed, one.host, &Changed::host) !=
             under_way_->changed.end();
    });
  }
  const auto hand_over = [this](const std::shared_ptr<Pass>& pass) {
    tools_.worker->Run(
        [store = tools_.store, events = events_kept_, pass] {
          const absl::Status kept = Write(store, events, pass.get());
          if (!kept.ok()) LogError("facts are not kept", {{"error", Message(kept)}});
        },
        [] {});
  };
  // First what is little work: a slow disk may not take the rest in time.
  if (!all->confirmed.empty()) hand_over(all);
  for (std::size_t begin = 0; begin < changed.size(); begin += kAtOnce) {
    auto pass = std::make_shared<Pass>();
    pass->wall = all->wall;
    const std::size_t end = std::min(changed.size(), begin + kAtOnce);
    for (std::size_t i = begin; i < end; ++i) pass->changed.push_back(std::move(changed[i]));
    hand_over(pass);
  }
}

}  // namespace roceready
