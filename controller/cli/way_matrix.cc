// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "checks/report/layout.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

using report::WidthOf;

// Host and device: of a receiver that was not probed the port is not known.
using End = std::pair<std::string, std::string>;

End FromOf(const v1::ProbeWay& way) { return {way.from().host(), way.from().rdma_device_id()}; }
End ToOf(const v1::ProbeWay& way) { return {way.to().host(), way.to().rdma_device_id()}; }

// Who belongs to whom, as numbers that lead to each other.
class Union {
 public:
  explicit Union(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t Find(std::size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void Join(std::size_t a, std::size_t b) { parent_[Find(a)] = Find(b); }

 private:
  std::vector<std::size_t> parent_;
};

struct Ends {
  std::vector<End> ends;  // by the names of their hosts
  std::map<End, std::string> devices;
  bool one_a_host = true;
  // Of all of them the same; else empty.
  std::string device;
};

Ends EndsOf(const WayGroup& group) {
  Ends all;
  for (const v1::ProbeWay* way : group.ways) {
    all.devices[FromOf(*way)] = DeviceWord(way->from_device(), way->from().rdma_device_id());
    all.devices[ToOf(*way)] = DeviceWord(way->to_device(), way->to().rdma_device_id());
  }
  std::set<std::string> hosts, words;
  for (const auto& [end, word] : all.devices) {
    all.one_a_host &= hosts.insert(end.first).second;
    words.insert(word);
    all.ends.push_back(end);
  }
  if (words.size() == 1) all.device = *words.begin();
  std::ranges::stable_sort(all.ends, [](const End& a, const End& b) {
    return a.first == b.first ? a.second < b.second : HostNameLess(a.first, b.first);
  });
  return all;
}

std::string LabelOf(const Ends& ends, const End& end) {
  const std::string host = report::Harmless(end.first);
  return ends.one_a_host ? host : fmt::format("{} {}", host, ends.devices.at(end));
}

using Cells = std::vector<std::vector<std::string>>;

Cells CellsOf(const Ends& ends, const WayGroup& group, const WayQuantity& quantity) {
  std::map<End, std::size_t> place;
  for (std::size_t i = 0; i < ends.ends.size(); ++i) place[ends.ends[i]] = i;
  Cells cells(ends.ends.size(), std::vector<std::string>(ends.ends.size(), "."));
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i][i] = "-";
  for (const v1::ProbeWay* way : group.ways) {
    cells[place.at(FromOf(*way))][place.at(ToOf(*way))] = quantity.CellOf(*way);
  }
  return cells;
}

std::string Padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, WidthOf(text)), ' ');
}

std::optional<std::string> Draw(const std::vector<std::string>& rows,
                                const std::vector<std::string>& columns, const Cells& cells,
                                std::size_t width) {
  std::size_t first = 0;
  for (const std::string& row : rows) first = std::max(first, WidthOf(row));
  std::vector<std::size_t> widths;
  std::size_t total = 2 + first;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    std::size_t widest = WidthOf(columns[column]);
    for (const auto& row : cells) widest = std::max(widest, WidthOf(row[column]));
    widths.push_back(widest);
    total += widest + 2;
  }
  if (total > width) return std::nullopt;
  std::string text;
  const auto put = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  std::string heading(2 + first, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) heading += "  " + Padded(columns[i], widths[i]);
  put(std::move(heading));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line = "  " + Padded(rows[row], first);
    for (std::size_t i = 0; i < columns.size(); ++i)
      line += "  " + Padded(cells[row][i], widths[i]);
    put(std::move(line));
  }
  return text;
}

// With the names of the columns; where these are too long, with their numbers.
std::optional<std::string> DrawGroup(const Ends& ends, const Cells& cells, std::size_t width) {
  std::vector<std::string> names, numbers, numbered;
  for (std::size_t i = 0; i < ends.ends.size(); ++i) {
    names.push_back(LabelOf(ends, ends.ends[i]));
    numbers.push_back(fmt::format("[{}]", i + 1));
    numbered.push_back(fmt::format("[{}] {}", i + 1, names.back()));
  }
  auto drawn = Draw(names, names, cells, width);
  return drawn ? drawn : Draw(numbered, numbers, cells, width);
}

}  // namespace

std::vector<WayGroup> GroupsOf(std::span<const v1::ProbeWay* const> ways) {
  std::map<End, std::size_t> place;
  for (const v1::ProbeWay* way : ways) {
    place.try_emplace(FromOf(*way), place.size());
    place.try_emplace(ToOf(*way), place.size());
  }
  Union joined(place.size());
  for (const v1::ProbeWay* way : ways) joined.Join(place.at(FromOf(*way)), place.at(ToOf(*way)));
  std::vector<WayGroup> groups;
  std::map<std::size_t, std::size_t> group_of;
  for (const v1::ProbeWay* way : ways) {
    const auto [found, is_new] =
        group_of.try_emplace(joined.Find(place.at(FromOf(*way))), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].ways.push_back(way);
  }
  return groups;
}

std::optional<std::string> RenderMatrix(const std::vector<WayGroup>& groups,
                                        const WayQuantity& quantity, std::size_t width,
                                        std::size_t lines) {
  std::string text = fmt::format("{}\n", quantity.title);
  for (const WayGroup& group : groups) {
    const Ends ends = EndsOf(group);
    // A line for the columns, and one for the device.
    const std::size_t taken = ends.ends.size() + 2;
    if (taken > lines) return std::nullopt;
    lines -= taken;
    if (!ends.device.empty() && groups.size() > 1) text += fmt::format("{}:\n", ends.device);
    const auto drawn = DrawGroup(ends, CellsOf(ends, group, quantity), width);
    if (!drawn) return std::nullopt;
    text += *drawn;
  }
  return text;
}

}  // namespace roceready::cli
