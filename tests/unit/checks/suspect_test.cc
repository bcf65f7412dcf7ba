// SPDX-License-Identifier: Apache-2.0
// Who is named for what a matrix of ways shows. Hosts are numbers; unless a test says otherwise
// each has one port, on one rail.
#include "checks/blame/suspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace roceready::checks {
namespace {

using ::testing::Contains, ::testing::ElementsAre, ::testing::IsEmpty, ::testing::SizeIs,
    ::testing::UnorderedElementsAre, ::testing::UnorderedElementsAreArray;

struct Matrix {
  std::vector<Place> places;
  std::vector<Way> ways;

  // `bad` says of which ways, by their two hosts.
  using Rule = std::function<bool(size_t from, size_t to)>;

  // Every two of them are probed.
  static Matrix Full(size_t hosts, const Rule& bad) {
    Matrix matrix;
    for (size_t host = 0; host < hosts; ++host) matrix.AddHost(host);
    for (size_t a = 0; a < hosts; ++a) {
      for (size_t b = a + 1; b < hosts; ++b) matrix.AddPair(a, b, 0, bad);
    }
    return matrix;
  }
  static Matrix Ring(size_t hosts, const Rule& bad) {
    Matrix matrix;
    for (size_t host = 0; host < hosts; ++host) matrix.AddHost(host);
    for (size_t a = 0; a < hosts; ++a) matrix.AddPair(a, (a + 1) % hosts, 0, bad);
    return matrix;
  }

