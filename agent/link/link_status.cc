// SPDX-License-Identifier: Apache-2.0
#include "agent/link/link_status.h"

#include <fmt/core.h>

#include <string_view>

#include "proto/contract/errors.h"

namespace roceready::link {
namespace {

std::string FactsLine(const LinkStatus& status) {
  if (!status.facts_error.empty()) return fmt::format("facts: not usable: {}", status.facts_error);
  if (status.facts_generation == 0) return "facts: the first collection has not ended yet";
  return fmt::format("facts: generation {}, read {} ago", status.facts_generation,
                     ShortDuration(status.facts_age));
}

}  // namespace

std::string ShortDuration(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 120) return fmt::format("{} s", seconds);
  const auto minutes = seconds / 60;
  if (minutes < 120) return fmt::format("{} min", minutes);
  const auto hours = minutes / 60;
  if (hours < 48) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string DescribeInOneLine(const LinkStatus& status) {
  if (status.connected) {
    return fmt::format("{}: connected to {} for {}", status.host, status.endpoint,
                       ShortDuration(status.since));
  }
  if (status.last_error.empty()) {
    return fmt::format("{}: connecting to {}", status.host, status.endpoint);
  }
  return fmt::format("{}: not connected to {} for {}: {}", status.host, status.endpoint,
                     ShortDuration(status.since), status.last_error);
}

std::string Describe(const LinkStatus& status) {
  std::string text = DescribeInOneLine(status) + "\n";
  if (status.connected) {
    text += fmt::format("controller: version {}, epoch {}, session {}\n", status.controller_version,
                        status.epoch, status.session);
  } else if (!status.last_error.empty()) {
    text += fmt::format("what to do: {}\n", status.advice);
    text += fmt::format("next attempt in {}, {} failed since the last connection\n",
                        ShortDuration(status.next_dial_in), status.failed_dials);
  }
  text += FactsLine(status) + "\n";
  if (status.open_probes > 0) text += fmt::format("probes: {} open\n", status.open_probes);
  return text;
}

std::string AdviceFor(const absl::Status& error, const std::string& endpoint) {
  const std::string_view text = Message(error);
  const auto mentions = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  if (error.code() == absl::StatusCode::kPermissionDenied ||
      error.code() == absl::StatusCode::kUnauthenticated) {
    return "the controller refused this agent; its reason is above and in the controller's log";
  }
  if (mentions("said goodbye")) {
    return "nothing: the controller sends its agents away, and they come back by themselves";
  }
  if (mentions("subjectAltName")) {
    return fmt::format(
        "issue the controller a certificate that names the host of \"{}\", or "
        "correct `controller:` in agent.yaml",
        endpoint);
  }
  if (mentions("ertificate") || mentions("andshake") || mentions("SSL") || mentions("TLS")) {
    return "check that both certificates are of the CA in `tls.ca`, in date by both hosts' clocks, "
           "and that the controller speaks TLS on this port";
  }
  if (mentions("ocket closed") || mentions("reset by peer")) {
    return "the other end closed the connection: its log says why. Often it does not accept this "
           "host's certificate (its CA, its dates), or does not speak TLS on this port";
  }
  switch (error.code()) {
    case absl::StatusCode::kUnavailable:
      return fmt::format(
          "check that roceready-controller runs and that \"{}\" can be resolved and "
          "reached from this host",
          endpoint);
    case absl::StatusCode::kDeadlineExceeded:
      return "the controller, or something between, accepts connections but does not answer; look "
             "at the controller's log and load";
    case absl::StatusCode::kFailedPrecondition:
      return "make sure that only the controller in charge runs, with its own state directory; its "
             "epoch must never fall";
    default:
      return "look at the controller's log for this host's name at this time";
  }
}

}  // namespace roceready::link
