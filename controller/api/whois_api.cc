// SPDX-License-Identifier: Apache-2.0
// The part of the API that finds who has an address.
#include <utility>

#include "controller/api/fleet_api.h"
#include "controller/api/require.h"
#include "controller/whois/what.h"

namespace roceready {

void FleetApi::WhoIs(const Caller& caller, const v1::WhoIsRequest& request, WhoIsDone done) {
  if (absl::Status allowed = Require(caller, Role::kViewer); !allowed.ok()) return done(allowed);
  absl::StatusOr<whois::What> what = whois::ParseWhat(request.what());
  if (!what.ok()) return done(what.status());
  std::vector<whois::KnownHost> hosts;
  const MonotonicTime now = tools_.clock->Now();
  for (const auto& [host, record] : tools_.fleet->hosts()) {
    const std::optional<Duration> age = record.OldestFact(now);
    if (age) hosts.push_back({host, record.parts, *age});
  }
  auto response = std::make_shared<v1::WhoIsResponse>();
  tools_.finder->Run(
      [response, places = places_, hosts = std::move(hosts), what = *std::move(what)] {
        places->Update(hosts);
        *response = places->Find(what);
      },
      [response, done = std::move(done)] { done(std::move(*response)); });
}

}  // namespace roceready