  void AddHost(size_t host) { places.push_back({.host = host, .adapter = places.size()}); }
  void AddPair(size_t a, size_t b, size_t rail, const Rule& bad) {
    const size_t pair = ways.size();
    ways.push_back({.pair = pair, .from = a, .to = b, .rail = rail, .bad = bad(a, b)});
    ways.push_back({.pair = pair, .from = b, .to = a, .rail = rail, .bad = bad(b, a)});
  }
  Matrix& OnLeaves(size_t hosts_of_leaf) {
    for (Place& place : places) place.leaf = place.host / hosts_of_leaf;
    return *this;
  }
  std::vector<Blame> Blames() const { return FindBlames(places, ways); }
  std::vector<Suspect> Suspects() const {
    std::vector<Suspect> suspects;
    for (const Blame& blame : Blames()) suspects.push_back(blame.suspect);
    return suspects;
  }
};

Suspect Port(size_t at, Direction direction = Direction::kBoth) {
  return {.kind = SuspectKind::kPort, .direction = direction, .first = at};
}

Matrix::Rule Touching(size_t host) {
  return [host](size_t from, size_t to) { return from == host || to == host; };
}

TEST(Suspect, IsNobodyWhereAllIsWell) {
  EXPECT_THAT(Matrix::Full(6, [](size_t, size_t) { return false; }).Suspects(), IsEmpty());
}

TEST(Suspect, IsThePortThatFailsWithAllOfItsPeers) {
  const std::vector<Blame> blames = Matrix::Full(6, Touching(2)).Blames();

  ASSERT_THAT(blames, SizeIs(1));
  EXPECT_EQ(blames[0].suspect, Port(2));
  EXPECT_EQ(blames[0].bad_pairs, 5u);
  EXPECT_EQ(blames[0].good_pairs, 0u);
  EXPECT_EQ(blames[0].other_good_pairs, 10u);
  EXPECT_FALSE(blames[0].direction_untold);
  EXPECT_THAT(blames[0].ways, SizeIs(10));
}

TEST(Suspect, FailsInTheDirectionThatIsBad) {
  EXPECT_THAT(Matrix::Full(6, [](size_t from, size_t) { return from == 2; }).Suspects(),
              ElementsAre(Port(2, Direction::kSending)));
  EXPECT_THAT(Matrix::Full(6, [](size_t, size_t to) { return to == 2; }).Suspects(),
              ElementsAre(Port(2, Direction::kReceiving)));
}

TEST(Suspect, FailsInADirectionThatCannotBeTold) {
  Matrix matrix = Matrix::Full(6, Touching(2));
  std::erase_if(matrix.ways, [](const Way& way) { return way.bad && way.from > way.to; });
  for (Way& way : matrix.ways) way.either_way = way.bad;

  const std::vector<Blame> blames = matrix.Blames();

  ASSERT_THAT(blames, SizeIs(1));
  EXPECT_EQ(blames[0].suspect, Port(2));
  EXPECT_TRUE(blames[0].direction_untold);
}

TEST(Suspect, IsNobodyForOnePair) {
  const auto one_pair = [](size_t from, size_t to) { return from + to == 1; };
  EXPECT_THAT(Matrix::Full(6, one_pair).Suspects(), IsEmpty());
  EXPECT_THAT(Matrix::Full(2, one_pair).Suspects(), IsEmpty());
}

TEST(Suspect, IsNobodyOfThreeHostsThatAllFail) {
  EXPECT_THAT(Matrix::Full(3, [](size_t, size_t) { return true; }).Suspects(), IsEmpty());
}

TEST(Suspect, OfTwoPeersIsNamedWithLessConfidenceThanOfMany) {
  const std::vector<Blame> few = Matrix::Ring(8, Touching(3)).Blames();
  const std::vector<Blame> many = Matrix::Full(8, Touching(3)).Blames();

  ASSERT_THAT(few, SizeIs(1));
  ASSERT_THAT(many, SizeIs(1));
  EXPECT_EQ(few[0].suspect, Port(3));
  EXPECT_LT(few[0].confidence, many[0].confidence);
  EXPECT_GE(few[0].confidence, kLeastConfidence);
}

TEST(Suspect, IsNotAPortThatIsWellWithMostOfItsPeers) {
  const auto two_of_seven = [](size_t from, size_t to) {
    return (from == 0 && to <= 2) || (to == 0 && from <= 2);
  };
  EXPECT_THAT(Matrix::Full(8, two_of_seven).Suspects(), IsEmpty());
}

TEST(Suspect, IsNobodyWhereEitherOfTwoExplainsTheSame) {
  // 2-3, 3-4 and 4-5 of a ring: 3 or 4 explains two of the three.
  const auto three_in_a_row = [](size_t from, size_t to) {
    return std::min(from, to) >= 2 && std::max(from, to) <= 5;
  };
  EXPECT_THAT(Matrix::Ring(12, three_in_a_row).Suspects(), IsEmpty());
}

TEST(Suspect, IsLikelierWhereItsConfigurationIsAtFault) {
  const auto three_in_a_row = [](size_t from, size_t to) {
    return std::min(from, to) >= 2 && std::max(from, to) <= 5;
  };
  Matrix matrix = Matrix::Ring(12, three_in_a_row);
  matrix.places[4].suspected = true;

  const std::vector<Blame> blames = matrix.Blames();

  ASSERT_THAT(blames, SizeIs(1));
  EXPECT_EQ(blames[0].suspect, Port(4));
  EXPECT_GE(blames[0].confidence, kLeastConfidence);
}

// Ways that end at one of those ports in that direction.
Matrix::Rule Of(std::vector<Suspect> ports) {
  return [ports = std::move(ports)](size_t from, size_t to) {
    return std::ranges::any_of(ports, [&](const Suspect& port) {
      const bool sends = port.direction != Direction::kReceiving && port.first == from;
      return sends || (port.direction != Direction::kSending && port.first == to);
    });
  };
}

TEST(Suspect, IsNotTheHostBetweenTwoThatFail) {
  for (const Direction direction : {Direction::kBoth, Direction::kSending, Direction::kReceiving}) {
    // Of five, all but one pair is bad both ways: that may as well be the rail.
    for (size_t hosts = direction == Direction::kBoth ? 6 : 5; hosts < 12; ++hosts) {
      const std::vector<Suspect> two = {Port(1, direction), Port(3, direction)};
      const std::vector<Blame> blames = Matrix::Ring(hosts, Of(two)).Blames();

      ASSERT_THAT(blames, SizeIs(2)) << hosts;
      EXPECT_THAT((std::vector{blames[0].suspect, blames[1].suspect}),
                  UnorderedElementsAreArray(two));
      for (const Blame& blame : blames) EXPECT_GE(blame.confidence, kLeastConfidence);
    }
  }
}

TEST(Suspect, IsEveryOtherHostOfARow) {
  for (const Direction direction : {Direction::kBoth, Direction::kSending, Direction::kReceiving}) {
    for (size_t first = 0; first < 16; ++first) {
      std::vector<Suspect> row;
      for (size_t i = 0; i < 4; ++i) row.push_back(Port((first + 2 * i) % 16, direction));
      EXPECT_THAT(Matrix::Ring(16, Of(row)).Suspects(), UnorderedElementsAreArray(row));
    }
  }
}

TEST(Suspect, IsNobodyWhereASenderAndAReceiverExplainTheSame) {
  // 2>1, 2>3 and 4>3: 2 in sending or 3 in receiving, and one pair alone; and in a longer row.
  EXPECT_THAT(Matrix::Ring(8, Of({Port(2, Direction::kSending), Port(3, Direction::kReceiving)}))
                  .Suspects(),
              IsEmpty());
  EXPECT_THAT(Matrix::Ring(12, Of({Port(2, Direction::kSending), Port(4, Direction::kSending),
                                   Port(5, Direction::kReceiving)}))
                  .Suspects(),
              IsEmpty());
}

TEST(Suspect, IsNobodyOfARingInWhichAllSendersOrAllReceiversMayBeIt) {
  const auto to_even = [](size_t, size_t to) { return to % 2 == 0; };
  Matrix matrix = Matrix::Ring(12, to_even);
  // Elsewhere on the rail all is well.
  for (const size_t host : {12, 13}) matrix.AddHost(host);
  matrix.AddPair(12, 13, 0, [](size_t, size_t) { return false; });

  EXPECT_THAT(matrix.Suspects(), IsEmpty());
}

TEST(Suspect, IsNeverAHealthyHostOfARing) {
  constexpr size_t kHosts = 9;
  const std::vector<Direction> directions = {Direction::kBoth, Direction::kSending,
                                             Direction::kReceiving};
  for (size_t a = 0; a < kHosts; ++a) {
    for (size_t b = a; b < kHosts; ++b) {
      for (size_t c = b; c < kHosts; ++c) {
        for (size_t way = 0; way < 27; ++way) {
          const std::vector<Suspect> faults = {Port(a, directions[way % 3]),
                                               Port(b, directions[way / 3 % 3]),
                                               Port(c, directions[way / 9])};
          for (const Suspect& named : Matrix::Ring(kHosts, Of(faults)).Suspects()) {
            ASSERT_THAT((std::vector{a, b, c}), Contains(named.first))
                << a << ' ' << b << ' ' << c << ' ' << way;
          }
        }
      }
    }
  }
}

TEST(Suspect, IsEachOfTwoPortsThatAreProbedWithEachOther) {
  const auto either = [](size_t from, size_t to) {
    return Touching(1)(from, to) || Touching(2)(from, to);
  };
  EXPECT_THAT(Matrix::Full(8, either).Suspects(), UnorderedElementsAre(Port(1), Port(2)));
}

TEST(Suspect, IsTheSenderThatDoesNotSend) {
  Matrix matrix = Matrix::Ring(6, [](size_t from, size_t) { return from == 2; });
  for (Way& way : matrix.ways) way.not_sent = way.bad;

  EXPECT_THAT(matrix.Suspects(), ElementsAre(Port(2, Direction::kSending)));
}

// Hosts 0 to 5 with a port on each of two rails: place 2 * host + rail.
Matrix TwoRails(const Matrix::Rule& bad, bool one_adapter = false) {
  Matrix matrix;
  for (size_t host = 0; host < 6; ++host) {
    for (size_t rail = 0; rail < 2; ++rail) {
      matrix.places.push_back({.host = host, .adapter = one_adapter ? host : 2 * host + rail});
    }
  }
  for (size_t rail = 0; rail < 2; ++rail) {
    for (size_t a = 0; a < 6; ++a) {
      for (size_t b = a + 1; b < 6; ++b) matrix.AddPair(2 * a + rail, 2 * b + rail, rail, bad);
    }
  }
  return matrix;
}

TEST(Suspect, IsTheHostWhereAllOfItsPortsFail) {
  const auto host1 = [](size_t from, size_t to) { return from / 2 == 1 || to / 2 == 1; };

  EXPECT_THAT(TwoRails(host1).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kHost, .first = 1}));
}

