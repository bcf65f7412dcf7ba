// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/event_command.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "checks/report/layout.h"
#include "controller/cli/fleet_client.h"
#include "proto/contract/errors.h"
#include "proto/process/durations.h"
#include "proto/process/exit_status.h"

namespace roceready::cli {
namespace {

using google::protobuf::util::TimeUtil;

using Events = google::protobuf::RepeatedPtrField<v1::Event>;

constexpr int kDiffers = 1;
// The controller itself looks for changes every 10 s.
constexpr std::chrono::milliseconds kPollInterval = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kSignalInterval{100};
// Facts are read once a minute; a change between older ones happened while nobody looked.
constexpr int64_t kLongSeconds = 5 * 60;

std::atomic<bool> interrupted = false;
void OnSignal(int) { interrupted = true; }

std::string Moment(const google::protobuf::Timestamp& at) {
  google::protobuf::Timestamp whole;
  whole.set_seconds(at.seconds());
  return TimeUtil::ToString(whole);
}

// Without the list and the id of a device that is shown by its name.
std::string What(const v1::Event& event) {
  const std::string& path = event.path();
  const std::size_t row = path.find("].");
  if (event.device().empty() || row == std::string::npos) return path;
  return path.substr(row + 2);
}

std::string Values(const v1::Event& event) {
  if (event.has_from() && event.has_to()) return fmt::format("{} -> {}", event.from(), event.to());
  if (event.has_to()) return "appeared: " + event.to();
  return "gone: " + event.from();
}

std::string JsonLine(const v1::Event& event) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(event, &text, options).ok()) return {};
  return text + '\n';
}

void Print(const Events& events, Format format) {
  if (format != Format::kJson) return PrintResult(RenderEvents(events));
  std::string text;
  for (const v1::Event& event : events) text += JsonLine(event);
  PrintResult(text);
}

// All pages as one.
absl::StatusOr<v1::ListEventsResponse> Fetch(FleetClient& client, v1::ListEventsRequest request) {
  v1::ListEventsResponse all;
  do {
    ASSIGN_OR_RETURN(const v1::ListEventsResponse page, client.ListEvents(request));
    all.MergeFrom(page);
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  all.clear_next_page_token();
  return all;
}

void Wait(std::chrono::milliseconds time) {
  for (; time > std::chrono::milliseconds::zero() && !interrupted; time -= kSignalInterval) {
    std::this_thread::sleep_for(std::min(time, kSignalInterval));
  }
}

// Until a signal, or nobody reads any more.
int Watch(FleetClient& client, v1::ListEventsRequest request, Format format) {
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
  bool away = false;
  while (!interrupted && std::ferror(stdout) == 0) {
    const auto events = Fetch(client, request);
    if (events.ok()) {
      if (!events->events().empty()) Print(events->events(), format);
      // From there on by number alone: none is missed, however long the controller is away.
      request.clear_max_age();
      request.set_after_number(events->last_number());
    } else if (!absl::IsUnavailable(events.status()) &&
               !absl::IsDeadlineExceeded(events.status())) {
      return Fail(events.status(), format);
    } else if (!away) {
      PrintError(events.status());
    }
    away = !events.ok();
    Wait(kPollInterval);
  }
  return kExitOk;
}

}  // namespace

std::string RenderEvents(const google::protobuf::RepeatedPtrField<v1::Event>& events) {
  std::string text;
  for (const v1::Event& event : events) {
    std::string line = fmt::format("{}  {}  {}{}  {}", Moment(event.at()), event.host(),
                                   event.device().empty() ? "" : event.device() + "  ", What(event),
                                   Values(event));
    if (event.at().seconds() - event.not_before().seconds() > kLongSeconds) {
      line += fmt::format("  (after {})", Moment(event.not_before()));
    }
    text += report::Harmless(line) + '\n';
    if (event.more() > 0) {
      text += fmt::format("{}  {}  and {} more\n", Moment(event.at()),
                          report::Harmless(event.host()), event.more());
    }
  }
  return text;
}

v1::ListEventsResponse NetChanges(const v1::ListEventsResponse& all) {
  v1::ListEventsResponse net;
  std::map<std::pair<std::string, std::string>, int> known;
  for (const v1::Event& event : all.events()) {
    const auto [entry, is_new] = known.try_emplace({event.host(), event.path()}, net.events_size());
    if (is_new) {
      *net.add_events() = event;
      continue;
    }
    v1::Event& first = *net.mutable_events(entry->second);
    *first.mutable_at() = event.at();
    first.set_more(first.more() + event.more());
    if (event.has_to()) {
      first.set_to(event.to());
    } else {
      first.clear_to();
    }
  }
  const auto is_as_it_was = [](const v1::Event& event) {
    return event.has_from() == event.has_to() && event.from() == event.to() && event.more() == 0;
  };
  auto& events = *net.mutable_events();
  events.erase(std::remove_if(events.begin(), events.end(), is_as_it_was), events.end());
  return net;
}

int EventsCommand(const v1::ClientConfig& config, const EventsOptions& options,
                  const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  v1::ListEventsRequest request;
  request.set_hosts(options.hosts);
  *request.mutable_max_age() = ToProto(options.since);
  if (options.watch) return Watch(**client, std::move(request), output.format);
  const auto events = Fetch(**client, request);
  if (!events.ok()) return Fail(events.status(), output.format);
  PrintResult(output.format == Format::kJson ? ToJson(*events) : RenderEvents(events->events()));
  return kExitOk;
}

int DiffCommand(const v1::ClientConfig& config, const DiffOptions& options,
                const OutputOptions& output) {
  const auto client = FleetClient::Create(config);
  if (!client.ok()) return Fail(client.status(), output.format);
  v1::ListEventsRequest request;
  request.set_hosts(options.host);
  *request.mutable_max_age() = ToProto(options.from);
  auto events = Fetch(**client, request);
  if (!events.ok()) return Fail(events.status(), output.format);
  if (options.to > std::chrono::milliseconds::zero()) {
    const WallTime end = std::chrono::system_clock::now() - options.to;
    Events& seen = *events->mutable_events();
    seen.erase(std::remove_if(seen.begin(), seen.end(),
                              [&](const v1::Event& event) { return FromProto(event.at()) > end; }),
               seen.end());
  }
  const v1::ListEventsResponse net = NetChanges(*events);
  PrintResult(output.format == Format::kJson ? ToJson(net) : RenderEvents(net.events()));
  return net.events().empty() ? static_cast<int>(kExitOk) : kDiffers;
}

}  // namespace roceready::cli
