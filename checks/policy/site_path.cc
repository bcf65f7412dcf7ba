// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/site_path.h"

#include <fmt/core.h>

#include <optional>

#include "proto/yaml/problem.h"
#include "roceready/v1/facts.pb.h"

namespace roceready {
namespace {

using google::protobuf::Descriptor, google::protobuf::FieldDescriptor;

constexpr char kForm[] =
    "names of facts with '.' between them and [] behind lists, such as "
    "net_devices[].mtu.mtu_bytes";
// How far below a name is searched for where it does not belong.
constexpr int kSearchDepth = 3;

struct Piece {
  std::string field;
  bool each = false;
  std::string row;
};

// Empty where it has not the form of a path.
std::vector<Piece> Cut(std::string_view path) {
  std::vector<Piece> pieces;
  while (true) {
    const std::size_t end = path.find_first_of(".[");
    Piece& piece = pieces.emplace_back();
    piece.field = path.substr(0, end);
    if (piece.field.empty()) return {};
    if (end == std::string_view::npos) return pieces;
    if (path[end] == '[') {
      const std::size_t close = path.find(']', end);
      if (close == std::string_view::npos) return {};
      piece.each = true;
      piece.row = path.substr(end + 1, close - end - 1);
      path.remove_prefix(close + 1);
      if (path.empty()) return pieces;
      if (path.front() != '.') return {};
      path.remove_prefix(1);
    } else {
      path.remove_prefix(end + 1);
    }
  }
}

bool IsReading(const FieldDescriptor& field) {
  return field.message_type() == v1::Reading::descriptor();
}

std::vector<std::string> FactsOf(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    if (!IsReading(*type.field(i))) names.push_back(type.field(i)->name());
  }
  return names;
}

// "mtu.mtu_bytes": the way down to a fact of this name; empty: there is none near.
std::string WayTo(const std::string& name, const Descriptor& type, int depth) {
  const FieldDescriptor* here = type.FindFieldByName(name);
  if (here != nullptr && !IsReading(*here)) return name;
  if (depth == 0) return {};
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.message_type() == nullptr || IsReading(field)) continue;
    const std::string rest = WayTo(name, *field.message_type(), depth - 1);
    if (!rest.empty()) return field.name() + (field.is_repeated() ? "[]." : ".") + rest;
  }
  return {};
}

std::string UnknownName(const std::string& name, const std::string& before,
                        const Descriptor& type) {
  const std::vector<std::string> names = FactsOf(type);
  const std::string where = before.empty() ? "a host" : before;
  std::string hint;
  const std::string way = WayTo(name, type, kSearchDepth);
  if (!way.empty()) {
    hint = fmt::format(" (did you mean {}{}{}?)", before, before.empty() ? "" : ".", way);
  } else {
    hint = yaml::DidYouMean(name, names);
  }
  std::string text = fmt::format("found {}, expected a fact of {}", yaml::Quote(name), where);
  return hint.empty() ? text + ": " + yaml::OneOf(names) : text + hint;
}

}  // namespace

std::vector<const FieldDescriptor*> NamesOfRow(const Descriptor& type) {
  std::vector<const FieldDescriptor*> names;
  for (const char* name :
       {"id", "name", "number", "index", "address", "device_id", "net_device_id", "gpu_id",
        "destination", "selector", "chain", "vlan_id", "port_id", "system_name", "kind"}) {
    const FieldDescriptor* field = type.FindFieldByName(name);
    if (field != nullptr && !field->is_repeated() && field->message_type() == nullptr) {
      names.push_back(field);
    }
  }
  return names;
}

SitePath ParseSitePath(std::string_view path) {
  SitePath result;
  const auto fail = [&](std::string problem) {
    result.steps.clear();
    result.problem = std::move(problem);
    return result;
  };
  const std::vector<Piece> pieces =
      path.size() > kMaxSitePathBytes ? std::vector<Piece>() : Cut(path);
  if (pieces.empty()) {
    return fail(fmt::format("found {}, expected {}", yaml::Quote(path), kForm));
  }
  const Descriptor* type = v1::HostFacts::descriptor();
  std::string before;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const bool is_last = i + 1 == pieces.size();
    if (type == nullptr) {
      return fail(fmt::format("found {} below {}, which is a single value, expected nothing below",
                              yaml::Quote(piece.field), before));
    }
    const FieldDescriptor* field = type->FindFieldByName(piece.field);
    if (field == nullptr) return fail(UnknownName(piece.field, before, *type));
    if (IsReading(*field)) {
      return fail(
          fmt::format("found {}, which says how reading went, expected a fact: what was "
                      "not read is UNKNOWN by itself",
                      yaml::Quote(piece.field)));
    }
    if (!before.empty()) before += '.';
    before += piece.field;
    if (piece.each && !field->is_repeated()) {
      return fail(fmt::format("found [] behind {}, which is no list, expected none", before));
    }
    if (field->is_repeated() && !piece.each && (!is_last || field->message_type() != nullptr)) {
      return fail(
          fmt::format("found the list {0} without brackets, expected {0}[] for each of its "
                      "elements, or {0}[NAME]",
                      before));
    }
    if (!piece.row.empty() &&
        (field->message_type() == nullptr || NamesOfRow(*field->message_type()).empty())) {
      return fail(fmt::format("found a name in {0}[{1}], whose elements have none, expected {0}[]",
                              before, piece.row));
    }
    if (piece.each) before += "[" + piece.row + "]";
    result.steps.push_back({field, piece.each, piece.row == "*" ? "" : piece.row});
    type = field->message_type();
  }
  return result;
}

}  // namespace roceready
