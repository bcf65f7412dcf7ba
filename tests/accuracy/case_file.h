// SPDX-License-Identifier: Apache-2.0
// A labelled case as its case.yaml writes it (README.md tells the keys).
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proto/yaml/problem.h"
#include "proto/yaml/tree.h"
#include "tests/accuracy/edit.h"

namespace roceready::accuracy {

// A text of the file and where it stands.
struct Text {
  std::string text;
  yaml::Position at;

  bool empty() const { return text.empty(); }
};

// One entry of the lists hosts, edits, switches and probes: what it is about, and what is
// different.
struct Entry {
  yaml::Position at;
  // Of hosts: which base, and the names of its copies (a host list). Of switches and probes: the
  // file.
  Text base;
  // Of edits, too: the hosts meant.
  Text hosts;
  // Of probes: "gpu1 > gpu2" and the RDMA device at both ends.
  Text between;
  Text device;
  Changes changes;
};

struct Case {
  std::filesystem::path file;
  std::string group;
  std::string name;
  // "PFC-01", or "healthy".
  Text mode;
  Text about;
  std::vector<Entry> hosts;
  std::vector<Entry> edits;
  // Hosts that were asked for and are not heard.
  Text silent;
  // A shipped profile, or a file beside the case.
  Text policy;
  Changes policy_changes;
  std::vector<Entry> switches;
  std::vector<Entry> probes;
  // "ready", "not-ready" or "undetermined".
  Text verdict;
  // "CHECK WHO[ DEVICE]": root causes that must be found, and questions that must stay open.
  std::vector<Text> findings;
  std::vector<Text> unknown;
};

// A host to start from: bases/NAME.yaml.
struct Base {
  std::filesystem::path file;
  Text recorded;
  Changes changes;
};

// Both with every problem of the file at once.
absl::StatusOr<Case> ReadCase(const std::filesystem::path& file);
absl::StatusOr<Base> ReadBase(const std::filesystem::path& file);

}  // namespace roceready::accuracy
