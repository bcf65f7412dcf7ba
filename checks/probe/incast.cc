// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/incast.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/check.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

// As in loss.counters-moving: less is what a lossless fabric shows without harm to a job.
constexpr double kTolerableLoss = 1e-5;
// Of what both the senders and the receiver can do: below, they hinder each other.
constexpr double kCollapsed = 0.5;
// Of what the receiver's links can carry: from here on they have filled the port. More than all of
// it is only measured where they did not send at the same time.
constexpr double kFilled = 0.7;
constexpr double kMoreThanAll = 1.05;
// Software is bound by the processor: it is compared with others of its kind, from so many.
constexpr double kCollapsedSoftware = 0.25;
constexpr size_t kEnoughGroups = 4;

using CapacityOfEnd = std::function<const PortCapacity*(const v1::ProbeEnd&)>;

struct Group {
  std::vector<const ProbedPair*> pairs;
  // Of the pairs whose phase was done.
  size_t done = 0;
  double bps = 0;
  uint64_t packets = 0;
};

const VerbVerdict& WriteOf(const ProbedPair& pair) { return *pair.Find(Verb::kWrite, Path::kAToB); }

// Of all of that end's counters, over all priorities.
uint64_t Sum(const v1::PhaseResult* side, v1::CounterId id) {
  uint64_t sum = 0;
  if (side == nullptr) return sum;
  for (const v1::PortCounters& counters : side->counters()) {
    if (!IsOk(counters.reading())) continue;
    for (const v1::CounterSample& sample : counters.samples()) {
      if (sample.id() == id) sum += sample.delta();
    }
  }
  return sum;
}

// The network held the senders back, as a lossless class does.
bool ShowsBackPressure(const PhaseView& phase) {
  return Sum(phase.active, v1::COUNTER_ID_RX_PAUSE_FRAMES) > 0 ||
         Sum(phase.active, v1::COUNTER_ID_CNP_HANDLED) > 0 ||
         Sum(phase.passive, v1::COUNTER_ID_TX_PAUSE_FRAMES) > 0 ||
         Sum(phase.passive, v1::COUNTER_ID_CNP_SENT) > 0 ||
         Sum(phase.passive, v1::COUNTER_ID_ECN_MARKED) > 0;
}

// What the counters of all ends say was lost; none: they do not tell, or one sent alone. The
// senders share the receiver's counters, each over its own window, so the largest of these is
// taken, and no sum.
std::optional<uint64_t> LostIn(const Group& group) {
  std::optional<uint64_t> gaps, duplicates;
  uint64_t repeats = 0;
  if (group.done < 2) return gaps;
  for (const ProbedPair* pair : group.pairs) {
    const std::optional<PhaseView>& phase = WriteOf(*pair).phase;
    if (!phase) continue;
    const auto largest = [&](v1::CounterId id, std::optional<uint64_t>& of_all) {
      const auto delta = DeltaOf(phase->passive, pair->b, id);
      if (delta) of_all = std::max(of_all.value_or(0), *delta);
    };
    largest(v1::COUNTER_ID_OUT_OF_SEQUENCE, gaps);
    largest(v1::COUNTER_ID_DUPLICATE_REQUESTS, duplicates);
    repeats += DeltaOf(phase->active, pair->a, v1::COUNTER_ID_RETRANSMITS).value_or(0);
  }
  if (!gaps || *gaps > 0 || !duplicates) return gaps;
  // What was repeated and had arrived before was only slow.
  return repeats - std::min(repeats, *duplicates);
}

std::string SendersOf(const Group& group) {
  std::vector<std::string> hosts;
  hosts.reserve(group.pairs.size());
  for (const ProbedPair* pair : group.pairs) hosts.push_back(pair->a.host());
  return FoldHostList(hosts);
}

v1::Subject ReceiverOf(const Group& group) {
  const ProbedPair& pair = *group.pairs.front();
  v1::Subject subject;
  subject.set_host(pair.b.host());
  subject.set_device_id(pair.b.rdma_device_id());
  subject.set_port(pair.b.port());
  subject.set_net_device_id(pair.b.net_device_id());
  subject.set_label(pair.label_b);
  return subject;
}

std::string Gbps(double bps) { return fmt::format("{:.2f} Gb/s", bps / 1e9); }

class IncastJudge {
 public:
  IncastJudge(std::span<const ProbedPair> pairs, const CapacityOfEnd& capacity_of, Judge& judge)
      : capacity_of_(capacity_of), judge_(judge) {
    for (const ProbedPair& pair : pairs) Add(pair);
  }

  void Run() {
    if (groups_.empty()) return judge_.NotApplicable();
    for (const auto& [name, group] : groups_) JudgeGroup(group);
  }

