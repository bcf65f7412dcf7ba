// SPDX-License-Identifier: Apache-2.0
#include "agent/lldp/neighbours.h"

#include <algorithm>
#include <utility>

namespace roceready::lldp {

bool Neighbours::Heard(std::span<const uint8_t> bytes, Frame frame, MonotonicTime now) {
  const Lldpdu& said = frame.said;
  const Key key{said.chassis.subtype, said.chassis.text, said.port.subtype, said.port.text,
                frame.destination};
  if (said.ttl_seconds == 0) return left_out_.erase(key) + entries_.erase(key) > 0;
  const MonotonicTime leaves_at = now + std::chrono::seconds(said.ttl_seconds);
  const auto known = entries_.find(key);
  if (known == entries_.end() && entries_.size() >= kMost) {
    if (left_out_.size() >= kMost && !left_out_.contains(key)) return false;
    return left_out_.insert_or_assign(key, leaves_at).second;
  }
  left_out_.erase(key);
  std::string text(bytes.begin(), bytes.end());
  const bool changed = known == entries_.end() || known->second.bytes != text;
  entries_[key] = {{std::move(frame), now, leaves_at}, std::move(text)};
  return changed;
}

bool Neighbours::Expire(MonotonicTime now) {
  const size_t silent =
      std::erase_if(entries_, [now](const auto& e) { return e.second.neighbour.leaves_at <= now; });
  const size_t outside = std::erase_if(left_out_, [now](const auto& e) { return e.second <= now; });
  return silent + outside > 0;
}

std::optional<MonotonicTime> Neighbours::NextExpiry() const {
  std::optional<MonotonicTime> next;
  const auto earlier = [&next](MonotonicTime time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& [key, entry] : entries_) earlier(entry.neighbour.leaves_at);
  for (const auto& [key, leaves_at] : left_out_) earlier(leaves_at);
  return next;
}

std::vector<Neighbour> Neighbours::All() const {
  std::vector<Neighbour> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(entry.neighbour);
  return all;
}

}  // namespace roceready::lldp
