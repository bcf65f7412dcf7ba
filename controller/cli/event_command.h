// SPDX-License-Identifier: Apache-2.0
// `roceready events`: what has changed in the configuration of hosts, and what changes from now on.
// `roceready diff`: what of it is left between two moments.
#pragma once

#include <chrono>
#include <string>

#include "controller/cli/output.h"
#include "roceready/v1/config.pb.h"
#include "roceready/v1/event.pb.h"

namespace roceready::cli {

struct EventsOptions {
  std::string hosts;  // empty: all
  std::chrono::milliseconds since = std::chrono::hours(24);
  bool watch = false;
};

struct DiffOptions {
  std::string host;
  // So long ago; `from` is the longer.
  std::chrono::milliseconds from = std::chrono::hours(24);
  std::chrono::milliseconds to{0};
};

// A line each: when, host, device, what, from -> to.
std::string RenderEvents(const google::protobuf::RepeatedPtrField<v1::Event>& events);

// Of each value of a host what it was first and is last, in the order of the first changes; what
// came back to what it was is left out.
v1::ListEventsResponse NetChanges(const v1::ListEventsResponse& all);

int EventsCommand(const v1::ClientConfig& config, const EventsOptions& options,
                  const OutputOptions& output);

// As diff(1): 0 where nothing differs, 1 where something does.
int DiffCommand(const v1::ClientConfig& config, const DiffOptions& options,
                const OutputOptions& output);

}  // namespace roceready::cli
