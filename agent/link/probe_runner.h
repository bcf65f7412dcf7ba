// SPDX-License-Identifier: Apache-2.0
// What the link needs of the probe executor (agent/probe/executor.h says what each call means).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roceready/v1/agent_link.pb.h"

namespace roceready::link {

class ProbeRunner {
 public:
  virtual ~ProbeRunner() = default;
  virtual void BeginSession(uint64_t epoch, std::string_view session) = 0;
  // Never blocks. Answers come back through AgentLink::ProbeAnswered.
  virtual void Execute(const v1::ConnectResponse& order) = 0;
  virtual void EndAll(std::string_view reason) = 0;
  virtual std::vector<v1::EndReport> UnacceptedReports() const = 0;
  virtual void Accepted(const v1::EndReportAccepted& accepted) = 0;
  virtual std::vector<std::string> OpenProbes() const = 0;
  virtual size_t LiveSessions() const = 0;
  virtual v1::ProbeLimits Limits() const = 0;
};

}  // namespace roceready::link
