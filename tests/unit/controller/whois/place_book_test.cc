// SPDX-License-Identifier: Apache-2.0
#include "controller/whois/place_book.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders/facts_builder.h"

namespace roceready::whois {
namespace {

KnownHost Known(const std::string& name, uint32_t number) {
  builders::HostBuilder host(name, number);
  return {name, std::make_shared<const FactParts>(SplitFacts(host.facts()).value()),
          std::chrono::seconds(5)};
}

std::vector<std::string> HostsOf(const v1::WhoIsResponse& response) {
  std::vector<std::string> hosts;
  for (const v1::Place& place : response.places()) hosts.push_back(place.host());
  return hosts;
}

TEST(PlaceBook, FindsTheHostsOfAnAddressInTheOrderOfTheirNames) {
  PlaceBook book;
  // Two have one address, which is a fault worth seeing.
  book.Update({Known("gpu10", 1), Known("gpu9", 1), Known("gpu3", 3)});
  const v1::WhoIsResponse found = book.Find(ParseWhat("10.77.0.1").value());
  EXPECT_THAT(HostsOf(found), testing::ElementsAre("gpu9", "gpu10"));
  EXPECT_EQ(found.places(0).fact_age().seconds(), 5);
  EXPECT_THAT(HostsOf(book.Find(ParseWhat("10.77.0.2").value())), testing::IsEmpty());
}

TEST(PlaceBook, FollowsHostsThatChangeComeAndGo) {
  PlaceBook book;
  book.Update({Known("gpu1", 1), Known("gpu2", 2)});
  book.Update({Known("gpu1", 7)});
  EXPECT_THAT(HostsOf(book.Find(ParseWhat("10.77.0.1").value())), testing::IsEmpty());
  EXPECT_THAT(HostsOf(book.Find(ParseWhat("10.77.0.2").value())), testing::IsEmpty());
  EXPECT_THAT(HostsOf(book.Find(ParseWhat("10.77.0.7").value())), testing::ElementsAre("gpu1"));
}

TEST(PlaceBook, SaysHowManyMoreThereAre) {
  std::vector<KnownHost> hosts;
  for (int i = 0; i < PlaceBook::kMaxPlaces + 3; ++i) {
    hosts.push_back(Known(fmt::format("gpu{}", i), 1));
  }
  PlaceBook book;
  book.Update(hosts);
  const v1::WhoIsResponse found = book.Find(ParseWhat("10.77.0.1").value());
  EXPECT_EQ(found.places_size(), PlaceBook::kMaxPlaces);
  EXPECT_EQ(found.more_places(), 3u);
}

TEST(PlaceBook, AShortNameLeadsToAllWhoseShortNameItIs) {
  PlaceBook book;
  book.Update({Known("gpu1.hall1.example", 1), Known("gpu1.hall2.example", 2),
               Known("gpu10.hall1.example", 3), Known("gpu2", 4)});
  const auto hosts_of = [&](std::string_view text) {
    return HostsOf(book.Find(ParseWhat(text).value()));
  };
  EXPECT_THAT(hosts_of("gpu1"), testing::ElementsAre("gpu1.hall1.example", "gpu1.hall2.example"));
  EXPECT_THAT(hosts_of("GPU10"), testing::ElementsAre("gpu10.hall1.example"));
  EXPECT_THAT(hosts_of("gpu1.hall2.example"), testing::ElementsAre("gpu1.hall2.example"));
  EXPECT_THAT(hosts_of("gpu1.hall3.example"), testing::IsEmpty());
  EXPECT_THAT(hosts_of("gpu2.hall1.example"), testing::ElementsAre("gpu2"));
}

TEST(PlaceBook, WhoHasExactlyTheNameIsMeant) {
  PlaceBook book;
  book.Update({Known("gpu1", 1), Known("gpu1.hall2.example", 2)});
  const auto hosts_of = [&](std::string_view text) {
    return HostsOf(book.Find(ParseWhat(text).value()));
  };
  EXPECT_THAT(hosts_of("gpu1"), testing::ElementsAre("gpu1"));
  EXPECT_THAT(hosts_of("gpu1.hall2.example"), testing::ElementsAre("gpu1.hall2.example"));
  EXPECT_THAT(hosts_of("gpu1.hall3.example"), testing::ElementsAre("gpu1"));
  // An address is of whoever has it.
  EXPECT_THAT(hosts_of("10.77.0.2"), testing::ElementsAre("gpu1.hall2.example"));
}

}  // namespace
}  // namespace roceready::whois
