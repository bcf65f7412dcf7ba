// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/why_command.h"

#include <fmt/format.h>
#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <utility>

#include "checks/report/layout.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/verdict_command.h"
#include "controller/why/end.h"
#include "controller/why/error_log.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

// The most frequent ones: a job of a thousand ranks that dies tells the same of many pairs.
constexpr std::size_t kMaxTroubles = 5;
constexpr std::size_t kMaxCauses = 3;
constexpr std::chrono::milliseconds kWait{5000};
constexpr int kNotEnough = 1;

absl::Status ReadLog(const std::string& path, why::Troubles* troubles) {
  const auto add = [&](why::ErrorLine error) { troubles->Add(std::move(error)); };
  if (path == "-") return WithContext(why::ReadErrors(std::cin, add), "standard input");
  std::ifstream file(path, std::ios::binary);
  if (!file) return InvalidArgument("{}: cannot be read", path);
  return WithContext(why::ReadErrors(file, add), path);
}

std::string NameOf(const v1::Place& place, const std::string& otherwise) {
  if (place.host().empty()) return otherwise.empty() ? "(not named)" : report::Harmless(otherwise);
  std::string name = place.host();
  if (!place.net_device().empty()) name += " " + place.net_device();
  if (!place.rdma_device().empty()) {
    name += fmt::format(" ({}/{})", place.rdma_device(), place.port());
  }
  return report::Harmless(name);
}

class Explainer {
 public:
  Explainer(FleetClient* client, std::string policy)
      : client_(client), policy_(std::move(policy)) {}

  absl::StatusOr<Explained> Explain(const why::Trouble& trouble) {
    Explained explained{.trouble = trouble};
    ASSIGN_OR_RETURN(explained.local, Find(trouble.local, trouble.first.host, &explained.unclear));
    ASSIGN_OR_RETURN(explained.remote, Find(trouble.remote, "", &explained.unclear));
    std::vector<std::string> hosts;
    for (const v1::Place* end : {&explained.local, &explained.remote}) {
      if (!end->host().empty()) hosts.push_back(end->host());
    }
    if (hosts.empty()) return explained;
    ASSIGN_OR_RETURN(
        const v1::GetVerdictResponse verdict,
        AskVerdict(*client_, {.hosts = FoldHostList(hosts), .policy = policy_, .wait = kWait}));
    for (const v1::Finding* cause : why::CausesOf(trouble.first.kind, hosts, verdict.causes())) {
      if (explained.causes.size() < kMaxCauses) explained.causes.push_back(*cause);
    }
    if (!explained.local.net_device().empty() && !explained.remote.net_device().empty()) {
      ASSIGN_OR_RETURN(explained.rows, RowsOf(explained.local, explained.remote));
    }
    return explained;
  }

 private:
  // Empty where the log does not say, or it is not known who that is.
  absl::StatusOr<v1::Place> Find(const std::string& what, const std::string& writer,
                                 std::string* unclear) {
    if (what.empty()) return v1::Place();
    const auto answer = client_->WhoIs(what);
    if (absl::IsInvalidArgument(answer.status())) return v1::Place();
    RETURN_IF_ERROR(answer.status());
    why::End end = why::EndOf(what, writer, *answer);
    if (!end.unclear.empty()) {
      *unclear += (unclear->empty() ? "" : "; ") + report::Harmless(end.unclear);
    }
    return std::move(end.place);
  }

  absl::StatusOr<std::vector<why::Row>> RowsOf(const v1::Place& local, const v1::Place& remote) {
    v1::GetHostFactsRequest request;
    request.set_host(local.host());
    ASSIGN_OR_RETURN(const v1::GetHostFactsResponse first, client_->GetHostFacts(request));
    request.set_host(remote.host());
    ASSIGN_OR_RETURN(const v1::GetHostFactsResponse second, client_->GetHostFacts(request));
    return why::SideBySide(first.facts(), local.net_device(), second.facts(), remote.net_device());
  }

  FleetClient* const client_;
  const std::string policy_;
};

void RenderCause(const v1::Finding& cause, std::string* text) {
  *text += "  cause   " + report::Harmless(fmt::format("{} {}: {}", cause.check_id(),
                                                       cause.subject().label(), cause.actual()));
  const std::string fix = cause.fix().command().empty()
                              ? cause.fix().text()
                              : fmt::format("{}# {}", cause.fix().run_on(), cause.fix().command());
  if (!fix.empty()) *text += "\n  fix     " + report::Harmless(fix);
  *text += "\n";
}

