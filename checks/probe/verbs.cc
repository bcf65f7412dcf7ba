// SPDX-License-Identifier: Apache-2.0
// probe.write, probe.read and probe.large-only: whether RDMA works between two ports, measured.
#include <algorithm>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/probe_view.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// Smallest RDMA MTU that an Ethernet port is left with in practice (netdev MTU 1500): messages that
// fit into it do not depend on larger ones.
constexpr uint32_t kSmallMessageBytes = 1024;

const std::vector<std::string_view> kExplainedByHost = {
    "host.heard-from",   "device.rdma-present",   "port.active",
    "address.duplicate", "address.duplicate-mac", "address.arp-flux",
    "gid.rocev2-ipv4",   "firewall.roce-port",    "neighbour.mac"};
const std::vector<std::string_view> kExplainedByMtu = {"mtu.netdev", "mtu.rdma-active",
                                                       "switch.mtu", "mtu.peer-mismatch"};

std::string_view CheckIdOf(Verb verb) {
  return verb == Verb::kWrite ? "probe.write" : "probe.read";
}

std::string KeyOf(const ProbedPair& pair, const VerbVerdict& verdict) {
  return FindingKey(CheckIdOf(verdict.verb), pair.SubjectOf(verdict.path));
}

// Of all that fails in a pair for one reason, the one that is told: a WRITE along the path that
// loses packets, else the first that fails, else the first that is unknown.
const VerbVerdict* RootOf(const ProbedPair& pair, const VerbVerdict& verdict) {
  if (verdict.lost_path) {
    const VerbVerdict* write = pair.Find(Verb::kWrite, *verdict.lost_path);
    if (write != nullptr && write->lost_path == verdict.lost_path) return write;
  }
  const VerbVerdict* root = nullptr;
  for (const VerbVerdict& other : pair.verbs) {
    const bool same_reason = verdict.status != v1::CHECK_STATUS_FAIL || !verdict.lost_path ||
                             other.lost_path == verdict.lost_path;
    if (other.status == v1::CHECK_STATUS_FAIL && !other.large_only && same_reason &&
        (verdict.lost != Lost::kNothing || &other == &verdict)) {
      root = &other;
      break;
    }
  }
  if (root == nullptr && verdict.status == v1::CHECK_STATUS_UNKNOWN) {
    const auto unknown =
        std::ranges::find(pair.verbs, v1::CHECK_STATUS_UNKNOWN, &VerbVerdict::status);
    root = &*unknown;
  }
  return root == nullptr ? &verdict : root;
}

bool MtuMayExplain(const VerbVerdict& verdict) {
  return !verdict.phase || verdict.status == v1::CHECK_STATUS_UNKNOWN ||
         verdict.phase->spec->message_bytes() > kSmallMessageBytes;
}

// A peer that does not answer ARP cannot be connected to, and packets to it are not sent.
std::vector<std::string> UnansweredPeersOf(const ProbedPair& pair, const VerbVerdict& verdict) {
  std::vector<std::string> keys;
  for (const Path path : kPaths) {
    if (verdict.phase && verdict.lost_path != path) continue;
    keys.push_back(FindingKey("neighbour.answered", pair.SubjectOf(path)));
  }
  return keys;
}

void Annotate(const ProbedPair& pair, const VerbVerdict& verdict, Draft& draft) {
  draft.touches = pair.Touches();
  draft.explained_by = kExplainedByHost;
  if (MtuMayExplain(verdict)) {
    draft.explained_by->insert(draft.explained_by->end(), kExplainedByMtu.begin(),
                               kExplainedByMtu.end());
  }
  if (verdict.large_only) {
    draft.follows = {FindingKey("probe.large-only", pair.SubjectOf(verdict.phase->DataPath()))};
    return;
  }
  // Lost packets explain it; it explains nothing.
  if (verdict.given_up) {
    draft.follows = {FindingKey("probe.loss", pair.SubjectOf(*verdict.lost_path))};
    draft.explains.emplace();
    return;
  }
  // What did not run because a large message had failed before.
  if (verdict.status == v1::CHECK_STATUS_UNKNOWN) {
    for (const VerbVerdict& other : pair.verbs) {
      if (!other.large_only) continue;
      draft.follows = {FindingKey("probe.large-only", pair.SubjectOf(other.phase->DataPath()))};
    }
  }
  const VerbVerdict* root = RootOf(pair, verdict);
  if (root != &verdict) {
    draft.follows = {KeyOf(pair, *root)};
  } else if (verdict.status == v1::CHECK_STATUS_FAIL) {
    draft.follows = UnansweredPeersOf(pair, verdict);
  }
}

v1::Evidence ProbeEvidence(const ProbedPair& pair) {
  v1::Evidence evidence;
  evidence.set_host(pair.a.host());
  evidence.set_probe_id(pair.result->spec().probe_id());
  evidence.set_value(pair.result->detail());
  return evidence;
}

