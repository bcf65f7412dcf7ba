// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/congestion/parameter_files.h"

#include <fmt/core.h>

#include <cerrno>

namespace roceready::facts {

absl::Status ReadParameterFiles(const HostRoot& root, const std::string& folder,
                                v1::CongestionParameters* parameters) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, root.List(folder));
  for (const std::string& name : names) {
    const absl::StatusOr<int64_t> value = root.ReadNumber(fmt::format("{}/{}", folder, name));
    if (absl::IsDataLoss(value.status())) continue;
    // A directory among the files ("enable") is no parameter.
    if (ErrnoOf(value.status()) == EISDIR) continue;
    if (!value.ok()) return value.status();
    v1::CongestionParameter* parameter = parameters->add_raw();
    parameter->set_name(name);
    parameter->set_value(static_cast<uint64_t>(*value));
  }
  return absl::OkStatus();
}

absl::Status TakeParameters(const absl::StatusOr<std::map<std::string, uint64_t>>& values,
                            v1::CongestionParameters* parameters) {
  RETURN_IF_ERROR(values.status());
  parameters->clear_raw();
  for (const auto& [name, value] : *values) {
    v1::CongestionParameter* parameter = parameters->add_raw();
    parameter->set_name(name);
    parameter->set_value(value);
  }
  return absl::OkStatus();
}

std::optional<uint64_t> FindParameter(const v1::CongestionParameters& parameters,
                                      std::string_view name) {
  for (const v1::CongestionParameter& parameter : parameters.raw()) {
    if (parameter.name() == name) return parameter.value();
  }
  return std::nullopt;
}

}  // namespace roceready::facts
