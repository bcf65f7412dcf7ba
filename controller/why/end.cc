// SPDX-License-Identifier: Apache-2.0
#include "controller/why/end.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "proto/contract/host_name.h"

namespace roceready::why {
namespace {

using Places = std::vector<const v1::Place*>;

constexpr std::size_t kMaxNames = 3;

// Agents read all facts once a minute, so after three (kFactsGoodFor of the controller's fleet)
// facts are older for a reason: the host has gone, and may be known by another name now.
constexpr std::chrono::seconds kSilence{180};

Places LivingOf(const Places& places) {
  const auto age_of = [](const v1::Place* place) { return place->fact_age().seconds(); };
  const auto youngest = age_of(*std::ranges::min_element(places, {}, age_of));
  Places living;
  std::ranges::copy_if(places, std::back_inserter(living), [&](const v1::Place* place) {
    return age_of(place) <= youngest + kSilence.count();
  });
  return living;
}

Places OfWriter(const Places& places, std::string_view writer) {
  Places of_writer;
  std::ranges::copy_if(places, std::back_inserter(of_writer), [&](const v1::Place* place) {
    return MayBeSameHost(place->host(), writer);
  });
  return of_writer.empty() ? places : of_writer;
}

std::vector<std::string> HostsOf(const Places& places) {
  std::vector<std::string> hosts;
  for (const v1::Place* place : places) {
    // The places of a host stand together.
    if (hosts.empty() || hosts.back() != place->host()) hosts.push_back(place->host());
  }
  return hosts;
}

// Of the places of one host.
v1::Place OneOf(const Places& places) {
  const auto has_rdma = [](const v1::Place* place) { return !place->rdma_device().empty(); };
  const auto first = std::ranges::find_if(places, has_rdma);
  const v1::Place& place = first == places.end() ? *places.front() : **first;
  // An RDMA device is of several net devices where there are VLANs: its own comes first. Of a host
  // alone, or of an address that several ports have, it is not known which one it was.
  const bool is_one = place.as() == "RDMA device" || std::ranges::count_if(places, has_rdma) <= 1;
  if (place.as() != "host" && is_one) return place;
  v1::Place host;
  host.set_host(place.host());
  return host;
}

}  // namespace

End EndOf(std::string_view what, std::string_view writer, const v1::WhoIsResponse& answer) {
  Places places;
  for (const v1::Place& place : answer.places()) places.push_back(&place);
  End end;
  if (places.empty()) {
    end.unclear = fmt::format("nobody has {}", what);
    return end;
  }
  places = LivingOf(OfWriter(places, writer));
  const std::vector<std::string> hosts = HostsOf(places);
  // One among those that are named is not the only one where others are not.
  const bool all_are_named = answer.more_places() == 0 || MayBeSameHost(hosts.front(), writer);
  if (hosts.size() == 1 && all_are_named) {
    end.place = OneOf(places);
    return end;
  }
  const std::size_t named = std::min(hosts.size(), kMaxNames);
  end.unclear = fmt::format("{} fits {}{} hosts: {}{}", what, all_are_named ? "" : "more than ",
                            hosts.size(), fmt::join(hosts.begin(), hosts.begin() + named, ", "),
                            named == hosts.size() && all_are_named ? "" : " and others");
  return end;
}

}  // namespace roceready::why
