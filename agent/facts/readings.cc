// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/readings.h"

#include <cerrno>

namespace roceready::facts {
namespace {

v1::Outcome OutcomeOf(const absl::Status& status) {
  const std::optional<int> error = ErrnoOf(status);
  if (!error.has_value()) {
    switch (status.code()) {
      case absl::StatusCode::kDeadlineExceeded:
        return v1::OUTCOME_TIMED_OUT;
      case absl::StatusCode::kNotFound:
        return v1::OUTCOME_ABSENT;
      case absl::StatusCode::kUnimplemented:
        return v1::OUTCOME_UNSUPPORTED;
      case absl::StatusCode::kPermissionDenied:
        return v1::OUTCOME_DENIED;
      default:
        return v1::OUTCOME_FAILED;
    }
  }
  switch (*error) {
    case EOPNOTSUPP:
    case ENOSYS:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
      return v1::OUTCOME_UNSUPPORTED;
    case EPERM:
    case EACCES:
      return v1::OUTCOME_DENIED;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR:
      return v1::OUTCOME_ABSENT;
    default:
      return v1::OUTCOME_FAILED;
  }
}

std::string_view UsualNeeds(v1::Source source) {
  switch (source) {
    case v1::SOURCE_SYSFS:
    case v1::SOURCE_VENDOR_SYSFS:
    case v1::SOURCE_DEBUGFS:
    case v1::SOURCE_CONFIGFS:
    case v1::SOURCE_PROCFS:
    case v1::SOURCE_FILE:
      return kReadFile;
    default:
      return kCall;
  }
}

}  // namespace

v1::Reading OkReading(v1::Source source) {
  v1::Reading reading;
  reading.set_outcome(v1::OUTCOME_OK);
  reading.set_source(source);
  return reading;
}

v1::Reading ReadingOf(const absl::Status& status, v1::Source source, std::string_view needs) {
  if (status.ok()) return OkReading(source);
  v1::Reading reading;
  reading.set_outcome(OutcomeOf(status));
  reading.set_source(source);
  reading.set_error(ErrnoOf(status).value_or(0));
  reading.set_detail(std::string(Message(status)));
  const std::string kernel_text = KernelTextOf(status);
  if (!kernel_text.empty()) reading.mutable_detail()->append(" (" + kernel_text + ")");
  if (reading.outcome() == v1::OUTCOME_DENIED) {
    reading.set_needs(std::string(needs.empty() ? UsualNeeds(source) : needs));
  }
  return reading;
}

v1::Reading MissingReading(v1::Outcome outcome, v1::Source source, std::string_view detail,
                           std::string_view needs) {
  v1::Reading reading;
  reading.set_outcome(outcome);
  reading.set_source(source);
  reading.set_detail(std::string(detail));
  reading.set_needs(std::string(needs));
  return reading;
}

}  // namespace roceready::facts
