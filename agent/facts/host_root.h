// SPDX-License-Identifier: Apache-2.0
// Files of the host we read (sysfs, procfs, debugfs, configfs, /etc, /dev), all under one root
// directory: "/" on a live host, a fixture tree in tests and for `facts --root`.
//
// Paths are absolute as the host sees them ("/sys/class/net/eth0/mtu"). Errors carry the errno
// (ErrnoOf of proto/contract/errors.h). Nothing here writes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/contract/errors.h"

namespace roceready::facts {

class HostRoot {
 public:
  // Sees what was read; for recordings. Called from the threads that read.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void Read(std::string_view path, const std::string& text) = 0;
    virtual void ReadPart(std::string_view path, uint64_t offset, const std::string& bytes) = 0;
    virtual void Listed(std::string_view path, const std::vector<std::string>& names) = 0;
    // It is there and was refused, or failed.
    virtual void Failed(std::string_view path, int error) = 0;
    // It is there, or was followed to where it really is.
    virtual void Found(std::string_view path) = 0;
  };

  explicit HostRoot(std::string root = "/", std::shared_ptr<Observer> observer = nullptr);

  // True when the root is "/" and device nodes, sockets and ioctls belong to the same host.
  bool is_live() const { return prefix_.empty(); }

  // The whole file, at most 1 MiB (sysfs and procfs files are a page or a few).
  absl::StatusOr<std::string> Read(std::string_view path) const;
  // Up to `size` bytes from `offset` on; fewer where the file ends. For files too large to be read
  // whole.
  absl::StatusOr<std::string> ReadPart(std::string_view path, uint64_t offset, size_t size) const;
  // The first line without white space at its ends: what a sysfs attribute holds.
  absl::StatusOr<std::string> ReadWord(std::string_view path) const;
  // A decimal, or hexadecimal after "0x"; kDataLoss when the file holds something else.
  absl::StatusOr<int64_t> ReadNumber(std::string_view path) const;

  // Names in a directory, sorted, without "." and "..".
  absl::StatusOr<std::vector<std::string>> List(std::string_view path) const;
  bool Exists(std::string_view path) const;
  // Where the path really is, as the host sees it: all links followed, "/sys/devices/...".
  // kNotFound also when a link leads out of the root.
  absl::StatusOr<std::string> RealPath(std::string_view path) const;
  // Last component of RealPath: the driver behind ".../device/driver".
  absl::StatusOr<std::string> LinkName(std::string_view path) const;

  // Permission bits and owner of a node.
  struct NodeMode {
    uint32_t mode = 0;
    uid_t owner = 0;
    gid_t group = 0;
  };
  absl::StatusOr<NodeMode> ModeOf(std::string_view path) const;
  // Opens the node for reading and writing and closes it again: OK means that it can be used.
  absl::Status CanOpen(std::string_view path) const;

 private:
  // Paths that the recorded host refused to read ("13 /sys/kernel/debug/..." lines of errors.txt).
  void ReadRecordedErrors();
  // OK unless the recorded host refused.
  absl::Status WhetherReadable(std::string_view path) const;
  absl::Status Refused(int error, std::string_view path) const;
  std::string Full(std::string_view path) const;
  std::string prefix_;
  std::map<std::string, int, std::less<>> recorded_errors_;
  std::shared_ptr<Observer> observer_;
};

// Without white space at both ends.
std::string_view Trim(std::string_view text);
// Decimal, or hexadecimal after "0x"; nullopt for anything else.
std::optional<int64_t> ParseNumber(std::string_view text);
// Non-empty lines.
std::vector<std::string_view> Lines(std::string_view text);
// Words parted by white space.
std::vector<std::string_view> Words(std::string_view text);

}  // namespace roceready::facts