TEST(Suspect, IsTheNicThatHasAllOfTheFailingPorts) {
  const auto host1 = [](size_t from, size_t to) { return from / 2 == 1 || to / 2 == 1; };

  EXPECT_THAT(TwoRails(host1, /*one_adapter=*/true).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kAdapter, .first = 1}));
}

TEST(Suspect, IsThePortWhereTheHostsOtherPortIsWell) {
  EXPECT_THAT(TwoRails(Touching(3)).Suspects(), ElementsAre(Port(3)));
}

TEST(Suspect, IsTheRailThatFailsAltogether) {
  const auto rail1 = [](size_t from, size_t) { return from % 2 == 1; };

  EXPECT_THAT(TwoRails(rail1).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kRail, .first = 1}));
}

TEST(Suspect, IsTheWayBetweenTwoLeaves) {
  const auto crossing = [](size_t from, size_t to) { return from / 4 == 0 && to / 4 == 1; };

  EXPECT_THAT(Matrix::Full(12, crossing).OnLeaves(4).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kBetweenLeaves,
                                  .direction = Direction::kSending,
                                  .first = 0,
                                  .second = 1}));
}

TEST(Suspect, IsTheUplinksOfALeaf) {
  const auto crossing = [](size_t from, size_t to) {
    return from / 4 != to / 4 && (from / 4 == 1 || to / 4 == 1);
  };

  EXPECT_THAT(Matrix::Full(12, crossing).OnLeaves(4).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kUplinks, .first = 1}));
}

