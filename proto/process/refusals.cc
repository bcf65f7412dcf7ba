// SPDX-License-Identifier: Apache-2.0
#include "proto/process/refusals.h"

#include <grpc/support/log.h>

#include <mutex>
#include <utility>

namespace roceready {
namespace {

void OnGrpcMessage(gpr_log_func_args* args) {
  if (args->severity != GPR_LOG_SEVERITY_ERROR) return;
  const std::string_view text = args->message;
  if (text.find("andshake") != std::string_view::npos) {
    LogRefusal("TLS handshake failed", {{"why", text}});
  } else {
    LogWarn("gRPC says", {{"text", text}});
  }
}

}  // namespace

RefusalLimit::Verdict RefusalLimit::Next(MonotonicTime now) {
  if (now - span_began_ >= kSpan) {
    span_began_ = now;
    in_span_ = 0;
  }
  if (++in_span_ > kAtOnce) {
    ++passed_over_;
    return {};
  }
  return {.log = true, .passed_over = std::exchange(passed_over_, 0)};
}

void LogRefusal(std::string_view message, std::initializer_list<LogField> fields) {
  static std::mutex& mutex = *new std::mutex;
  static RefusalLimit& limit = *new RefusalLimit;
  RefusalLimit::Verdict verdict;
  {
    std::lock_guard lock(mutex);
    verdict = limit.Next(SystemClock().Now());
  }
  if (!verdict.log) return;
  if (verdict.passed_over > 0) LogWarn("refusals not logged", {{"count", verdict.passed_over}});
  LogWarn(message, fields);
}

void RouteGrpcLog() { gpr_set_log_function(&OnGrpcMessage); }

void SilenceGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace roceready
