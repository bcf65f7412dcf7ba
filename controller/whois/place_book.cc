// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/place_book.h"

#include <algorithm>
#include <utility>

#include "proto/contract/host_list.h"
#include "proto/process/durations.h"

namespace roceready::whois {

void PlaceBook::Update(const std::vector<KnownHost>& hosts) {
  std::map<std::string, Host> now;
  order_.clear();
  for (const KnownHost& known : hosts) {
    order_.push_back(known.host);
    Host& host = now[known.host];
    const auto before = hosts_.find(known.host);
    if (before != hosts_.end() && before->second.parts == known.parts) {
      host = std::move(before->second);
    } else {
      host.parts = known.parts;
      v1::HostFacts facts;
      // Facts that cannot be put together lead nowhere; audits say so of their host.
      if (AssembleFacts(*known.parts, &facts).ok()) host.places = PlacesOf(facts);
      // The name that its certificate speaks for.
      for (v1::Place& place : host.places) place.set_host(known.host);
    }
    host.fact_age = known.fact_age;
  }
  hosts_ = std::move(now);
  std::ranges::sort(order_, HostNameLess);
}

v1::WhoIsResponse PlaceBook::Find(const What& what) const {
  v1::WhoIsResponse response;
  // Who has exactly this name is meant, not one with the same name in a domain.
  const bool is_named = hosts_.contains(what.host);
  for (const std::string& name : order_) {
    if (is_named && name != what.host) continue;
    const Host& host = hosts_.at(name);
    for (const v1::Place& place : host.places) {
      std::string as = MatchOf(place, what);
      if (as.empty()) continue;
      if (response.places_size() == kMaxPlaces) {
        response.set_more_places(response.more_places() + 1);
        continue;
      }
      v1::Place* found = response.add_places();
      *found = place;
      found->set_as(std::move(as));
      *found->mutable_fact_age() = ToProto(host.fact_age);
    }
  }
  return response;
}

}  // namespace roceready::whois
