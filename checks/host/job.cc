// SPDX-License-Identifier: Apache-2.0
// job.gid-index, gid.index-alike, job.traffic-class and job.timers: what the policy says of the job
// suits the host.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/gid.h"
#include "checks/host/job_gids.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

Question AskGids(const HostView& host, const PortView& port, std::string expected,
                 std::string_view policy_path = {}) {
  return {.subject = host.SubjectOfPort(port),
          .path = PortPath(port.device->id(), port.port->number(), "gid_table.gids"),
          .reading = ReadingOf(port.port->has_gid_table(), port.port->gid_table()),
          .expected = std::move(expected),
          .policy_path = policy_path};
}

// What is known to be wrong with a GID for a job; empty: nothing.
std::string FaultOf(const HostView& host, const v1::Gid& gid, const PortView& port) {
  const v1::FabricIntent& intent = host.intent();
  const bool want_v1 = intent.roce_version() == "v1", want_ipv6 = intent.ip_family() == "ipv6";
  const v1::GidType wanted = want_v1 ? v1::GID_TYPE_ROCE_V1 : v1::GID_TYPE_ROCE_V2;
  if (gid.type() != wanted && gid.type() != v1::GID_TYPE_UNSPECIFIED) {
    return fmt::format("it is of RoCE {}", want_v1 ? "v2" : "v1");
  }
  if (IsLinkLocalGid(gid.gid())) return "it is link-local";
  if (IsIpv4Gid(gid.gid()) == want_ipv6) return want_ipv6 ? "it is IPv4" : "it is IPv6";
  if (IsElsewhere(host.facts(), gid, port)) return "it is another net device's";
  if (AddressOf(host.facts(), gid) == GidAddress::kGone) {
    return "it is stale, its net device no longer has the address";
  }
  return {};
}

// Whether its version and its owner were read, so that no fault means that it suits.
bool IsKnown(const v1::Gid& gid, const PortView& port) {
  return gid.type() != v1::GID_TYPE_UNSPECIFIED && IsOnPort(gid, port);
}

void JudgeIndex(const HostView& host, const PortView& port, Judge& judge) {
  const uint32_t index = host.policy().job.gid_index();
  const Question question =
      AskGids(host, port, fmt::format("a GID for the job at index {}", index), "job.gid_index");
  const auto& gids = port.port->gid_table().gids();
  if (IsUnanswered(host, judge, question)) return;
  const auto found = std::ranges::find(gids, index, &v1::Gid::index);
  if (found == gids.end()) {
    FailOn(host, judge, question, fmt::format("index {} is empty", index))
        .MendedBy("Give the net device its address, or the job an index that every port has.");
    return;
  }
  const std::string fault = FaultOf(host, *found, port);
  if (fault.empty() && IsUnanswered(host, judge, question, IsKnown(*found, port))) return;
  if (fault.empty()) return judge.Pass();
  FailOn(host, judge, question, fmt::format("at index {}: {}", index, fault), found->gid())
      .MendedBy(
          "Let the job choose by address family and version instead of by index, or set the "
          "index for this host.");
}

void JudgeHostIndex(const HostView& host, Judge& judge) {
  for (const PortView& port : host.ports()) {
    if (host.policy().job.has_gid_index()) {
      JudgeIndex(host, port, judge);
    } else {
      judge.NotApplicable();
    }
  }
}

// The index of the first GID that would suit a job.
std::optional<uint32_t> WantedIndex(const HostView& host, const PortView& port) {
  for (const v1::Gid& gid : port.port->gid_table().gids()) {
    if (IsKnown(gid, port) && FaultOf(host, gid, port).empty()) return gid.index();
  }
  return std::nullopt;
}

void JudgeIndexesAlike(const HostView& host, Judge& judge) {
  if (host.ports().size() < 2 || host.policy().job.has_gid_index()) return judge.NotApplicable();
  Question question{.subject = host.SubjectOfHost(),
                    .path = "rdma_devices",
                    .reading = ScanReading(host.facts().has_rdma_scan(), host.facts().rdma_scan()),
                    .expected = "the job's GID at one index on all ports"};
  if (IsUnanswered(host, judge, question)) return;
  std::set<uint32_t> indexes;
  std::vector<std::string> words;
  for (const PortView& port : host.ports()) {
    const std::optional<uint32_t> index = WantedIndex(host, port);
    const Question gids = AskGids(host, port, question.expected);
    if (!index) {
      // That it has none is said by gid.rocev2-ipv4.
      IsUnanswered(host, judge, gids, false);
      return;
    }
    indexes.insert(*index);
    words.push_back(fmt::format("{} at {}", *index, port.label));
  }
  if (indexes.size() < 2) return judge.Pass();
  FailOn(host, judge, question, JoinWords(words, ", "))
      .MendedBy(
          "Let the job choose by address family and version: one index for all ports cannot "
          "be right.");
}

