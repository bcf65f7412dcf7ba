// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/stored_facts.h"

#include <utility>

#include "proto/contract/errors.h"
#include "proto/process/durations.h"

namespace roceready::cli {

namespace {

absl::StatusOr<std::vector<v1::Host>> RowsOf(FleetClient& client, const std::string& list) {
  return client.ListHosts(list == "*" ? "" : list);
}

}  // namespace

absl::StatusOr<StoredFacts> FetchStoredFacts(FleetClient& client, const std::string& list) {
  ASSIGN_OR_RETURN(const std::vector<v1::Host> rows, RowsOf(client, list));
  if (rows.empty()) return NotFound("the controller knows no host");
  StoredFacts stored;
  for (const v1::Host& row : rows) {
    KnownHost& host = stored.hosts[row.host()];
    host.state = row.state();
    host.state_reason = row.state_reason();
    if (row.facts_digest().empty()) continue;
    v1::GetHostFactsRequest request;
    request.set_host(row.host());
    request.set_with_counters(true);
    ASSIGN_OR_RETURN(v1::GetHostFactsResponse response, client.GetHostFacts(request));
    for (const v1::FactAge& age : response.ages()) host.fact_ages[age.key()] = FromProto(age.age());
    if (response.has_counters()) host.counters = std::move(*response.mutable_counters());
    host.facts = std::move(*response.mutable_facts());
    stored.digests[row.host()] = row.facts_digest();
  }
  return stored;
}

absl::StatusOr<StoredFacts::Digests> FetchDigests(FleetClient& client, const std::string& list) {
  ASSIGN_OR_RETURN(const std::vector<v1::Host> rows, RowsOf(client, list));
  StoredFacts::Digests digests;
  for (const v1::Host& row : rows) {
    if (!row.facts_digest().empty()) digests[row.host()] = row.facts_digest();
  }
  return digests;
}

}  // namespace roceready::cli
