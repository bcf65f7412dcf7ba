// SPDX-License-Identifier: Apache-2.0
// Which facts go to the controller next. Knows the host's current parts, what the controller has
// accepted, and what it asked for; knows no time but what it is told, no stream, no thread.
//
// * Nothing is sent on a stream before the controller wants facts on it.
// * One transfer (the chunks of one generation) at a time; it is applied whole, so it is sent
// whole.
//   The next waits for FactsAccepted; what changes meanwhile is merged by key into the current
//   parts and travels as one difference.
// * A generation is a number of this agent's run: it rises when any part changes.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/link/facts_source.h"
#include "proto/contract/fact_parts.h"
#include "proto/process/clock.h"
#include "roceready/v1/agent_link.pb.h"

namespace roceready::link {

class FactsFeed {
 public:
  // Parts of a chunk together, unless a single part is larger (contract: no message above 256 KB).
  static constexpr size_t kChunkBytes = size_t{240} * 1024;

  explicit FactsFeed(std::string instance) : instance_(std::move(instance)) {}

  // A collection ended. Returns whether a part changed. On an error (two rows with one id) the feed
  // keeps what it had. A partial one only ever sends what changed.
  absl::StatusOr<bool> Update(const Collection& collection);

  bool has_facts() const { return generation_ > 0; }
  uint64_t generation() const { return generation_; }
  const std::string& digest() const { return digest_; }
  MonotonicTime collected_at() const { return collected_at_; }
  // The controller has asked for facts on this stream.
  bool wanted() const { return open_; }

  // What a Pong written now claims: what the controller has once it has read all that was written
  // before (so that a difference there is a fault, not a transfer under way).
  struct Written {
    uint64_t generation = 0;
    std::string digest;
  };
  Written LastWritten() const;

  // A stream was welcomed, or is over. `max_message_bytes` 0: no limit of the controller's own.
  void BeginStream(uint32_t max_message_bytes);
  void EndStream();

  // FactsWanted, once any fresh collection it asked for has ended. Answered by a transfer or a
  // confirmation that carries `request`; before the first collection, after it.
  void Want(uint64_t since_generation, uint64_t request);
  void Accepted(const v1::FactsAccepted& accepted);

  // What to write next, with ages as of `now`; empty while there is nothing to say.
  std::optional<v1::ConnectRequest> Next(MonotonicTime now);

 private:
  using Digests = std::map<std::string, std::string>;  // key -> part digest
  struct Known {
    uint64_t generation = 0;  // 0: nothing
    std::string digest;
    Digests parts;
  };
  struct Chunk {
    v1::FactsChunk message;
    size_t bytes = 0;                    // of its parts
    std::vector<MonotonicTime> read_at;  // of each part
  };

  Known Current() const;
  const Known* KnownAt(uint64_t generation, Known* scratch) const;
  void BeginTransfer(uint64_t request);
  void AddPart(const std::string& key);
  v1::ConnectRequest TakeChunk(MonotonicTime now);
  v1::ConnectRequest Confirmation(uint64_t request, MonotonicTime now) const;

  const std::string instance_;

  FactParts parts_;
  std::map<std::string, MonotonicTime> read_at_;
  std::vector<std::string> not_read_again_;
  MonotonicTime collected_at_{};
  uint64_t generation_ = 0;
  std::string digest_;

  // What the controller has, as far as it said so; outlives a stream.
  Known accepted_;

  // Of the stream.
  size_t chunk_bytes_ = kChunkBytes;
  bool open_ = false;
  Known base_;                           // what the next difference is against
  std::deque<Chunk> chunks_;             // of the transfer being sent
  std::optional<Known> unacknowledged_;  // the transfer sent, or being sent
  std::deque<uint64_t> wanted_;          // requests to answer
  std::optional<uint64_t> restart_at_;   // FactsWanted.since_generation to take up next
  bool confirm_ = false;                 // read again, unchanged
};

}  // namespace roceready::link