void JudgeTrafficClass(const HostView& host, Judge& judge) {
  const v1::JobSettings& job = host.policy().job;
  if (!job.has_traffic_class() || !host.intent().has_roce_dscp()) return judge.NotApplicable();
  // The upper six bits are the DSCP, the lower two ECN.
  const uint32_t dscp = job.traffic_class() >> 2;
  if (dscp == host.intent().roce_dscp()) return judge.Pass();
  v1::Subject subject = host.SubjectOfHost();
  subject.set_group("job");
  const std::string source = host.policy().SourceOf("job.traffic_class");
  judge.Fail(subject)
      .Expected(fmt::format("traffic class {} (DSCP {})", host.intent().roce_dscp() << 2,
                            host.intent().roce_dscp()),
                "intent.roce_dscp")
      .Actual(fmt::format("traffic class {} (DSCP {}){}", job.traffic_class(), dscp,
                          source.empty() ? "" : ", by " + source))
      .RestsOn(host.EvidenceAt("identity.host", host.host(), {}))
      .MendedBy("Set NCCL_IB_TC or UCX_IB_TRAFFIC_CLASS of the job to it.");
}

// 4.096 us x 2^exponent for each try (InfiniBand specification, Local ACK Timeout).
void JudgeTimers(const HostView& host, Judge& judge) {
  constexpr double kShortestFlapSeconds = 2;
  const v1::JobSettings& job = host.policy().job;
  if (!job.has_ack_timeout_exponent() || !job.has_retry_count()) return judge.NotApplicable();
  const double seconds = 4.096e-6 * static_cast<double>(uint64_t{1} << job.ack_timeout_exponent()) *
                         (job.retry_count() + 1);
  // 0 means no timeout at all.
  if (seconds >= kShortestFlapSeconds || job.ack_timeout_exponent() == 0) return judge.Pass();
  v1::Subject subject = host.SubjectOfHost();
  subject.set_group("job");
  judge.Fail(subject)
      .Expected(fmt::format("patience of {:.0f} s or more", kShortestFlapSeconds),
                "job.ack_timeout_exponent")
      .Actual(fmt::format("timeout {} with {} retries: {:.2f} s", job.ack_timeout_exponent(),
                          job.retry_count(), seconds))
      .RestsOn(host.EvidenceAt("identity.host", host.host(), {}))
      .MendedBy("Set NCCL_IB_TIMEOUT to 18 or more, with NCCL_IB_RETRY_CNT 7.");
}

}  // namespace

Check JobGidIndex() {
  return {
      .id = "job.gid-index",
      .title = "The job's GID index holds the right GID",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A job that is told an index takes what is there: an empty entry, a link-local one or "
          "another container's makes it fail at start, or time out across racks.",
      .how =
          "Where the policy gives job.gid_index, that entry of every RoCE port must be of the "
          "policy's RoCE version and address family (v2 over IPv4 unless it says otherwise), not "
          "link-local, and of the port's own net device.",
      .fix = "Let the job choose by family and version, or mend the addresses of the host.",
      .sources = {"verbs GID table, or sysfs gids and gid_attrs"},
      .explained_by = {"device.rdma-present", "port.active", "gid.rocev2-ipv4"},
      .host = JudgeHostIndex,
  };
}

Check GidIndexAlike() {
  return {
      .id = "gid.index-alike",
      .title = "One GID index suits all ports",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Jobs are given one GID index for all NICs. Indexes move when addresses come and go, and "
          "then the one number is wrong for some port.",
      .how =
          "The first GID that suits a job (the policy's version and family, not link-local) must "
          "have one index on all RoCE ports of a host. Judged only where the policy gives no "
          "job.gid_index, which is judged by itself.",
      .fix = "Let the job choose by family and version instead of by index.",
      .sources = {"verbs GID table, or sysfs gids and gid_attrs"},
      .explained_by = {"device.rdma-present", "port.active", "gid.rocev2-ipv4"},
      .host = JudgeIndexesAlike,
  };
}

Check JobTrafficClass() {
  return {
      .id = "job.traffic-class",
      .title = "The job's traffic class is the fabric's",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "With another DSCP than the fabric's, RoCE travels in the default class: no PFC, no ECN, "
          "and loss as soon as two senders meet.",
      .how = "job.traffic_class of the policy, shifted right by two, must be its roce_dscp.",
      .fix = "Set NCCL_IB_TC (or UCX_IB_TRAFFIC_CLASS) to four times the DSCP.",
      .sources = {"the policy", "RFC 2474"},
      .explained_by = {},
      .host = JudgeTrafficClass,
  };
}

Check JobTimers() {
  return {
      .id = "job.timers",
      .title = "The job outlasts a short interruption",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A link that flaps or a route that converges takes a second or two; a job that gives up "
          "before that dies of what it could have sat out.",
      .how =
          "4.096 us x 2^ack_timeout_exponent x (retry_count + 1) of the policy's job must be 2 s "
          "or "
          "more; exponent 0 means no limit. Real NICs wait up to four times longer.",
      .fix = "NCCL_IB_TIMEOUT=18 or more, NCCL_IB_RETRY_CNT=7.",
      .sources = {"the policy", "InfiniBand specification, Local ACK Timeout"},
      .explained_by = {},
      .host = JudgeTimers,
  };
}

}  // namespace roceready::checks