google::protobuf::Struct AsMessage(const std::vector<Explained>& all) {
  google::protobuf::Struct document;
  auto* troubles = (*document.mutable_fields())["troubles"].mutable_list_value();
  for (const Explained& one : all) {
    auto& fields = *troubles->add_values()->mutable_struct_value()->mutable_fields();
    fields["error"].set_string_value(std::string(why::MeaningOf(one.trouble.first.kind).name));
    fields["lines"].set_number_value(static_cast<double>(one.trouble.lines));
    fields["first_line"].set_number_value(static_cast<double>(one.trouble.first.number));
    fields["local"].set_string_value(NameOf(one.local, one.trouble.local));
    fields["remote"].set_string_value(NameOf(one.remote, one.trouble.remote));
    if (!one.unclear.empty()) fields["unclear"].set_string_value(one.unclear);
    auto* causes = fields["causes"].mutable_list_value();
    for (const v1::Finding& cause : one.causes) {
      causes->add_values()->set_string_value(cause.key() + ": " + cause.actual());
    }
  }
  return document;
}

}  // namespace

std::string RenderExplained(const std::vector<Explained>& all) {
  std::string text;
  for (const Explained& one : all) {
    const why::Meaning& meaning = why::MeaningOf(one.trouble.first.kind);
    text += fmt::format("{}{} -> {}: {}, {} line{}, the first is line {}\n",
                        text.empty() ? "" : "\n", NameOf(one.local, one.trouble.local),
                        NameOf(one.remote, one.trouble.remote), meaning.name, one.trouble.lines,
                        one.trouble.lines == 1 ? "" : "s", one.trouble.first.number);
    text += fmt::format("  means   {}\n", meaning.text);
    for (const v1::Finding& cause : one.causes) RenderCause(cause, &text);
    if (one.causes.empty()) {
      text += fmt::format("  cause   not enough to tell{}{}\n", one.unclear.empty() ? "" : ": ",
                          one.unclear);
    } else if (!one.unclear.empty()) {
      // Causes of one end alone.
      text += fmt::format("  unclear {}\n", one.unclear);
    }
    for (const why::Row& row : one.rows) {
      text += fmt::format("  {} {:<9} {} | {}\n", row.differs() ? "!" : " ", row.name,
                          report::Harmless(row.first), report::Harmless(row.second));
    }
  }
  return text;
}

int WhyCommand(const v1::ClientConfig& config, const WhyOptions& options,
               const OutputOptions& output) {
  why::Troubles found;
  const absl::Status read = ReadLog(options.log, &found);
  if (!read.ok()) return Fail(read, output.format);
  const std::size_t uncounted = found.uncounted_lines();
  std::vector<why::Trouble> troubles = std::move(found).MostFrequentFirst();
  if (troubles.empty()) {
    return Fail(InvalidArgument("no line of the log tells of an RDMA error that is known here"),
                output.format);
  }
  if (uncounted > 0) {
    PrintError(MakeError(
        absl::StatusCode::kOutOfRange,
        fmt::format("more than {} troubles are in the log: {} lines of those that came later are "
                    "not counted",
                    troubles.size(), uncounted)));
  }
  if (troubles.size() > kMaxTroubles) {
    PrintError(MakeError(absl::StatusCode::kOutOfRange,
                         fmt::format("{} troubles are in the log: the {} most frequent are shown",
                                     troubles.size(), kMaxTroubles)));
    troubles.resize(kMaxTroubles);
  }
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  Explainer explainer(client->get(), options.policy);
  std::vector<Explained> all;
  for (const why::Trouble& trouble : troubles) {
    auto explained = explainer.Explain(trouble);
    if (!explained.ok()) return Fail(explained.status(), output.format);
    all.push_back(*std::move(explained));
  }
  PrintResult(output.format == Format::kJson ? ToJson(AsMessage(all)) : RenderExplained(all));
  const bool all_told =
      std::ranges::none_of(all, [](const Explained& one) { return one.causes.empty(); });
  return all_told ? static_cast<int>(kExitOk) : kNotEnough;
}

}  // namespace roceready::cli
