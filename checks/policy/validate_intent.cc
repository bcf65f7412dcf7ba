// SPDX-License-Identifier: Apache-2.0
// Contradictions inside one intent, and between it, the job and the probes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "checks/policy/validate.h"

namespace roceready {
namespace {

// An RDMA packet's headers beside its payload, as the kernel reckons when it derives the path MTU
// from the netdev's (include/rdma/ib_addr.h, iboe_get_mtu): GRH 40, UDP 8, BTH 12, XRC 4,
// atomic 28, ICRC 4.
constexpr std::uint32_t kRdmaHeaderBytes = 96;

template <typename List>
bool Contains(const List& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string Join(const google::protobuf::RepeatedField<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    if (!text.empty()) text += ", ";
    text += std::to_string(number);
  }
  return text;
}

// Each contradiction is told once, at a value that stands in `given`.
class IntentReview {
 public:
  IntentReview(const v1::FabricIntent& intent, const v1::FabricIntent& given,
               const std::string& path, PolicyReview& review)
      : intent_(intent), given_(given), path_(path), review_(review) {}

  void Run() {
    Lists();
    Priorities();
    Mtu();
    Versions();
    Congestion();
  }

 private:
  void Problem(const std::string& field, std::string text) {
    review_.Problem(path_ + "." + field, std::move(text));
  }
  void Note(const std::string& field, std::string text) {
    review_.Note(path_ + "." + field, std::move(text));
  }

  // Of two fields that contradict, the one this intent gives itself.
  std::string Nearer(const std::string& first, const std::string& second) const {
    return review_.sources().Has(path_ + "." + first) ? first : second;
  }
  bool GivesAny(std::initializer_list<const char*> fields) const {
    return std::any_of(fields.begin(), fields.end(), [this](const char* field) {
      return review_.sources().Has(path_ + "." + field);
    });
  }

  template <typename List>
  void ListOf(const std::string& field, const List& values) {
    if (values.empty() && review_.sources().Has(path_ + "." + field)) {
      Problem(field,
              "found an empty list, expected at least one element (to judge nothing, leave the key "
              "out or disable the check)");
    }
    std::set<std::uint32_t> seen;
    for (int i = 0; i < values.size(); ++i) {
      if (!seen.insert(values[i]).second) {
        Problem(fmt::format("{}[{}]", field, i),
                fmt::format("found {} again, expected each once", values[i]));
      }
    }
  }

  void Lists() {
    ListOf("lossless_priorities", given_.lossless_priorities());
    ListOf("vlan_ids", given_.vlan_ids());
    std::set<std::string> names;
    for (int i = 0; i < given_.congestion_parameters_size(); ++i) {
      const std::string& name = given_.congestion_parameters(i).name();
      const std::string field = fmt::format("congestion_parameters[{}].name", i);
      if (name.empty())
        Problem(field, "found nothing, expected the kernel's name of the parameter");
      const std::string value = fmt::format("congestion_parameters[{}].value", i);
      if (!review_.sources().Has(path_ + "." + value)) {
        Problem(value, "found nothing, expected a number in the kernel's unit");
      }
      if (!name.empty() && !names.insert(name).second) {
        Problem(field, "found " + yaml::Quote(name) + " again, expected each name once");
      }
    }
  }

  void Priorities() {
    if (intent_.has_roce_priority() && intent_.lossless_priorities_size() > 0 &&
        GivesAny({"roce_priority", "lossless_priorities"}) &&
        !Contains(intent_.lossless_priorities(), intent_.roce_priority())) {
      Problem(Nearer("roce_priority", "lossless_priorities"),
              fmt::format("found RoCE on priority {} and lossless priorities {}, expected RoCE's "
                          "priority to be lossless",
                          intent_.roce_priority(), Join(intent_.lossless_priorities())));
    }
    if (intent_.has_roce_dscp() && intent_.has_cnp_dscp() && intent_.has_roce_priority() &&
        intent_.has_cnp_priority() && intent_.roce_dscp() == intent_.cnp_dscp() &&
        intent_.roce_priority() != intent_.cnp_priority() &&
        GivesAny({"roce_dscp", "cnp_dscp", "roce_priority", "cnp_priority"})) {
      Problem(Nearer("cnp_dscp", Nearer("cnp_priority", Nearer("roce_dscp", "roce_priority"))),
              fmt::format("found DSCP {} on priorities {} and {}, expected one priority for a DSCP",
                          intent_.roce_dscp(), intent_.roce_priority(), intent_.cnp_priority()));
    }
    if (given_.has_cnp_priority() &&
        Contains(intent_.lossless_priorities(), given_.cnp_priority())) {
      Note("cnp_priority",
           fmt::format("priority {} is lossless: congestion notifications can then be paused by "
                       "the congestion they tell about",
                       given_.cnp_priority()));
    }
    if (given_.has_trust() && given_.trust() == "pcp" && !intent_.has_roce_pcp()) {
      Note("trust", "pcp without roce_pcp: no VLAN priority is judged");
    }
  }

