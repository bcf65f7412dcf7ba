// SPDX-License-Identifier: Apache-2.0
#include "checks/fact_path.h"

#include <google/protobuf/descriptor.h>

#include "proto/contract/concat.h"
#include "proto/contract/fact_parts.h"

namespace roceready::checks {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

struct Step {
  std::string_view field;
  // Empty where the step names no row.
  std::string_view row;
};

// Cuts the first step off "a[x.y].b.c"; an id in brackets may hold dots. None: the path is broken,
// or at its end.
std::optional<Step> CutStep(std::string_view& path) {
  if (path.empty()) return std::nullopt;
  const size_t end = path.find_first_of(".[");
  Step step{.field = path.substr(0, end)};
  if (end == std::string_view::npos) {
    path = {};
  } else if (path[end] == '[') {
    const size_t close = path.find(']', end);
    if (close == std::string_view::npos) return std::nullopt;
    step.row = path.substr(end + 1, close - end - 1);
    path.remove_prefix(close + 1);
    if (path.starts_with('.')) path.remove_prefix(1);
  } else {
    path.remove_prefix(end + 1);
  }
  return step;
}

std::vector<Step> StepsOf(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    const std::optional<Step> step = CutStep(path);
    if (!step) return {};
    steps.push_back(*step);
  }
  return steps;
}

bool Resolves(const std::vector<Step>& steps, const Descriptor* type) {
  for (const Step& step : steps) {
    if (type == nullptr) return false;
    const FieldDescriptor* field = type->FindFieldByName(std::string(step.field));
    if (field == nullptr || (!step.row.empty() && !field->is_repeated())) return false;
    type = field->message_type();
  }
  return !steps.empty();
}

}  // namespace

std::string NetPath(std::string_view net_device_id, std::string_view rest) {
  return Concat({"net_devices[", net_device_id, "].", rest});
}

std::string RdmaPath(std::string_view rdma_device_id, std::string_view rest) {
  return Concat({"rdma_devices[", rdma_device_id, "].", rest});
}

std::string PortPath(std::string_view rdma_device_id, uint32_t port, std::string_view rest) {
  return Concat({"rdma_devices[", rdma_device_id, "].ports[", std::to_string(port), "].", rest});
}

std::string PciPath(std::string_view pci_id, std::string_view rest) {
  return Concat({"pci_functions[", pci_id, "].", rest});
}

std::string CountersPath(std::string_view owner_id) { return Concat({"ports[", owner_id, "]"}); }

std::optional<Age> AgeOfPath(std::string_view path,
                             const std::map<std::string, Age, std::less<>>& fact_ages) {
  // A part is a row, or one group of a row: the key grows while steps name rows, and by one more.
  std::string key;
  std::optional<Age> age;
  while (const std::optional<Step> step = CutStep(path)) {
    if (!key.empty()) key += '/';
    key += step->field;
    if (!step->row.empty()) key += "/" + EscapedRowId(step->row);
    const auto found = fact_ages.find(key);
    if (found != fact_ages.end()) age = found->second;
    if (step->row.empty()) break;
  }
  return age;
}

bool IsFactPath(std::string_view path) {
  const std::vector<Step> steps = StepsOf(path);
  return Resolves(steps, v1::HostFacts::descriptor()) ||
         Resolves(steps, v1::HostCounters::descriptor()) ||
         Resolves(steps, v1::SwitchFacts::descriptor());
}

}  // namespace roceready::checks
