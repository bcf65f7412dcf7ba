// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/job_environment.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "checks/policy/assignments.h"
#include "proto/yaml/scalar.h"

namespace roceready {
namespace {

// Variables that hold one number. The bounds are those of the field on the wire, or what the
// library takes (NCCL's and UCX's documentation of these variables).
struct NumberVariable {
  std::string_view name;
  const char* field;
  std::uint32_t min, max;
  // What leaves it to the library.
  std::string_view automatic;
};
constexpr std::array<NumberVariable, 10> kNumbers = {{
    {"NCCL_IB_GID_INDEX", "gid_index", 0, 65535, "-1"},
    {"NCCL_IB_TC", "traffic_class", 0, 255, "-1"},
    {"NCCL_IB_SL", "service_level", 0, 15, "-1"},
    {"NCCL_IB_TIMEOUT", "ack_timeout_exponent", 0, 31, ""},
    {"NCCL_IB_RETRY_CNT", "retry_count", 0, 7, ""},
    {"NCCL_IB_QPS_PER_CONNECTION", "queue_pairs", 1, 128, ""},
    {"UCX_IB_GID_INDEX", "gid_index", 0, 65535, "auto"},
    {"UCX_IB_TRAFFIC_CLASS", "traffic_class", 0, 255, "auto"},
    {"UCX_IB_SL", "service_level", 0, 15, "auto"},
    {"UCX_RC_RETRY_COUNT", "retry_count", 0, 7, ""},
}};

// Known to matter, and no check looks at them.
constexpr std::array<std::string_view, 19> kNotJudged = {"GLOO_SOCKET_IFNAME",
                                                         "NCCL_CROSS_NIC",
                                                         "NCCL_IB_ADAPTIVE_ROUTING",
                                                         "NCCL_IB_ADDR_RANGE",
                                                         "NCCL_IB_AR_THRESHOLD",
                                                         "NCCL_IB_CUDA_SUPPORT",
                                                         "NCCL_IB_FIFO_TC",
                                                         "NCCL_IB_MERGE_NICS",
                                                         "NCCL_IB_MERGE_VFS",
                                                         "NCCL_IB_PKEY",
                                                         "NCCL_IB_USE_INLINE",
                                                         "NCCL_IB_PCI_RELAXED_ORDERING",
                                                         "NCCL_NET",
                                                         "NCCL_NET_GDR_LEVEL",
                                                         "NCCL_IB_SPLIT_DATA_ON_QPS",
                                                         "NCCL_SOCKET_IFNAME",
                                                         "UCX_RC_TIMEOUT",
                                                         "UCX_TLS",
                                                         "UCX_IB_ROCE_PATH_FACTOR"};
// Whatever begins so is about RDMA.
constexpr std::array<std::string_view, 8> kRdmaLeads = {"NCCL_IB_", "NCCL_NET",   "NCCL_SOCKET_",
                                                        "UCX_IB_",  "UCX_RC_",    "UCX_DC_",
                                                        "UCX_UD_",  "NVSHMEM_IB_"};

// Of NCCL_IB_RETRY_CNT, the same in all versions of NCCL; the default of the time-out is not.
constexpr std::uint32_t kNcclRetryCount = 7;

std::vector<std::string> Split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return parts;
}

class Reader {
 public:
  explicit Reader(std::string_view file)
      : file_(file), short_file_(file.substr(file.rfind('/') + 1)) {}

  JobEnvironment Read(std::string_view text) {
    std::map<std::string, const Assignment*> last;
    const std::vector<Assignment> all = ParseAssignments(text);
    for (const Assignment& one : all) last[one.name] = &one;
    // In the order of the file, NCCL's before UCX's: the former win.
    for (const bool of_ucx : {false, true}) {
      for (const Assignment& one : all) {
        if (one.name.starts_with("UCX_") == of_ucx && last[one.name] == &one) Take(one);
      }
    }
    yaml::SortByPosition(result_.problems);
    return std::move(result_);
  }