  void Mtu() {
    if (given_.has_rdma_mtu_bytes()) {
      const std::uint32_t bytes = given_.rdma_mtu_bytes();
      if (bytes < 256 || bytes > 4096 || (bytes & (bytes - 1)) != 0) {
        Problem("rdma_mtu_bytes",
                fmt::format("found {}, expected 256, 512, 1024, 2048 or 4096", bytes));
        return;
      }
    }
    if (intent_.has_mtu_bytes() && intent_.has_rdma_mtu_bytes() &&
        GivesAny({"mtu_bytes", "rdma_mtu_bytes"}) &&
        intent_.rdma_mtu_bytes() + kRdmaHeaderBytes > intent_.mtu_bytes()) {
      Problem(
          Nearer("mtu_bytes", "rdma_mtu_bytes"),
          fmt::format("found netdev MTU {} and RDMA MTU {}, expected a netdev MTU of at least {}",
                      intent_.mtu_bytes(), intent_.rdma_mtu_bytes(),
                      intent_.rdma_mtu_bytes() + kRdmaHeaderBytes));
    }
  }

  void Versions() {
    if (intent_.roce_version() != "v1" || !GivesAny({"roce_version", "roce_dscp", "ip_family"})) {
      return;
    }
    for (const char* field : {"roce_dscp", "ip_family"}) {
      const auto* descriptor = intent_.GetDescriptor()->FindFieldByName(field);
      if (!intent_.GetReflection()->HasField(intent_, descriptor)) continue;
      Problem(Nearer(field, "roce_version"),
              fmt::format("found {} with RoCE v1, expected RoCE v2: v1 has no IP header", field));
    }
  }

  void Congestion() {
    if (intent_.has_congestion_control() && intent_.congestion_control() != "dcqcn" &&
        intent_.congestion_parameters_size() > 0 &&
        GivesAny({"congestion_control", "congestion_parameters"})) {
      Problem(Nearer("congestion_parameters", "congestion_control"),
              fmt::format("found DCQCN's parameters with congestion_control {}, expected dcqcn",
                          intent_.congestion_control()));
    }
  }

  const v1::FabricIntent& intent_;
  const v1::FabricIntent& given_;
  const std::string& path_;
  PolicyReview& review_;
};

}  // namespace

void ReviewIntent(const v1::FabricIntent& intent, const v1::FabricIntent& given,
                  const std::string& path, PolicyReview& review) {
  IntentReview(intent, given, path, review).Run();
}

void ReviewJob(const v1::JobSettings& job, const v1::FabricIntent& intent, PolicyReview& review) {
  // Traffic class = DSCP and two bits of ECN (RFC 2474, RFC 3168).
  if (job.has_traffic_class() && intent.has_roce_dscp() &&
      job.traffic_class() >> 2 != intent.roce_dscp()) {
    review.Problem("job.traffic_class",
                   fmt::format("found traffic class {} (DSCP {}), expected DSCP {} as in "
                               "intent.roce_dscp: traffic class {} with ECT(0)",
                               job.traffic_class(), job.traffic_class() >> 2, intent.roce_dscp(),
                               intent.roce_dscp() * 4 + 2));
  }
  if (job.has_service_level() && intent.has_service_level() &&
      job.service_level() != intent.service_level()) {
    review.Problem("job.service_level",
                   fmt::format("found {}, expected {} as in intent.service_level",
                               job.service_level(), intent.service_level()));
  }
  const bool wants_v2 = intent.has_roce_version() && intent.roce_version() == "v2";
  const bool wants_v1 = intent.has_roce_version() && intent.roce_version() == "v1";
  if ((wants_v2 && job.has_gid_type() && job.gid_type() != v1::GID_TYPE_ROCE_V2) ||
      (wants_v1 && job.has_gid_type() && job.gid_type() != v1::GID_TYPE_ROCE_V1)) {
    review.Problem("job.gid_type", fmt::format("found another type than RoCE {} of "
                                               "intent.roce_version, expected roce-{}",
                                               intent.roce_version(), intent.roce_version()));
  }
  if (job.has_gid_family() && intent.has_ip_family() &&
      (job.gid_family() == v1::IP_FAMILY_V4) != (intent.ip_family() == "ipv4")) {
    review.Problem("job.gid_family",
                   fmt::format("found another family than intent.ip_family, expected one of {}",
                               intent.ip_family()));
  }
}

void ReviewProbes(const v1::ProbeSettings& probes, PolicyReview& review) {
  const auto seconds = [](const google::protobuf::Duration& duration) {
    return static_cast<double>(duration.seconds()) + duration.nanos() / 1e9;
  };
  if (probes.has_phase_deadline() && probes.has_session_deadline() &&
      seconds(probes.phase_deadline()) > seconds(probes.session_deadline())) {
    review.Problem(
        "probes.phase_deadline",
        fmt::format("found {} s, expected no more than the session's {} s",
                    seconds(probes.phase_deadline()), seconds(probes.session_deadline())));
  }
  if (probes.has_ack_timeout_exponent() && probes.has_retry_count() &&
      probes.has_phase_deadline()) {
    // InfiniBand specification, Local ACK Timeout: 4.096 us x 2^exponent for each try.
    const double gives_up = std::ldexp(4.096e-6, static_cast<int>(probes.ack_timeout_exponent())) *
                            (probes.retry_count() + 1);
    if (gives_up > seconds(probes.phase_deadline())) {
      review.Note("probes.phase_deadline",
                  fmt::format("a lost connection is given up after {:.1f} s, later than this: it "
                              "will be reported as a deadline, not as retries exceeded",
                              gives_up));
    }
  }
}

}  // namespace roceready