 private:
  void Add(const ProbedPair& pair) {
    Group& group = groups_[pair.incast_group];
    group.pairs.push_back(&pair);
    const VerbVerdict& write = WriteOf(pair);
    if (write.status != v1::CHECK_STATUS_PASS || !write.phase) return;
    ++group.done;
    const v1::PhaseResult& side = *write.phase->active;
    group.bps += side.bandwidth_bps();
    const uint64_t mtu = std::max<uint32_t>(pair.result->spec().transport().path_mtu_bytes(), 1);
    group.packets += side.bytes_moved() / mtu;
  }

  void JudgeGroup(const Group& group) {
    if (group.pairs.size() < 2) return Unknown(group, "only one sender was to be probed");
    for (const ProbedPair* pair : group.pairs) {
      const VerbVerdict& write = WriteOf(*pair);
      if (write.status != v1::CHECK_STATUS_FAIL || !HasMoved(write)) continue;
      return Fail(group, fmt::format("of {} at once {} failed: {}", SendersOf(group),
                                     pair->a.host(), write.text));
    }
    // That is seen whoever else could not be probed.
    const bool lossless = judge_.intent().lossless_priorities_size() > 0;
    const std::optional<uint64_t> lost = LostIn(group);
    if (lossless && lost && RateOf(group, *lost) >= kTolerableLoss) {
      return FailForLoss(group, *lost);
    }
    if (group.done < group.pairs.size()) return Unknown(group, WhyNotAll(group));
    if (group.packets == 0) return Unknown(group, "nothing was moved");
    if (lossless && !lost) {
      return Unknown(group,
                     fmt::format("no sequence counters of {}", group.pairs.front()->b.host()));
    }
    JudgeBandwidth(group, lossless);
  }

  // A way on which nothing passes is no matter of how many send.
  static bool HasMoved(const VerbVerdict& write) {
    return write.phase && write.phase->active != nullptr && write.phase->active->bytes_moved() > 0;
  }

  static double RateOf(const Group& group, uint64_t lost) {
    const uint64_t packets = std::max(group.packets, lost);
    return packets == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(packets);
  }

