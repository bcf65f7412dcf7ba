// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/way_figures.h"

#include <algorithm>
#include <string>

#include "checks/probe_loss.h"
#include "checks/probe_view.h"
#include "proto/contract/latency_histogram.h"

namespace roceready::cli {
namespace {

using checks::Path, checks::PhaseView, checks::ProbedPair, checks::Verb, checks::VerbVerdict;

// Whose payload flows along the path: WRITEs of its beginning, READs of its end.
const VerbVerdict& VerdictOn(const ProbedPair& pair, Verb verb, Path data_path) {
  return *pair.Find(verb, verb == Verb::kWrite ? data_path : Reverse(data_path));
}

// Why there is no figure of a verb, where its phases do not say it themselves.
std::string WhyNone(const VerbVerdict& verdict) {
  switch (verdict.status) {
    case v1::CHECK_STATUS_FAIL:
    case v1::CHECK_STATUS_UNKNOWN:
      return verdict.text;
    case v1::CHECK_STATUS_PASS:
      return "this probe does not measure it";
    default:
      return "this probe has no such phase";
  }
}

void SetBandwidth(const ProbedPair& pair, const VerbVerdict& verdict, Path data_path,
                  v1::WayVerb* figures) {
  bool measured = false;
  for (const checks::Bandwidth& one : pair.bandwidths) {
    if (one.verb != verdict.verb || one.data_path != data_path) continue;
    measured = true;
    if (one.bps > 0) figures->set_bandwidth_bps(std::max(figures->bandwidth_bps(), one.bps));
  }
  if (figures->has_bandwidth_bps()) return;
  figures->set_bandwidth_unknown(measured ? "nothing was moved" : WhyNone(verdict));
}

void SetLatency(const std::vector<PhaseView>& phases, const VerbVerdict& verdict, Path data_path,
                v1::WayVerb* figures) {
  LatencyHistogram latencies;
  for (const PhaseView& phase : phases) {
    const bool is_one = phase.spec->measure() == v1::PROBE_MEASURE_LATENCY &&
                        phase.verb == verdict.verb && phase.DataPath() == data_path &&
                        phase.IsDone();
    if (!is_one) continue;
    const auto measured = LatencyHistogram::FromProto(phase.active->latency());
    if (!measured.ok()) {
      figures->set_latency_unknown("the agent's histogram contradicts itself");
      return;
    }
    latencies.Merge(*measured);
  }
  if (latencies.count() == 0) {
    figures->set_latency_unknown(WhyNone(verdict));
    return;
  }
  figures->set_latency_p50_ns(latencies.Quantile(0.5));
  figures->set_latency_p99_ns(latencies.Quantile(0.99));
  figures->set_latency_max_ns(latencies.max_ns());
}

v1::WayVerb FiguresOf(const ProbedPair& pair, const std::vector<PhaseView>& phases, Verb verb,
                      Path data_path) {
  const VerbVerdict& verdict = VerdictOn(pair, verb, data_path);
  v1::WayVerb figures;
  figures.set_status(verdict.status);
  SetBandwidth(pair, verdict, data_path, &figures);
  SetLatency(phases, verdict, data_path, &figures);
  return figures;
}

// Why no loss was counted on a way of which probe.loss says nothing: where all is lost, that is no
// rate.
std::string WhyNoLoss(const ProbedPair& pair, Path path) {
  for (const Verb verb : {Verb::kWrite, Verb::kRead}) {
    const VerbVerdict& verdict = VerdictOn(pair, verb, path);
    if (verdict.status == v1::CHECK_STATUS_UNKNOWN || verdict.status == v1::CHECK_STATUS_FAIL) {
      return verdict.text;
    }
  }
  return "this probe sent nothing this way";
}

v1::WayLoss LossOn(const ProbedPair& pair, Path path) {
  const checks::PathLoss& counted = pair.losses[static_cast<std::size_t>(path)];
  const checks::LossVerdict verdict = checks::JudgeLoss(pair, path);
  v1::WayLoss loss;
  loss.set_status(verdict.status);
  if (verdict.status == v1::CHECK_STATUS_UNKNOWN) {
    loss.set_unknown(counted.unknown);
  } else if (verdict.status == v1::CHECK_STATUS_UNSPECIFIED) {
    loss.set_unknown(WhyNoLoss(pair, path));
  } else if (verdict.packets == 0) {
    loss.set_status(v1::CHECK_STATUS_UNKNOWN);
    loss.set_unknown("not one packet was counted");
  } else {
    loss.set_packets(verdict.packets);
    loss.set_lost(verdict.events);
    loss.set_ambiguous(verdict.events > 0 && verdict.ambiguous);
    if (verdict.events == 0) loss.set_below(counted.UpperBound());
  }
  return loss;
}

void SetGid(const v1::ProbeEndpoint& used, v1::WayGid* gid) {
  gid->set_gid(used.gid());
  gid->set_index(used.gid_index());
}

v1::ProbeWay WayOn(const ProbedPair& pair, const std::vector<PhaseView>& phases, Path path) {
  const v1::ProbeResult& result = *pair.result;
  const bool forward = path == Path::kAToB;
  v1::ProbeWay way;
  way.set_probe_id(result.spec().probe_id());
  *way.mutable_from() = pair.From(path);
  *way.mutable_to() = pair.To(path);
  *way.mutable_write() = FiguresOf(pair, phases, Verb::kWrite, path);
  *way.mutable_read() = FiguresOf(pair, phases, Verb::kRead, path);
  *way.mutable_loss() = LossOn(pair, path);
  way.set_incast_group(pair.incast_group);
  *way.mutable_transport() = result.spec().transport();
  const v1::EndReport& from = forward ? result.a() : result.b();
  const v1::EndReport& to = forward ? result.b() : result.a();
  if (from.has_used()) SetGid(from.used(), way.mutable_from_gid());
  if (to.has_used()) SetGid(to.used(), way.mutable_to_gid());
  return way;
}

bool HasPhases(const v1::ProbeSpec& spec, Path data_path) {
  return std::ranges::any_of(spec.phases(), [&](const v1::ProbePhase& phase) {
    const bool by_a = phase.active_side() != v1::PROBE_SIDE_B;
    const bool is_read = phase.operation() == v1::PROBE_OPERATION_READ;
    return (by_a != is_read) == (data_path == Path::kAToB);
  });
}

}  // namespace

std::vector<v1::ProbeWay> WaysOf(const v1::ProbeResult& result) {
  const ProbedPair pair = checks::ViewProbe({}, &result);
  const std::vector<PhaseView> phases = checks::PhasesOf(result);
  std::vector<v1::ProbeWay> ways;
  for (const Path path : checks::kPaths) {
    if (HasPhases(result.spec(), path)) ways.push_back(WayOn(pair, phases, path));
  }
  return ways;
}

std::vector<v1::ProbeWay> WaysNotProbed(
    const google::protobuf::RepeatedPtrField<v1::Finding>& findings) {
  std::vector<v1::ProbeWay> ways;
  for (const v1::Finding& finding : findings) {
    const v1::Subject& subject = finding.subject();
    // Of a pair with a result, whatever that says, the result is the evidence.
    if (finding.check_id() != "probe.write" || finding.status() != v1::CHECK_STATUS_UNKNOWN ||
        subject.peer_host().empty() || !finding.evidence().empty()) {
      continue;
    }
    v1::ProbeWay& way = ways.emplace_back();
    way.mutable_from()->set_host(subject.host());
    way.mutable_from()->set_rdma_device_id(subject.device_id());
    way.mutable_from()->set_port(subject.port());
    way.mutable_to()->set_host(subject.peer_host());
    way.mutable_to()->set_rdma_device_id(subject.peer_device_id());
    for (v1::WayVerb* verb : {way.mutable_write(), way.mutable_read()}) {
      verb->set_status(v1::CHECK_STATUS_UNKNOWN);
      verb->set_bandwidth_unknown(finding.reason());
      verb->set_latency_unknown(finding.reason());
    }
    way.mutable_loss()->set_status(v1::CHECK_STATUS_UNKNOWN);
    way.mutable_loss()->set_unknown(finding.reason());
  }
  return ways;
}

}  // namespace roceready::cli
