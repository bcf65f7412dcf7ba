// SPDX-License-Identifier: Apache-2.0
#include "agent/link/facts_feed.h"

#include <algorithm>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready::link {
namespace {

// Room for the fields around the parts of a chunk.
constexpr size_t kEnvelopeBytes = 4096;
// Requests waiting for an answer; a controller asks once at a time, so more is a fault of its own.
constexpr size_t kMaxWanted = 64;

}  // namespace

absl::StatusOr<bool> FactsFeed::Update(const Collection& collection) {
  ASSIGN_OR_RETURN(FactParts parts, SplitFacts(collection.facts));
  std::string digest = DigestOfParts(parts);
  const bool changed = !has_facts() || digest != digest_;
  parts_ = std::move(parts);
  digest_ = std::move(digest);
  if (changed) ++generation_;

  read_at_.clear();
  std::vector<std::string> not_read_again;
  for (const auto& [key, part] : parts_) {
    const auto older = collection.older.find(key);
    if (older != collection.older.end()) not_read_again.push_back(key);
    read_at_[key] = older == collection.older.end() ? collection.began : older->second;
  }
  // That little was read again is nothing to tell.
  if (!collection.partial) {
    not_read_again_ = std::move(not_read_again);
    collected_at_ = collection.began;
    confirm_ = open_ && !changed;
  }
  return changed;
}

FactsFeed::Written FactsFeed::LastWritten() const {
  if (!open_) return {generation_, digest_};
  if (unacknowledged_ && chunks_.empty()) {
    return {unacknowledged_->generation, unacknowledged_->digest};
  }
  return {base_.generation, base_.digest};
}

void FactsFeed::BeginStream(uint32_t max_message_bytes) {
  EndStream();
  chunk_bytes_ = kChunkBytes;
  if (max_message_bytes > kEnvelopeBytes) {
    chunk_bytes_ = std::min<size_t>(kChunkBytes, max_message_bytes - kEnvelopeBytes);
  }
}

void FactsFeed::EndStream() {
  open_ = false;
  base_ = {};
  chunks_.clear();
  unacknowledged_.reset();
  wanted_.clear();
  restart_at_.reset();
  confirm_ = false;
}

void FactsFeed::Want(uint64_t since_generation, uint64_t request) {
  if (wanted_.size() >= kMaxWanted) wanted_.pop_front();
  wanted_.push_back(request);
  // A question that crossed our transfer is answered after its FactsAccepted; "send everything" is
  // how a transfer that did not fit is answered, so no FactsAccepted will follow.
  if (!open_ || since_generation == 0 || !unacknowledged_) restart_at_ = since_generation;
  open_ = true;
}

void FactsFeed::Accepted(const v1::FactsAccepted& accepted) {
  if (accepted.instance() != instance_ || !unacknowledged_ || !chunks_.empty() ||
      accepted.generation() != unacknowledged_->generation) {
    return;
  }
  accepted_ = *std::move(unacknowledged_);
  unacknowledged_.reset();
  base_ = accepted_;
}

std::optional<v1::ConnectRequest> FactsFeed::Next(MonotonicTime now) {
  if (!open_ || !has_facts()) return std::nullopt;
  if (!chunks_.empty()) return TakeChunk(now);
  if (restart_at_) {
    Known current;
    const Known* known = KnownAt(*restart_at_, &current);
    base_ = known == nullptr ? Known{} : *known;
    restart_at_.reset();
    unacknowledged_.reset();
  }
  if (unacknowledged_) return std::nullopt;
  if (base_.generation != generation_) {
    uint64_t request = 0;
    if (!wanted_.empty()) {
      request = wanted_.back();
      wanted_.pop_back();
    }
    BeginTransfer(request);
    return TakeChunk(now);
  }
  if (!wanted_.empty()) {
    const uint64_t request = wanted_.front();
    wanted_.pop_front();
    confirm_ = false;
    return Confirmation(request, now);
  }
  if (confirm_) {
    confirm_ = false;
    return Confirmation(0, now);
  }
  return std::nullopt;
}

FactsFeed::Known FactsFeed::Current() const {
  Known known{generation_, digest_, {}};
  for (const auto& [key, part] : parts_) known.parts.emplace(key, part.digest);
  return known;
}

// Null where it is not known any more what the parts of that generation were.
const FactsFeed::Known* FactsFeed::KnownAt(uint64_t generation, Known* scratch) const {
  if (generation == 0) return nullptr;
  if (generation == accepted_.generation) return &accepted_;
  if (generation != generation_) return nullptr;
  *scratch = Current();
  return scratch;
}

void FactsFeed::BeginTransfer(uint64_t request) {
  chunks_.emplace_back();
  for (const auto& [key, digest] : base_.parts) {
    if (!parts_.contains(key)) chunks_.front().message.add_removed_keys(key);
  }
  for (const auto& [key, part] : parts_) {
    const auto known = base_.parts.find(key);
    if (known == base_.parts.end() || known->second != part.digest) AddPart(key);
  }
  for (Chunk& chunk : chunks_) {
    chunk.message.set_instance(instance_);
    chunk.message.set_generation(generation_);
    chunk.message.set_since_generation(base_.generation);
    chunk.message.set_request(request);
  }
  chunks_.back().message.set_last(true);
  chunks_.back().message.set_digest(digest_);
  unacknowledged_ = Current();
  confirm_ = false;
}

void FactsFeed::AddPart(const std::string& key) {
  const PartBytes& part = parts_.at(key);
  const size_t bytes = key.size() + part.bytes.size() + part.digest.size();
  Chunk* chunk = &chunks_.back();
  if (chunk->bytes > 0 && chunk->bytes + bytes > chunk_bytes_) chunk = &chunks_.emplace_back();
  chunk->bytes += bytes;
  v1::FactsPart* message = chunk->message.add_parts();
  message->set_key(key);
  message->set_digest(part.digest);
  message->set_part(part.bytes);
  chunk->read_at.push_back(read_at_.at(key));
}

v1::ConnectRequest FactsFeed::TakeChunk(MonotonicTime now) {
  Chunk chunk = std::move(chunks_.front());
  chunks_.pop_front();
  for (int i = 0; i < chunk.message.parts_size(); ++i) {
    *chunk.message.mutable_parts(i)->mutable_age() = ToProto(now - chunk.read_at.at(i));
  }
  v1::ConnectRequest request;
  *request.mutable_facts_chunk() = std::move(chunk.message);
  return request;
}

v1::ConnectRequest FactsFeed::Confirmation(uint64_t request, MonotonicTime now) const {
  v1::ConnectRequest message;
  v1::FactsConfirmed* confirmed = message.mutable_facts_confirmed();
  confirmed->set_generation(generation_);
  *confirmed->mutable_age() = ToProto(now - collected_at_);
  for (const std::string& key : not_read_again_) confirmed->add_except_keys(key);
  confirmed->set_request(request);
  return message;
}

}  // namespace roceready::link
