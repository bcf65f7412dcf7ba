// SPDX-License-Identifier: Apache-2.0
#include "checks/report/what_if.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>

#include "checks/report/evidence.h"
#include "checks/report/layout.h"
#include "checks/report/places.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::report {
namespace {

using checks::CheckMove, checks::Counted, checks::HostChange, checks::Standing, checks::Weight;

constexpr size_t kLeastWidth = 40;
constexpr size_t kIndent = 4;

std::string_view StandingWord(Standing standing) {
  switch (standing) {
    case Standing::kGreen:
      return "green";
    case Standing::kRed:
      return "red";
    case Standing::kInMaintenance:
      return "in maintenance";
    case Standing::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view WeightWord(Weight weight) {
  switch (weight) {
    case Weight::kNone:
      return "none";
    case Weight::kWaived:
      return "waived";
    case Weight::kUnknown:
      return "unknown";
    case Weight::kMustBeKnown:
      return "unknown, must be known";
    case Weight::kBlocks:
      return "blocks";
    case Weight::kDegrades:
      return "degrades";
    case Weight::kAdvice:
      break;
  }
  return "advice";
}

Style StyleOf(v1::Readiness readiness) {
  if (readiness == v1::READINESS_READY) return Style::kGreen;
  return readiness == v1::READINESS_NOT_READY ? Style::kRed : Style::kYellow;
}

void PutSide(std::string_view name, const WhatIfSide& side, Page& page) {
  const v1::Verdict& verdict = side.report.verdict();
  page.Field(0, name, fmt::format("{}, {}", WordOf(verdict.readiness()), CountsOf(verdict)));
  page.Field(0, "", "policy " + side.policy);
}

std::string HostsThat(const std::vector<HostChange>& hosts, auto&& condition) {
  std::vector<std::string> names;
  for (const HostChange& host : hosts) {
    if (condition(host)) names.push_back(host.host);
  }
  const size_t count = names.size();
  if (count == 0) return "nobody";
  return fmt::format("{} ({})", FoldHostList(std::move(names)), Counted(count, "host"));
}

// Who changes sides, and who stays anywhere but green.
void PutHosts(const WhatIfReport& report, Page& page) {
  constexpr std::array kAll = {Standing::kRed, Standing::kGreen, Standing::kUnknown,
                               Standing::kInMaintenance};
  const std::vector<HostChange>& hosts = report.changes.hosts;
  std::string name = "turn";
  for (const Standing after : kAll) {
    const auto turns = [&](const HostChange& host) {
      return host.after == after && host.before != after;
    };
    // That nobody turns red or green is an answer too.
    const bool is_asked = after == Standing::kRed || after == Standing::kGreen;
    if (!is_asked && std::ranges::none_of(hosts, turns)) continue;
    std::string from;
    for (const Standing before : kAll) {
      const auto comes = [&](const HostChange& host) {
        return host.after == after && host.before == before;
      };
      const bool is_usual = is_asked && (before == Standing::kRed || before == Standing::kGreen);
      if (before == after || is_usual || std::ranges::none_of(hosts, comes)) continue;
      from += fmt::format("; before {}: {}", StandingWord(before), HostsThat(hosts, comes));
    }
    page.Field(0, name,
               fmt::format("{}: {}{}", StandingWord(after), HostsThat(hosts, turns), from));
    name.clear();
  }
  name = "stay";
  for (const Standing standing : kAll) {
    const auto stays = [&](const HostChange& host) {
      return host.before == standing && host.after == standing;
    };
    if (standing == Standing::kGreen || std::ranges::none_of(hosts, stays)) continue;
    page.Field(0, name, fmt::format("{}: {}", StandingWord(standing), HostsThat(hosts, stays)));
    name.clear();
  }
}

std::string_view SymbolOf(const CheckMove& move) {
  switch (std::max(move.before, move.after)) {
    case Weight::kBlocks:
      return "x";
    case Weight::kDegrades:
      return "!";
    case Weight::kUnknown:
    case Weight::kMustBeKnown:
      return "?";
    default:
      return "-";
  }
}

void PutMove(const CheckMove& move, Page& page) {
  const v1::Finding& first = *move.findings.front();
  page.Blank();
  page.Heading(
      SymbolOf(move),
      move.after == Weight::kNone     ? Style::kGreen
      : move.after == Weight::kBlocks ? Style::kRed
                                      : Style::kYellow,
      fmt::format("{}: {} -> {}", move.check_id, WeightWord(move.before), WeightWord(move.after)),
      PlacesOf(move.findings));
  const std::string& what =
      first.status() == v1::CHECK_STATUS_FAIL ? first.actual() : first.reason();
  page.Field(
      kIndent, "found",
      move.findings.size() == 1 ? what : fmt::format("{}: {}", first.subject().label(), what));
  std::string wanted = first.expected();
  if (!first.policy_source().empty()) wanted += fmt::format("   ({})", first.policy_source());
  if (!wanted.empty()) page.Field(kIndent, "wanted", wanted);
  if (move.follows) {
    page.Field(kIndent, "follows",
               "from " + first.caused_by().substr(0, first.caused_by().find(' ')));
  }
}

// "9 s", "between 9 s and 2 h".
void PutFacts(const WhatIfReport& report, Page& page) {
  std::optional<int64_t> newest, oldest;
  std::vector<std::string> undated, without;
  for (const HostChange& host : report.changes.hosts) {
    const auto age = report.fact_age_seconds.find(host.host);
    if (age == report.fact_age_seconds.end()) {
      without.push_back(host.host);
    } else if (!age->second) {
      undated.push_back(host.host);
    } else {
      newest = std::min(newest.value_or(*age->second), *age->second);
      oldest = std::max(oldest.value_or(*age->second), *age->second);
    }
  }
  const size_t with = report.changes.hosts.size() - without.size();
  std::string text =
      fmt::format("stored facts of {} of {}", with, Counted(report.changes.hosts.size(), "host"));
  if (oldest) {
    text += *newest == *oldest ? fmt::format(", the oldest of each read {} ago", AgeWords(*oldest))
                               : fmt::format(", the oldest of each read {} to {} ago",
                                             AgeWords(*newest), AgeWords(*oldest));
  }
  page.Field(0, "facts", text + "; no host was asked, nothing was probed");
  if (!undated.empty()) page.Field(0, "", "of unknown age: " + FoldHostList(std::move(undated)));
  if (!without.empty()) page.Field(0, "", "none are stored of " + FoldHostList(std::move(without)));
}

google::protobuf::Value AsValue(const v1::Finding& finding) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  google::protobuf::Value value;
  // Both directions fail for text that is not UTF-8 alone: ours is.
  if (google::protobuf::util::MessageToJsonString(finding, &json, options).ok()) {
    (void)google::protobuf::util::JsonStringToMessage(json, value.mutable_struct_value()).ok();
  }
  return value;
}

void SetSide(const WhatIfSide& side, google::protobuf::Value& value) {
  auto& fields = *value.mutable_struct_value()->mutable_fields();
  const v1::Verdict& verdict = side.report.verdict();
  fields["policy"].set_string_value(side.policy);
  fields["policy_digest"].set_string_value(verdict.policy_digest());
  fields["readiness"].set_string_value(v1::Readiness_Name(verdict.readiness()));
}

google::protobuf::Value& AddTo(google::protobuf::Value& list) {
  return *list.mutable_list_value()->add_values();
}

}  // namespace

std::string RenderWhatIf(const WhatIfReport& report, const TableOptions& options) {
  Page page(std::max(options.width, kLeastWidth), options.color);
  const v1::Readiness readiness = report.after.report.verdict().readiness();
  page.Line(
      Styled(fmt::format("WHAT IF: {}", WordOf(readiness)), StyleOf(readiness), options.color));
  PutSide("now", report.before, page);
  PutSide("then", report.after, page);
  PutHosts(report, page);
  for (const CheckMove& move : report.changes.moves) PutMove(move, page);
  page.Blank();
  if (report.changes.moves.empty()) page.Field(0, "checks", "no finding moves");
  PutFacts(report, page);
  std::string name = "unseen";
  for (const std::string& what : report.not_compared) {
    page.Field(0, name, what);
    name.clear();
  }
  return page.Take();
}

google::protobuf::Struct WhatIfAsMessage(const WhatIfReport& report) {
  google::protobuf::Struct document;
  auto& fields = *document.mutable_fields();
  SetSide(report.before, fields["before"]);
  SetSide(report.after, fields["after"]);
  fields["hosts"].mutable_list_value();
  for (const HostChange& host : report.changes.hosts) {
    auto& row = *AddTo(fields["hosts"]).mutable_struct_value()->mutable_fields();
    row["host"].set_string_value(host.host);
    row["before"].set_string_value(std::string(StandingWord(host.before)));
    row["after"].set_string_value(std::string(StandingWord(host.after)));
    const auto age = report.fact_age_seconds.find(host.host);
    row["has_facts"].set_bool_value(age != report.fact_age_seconds.end());
    if (age != report.fact_age_seconds.end() && age->second) {
      row["fact_age_seconds"].set_number_value(static_cast<double>(*age->second));
    }
  }
  fields["checks"].mutable_list_value();
  for (const CheckMove& move : report.changes.moves) {
    auto& row = *AddTo(fields["checks"]).mutable_struct_value()->mutable_fields();
    row["check_id"].set_string_value(move.check_id);
    row["before"].set_string_value(std::string(WeightWord(move.before)));
    row["after"].set_string_value(std::string(WeightWord(move.after)));
    row["count"].set_number_value(static_cast<double>(move.findings.size()));
    row["hosts"].set_string_value(HostsOf(move.findings));
    row["first"] = AsValue(*move.findings.front());
  }
  fields["not_compared"].mutable_list_value();
  for (const std::string& what : report.not_compared) {
    AddTo(fields["not_compared"]).set_string_value(what);
  }
  return document;
}

}  // namespace roceready::report
