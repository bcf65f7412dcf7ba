// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/pick_command.h"

#include <fmt/format.h>
#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <set>
#include <utility>

#include "controller/cli/fleet_client.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"

namespace roceready::cli {
namespace {

// The names that a list stands for; of "*" those that the controller knows.
absl::StatusOr<std::vector<std::string>> NamesOf(FleetClient& client, const std::string& list) {
  if (list != "*") return ExpandHostList(list);
  ASSIGN_OR_RETURN(const std::vector<v1::Host> hosts, client.ListHosts("*"));
  std::vector<std::string> names;
  for (const v1::Host& host : hosts) names.push_back(host.host());
  return names;
}

// Where no host can be left out to mend it.
absl::Status NoneIsReady(const v1::GetVerdictResponse& verdict) {
  if (verdict.causes().empty()) return FailedPrecondition("no host is ready");
  const v1::Finding& first = verdict.causes(0);
  return FailedPrecondition("no host is ready, or what is wrong is of no one host: {}: {}",
                            first.check_id(),
                            first.actual().empty() ? first.reason() : first.actual());
}

}  // namespace

absl::StatusOr<Picked> PickReady(std::vector<std::string> hosts, const JudgeSet& judge) {
  Picked picked;
  while (!hosts.empty()) {
    ASSIGN_OR_RETURN(picked.verdict, judge(hosts));
    const v1::Verdict& verdict = picked.verdict.verdict();
    std::set<std::string> blocked(verdict.hosts_blocked().begin(), verdict.hosts_blocked().end());
    // Those that are set aside were not judged, and block nobody.
    const auto& set_aside = verdict.coverage().hosts_in_maintenance();
    blocked.insert(set_aside.begin(), set_aside.end());
    if (verdict.readiness() == v1::READINESS_READY && set_aside.empty()) {
      picked.ready = std::move(hosts);
      return picked;
    }
    // Each round leaves out at least one, so this ends.
    const auto rest =
        std::stable_partition(hosts.begin(), hosts.end(),
                              [&](const std::string& host) { return !blocked.contains(host); });
    if (rest == hosts.end()) break;
    picked.left_out.insert(picked.left_out.end(), rest, hosts.end());
    hosts.erase(rest, hosts.end());
  }
  return NoneIsReady(picked.verdict);
}

int PickCommand(const v1::ClientConfig& config, const PickOptions& options,
                const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  auto names = NamesOf(**client, options.from.hosts);
  if (!names.ok()) return Fail(names.status(), output.format);
  const auto picked = PickReady(*std::move(names), [&](const std::vector<std::string>& hosts) {
    VerdictQuestion question = options.from;
    question.hosts = FoldHostList(hosts);
    return AskVerdict(**client, question);
  });
  const bool none = picked.status().code() == absl::StatusCode::kFailedPrecondition;
  if (!picked.ok() && !none) return Fail(picked.status(), output.format);
  if (none || picked->ready.size() < options.count.value_or(1)) {
    Fail(none ? picked.status()
              : FailedPrecondition("{} hosts are wanted and {} are ready: {}", *options.count,
                                   picked->ready.size(), FoldHostList(picked->ready)),
         output.format);
    return kExitNotReady;
  }
  std::vector<std::string> chosen = picked->ready;
  chosen.resize(options.count.value_or(chosen.size()));
  if (output.format == Format::kJson) {
    google::protobuf::Struct document;
    auto& fields = *document.mutable_fields();
    fields["hosts"].set_string_value(FoldHostList(chosen));
    fields["ready"].set_number_value(static_cast<double>(picked->ready.size()));
    fields["left_out"].set_string_value(FoldHostList(picked->left_out));
    PrintResult(ToJson(document));
  } else {
    PrintResult(FoldHostList(chosen) + "\n");
  }
  return kExitOk;
}

}  // namespace roceready::cli