TEST(Suspect, IsTheLeafBehindWhichAllFail) {
  const auto behind = [](size_t from, size_t to) { return from / 4 == 1 || to / 4 == 1; };

  EXPECT_THAT(Matrix::Full(12, behind).OnLeaves(4).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kLeaf, .first = 1}));
}

TEST(Suspect, IsNotTheLeafWhereSomeOfItsPortsFail) {
  const auto two = [](size_t from, size_t to) {
    return Touching(4)(from, to) || Touching(5)(from, to);
  };

  EXPECT_THAT(Matrix::Full(16, two).OnLeaves(4).Suspects(), UnorderedElementsAre(Port(4), Port(5)));
}

Suspect Host(size_t number) { return {.kind = SuspectKind::kHost, .first = number}; }

// Hosts with two ports each, place 2 * host + port, every two ports of different hosts probed:
// ports below the leaf that `leaf` gives them.
Matrix TwoPortsEach(size_t hosts, const std::function<size_t(size_t place)>& leaf,
                    const Matrix::Rule& bad) {
  Matrix matrix;
  for (size_t at = 0; at < 2 * hosts; ++at) {
    matrix.places.push_back({.host = at / 2, .adapter = at, .leaf = leaf(at)});
  }
  for (size_t a = 0; a < 2 * hosts; ++a) {
    for (size_t b = a + 1; b < 2 * hosts; ++b) {
      if (a / 2 != b / 2) matrix.AddPair(a, b, 0, bad);
    }
  }
  return matrix;
}

TEST(Suspect, IsTheHostsWhereTheirLeafHasManyPortsOfFewHosts) {
  const auto first_two = [](size_t from, size_t to) { return from / 4 == 0 || to / 4 == 0; };
  // The others below one leaf, and below three.
  for (const size_t hosts_of_leaf : {6, 2}) {
    const auto leaf = [&](size_t at) {
      return at < 4 ? size_t{0} : 1 + (at / 2 - 2) / hosts_of_leaf;
    };
    EXPECT_THAT(TwoPortsEach(8, leaf, first_two).Suspects(),
                UnorderedElementsAre(Host(0), Host(1)));
  }
}

