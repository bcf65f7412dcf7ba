// SPDX-License-Identifier: Apache-2.0
// The hosts of tests/hosts, and one collection from any source.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/facts/collector.h"
#include "agent/facts/recorded.h"
#include "tests/support/source_path.h"

namespace roceready::facts {

inline std::string HostsFolder() { return SourcePath("tests/hosts"); }

// Names of the folders that hold this file, sorted.
inline std::vector<std::string> HostsWith(std::string_view file) {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(HostsFolder())) {
    if (std::filesystem::exists(folder.path() / file)) {
      names.push_back(folder.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

inline Collection CollectFrom(std::shared_ptr<const Sources> sources,
                              const std::string& host = "h") {
  const SystemClock clock;
  EventLoop loop(&clock);
  // A busy machine is no sick host.
  Collector collector(&loop, std::move(sources),
                      CollectorOptions{.host = host, .deadline = std::chrono::minutes(2)});
  Collection result;
  collector.Collect(true, [&](const Collection& collection) {
    result = collection;
    loop.Stop();
  });
  loop.Run();
  return result;
}

inline Collection CollectFromRecording(const std::string& host) {
  return CollectFrom(RecordedSources(HostsFolder() + "/" + host), host);
}

}  // namespace roceready::facts