  // The same for all, where it is the same.
  static std::string WhyNotAll(const Group& group) {
    std::vector<std::string> reasons;
    for (const ProbedPair* pair : group.pairs) {
      const VerbVerdict& write = WriteOf(*pair);
      if (write.status == v1::CHECK_STATUS_PASS) continue;
      std::string reason = write.text.empty() ? "not run" : write.text;
      if (write.status == v1::CHECK_STATUS_FAIL) {
        reason = fmt::format(
            "nothing passed from {} at all ({}): probe the pairs by themselves "
            "first",
            pair->a.host(), reason);
      }
      if (std::ranges::find(reasons, reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
    return JoinWords(reasons, "; ");
  }

  void FailForLoss(const Group& group, uint64_t lost) {
    Fail(group, fmt::format("{} of packets lost while {} sent at once ({} of {})",
                            Percent(RateOf(group, lost)), SendersOf(group), Grouped(lost),
                            Grouped(std::max(group.packets, lost))));
  }

  void JudgeBandwidth(const Group& group, bool lossless) {
    if (IsSoftware(group)) return JudgeSoftware(group, lossless);
    const std::string seen = lossless ? "nothing was lost, but " : "";
    const PortCapacity* capacity = capacity_of_(group.pairs.front()->b);
    if (capacity == nullptr || !capacity->mbps) {
      return Unknown(group, seen + "what the port can carry is not known");
    }
    const double port = static_cast<double>(*capacity->mbps) * 1e6;
    const std::optional<double> senders = SendersCan(group);
    if (senders && group.bps < kCollapsed * std::min(port, *senders)) {
      return Fail(group,
                  fmt::format("{} together of {} at once, where the ends allow {}", Gbps(group.bps),
                              SendersOf(group), Gbps(std::min(port, *senders))));
    }
    if (group.bps > kMoreThanAll * port) {
      return Unknown(group, fmt::format("together {}, more than the {} that one link of the port "
                                        "carries: they did not share it",
                                        Gbps(group.bps), Gbps(port)));
    }
    const bool held_back = std::ranges::any_of(group.pairs, [](const ProbedPair* pair) {
      return ShowsBackPressure(*WriteOf(*pair).phase);
    });
    if (held_back || group.bps >= kFilled * port) return judge_.Pass();
    Unknown(group, fmt::format("{}the senders reached {} of {}, and neither pause frames nor marks "
                               "show that the port was full",
                               seen, Gbps(group.bps), Gbps(port)));
  }

  bool IsSoftware(const Group& group) const {
    const auto is_software = [this](const v1::ProbeEnd& end) {
      const PortCapacity* capacity = capacity_of_(end);
      return capacity != nullptr && capacity->is_software;
    };
    return std::ranges::any_of(group.pairs, [&](const ProbedPair* pair) {
      return is_software(pair->a) || is_software(pair->b);
    });
  }

  // None: of one of them it is not known.
  std::optional<double> SendersCan(const Group& group) const {
    double sum = 0;
    for (const ProbedPair* pair : group.pairs) {
      const PortCapacity* capacity = capacity_of_(pair->a);
      if (capacity == nullptr || !capacity->mbps) return std::nullopt;
      const auto limit = static_cast<double>(pair->result->spec().rate_limit_bps());
      const double link = static_cast<double>(*capacity->mbps) * 1e6;
      sum += limit > 0 ? std::min(link, limit) : link;
    }
    return sum;
  }

  // It counts neither pause nor marks: that nothing was lost is all that can be wanted.
  void JudgeSoftware(const Group& group, bool lossless) {
    if (!lossless) return judge_.NotApplicable();
    std::vector<double> all;
    for (const auto& [name, other] : groups_) {
      const bool alike = other.pairs.size() == group.pairs.size() && IsSoftware(other);
      if (alike && other.done == other.pairs.size()) all.push_back(other.bps);
    }
    if (all.size() >= kEnoughGroups) {
      const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::ranges::nth_element(all, middle);
      if (group.bps < kCollapsedSoftware * *middle) {
        return Fail(group, fmt::format("{} together of {} at once, where half of {} have {}",
                                       Gbps(group.bps), SendersOf(group),
                                       Counted(all.size(), "receiver"), Gbps(*middle)));
      }
    }
    judge_.Pass();
  }

  void Fail(const Group& group, std::string actual) {
    Annotate(group, judge_.Fail(ReceiverOf(group)).Actual(std::move(actual)))
        .MendedBy(fmt::format(
            "Look at the switch port that leads to {}: PFC and headroom of the class, ECN "
            "thresholds, and drops; then at PFC and DCQCN of the senders.",
            group.pairs.front()->b.host()));
  }

  void Unknown(const Group& group, std::string reason) {
    Annotate(group, judge_.Unknown(ReceiverOf(group), std::move(reason)));
  }

  static Draft& Annotate(const Group& group, Draft& draft) {
    draft.Expected("several senders at once lose nothing, and fill the port");
    for (const ProbedPair* pair : group.pairs) {
      const std::optional<PhaseView>& phase = WriteOf(*pair).phase;
      if (phase) {
        for (v1::Evidence& evidence : pair->EvidenceOf(*phase)) {
          draft.RestsOn(std::move(evidence));
        }
      }
      for (PortKey& port : pair->Touches()) draft.touches.push_back(std::move(port));
    }
    return draft;
  }

  const CapacityOfEnd& capacity_of_;
  Judge& judge_;
  std::map<std::string, Group> groups_;
};

}  // namespace

void JudgeIncasts(std::span<const ProbedPair> pairs, const CapacityOfEnd& capacity_of,
                  Judge& judge) {
  IncastJudge(pairs, capacity_of, judge).Run();
}

Check ProbeIncast() {
  return {
      .id = "probe.incast",
      .title = "Several senders to one port lose nothing",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "Collective operations send from many to one. Where PFC or ECN of the class is not as "
          "it should be, that port's queue overflows, and all fall to a fraction of the speed, "
          "while any two by themselves look well.",
      .how =
          "Only with a plan of kind incast, which agents have to allow (probes.incast). The "
          "senders write to one port at the same time for two seconds. A message that fails, "
          "packets lost where the policy has a lossless priority, or together less than half of "
          "what senders and port can do is a fault. Otherwise it counts where the port was seen "
          "full: by 70 % of what it can carry, pause frames, CNPs or ECN marks; else it is "
          "UNKNOWN, as is a way on which nothing passes at all. Of software devices only loss is "
          "asked, and a quarter of what half of the other receivers have.",
      .fix = "Look at PFC, headroom and ECN of the switch port that leads to the receiver.",
      .sources = {"probe phases that run together, counters of all ends"},
      // A receiver that its slot holds back drops or pauses as a full switch port does.
      .explained_by = {"host.heard-from", "port.active", "link.bit-errors", "link.flaps",
                       "speed.as-planned", "speed.odd-one-out", "pcie.link", "pcie.bandwidth",
                       "pcie.payload", "pcie.errors", "pcie.power-state", "iommu.passthrough",
                       "bond.members-up", "pfc.lossless-priority", "pause.storm",
                       "qos.dscp-priority", "switch.pfc-lossless", "switch.roce-class",
                       "buffer.lossless"},
  };
}

}  // namespace roceready::checks