 private:
  void Take(const Assignment& one) {
    const auto number = std::ranges::find(kNumbers, one.name, &NumberVariable::name);
    const bool is_list = one.name == "NCCL_IB_HCA" || one.name == "UCX_NET_DEVICES";
    const bool is_word =
        one.name == "NCCL_IB_ROCE_VERSION_NUM" || one.name == "NCCL_IB_ADDR_FAMILY";
    if (number == kNumbers.end() && !is_list && !is_word) return TakeOther(one);
    if (!one.problem.empty()) return Wrong(one, one.problem);
    if (number != kNumbers.end()) return TakeNumber(one, *number);
    if (one.name == "NCCL_IB_HCA") return TakeNcclDevices(one);
    if (one.name == "UCX_NET_DEVICES") return TakeUcxDevices(one);
    TakeWord(one);
  }

  std::string PlaceOf(const Assignment& one) const {
    return fmt::format("{}:{}", short_file_, one.at.line);
  }

  void Wrong(const Assignment& one, std::string_view expected) {
    result_.problems.push_back(
        {file_, one.at, one.name, fmt::format("found {}, {}", yaml::Quote(one.value), expected)});
  }

  void NotJudged(const Assignment& one, std::string_view why = {}) {
    result_.not_judged.push_back(fmt::format("{}={} of the job ({}){}{}", one.name,
                                             yaml::Quote(one.value), PlaceOf(one),
                                             why.empty() ? "" : ": ", why));
  }

  // Puts `given` into the job, unless another library's variable has said something else.
  void Put(const Assignment& one, const char* field, const v1::JobSettings& given) {
    const auto earlier = result_.sources.find(std::string_view(field));
    if (earlier == result_.sources.end()) {
      result_.job.MergeFrom(given);
      result_.sources[field] = PlaceOf(one);
      return;
    }
    v1::JobSettings merged = result_.job;
    const auto* descriptor = merged.GetDescriptor()->FindFieldByName(field);
    if (descriptor->is_repeated()) merged.GetReflection()->ClearField(&merged, descriptor);
    merged.MergeFrom(given);
    if (merged.SerializeAsString() == result_.job.SerializeAsString()) return;
    NotJudged(one, "what " + earlier->second + " says is");
  }

  void TakeNumber(const Assignment& one, const NumberVariable& variable) {
    if (!variable.automatic.empty() && one.value == variable.automatic) return;
    const auto number = yaml::ParseUnsigned(one.value);
    if (!number || *number < variable.min || *number > variable.max) {
      return Wrong(one,
                   fmt::format("expected a number from {} to {}{}{}", variable.min, variable.max,
                               variable.automatic.empty() ? "" : ", or ", variable.automatic));
    }
    v1::JobSettings given;
    given.GetReflection()->SetUInt32(&given, given.GetDescriptor()->FindFieldByName(variable.field),
                                     static_cast<std::uint32_t>(*number));
    Put(one, variable.field, given);
    if (std::string_view(variable.field) == "service_level") {
      NotJudged(one, "no check knows which service level the fabric wants");
    }
  }

  void TakeWord(const Assignment& one) {
    v1::JobSettings given;
    if (one.name == "NCCL_IB_ROCE_VERSION_NUM") {
      if (one.value != "1" && one.value != "2") return Wrong(one, "expected 1 or 2");
      given.set_gid_type(one.value == "1" ? v1::GID_TYPE_ROCE_V1 : v1::GID_TYPE_ROCE_V2);
      Put(one, "gid_type", given);
    } else {
      if (one.value != "AF_INET" && one.value != "AF_INET6") {
        return Wrong(one, "expected AF_INET or AF_INET6");
      }
      given.set_gid_family(one.value == "AF_INET" ? v1::IP_FAMILY_V4 : v1::IP_FAMILY_V6);
      Put(one, "gid_family", given);
    }
    NotJudged(one, "used by probes alone");
  }

