// SPDX-License-Identifier: Apache-2.0
#include "controller/probing/retest.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "checks/port_pair.h"
#include "checks/words.h"
#include "controller/probing/pair_orders.h"
#include "controller/probing/probe_spec.h"

namespace roceready {
namespace {

using checks::PortRef;

// Which leaf the next partner is wanted on.
enum class Leaf { kOwn, kAnother };

class Chooser {
 public:
  explicit Chooser(const RetestInput& input) : input_(input), uses_(input.ports.size()) {
    for (std::uint32_t place = 0; place < input.ports.size(); ++place) {
      const checks::RailPort& port = input.ports[place];
      place_of_[{PortRef::Of(port), port.net_device_id}] = place;
      const auto good = input.open.good_ports.find({port.host, port.rdma_device_id, port.port});
      if (good != input.open.good_ports.end()) {
        good_of_rail_[port.rail].push_back({place, good->second > 0});
      }
    }
    for (const checks::PlannedProbe& planned : input.planned) {
      met_.insert({PortRef::Of(planned.a), PortRef::Of(planned.b)});
    }
  }

  RetestChoice Choose() {
    const std::size_t most = std::max(kMostRetests, input_.planned.size() / kPlannedForARetest);
    for (const checks::OpenPair& pair : input_.open.pairs) {
      const auto a = PlaceOf(pair.a), b = PlaceOf(pair.b);
      const auto known = a ? a : b;
      if (known && !good_of_rail_.contains(input_.ports[*known].rail)) {
        ++choice_.without_good_port;
        continue;
      }
      if (a) AddPartners(*a, pair.b, b);
      if (b) AddPartners(*b, pair.a, a);
      if (choice_.pairs.size() >= most) break;
    }
    choice_.pairs.resize(std::min(choice_.pairs.size(), most));
    return std::move(choice_);
  }

 private:
  struct GoodPort {
    std::uint32_t place = 0;
    // Some of its pairs said nothing: the next may do so as well.
    bool is_partly_unknown = false;
  };

  std::optional<std::uint32_t> PlaceOf(const v1::ProbeEnd& end) const {
    const auto found = place_of_.find({PortRef::Of(end), end.net_device_id()});
    return found == place_of_.end() ? std::nullopt : std::optional(found->second);
  }

  // `peer`: with which it is bad; its place, where it can still be probed.
  void AddPartners(std::uint32_t end, const v1::ProbeEnd& peer,
                   std::optional<std::uint32_t> peer_place) {
    if (!done_.insert(end).second) return;
    const std::string peer_leaf = peer_place ? input_.ports[*peer_place].leaf : "";
    Leaf wanted = Leaf::kOwn;
    for (std::uint32_t i = 0; i < kRetestPartners; ++i) {
      const auto partner = BestFor(end, peer.host(), peer_leaf, wanted);
      if (!partner) return;
      choice_.pairs.push_back({end, *partner, 0, 0});
      met_.insert({PortRef::Of(input_.ports[end]), PortRef::Of(input_.ports[*partner])});
      ++uses_[*partner];
      wanted = Leaf::kAnother;
    }
  }

  std::optional<std::uint32_t> BestFor(std::uint32_t end, const std::string& peer_host,
                                       const std::string& peer_leaf, Leaf wanted) const {
    const checks::RailPort& own = input_.ports[end];
    std::optional<std::uint32_t> best;
    std::tuple<int, bool, std::size_t, std::uint32_t> least;
    for (const GoodPort& good : good_of_rail_.at(own.rail)) {
      const checks::RailPort& port = input_.ports[good.place];
      if (port.host == own.host || port.host == peer_host) continue;
      if (met_.contains({PortRef::Of(own), PortRef::Of(port)})) continue;
      // Those that come next on the rail, and after its end those at its beginning.
      const std::uint32_t distance =
          good.place > end ? good.place - end
                           : good.place + static_cast<std::uint32_t>(input_.ports.size()) - end;
      const std::tuple rank(LeafRank(own.leaf, port.leaf, peer_leaf, wanted),
                            good.is_partly_unknown, uses_[good.place], distance);
      if (best && rank >= least) continue;
      best = good.place;
      least = rank;
    }
    return best;
  }

  static int LeafRank(const std::string& own, const std::string& leaf, const std::string& peer_leaf,
                      Leaf wanted) {
    if (own.empty() || leaf.empty()) return 2;
    if (wanted == Leaf::kOwn) return leaf == own ? 0 : 1;
    if (leaf == own) return 3;
    return leaf == peer_leaf ? 0 : 1;
  }

  const RetestInput& input_;
  std::map<std::pair<PortRef, std::string_view>, std::uint32_t> place_of_;
  std::map<std::string_view, std::vector<GoodPort>> good_of_rail_;
  std::set<checks::PortPair> met_;
  std::set<std::uint32_t> done_;
  std::vector<std::size_t> uses_;  // by place
  RetestChoice choice_;
};

std::string NobodyIsGood(std::size_t pairs) {
  return fmt::format(
      "who is to blame for {} (no port of {} is well with all that it met, so nothing was probed "
      "again)",
      checks::Counted(pairs, "bad pair"), pairs == 1 ? "its rail" : "their rails");
}

}  // namespace

RetestChoice ChooseRetests(const RetestInput& input) { return Chooser(input).Choose(); }

RetestPlan PlanRetests(const PlanInput& input, std::span<const checks::PlannedProbe> planned,
                       const checks::OpenPairs& open, std::size_t first_number) {
  std::vector<checks::RailPort> ports;
  for (auto& [rail, members] : checks::GroupByRail(input.ports)) {
    std::ranges::copy_if(members, std::back_inserter(ports),
                         [&](const checks::RailPort& port) { return WhyNot(port, input).empty(); });
  }
  const RetestChoice choice = ChooseRetests({ports, planned, open});
  RetestPlan retests;
  if (choice.without_good_port > 0) retests.not_retested = NobodyIsGood(choice.without_good_port);
  if (choice.pairs.empty()) return retests;
  ProbePlanned& plan = retests.plan;
  PairOrders orders{input.audit_id,
                    first_number,
                    std::make_shared<const std::vector<checks::RailPort>>(std::move(ports)),
                    choice.pairs,
                    input.policy_of,
                    input.datagram_room};
  for (const PortPair& pair : choice.pairs) {
    const checks::RailPort &a = (*orders.ports)[pair.a], &b = (*orders.ports)[pair.b];
    const EffectivePolicy& policy = *input.policy_of(a.host);
    plan.planned.push_back(
        {MakeProbeEnd(a, policy), MakeProbeEnd(b, policy), "", "", /*is_retest=*/true});
    plan.work.pairs.push_back(WaitingPairOf(a, b, 0));
  }
  plan.work.spec_of = std::move(orders);
  plan.work.at_once = input.at_once;
  plan.in_words = fmt::format("{} more, to tell who is to blame for {} that nothing explains",
                              checks::Counted(choice.pairs.size(), "pair"),
                              checks::Counted(open.pairs.size(), "bad pair"));
  return retests;
}

}  // namespace roceready
