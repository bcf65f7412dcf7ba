// SPDX-License-Identifier: Apache-2.0
// Queues with their WRED profiles, priority groups with their buffers.
#include <fmt/core.h>

#include <limits>

#include "checks/switch_import/sonic_tables.h"

namespace roceready::switches {
namespace {

constexpr Bounds kBytes{0, std::numeric_limits<std::int64_t>::max()};
constexpr Bounds kPercent{0, 100};
constexpr std::uint32_t kMaxQueue = 31;
constexpr std::uint32_t kMaxPriorityGroup = 15;

// Whether an `ecn` word names a colour: "ecn_green_red", "ecn_all".
bool Marks(std::string_view ecn, std::string_view colour) {
  return ecn == "ecn_all" || ecn.find(colour) != std::string_view::npos;
}

class WredReader {
 public:
  WredReader(RowReader& reader, const Row& row, v1::WredProfile& profile)
      : reader_(reader),
        row_(row),
        profile_(profile),
        ecn_(reader.OneOf(row, "ecn",
                          {"ecn_none", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow",
                           "ecn_green_red", "ecn_yellow_red", "ecn_all"})) {}

  void Read(std::string_view name, v1::WredColour& colour) {
    colour.set_marks_ecn(ecn_ && Marks(*ecn_, name));
    // Defaults of sonic-wred-profile.yang.
    if (!ecn_) Defaulted(name, "marks_ecn");
    const auto drops = reader_.Flag(row_, fmt::format("wred_{}_enable", name), "true", "false");
    colour.set_drops(drops.value_or(false));
    if (!drops) Defaulted(name, "drops");
    if (auto bytes = Bytes("{}_min_threshold", name)) colour.set_drop_min_bytes(*bytes);
    if (auto bytes = Bytes("{}_max_threshold", name)) colour.set_drop_max_bytes(*bytes);
    const auto percent = Percent("{}_drop_probability", name);
    colour.set_drop_max_percent(percent.value_or(100));
    if (!percent) Defaulted(name, "drop_max_percent");
    if (auto bytes = Bytes("ecn_{}_min_threshold", name)) colour.set_ecn_min_bytes(*bytes);
    if (auto bytes = Bytes("ecn_{}_max_threshold", name)) colour.set_ecn_max_bytes(*bytes);
    if (auto share = Percent("ecn_{}_mark_probability", name)) colour.set_ecn_max_percent(*share);
  }

 private:
  void Defaulted(std::string_view colour, std::string_view field) {
    profile_.add_vendor_defaults(fmt::format("{}.{}", colour, field));
  }
  std::optional<std::uint64_t> Bytes(fmt::format_string<std::string_view&> field,
                                     std::string_view colour) {
    return reader_.Number(row_, fmt::format(field, colour), kBytes);
  }
  std::optional<std::uint32_t> Percent(fmt::format_string<std::string_view&> field,
                                       std::string_view colour) {
    const auto percent = reader_.Number(row_, fmt::format(field, colour), kPercent);
    if (!percent) return std::nullopt;
    return static_cast<std::uint32_t>(*percent);
  }