  // "mlx5_0:1": the name, and with a colon the port. Nothing where it is neither.
  static std::optional<std::pair<std::string, std::string>> DeviceOf(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::string port = colon == std::string::npos ? "" : text.substr(colon);
    const bool is_name = !name.empty() && name.find_first_of("*^= \t[]") == std::string::npos;
    const auto number = port.empty() ? std::optional<std::uint64_t>(1)
                                     : yaml::ParseUnsigned(std::string_view(port).substr(1));
    if (!is_name || !number || *number < 1 || *number > 255) return std::nullopt;
    return std::pair(name, port);
  }

  // "mlx5" is a beginning, "=mlx5_0" a name; '^' before either leaves those out.
  void TakeNcclDevices(const Assignment& one) {
    std::string_view list = one.value;
    const bool excludes = list.starts_with('^');
    if (excludes) list.remove_prefix(1);
    const bool is_exact = list.starts_with('=');
    if (is_exact) list.remove_prefix(1);
    v1::JobSettings given;
    for (const std::string& part : Split(list)) {
      const auto device = DeviceOf(part);
      if (!device) {
        return Wrong(one,
                     "expected RDMA devices with ',' between them, such as mlx5_0:1,mlx5_2, "
                     "with '=', '^' or '^=' before all");
      }
      given.add_interfaces(fmt::format("{}{}{}{}", excludes ? "^" : "", device->first,
                                       is_exact ? "" : "*", device->second));
    }
    if (given.interfaces().empty()) return Wrong(one, "expected RDMA devices, such as mlx5_0");
    Put(one, "interfaces", given);
  }

  void TakeUcxDevices(const Assignment& one) {
    if (one.value == "all") return;
    std::string_view list = one.value;
    const bool excludes = list.starts_with('^');
    if (excludes) list.remove_prefix(1);
    v1::JobSettings given;
    bool others = false;
    for (const std::string& part : Split(list)) {
      const auto device = DeviceOf(part);
      if (!device) {
        return Wrong(one,
                     "expected devices with ',' between them, such as mlx5_0:1,mlx5_2:1, or "
                     "all");
      }
      // RDMA devices are given with their port; the others are net devices, for TCP.
      if (device->second.empty()) {
        others = true;
      } else {
        given.add_interfaces((excludes ? "^" : "") + device->first + device->second);
      }
    }
    if (given.interfaces().empty() && !others) return Wrong(one, "expected devices, or all");
    if (!given.interfaces().empty()) Put(one, "interfaces", given);
    if (others) NotJudged(one, "its devices without a port carry TCP");
  }

  void TakeOther(const Assignment& one) {
    if (one.name == "NCCL_IB_DISABLE") {
      if (one.value != "0") NotJudged(one, "the job would use no RDMA at all");
      return;
    }
    const bool is_known = std::ranges::find(kNotJudged, one.name) != kNotJudged.end();
    if (is_known) return NotJudged(one);
    if (std::ranges::none_of(kRdmaLeads,
                             [&](std::string_view lead) { return one.name.starts_with(lead); })) {
      return;
    }
    std::vector<std::string> names = {"NCCL_IB_HCA", "UCX_NET_DEVICES", "NCCL_IB_ROCE_VERSION_NUM",
                                      "NCCL_IB_ADDR_FAMILY"};
    for (const NumberVariable& variable : kNumbers) names.emplace_back(variable.name);
    NotJudged(one, "no variable that is known here" + yaml::DidYouMean(one.name, names));
  }

  const std::string file_;
  const std::string short_file_;
  JobEnvironment result_;
};

}  // namespace

JobEnvironment ReadJobEnvironment(std::string_view text, std::string_view file_name) {
  return Reader(file_name).Read(text);
}

void MergeJob(const JobEnvironment& environment, v1::JobSettings& job,
              std::map<std::string, std::string, std::less<>>& sources) {
  if (!environment.job.interfaces().empty()) job.clear_interfaces();
  job.MergeFrom(environment.job);
  for (const auto& [field, source] : environment.sources) sources["job." + field] = source;
  if (environment.job.has_ack_timeout_exponent() && !job.has_retry_count()) {
    job.set_retry_count(kNcclRetryCount);
    sources["job.retry_count"] = "NCCL's default";
  }
}

}  // namespace roceready
