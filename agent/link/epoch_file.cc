// SPDX-License-Identifier: Apache-2.0
#include "agent/link/epoch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "proto/contract/errors.h"

namespace roceready::link {
namespace {

constexpr char kName[] = "/highest-epoch";

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

}  // namespace

absl::StatusOr<EpochFile> EpochFile::Open(const std::string& state_directory) {
  const std::string path = state_directory + kName;
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT) return EpochFile(state_directory, 0);
    return ErrnoError(errno, fmt::format("cannot read \"{}\"", path));
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
  if (error != std::errc() || std::string_view(end) != "\n") {
    return DataLoss(
        "\"{}\" does not hold a number; if the controller's epoch is known write it there, else "
        "remove the file",
        path);
  }
  return EpochFile(state_directory, epoch);
}

absl::Status EpochFile::Raise(uint64_t epoch) {
  const std::string path = directory_ + kName;
  const std::string fresh = path + ".new";
  const std::string text = fmt::format("{}\n", epoch);
  {
    const FileDescriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.number() < 0) return ErrnoError(errno, fmt::format("cannot create \"{}\"", fresh));
    if (write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.number()) != 0) {
      return ErrnoError(errno, fmt::format("cannot write \"{}\"", fresh));
    }
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) {
    return ErrnoError(errno, fmt::format("cannot replace \"{}\"", path));
  }
  const FileDescriptor directory(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0 || fsync(directory.number()) != 0) {
    return ErrnoError(errno, fmt::format("cannot flush \"{}\"", directory_));
  }
  highest_ = epoch;
  return absl::OkStatus();
}

}  // namespace roceready::link
