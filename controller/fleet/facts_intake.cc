// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/facts_intake.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <set>
#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready {
namespace {

// An age that cannot be (negative, or older than a year) would make old facts look fresh: it is cut
// to that range.
Duration Age(const google::protobuf::Duration& age) {
  return std::clamp<Duration>(FromProto(age), Duration::zero(), std::chrono::hours(365 * 24));
}

// A part must be a HostFacts, and may not speak for another host than the stream does.
absl::Status CheckPart(const v1::FactsPart& part, const std::string& host) {
  google::protobuf::Arena arena;
  auto* facts = google::protobuf::Arena::CreateMessage<v1::HostFacts>(&arena);
  if (!facts->ParseFromString(part.part())) {
    return InvalidArgument("part '{}' of {} is not a HostFacts", part.key(), host);
  }
  if (facts->has_identity() && facts->identity().host() != host) {
    return InvalidArgument("part '{}' says it is of '{}', but this stream speaks for '{}'",
                           part.key(), facts->identity().host(), host);
  }
  return absl::OkStatus();
}

}  // namespace

void FactsIntake::Forget() { *this = FactsIntake(); }

absl::Status FactsIntake::Gather(v1::FactsChunk* chunk, MonotonicTime now,
                                 const std::string& host) {
  if (!open_) {
    open_ = true;
    instance_ = chunk->instance();
    generation_ = chunk->generation();
    since_ = chunk->since_generation();
  } else if (chunk->instance() != instance_ || chunk->generation() != generation_ ||
             chunk->since_generation() != since_) {
    return InvalidArgument("facts of generation {} were begun before those of {} had ended",
                           chunk->generation(), generation_);
  }
  if (generation_ == 0) return InvalidArgument("facts of generation 0: generations start at 1");
  for (v1::FactsPart& part : *chunk->mutable_parts()) {
    if (part.key().empty()) return InvalidArgument("a part of {} has no key", host);
    bytes_ += part.key().size() + part.part().size();
    if (bytes_ > kMaxBytes || parts_.size() >= kMaxParts) {
      return MakeError(absl::StatusCode::kResourceExhausted,
                       fmt::format("the facts of {} are larger than {} parts or {} bytes", host,
                                   kMaxParts, kMaxBytes));
    }
    RETURN_IF_ERROR(CheckPart(part, host));
    PartBytes received = MakePart(std::move(*part.mutable_part()));
    if (received.digest != part.digest()) {
      return InvalidArgument("part '{}' of {} does not have the digest it names", part.key(), host);
    }
    read_at_[part.key()] = now - Age(part.age());
    parts_[part.key()] = std::move(received);
  }
  if (removed_.size() + chunk->removed_keys_size() > kMaxParts) {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     fmt::format("{} removes more than {} parts", host, kMaxParts));
  }
  removed_.insert(removed_.end(), chunk->removed_keys().begin(), chunk->removed_keys().end());
  return absl::OkStatus();
}

FactsIntake::Step FactsIntake::Apply(const v1::FactsChunk& last, HostRecord* record) {
  FactParts parts;
  ReadTimes read_at;
  if (since_ != 0) {
    if (record->instance != instance_ || record->generation != since_) return Step::kStartOver;
    parts = *record->parts;
    read_at = record->read_at;
  }
  for (const std::string& key : removed_) {
    parts.erase(key);
    read_at.erase(key);
  }
  for (auto& [key, part] : parts_) parts[key] = std::move(part);
  for (const auto& [key, at] : read_at_) read_at[key] = at;
  std::string digest = DigestOfParts(parts);
  if (digest != last.digest()) return Step::kStartOver;

  record->parts = std::make_shared<const FactParts>(std::move(parts));
  record->read_at = std::move(read_at);
  record->instance = instance_;
  record->generation = generation_;
  record->facts_digest = std::move(digest);
  record->kept_of.reset();
  record->facts_trouble.clear();
  return Step::kApplied;
}

absl::StatusOr<FactsIntake::Step> FactsIntake::Add(v1::FactsChunk chunk, MonotonicTime now,
                                                   HostRecord* record) {
  if (absl::Status gathered = Gather(&chunk, now, record->host); !gathered.ok()) {
    Forget();
    return gathered;
  }
  if (!chunk.last()) return Step::kMore;
  const Step step = Apply(chunk, record);
  Forget();
  return step;
}

void ConfirmFacts(const v1::FactsConfirmed& confirmed, MonotonicTime now, HostRecord* record) {
  const std::set<std::string> except(confirmed.except_keys().begin(),
                                     confirmed.except_keys().end());
  const MonotonicTime read_at = now - Age(confirmed.age());
  for (auto& [key, at] : record->read_at) {
    if (!except.contains(key)) at = std::max(at, read_at);
  }
}

}  // namespace roceready
