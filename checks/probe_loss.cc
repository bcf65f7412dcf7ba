// SPDX-License-Identifier: Apache-2.0
#include "checks/probe_loss.h"

#include <algorithm>

#include "checks/datagrams.h"
#include "checks/words.h"
#include "proto/contract/latency_histogram.h"

namespace roceready::checks {
namespace {

// As in loss.counters-moving: less is what a lossless fabric shows without harm to a job.
constexpr double kTolerableLoss = 1e-5;
// One repeat of which nobody can say what was lost may be a late acknowledgement.
constexpr uint64_t kAmbiguousEnough = 2;
// One READ that was answered and is asked for again, for so many losses of requests.
constexpr uint64_t kRepeatedWithLostRequest = 5;

size_t Index(Path path) { return static_cast<size_t>(path); }

uint64_t PacketsOfMessage(const ProbedPair& pair, const PhaseView& phase) {
  const uint64_t mtu = std::max<uint32_t>(pair.result->spec().transport().path_mtu_bytes(), 1);
  const uint64_t message = std::max<uint32_t>(phase.spec->message_bytes(), 1);
  return (message + mtu - 1) / mtu;
}

std::optional<uint64_t> ReceivedOn(const ProbedPair& pair, const PhaseView& phase, Path path) {
  return DeltaOf(path == phase.path ? phase.passive : phase.active, pair.To(path),
                 v1::COUNTER_ID_RX_PACKETS);
}

// Packets that the payload of a phase took: of messages that ended, or what arrived where it was
// given up.
uint64_t DataPackets(const ProbedPair& pair, const PhaseView& phase) {
  const uint64_t message = std::max<uint32_t>(phase.spec->message_bytes(), 1);
  const uint64_t ended = phase.active->bytes_moved() / message * PacketsOfMessage(pair, phase);
  if (phase.IsDone()) return ended;
  return std::max(ended, ReceivedOn(pair, phase, phase.DataPath()).value_or(0));
}

// How many losses the latencies of a phase leave room for. With one message on its way at a time
// a lost packet keeps its message waiting for the retransmit timer. Soft-RoCE does not stop the
// timer when the answer comes (Linux 6.1, rxe_comp.c), so it also fires during a later message,
// which is then repeated though nothing was lost and nobody waited; a message that did wait, did so
// for what was left of the timeout. An eighth of it is far above a usual latency.
uint64_t MostLosses(const ProbedPair& pair, const PhaseView& phase) {
  if (phase.spec->measure() != v1::PROBE_MEASURE_LATENCY) return UINT64_MAX;
  const auto latencies = LatencyHistogram::FromProto(phase.active->latency());
  if (!latencies.ok() || latencies->count() == 0) return UINT64_MAX;
  // 4.096 us * 2^exponent (InfiniBand specification 1, 9.7.6.1.3); 0 = no timeout.
  const uint32_t exponent = pair.result->spec().transport().ack_timeout_exponent();
  if (exponent == 0 || exponent > 31) return UINT64_MAX;
  return latencies->CountAbove((uint64_t{4096} << exponent) / 8);
}

void CountPhase(const ProbedPair& pair, const PhaseView& phase, std::array<PathLoss, 2>& losses) {
  const auto duplicates =
      DeltaOf(phase.passive, pair.To(phase.path), v1::COUNTER_ID_DUPLICATE_REQUESTS);
  const auto gaps = DeltaOf(phase.passive, pair.To(phase.path), v1::COUNTER_ID_OUT_OF_SEQUENCE);
  const auto repeats = DeltaOf(phase.active, pair.From(phase.path), v1::COUNTER_ID_RETRANSMITS);
  PathLoss& requests = losses[Index(phase.path)];
  PathLoss& replies = losses[Index(Reverse(phase.path))];
  PathLoss& data = losses[Index(phase.DataPath())];
  // Gaps tell of lost WRITE data; for lost READ data the responder's duplicates do.
  const bool told = phase.verb == Verb::kWrite ? gaps.has_value() : duplicates.has_value();
  if (!told) {
    data.unknown = fmt::format("no sequence counters of {}", pair.To(phase.path).host());
    return;
  }
  data.counted = true;
  data.packets += DataPackets(pair, phase);
  PathLoss* charged = nullptr;
  // Datagrams on the way of the requests arrive twice: so do requests that nobody has repeated.
  const bool doubled_on_the_way =
      repeats.value_or(0) == 0 && DatagramsOn(pair, phase.path).duplicates > 0;
  if (gaps.value_or(0) > 0) {
    charged = &requests;
    charged->events += *gaps;
  } else if (duplicates.value_or(0) > 0 && doubled_on_the_way) {
    return;
  } else if (duplicates.value_or(0) > 0) {
    // How often it was repeated, not how many packets were repeated each time.
    const uint64_t events = std::min(std::clamp<uint64_t>(repeats.value_or(1), 1, *duplicates),
                                     MostLosses(pair, phase));
    if (events == 0) return;
    charged = phase.verb == Verb::kRead ? &replies : &requests;
    (phase.verb == Verb::kRead ? charged->by_answered_reads : charged->ambiguous) += events;
  } else if (repeats.value_or(0) > 0 && duplicates.has_value() && gaps.has_value()) {
    charged = &requests;
    charged->events += *repeats;
  }
  if (charged == nullptr) return;
  for (v1::Evidence& evidence : pair.EvidenceOf(phase)) {
    charged->evidence.push_back(std::move(evidence));
  }
}

// Too few to show that nothing is lost: a path stays uncounted where the counters of the connection
// are not known.
void CountDatagrams(const ProbedPair& pair, Path path, PathLoss& loss) {
  const DatagramsSeen seen = DatagramsOn(pair, path);
  if (!seen.known()) return;
  loss.datagrams = seen.sent;
  loss.datagrams_lost = seen.lost();
  if (seen.lost() == 0) return;
  loss.evidence.insert(loss.evidence.end(), seen.evidence.begin(), seen.evidence.end());
}

// One alone may have met a moment's stall of the host that receives it.
bool LosesDatagrams(const PathLoss& loss) { return loss.datagrams_lost >= 2; }

double RateOf(const PathLoss& loss) {
  return static_cast<double>(loss.events) /
         static_cast<double>(std::max<uint64_t>({loss.packets, loss.events, 1}));
}

double RateOfDatagrams(const PathLoss& loss) {
  return static_cast<double>(loss.datagrams_lost) /
         static_cast<double>(std::max<uint64_t>(loss.datagrams, 1));
}

// A verb that fails altogether is not a rate: probe.write and probe.read say it.
bool FailsAltogether(const ProbedPair& pair, Path path) {
  for (const VerbVerdict& verdict : pair.verbs) {
    if (verdict.status != v1::CHECK_STATUS_FAIL || verdict.given_up) continue;
    const bool data_here = verdict.phase && verdict.phase->DataPath() == path;
    if (!verdict.phase || verdict.lost_path == path || (data_here && !verdict.lost_path)) {
      return true;
    }
  }
  return false;
}

}  // namespace

double LossVerdict::Rate() const {
  return packets == 0 ? 0 : static_cast<double>(events) / static_cast<double>(packets);
}

LossVerdict JudgeLoss(const ProbedPair& pair, Path path) {
  const PathLoss& loss = pair.losses[Index(path)];
  LossVerdict verdict;
  if (FailsAltogether(pair, path)) return verdict;
  const bool of_datagrams = LosesDatagrams(loss) && RateOf(loss) < RateOfDatagrams(loss);
  verdict.ambiguous = loss.events == 0 && !of_datagrams;
  verdict.events = of_datagrams        ? loss.datagrams_lost
                   : verdict.ambiguous ? loss.ambiguous
                                       : loss.events;
  verdict.packets = std::max(of_datagrams ? loss.datagrams : loss.packets, verdict.events);
  if (!loss.counted && verdict.events == 0) {
    if (!loss.unknown.empty()) verdict.status = v1::CHECK_STATUS_UNKNOWN;
    return verdict;
  }
  const bool is_right = verdict.events == 0 || verdict.Rate() < kTolerableLoss ||
                        (verdict.ambiguous && verdict.events < kAmbiguousEnough);
  verdict.status = is_right ? v1::CHECK_STATUS_PASS : v1::CHECK_STATUS_FAIL;
  return verdict;
}

double PathLoss::UpperBound() const {
  // Rule of three: with no loss in n packets, p < 3/n at 95 % confidence.
  return packets == 0 ? 1.0 : std::min(1.0, 3.0 / static_cast<double>(packets));
}

bool PacketsArrived(const ProbedPair& pair, const PhaseView& phase, Path path) {
  if (ReceivedOn(pair, phase, path).value_or(0) > 0) return true;
  if (path != phase.path) return false;
  const auto requests = [&](v1::CounterId id) {
    return DeltaOf(phase.passive, pair.To(path), id).value_or(0);
  };
  return requests(v1::COUNTER_ID_DUPLICATE_REQUESTS) > 0 ||
         requests(v1::COUNTER_ID_OUT_OF_SEQUENCE) > 0;
}

bool FullPacketsArrived(const ProbedPair& pair, const PhaseView& phase) {
  // A WRITE request comes twice only after it has come once, whole.
  if (phase.verb == Verb::kWrite &&
      DeltaOf(phase.passive, pair.To(phase.path), v1::COUNTER_ID_DUPLICATE_REQUESTS).value_or(0) >
          0) {
    return true;
  }
  // The last packet of other messages is smaller, and arrives where large ones do not.
  const uint32_t mtu = pair.result->spec().transport().path_mtu_bytes();
  if (mtu == 0 || phase.spec->message_bytes() % mtu != 0) return false;
  // A few strays are somebody else's: the counters are the port's.
  return ReceivedOn(pair, phase, phase.DataPath()).value_or(0) >= PacketsOfMessage(pair, phase);
}

std::array<PathLoss, 2> CountLosses(const ProbedPair& pair, const std::vector<PhaseView>& phases) {
  std::array<PathLoss, 2> losses;
  for (const PhaseView& phase : phases) {
    if (phase.IsDone()) CountPhase(pair, phase, losses);
  }
  for (const VerbVerdict& verdict : pair.verbs) {
    if (verdict.given_up) CountPhase(pair, *verdict.phase, losses);
  }
  for (const Path path : kPaths) CountDatagrams(pair, path, losses[Index(path)]);
  // A READ request that is lost alone is missed after a timeout, and with it READs are repeated
  // that had been answered. So few of these, beside loss that is sure, are of that.
  const std::array<uint64_t, 2> sure = {losses[0].events, losses[1].events};
  for (const Path path : kPaths) {
    PathLoss& here = losses[Index(path)];
    const uint64_t of_requests = sure[Index(Reverse(path))];
    const uint64_t explained =
        of_requests == 0 ? 0 : std::max<uint64_t>(of_requests / kRepeatedWithLostRequest, 1);
    if (here.by_answered_reads > explained) here.events += here.by_answered_reads;
  }
  // Repeats that may be the reverse path's are that path's where it is known to lose packets.
  for (const Path path : kPaths) {
    PathLoss& here = losses[Index(path)];
    PathLoss& there = losses[Index(Reverse(path))];
    if (here.ambiguous == 0) continue;
    const bool known = there.events > 0 || here.events > 0;
    if (known || LosesDatagrams(there) || LosesDatagrams(here)) here.ambiguous = 0;
  }
  return losses;
}

}  // namespace roceready::checks
