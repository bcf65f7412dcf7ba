// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/learn_command.h"

#include <vector>

#include "checks/learn.h"
#include "controller/cli/fleet_client.h"
#include "controller/cli/saved_facts.h"
#include "proto/contract/errors.h"
#include "proto/contract/host_list.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

absl::StatusOr<std::vector<v1::HostFacts>> FactsOfDirectory(const std::string& directory) {
  ASSIGN_OR_RETURN(auto files, ReadSavedFacts(directory));
  std::vector<v1::HostFacts> facts;
  facts.reserve(files.size());
  for (auto& [host, file] : files) facts.push_back(std::move(*file.mutable_facts()));
  return facts;
}

absl::StatusOr<std::vector<v1::HostFacts>> FactsOfController(const v1::ClientConfig& config,
                                                             const std::string& hosts) {
  ASSIGN_OR_RETURN(const auto client, FleetClient::Create(config));
  ASSIGN_OR_RETURN(const std::vector<v1::Host> rows, client->ListHosts(hosts));
  std::vector<v1::HostFacts> facts;
  std::vector<std::string> without;
  for (const v1::Host& row : rows) {
    if (row.facts_digest().empty()) {
      without.push_back(row.host());
      continue;
    }
    v1::GetHostFactsRequest request;
    request.set_host(row.host());
    ASSIGN_OR_RETURN(v1::GetHostFactsResponse response, client->GetHostFacts(request));
    facts.push_back(std::move(*response.mutable_facts()));
  }
  if (!without.empty()) {
    return NotFound("no facts are known of {}: leave them out, or start their agents",
                    FoldHostList(without));
  }
  if (facts.empty()) return NotFound("the controller knows no host");
  return facts;
}

}  // namespace

int LearnCommand(const v1::ClientConfig& config, const PolicyLearnOptions& options,
                 const OutputOptions& output) {
  const auto facts = options.facts_directory.empty() ? FactsOfController(config, options.hosts)
                                                     : FactsOfDirectory(options.facts_directory);
  if (!facts.ok()) return Fail(facts.status(), output.format);
  std::vector<const v1::HostFacts*> pointers;
  for (const v1::HostFacts& one : *facts) pointers.push_back(&one);
  PrintResult(checks::LearnPolicy(options.name, pointers));
  return kExitOk;
}

}  // namespace roceready::cli
