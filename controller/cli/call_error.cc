// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/call_error.h"

#include <algorithm>
#include <initializer_list>

#include "proto/contract/errors.h"

namespace roceready::cli {
namespace {

bool MentionsOne(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace

absl::Status ExplainCallError(const absl::Status& error, std::string_view controller) {
  const std::string_view text = Message(error);
  if (absl::IsDeadlineExceeded(error)) {
    return DeadlineExceeded(
        "the controller at {} did not answer in time: {} (look at its log and load)", controller,
        text);
  }
  if (!absl::IsUnavailable(error)) return error;
  if (MentionsOne(text, {"subjectAltName", "ertificate"})) {
    return MakeError(
        absl::StatusCode::kUnauthenticated,
        fmt::format("the controller at {} is not trusted: {} (is its certificate of the same CA as "
                    "tls.ca names, in date, and does it name the host that is dialled?)",
                    controller, text));
  }
  if (MentionsOne(text, {"ocket closed", "reset by peer", "roken pipe"})) {
    return Unavailable(
        "the controller at {} closed the connection: {} (its log says why; often it does not "
        "accept this client's certificate)",
        controller, text);
  }
  if (MentionsOne(text, {"andshake", "SSL"})) {
    return Unavailable("no TLS with the controller at {}: {} (does it speak TLS on this port?)",
                       controller, text);
  }
  if (MentionsOne(text, {"overloaded or stopping"})) {
    return Unavailable("the controller at {}: {}", controller, text);
  }
  return Unavailable(
      "cannot reach the controller at {}: {} (is roceready-controller running there, and can the "
      "name be resolved and the port be reached from here?)",
      controller, text);
}

}  // namespace roceready::cli
