// SPDX-License-Identifier: Apache-2.0
// What was refused at the door, in the log: whoever can reach a port can cause such lines, so they
// are counted beyond a few. Thread-safe.
#pragma once

#include <initializer_list>
#include <string_view>

#include "proto/process/clock.h"
#include "proto/process/logging.h"

namespace roceready {

// Lets a few through in each span of time and counts the rest.
class RefusalLimit {
 public:
  static constexpr int kAtOnce = 20;
  static constexpr Duration kSpan = std::chrono::seconds(10);

  struct Verdict {
    bool log = false;
    // Passed over since the last one that was let through.
    int passed_over = 0;
  };
  Verdict Next(MonotonicTime now);

 private:
  MonotonicTime span_began_{};
  int in_span_ = 0;
  int passed_over_ = 0;
};

// A warning, or no line where there have been too many.
void LogRefusal(std::string_view message, std::initializer_list<LogField> fields);

// gRPC's own error messages as lines of our log: of handshakes as refusals, others as warnings.
void RouteGrpcLog();
// For a command: the status of its call says what went wrong.
void SilenceGrpcLog();

}  // namespace roceready