  RowReader& reader_;
  const Row& row_;
  v1::WredProfile& profile_;
  const std::optional<std::string> ecn_;
};

template <typename Rows>
bool HasQueue(const Rows& rows, std::uint32_t queue) {
  for (const auto& row : rows) {
    if (row.queue() == queue) return true;
  }
  return false;
}

template <typename Rows>
bool HasGroup(const Rows& rows, std::uint32_t group) {
  for (const auto& row : rows) {
    if (row.priority_group() == group) return true;
  }
  return false;
}

void ReadPriorityGroups(SonicInput& input) {
  RowReader& reader = input.reader;
  for (const Row& row : input.tables.Of("BUFFER_PG")) {
    const PortsOfKey key = ResolveKey(input, row.key);
    if (key.ports.empty()) continue;
    const auto profile = reader.Reference(row, "profile", {"BUFFER_PROFILE"});
    for (const std::uint32_t number : reader.Range(row, key.rest, kMaxPriorityGroup)) {
      for (v1::SwitchPort* port : key.ports) {
        if (HasGroup(port->priority_groups(), number)) continue;
        v1::SwitchPriorityGroup& group = *port->add_priority_groups();
        group.set_priority_group(number);
        *group.mutable_reading() = reader.ReadingOf(row);
        // The dynamic buffer model computes the profile and says so by this word.
        if (profile && *profile != "NULL") group.set_buffer_profile(*profile);
      }
    }
  }
}

}  // namespace

void ReadWredProfiles(SonicInput& input) {
  for (const Row& row : input.tables.Of("WRED_PROFILE")) {
    v1::WredProfile& profile = *input.facts.add_wred_profiles();
    profile.set_name(row.key);
    *profile.mutable_reading() = input.reader.ReadingOf(row);
    WredReader reader(input.reader, row, profile);
    reader.Read("green", *profile.mutable_green());
    reader.Read("yellow", *profile.mutable_yellow());
    reader.Read("red", *profile.mutable_red());
  }
}

void ReadQueues(SonicInput& input) {
  RowReader& reader = input.reader;
  for (const Row& row : input.tables.Of("QUEUE")) {
    const PortsOfKey key = ResolveKey(input, row.key);
    if (key.ports.empty()) continue;
    const auto wred = reader.Reference(row, "wred_profile", {"WRED_PROFILE"});
    const auto scheduler = reader.Reference(row, "scheduler", {"SCHEDULER"});
    for (const std::uint32_t number : reader.Range(row, key.rest, kMaxQueue)) {
      for (v1::SwitchPort* port : key.ports) {
        if (HasQueue(port->queues(), number)) continue;
        v1::SwitchQueue& queue = *port->add_queues();
        queue.set_queue(number);
        *queue.mutable_reading() = reader.ReadingOf(row);
        if (wred) queue.set_wred_profile(*wred);
        if (scheduler) queue.set_scheduler(*scheduler);
      }
    }
  }
}

void ReadBuffers(SonicInput& input) {
  RowReader& reader = input.reader;
  for (const Row& row : input.tables.Of("BUFFER_POOL")) {
    v1::SwitchBufferPool& pool = *input.facts.add_buffer_pools();
    pool.set_name(row.key);
    *pool.mutable_reading() = reader.ReadingOf(row);
    if (auto text = reader.OneOf(row, "type", {"ingress", "egress", "both"})) {
      pool.set_direction(*text);
    }
    if (auto text = reader.OneOf(row, "mode", {"static", "dynamic"})) pool.set_mode(*text);
    if (auto bytes = reader.Number(row, "size", kBytes)) pool.set_size_bytes(*bytes);
    if (auto bytes = reader.Number(row, "xoff", kBytes)) pool.set_xoff_bytes(*bytes);
  }
  for (const Row& row : input.tables.Of("BUFFER_PROFILE")) {
    v1::SwitchBufferProfile& profile = *input.facts.add_buffer_profiles();
    profile.set_name(row.key);
    *profile.mutable_reading() = reader.ReadingOf(row);
    if (auto pool = reader.Reference(row, "pool", {"BUFFER_POOL"})) profile.set_pool(*pool);
    if (auto bytes = reader.Number(row, "size", kBytes)) profile.set_reserved_bytes(*bytes);
    if (auto bytes = reader.Number(row, "xoff", kBytes)) profile.set_xoff_bytes(*bytes);
    if (auto bytes = reader.Number(row, "xon", kBytes)) profile.set_xon_bytes(*bytes);
    if (auto bytes = reader.Number(row, "xon_offset", kBytes)) profile.set_xon_offset_bytes(*bytes);
    if (auto power = reader.SignedNumber(row, "dynamic_th")) {
      profile.set_dynamic_threshold_exponent(static_cast<std::int32_t>(*power));
    }
    if (auto bytes = reader.Number(row, "static_th", kBytes)) {
      profile.set_static_threshold_bytes(*bytes);
    }
  }
  ReadPriorityGroups(input);
}

}  // namespace roceready::switches
