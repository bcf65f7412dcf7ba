// SPDX-License-Identifier: Apache-2.0
// What a probe of one pair showed, read from both ends: for WRITE and READ in each direction
// whether it works, and if not which path loses packets. A WRITE by A needs A->B for data and B->A
// for acknowledgements; only the passive end's counters of that phase tell which of the two is
// dead.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/evaluate.h"
#include "checks/judge.h"
#include "roceready/v1/probe.pb.h"

namespace roceready::checks {

// A direction between the two ends.
enum class Path { kAToB, kBToA };
inline constexpr std::array kPaths = {Path::kAToB, Path::kBToA};
constexpr Path Reverse(Path path) { return path == Path::kAToB ? Path::kBToA : Path::kAToB; }

enum class Verb { kWrite, kRead };

// One phase of the probe with what both ends say about it; a side that says nothing is null.
struct PhaseView {
  const v1::ProbePhase* spec = nullptr;
  const v1::PhaseResult* active = nullptr;
  const v1::PhaseResult* passive = nullptr;
  Verb verb = Verb::kWrite;
  // From the active to the passive end.
  Path path = Path::kAToB;

  // Where the payload flows: with a READ, towards the active end.
  Path DataPath() const { return verb == Verb::kWrite ? path : Reverse(path); }
  bool IsDone() const;
  // It ended in an error or a deadline that lost packets can cause.
  bool LooksLost() const;
};

// Whose packets are missing when a verb fails.
enum class Lost { kUnknown, kNothing, kRequests, kReplies, kNotSent };

// What one verb did in one direction.
struct VerbVerdict {
  Verb verb = Verb::kWrite;
  // From the active to the passive end.
  Path path = Path::kAToB;
  // UNSPECIFIED: the probe had no such phase.
  v1::CheckStatus status = v1::CHECK_STATUS_UNSPECIFIED;
  // FAIL: what happened; UNKNOWN: why nothing is known.
  std::string text;
  Lost lost = Lost::kUnknown;
  // Set where `lost` names one.
  std::optional<Path> lost_path;
  bool verified = false;
  // The phase that decided; null where none ran.
  std::optional<PhaseView> phase;
  // It fails at large messages only: probe.large-only says so.
  bool large_only = false;
  // Packets did come through on `lost_path`, too few of them to end the transfer: probe.loss says
  // so.
  bool given_up = false;
};

// What was lost on one path by the counters of all phases that were done.
struct PathLoss {
  // False: no counters, and `unknown` says why.
  bool counted = false;
  std::string unknown;
  uint64_t packets = 0;
  uint64_t events = 0;
  // READs that were asked for again after they had been answered: their replies were lost, or
  // requests beside them. In `events` where nothing says the latter.
  uint64_t by_answered_reads = 0;
  // Nobody repeats these: of so many, so many were lost. Apart from the others, which are far more.
  uint64_t datagrams = 0;
  uint64_t datagrams_lost = 0;
  // Repeats of which only the responder's duplicates tell: a request or an acknowledgement.
  uint64_t ambiguous = 0;
  std::vector<v1::Evidence> evidence;

  // The 95 % bound of the loss ratio where nothing was lost ("rule of three").
  double UpperBound() const;
};

struct BlackHole {
  // UNSPECIFIED: no small and large phase to compare.
  v1::CheckStatus status = v1::CHECK_STATUS_UNSPECIFIED;
  uint32_t passed_bytes = 0;
  uint32_t failed_bytes = 0;
  std::optional<PhaseView> phase;
};

// What one phase measured, and what it is compared with (probe_bandwidth.h).
struct Bandwidth {
  Verb verb = Verb::kWrite;
  Path data_path = Path::kAToB;
  PhaseView phase;
  double bps = 0;
  // Bound by a processor, at one end or both.
  bool is_software = false;
  // The order's rate limit; 0: none.
  double ordered_bps = 0;
  // What both ends and the order allow, and what limits it; none: see `unknown`.
  std::optional<double> possible_bps;
  std::string limit;
  std::string unknown;
  // Of so many directions of ports of the same models; none where they are too few.
  std::optional<double> median_bps;
  size_t compared = 0;

  bool IsSlow() const;
};

// What half of the messages of one phase took at most, there and back, and what it is compared with
// (probe_latency.h).
struct Latency {
  Verb verb = Verb::kWrite;
  // From the active to the passive end.
  Path path = Path::kAToB;
  PhaseView phase;
  uint64_t median_ns = 0;
  bool is_software = false;
  // Half of so many directions of ports of the same models have this or less; none where they are
  // too few.
  std::optional<uint64_t> others_ns;
  size_t compared = 0;

  bool IsHigh() const;
};

struct ProbedPair {
  v1::ProbeEnd a;
  v1::ProbeEnd b;
  std::string label_a;
  std::string label_b;
  // Null: not probed.
  const v1::ProbeResult* result = nullptr;
  // As in its plan.
  bool is_retest = false;
  // Not empty: one of several that sent to B at the same time (Incast.group).
  std::string incast_group;
  // What the plan says of a pair without a result.
  std::string missing_reason;
  // Of kPaths x {WRITE, READ}, in that order of paths.
  std::vector<VerbVerdict> verbs;
  std::array<BlackHole, 2> black_holes;
  std::array<PathLoss, 2> losses;
  // Of phases that measure it and were done.
  std::vector<Bandwidth> bandwidths;
  std::vector<Latency> latencies;

  const v1::ProbeEnd& From(Path path) const { return path == Path::kAToB ? a : b; }
  const v1::ProbeEnd& To(Path path) const { return path == Path::kAToB ? b : a; }
  const VerbVerdict* Find(Verb verb, Path path) const;
  v1::Subject SubjectOf(Path path) const;
  std::vector<PortKey> Touches() const;
  // What decided about a phase: counters of both ends.
  std::vector<v1::Evidence> EvidenceOf(const PhaseView& phase) const;
};

// The phases of WRITE and READ, in their order. They point into `result`.
std::vector<PhaseView> PhasesOf(const v1::ProbeResult& result);

// `result` is null where the pair was planned and not probed; `missing_reason` then says why.
ProbedPair ViewProbe(const PlannedProbe& planned, const v1::ProbeResult* result);

// The delta of a counter in one phase at the RDMA port of that end; empty where no reading
// gave it.
std::optional<uint64_t> DeltaOf(const v1::PhaseResult* side, const v1::ProbeEnd& end,
                                v1::CounterId id);

}  // namespace roceready::checks