void JudgeVerb(const ProbedPair& pair, const VerbVerdict& verdict, Judge& judge) {
  const std::string expected = verdict.verb == Verb::kWrite
                                   ? "RDMA WRITE passes and its payload is verified"
                                   : "RDMA READ passes and its payload is verified";
  const v1::Subject subject = pair.SubjectOf(verdict.path);
  switch (verdict.status) {
    case v1::CHECK_STATUS_PASS:
      return judge.Pass();
    case v1::CHECK_STATUS_UNKNOWN: {
      Draft& draft = judge.Unknown(subject, verdict.text).Expected(expected);
      if (pair.result != nullptr) draft.RestsOn(ProbeEvidence(pair));
      Annotate(pair, verdict, draft);
      return;
    }
    case v1::CHECK_STATUS_FAIL: {
      Draft& draft = judge.Fail(subject).Expected(expected).Actual(verdict.text);
      if (verdict.phase) {
        for (v1::Evidence& evidence : pair.EvidenceOf(*verdict.phase)) {
          draft.RestsOn(std::move(evidence));
        }
      } else {
        draft.RestsOn(ProbeEvidence(pair));
      }
      if (verdict.lost_path) {
        draft.MendedBy(
            fmt::format("Find what drops UDP port 4791 from {} to {}: host firewall, "
                        "ACL, policer, cable or optic on that way.",
                        pair.From(*verdict.lost_path).host(), pair.To(*verdict.lost_path).host()));
      } else {
        draft.MendedBy(
            "Look at both ends: addresses and GIDs, firewall for UDP port 4791, the "
            "status above.");
      }
      Annotate(pair, verdict, draft);
      return;
    }
    default:
      return judge.NotApplicable();
  }
}

void JudgeWrite(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) JudgeVerb(pair, *pair.Find(Verb::kWrite, path), judge);
}

void JudgeRead(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) JudgeVerb(pair, *pair.Find(Verb::kRead, path), judge);
}

void JudgeLargeOnly(const ProbedPair& pair, Judge& judge) {
  for (const Path path : kPaths) {
    const BlackHole& hole = pair.black_holes[static_cast<size_t>(path)];
    if (hole.status == v1::CHECK_STATUS_PASS) {
      judge.Pass();
    } else if (hole.status != v1::CHECK_STATUS_FAIL) {
      judge.NotApplicable();
    } else {
      Draft& draft =
          judge.Fail(pair.SubjectOf(path))
              .Expected("payloads of all sizes pass")
              .Actual(fmt::format("{} bytes pass, not one of {} bytes does: a smaller MTU on the "
                                  "way from {} to {}",
                                  Grouped(hole.passed_bytes), Grouped(hole.failed_bytes),
                                  pair.From(path).host(), pair.To(path).host()))
              .MendedBy(
                  "Raise the MTU of every switch port and VLAN on the way to at least the "
                  "hosts' (plus 18 bytes of Ethernet and VLAN header, where the switch "
                  "counts them).");
      for (v1::Evidence& evidence : pair.EvidenceOf(*hole.phase)) {
        draft.RestsOn(std::move(evidence));
      }
      draft.touches = pair.Touches();
    }
  }
}

constexpr std::string_view kHow =
    "The controller orders real verbs between the two ports, with the policy's MTU, traffic class, "
    "GID kind and timeouts. The payload is verified at the far end or by reading it back. What "
    "fails is blamed by the counters of both ends in that phase: duplicates at the responder mean "
    "lost replies, gaps or silence mean lost requests. A busy adapter, a lost agent or a pair out "
    "of budget is UNKNOWN.";

}  // namespace

Check ProbeWrite() {
  return {
      .id = "probe.write",
      .title = "RDMA WRITE works, both ways",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "Facts can all be right while a packet filter, a cable or a path is not: only a "
          "transfer shows that the job's traffic passes.",
      .how = kHow,
      .fix = "Look for what drops UDP port 4791 on the named way.",
      .sources = {"ibv_post_send, IBV_WR_RDMA_WRITE(_WITH_IMM)", "counters of both ends"},
      .explained_by = kExplainedByHost,
      .probe = JudgeWrite,
  };
}

Check ProbeRead() {
  return {
      .id = "probe.read",
      .title = "RDMA READ works, both ways",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_BLOCK,
      .why =
          "READ answers are sent by the responder with its own MTU and traffic class: WRITE may "
          "pass where READ does not.",
      .how = kHow,
      .fix = "Look for what drops UDP port 4791 on the named way; compare the MTU of both ends.",
      .sources = {"ibv_post_send, IBV_WR_RDMA_READ", "counters of both ends"},
      .explained_by = kExplainedByHost,
      .probe = JudgeRead,
  };
}

Check ProbeLargeOnly() {
  return {
      .id = "probe.large-only",
      .title = "Large payloads pass like small ones",
      .scope = v1::SCOPE_PROBE,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "RoCE packets may not be fragmented and nobody reports those that do not fit: a port "
          "with a small MTU on the way swallows them, and the job dies at its first large "
          "message.",
      .how =
          "On one way payloads below the path MTU pass, while of those that fill a packet not "
          "one does.",
      .fix = "Raise the MTU of every switch port and VLAN on the way.",
      .sources = {"probe phases of several message sizes"},
      .explained_by = {"mtu.netdev", "mtu.rdma-active", "switch.mtu", "mtu.peer-mismatch"},
      .probe = JudgeLargeOnly,
  };
}

}  // namespace roceready::checks