TEST(Suspect, IsTheLeafWhereFourHostsBelowItFail) {
  const auto leaf = [](size_t at) { return at / 8; };
  const auto behind = [](size_t from, size_t to) { return from / 8 == 0 || to / 8 == 0; };
  EXPECT_THAT(TwoPortsEach(8, leaf, behind).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kLeaf, .first = 0}));
}

TEST(Suspect, IsNotTheWayBetweenLeavesOnTheWordOfOnePairOfHosts) {
  // Hosts 0 and 1 with two ports each below leaves 0 and 1, the others all below leaf 2: all is
  // well but between the first two.
  const auto leaf = [](size_t at) { return std::min<size_t>(at / 2, 2); };
  const auto between = [](size_t from, size_t to) { return from / 4 == 0 && to / 4 == 0; };
  EXPECT_THAT(TwoPortsEach(6, leaf, between).Suspects(), IsEmpty());
  // Each with a port below either leaf.
  const auto either = [](size_t at) { return at < 4 ? at % 2 : size_t{2}; };
  EXPECT_THAT(TwoPortsEach(6, either, between).Suspects(), IsEmpty());
}

TEST(Suspect, IsNotTheUplinksOnTheWordOfOneHostOnEitherSide) {
  // All are below leaf 0 but host 1, which is below leaves 1 and 2 and is probed with host 0 alone.
  const auto leaf = [](size_t at) { return at / 2 == 1 ? at - 1 : size_t{0}; };
  const auto between = [](size_t from, size_t to) { return from / 4 == 0 && to / 4 == 0; };
  Matrix matrix = TwoPortsEach(6, leaf, between);
  std::erase_if(matrix.ways,
                [](const Way& way) { return !way.bad && (way.from / 2 == 1 || way.to / 2 == 1); });

  EXPECT_THAT(matrix.Suspects(), IsEmpty());
}

TEST(Suspect, IsTheWayBetweenLeavesWhereTwoHostsOnEachSideFail) {
  const auto leaf = [](size_t at) { return at / 4; };
  const auto crossing = [](size_t from, size_t to) {
    return std::min(from, to) / 4 == 0 && std::max(from, to) / 4 == 1;
  };
  EXPECT_THAT(TwoPortsEach(6, leaf, crossing).Suspects(),
              ElementsAre(Suspect{.kind = SuspectKind::kBetweenLeaves, .first = 0, .second = 1}));
}

// Hosts in a ring on each of two rails: place 2 * host + rail.
TEST(Suspect, IsTheHostsTwoApartAndNotTheOneBetween) {
  Matrix matrix;
  for (size_t at = 0; at < 16; ++at) matrix.places.push_back({.host = at / 2, .adapter = at});
  for (size_t at = 0; at < 16; ++at) {
    matrix.AddPair(at, (at + 2) % 16, at % 2,
                   [](size_t, size_t to) { return to / 2 == 1 || to / 2 == 3; });
  }
  Suspect first = Host(1), second = Host(3);
  first.direction = second.direction = Direction::kReceiving;

  EXPECT_THAT(matrix.Suspects(), UnorderedElementsAre(first, second));
}

// A loss of 0.1 % on what host 2 sends; `tries` packets were sent over the ways to hosts 3 and on.
Matrix SlightLoss(double tries) {
  Matrix matrix = Matrix::Full(6, [](size_t from, size_t to) { return from == 2 && to < 2; });
  for (Way& way : matrix.ways) {
    way.rate = way.bad ? 0.001 : 0;
    way.tries = way.from == 2 && !way.bad ? tries : 50'000;
  }
  return matrix;
}

TEST(Suspect, IsNotClearedByWaysThatCarriedTooFewPackets) {
  EXPECT_THAT(SlightLoss(50).Suspects(), ElementsAre(Port(2, Direction::kSending)));
  EXPECT_THAT(SlightLoss(50'000).Suspects(), IsEmpty());
}

}  // namespace
}  // namespace roceready::checks
