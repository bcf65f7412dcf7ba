// SPDX-License-Identifier: Apache-2.0
#include "controller/fleet/state_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <utility>

#include "proto/contract/errors.h"

namespace roceready {
namespace {

constexpr std::size_t kLongestNumber = 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// 0 when there is no file yet.
absl::StatusOr<std::uint64_t> ReadEpoch(const std::filesystem::path& file) {
  Descriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) {
    if (errno == ENOENT) return 0;
    return ErrnoError(errno, fmt::format("cannot read the epoch in {}", file.string()));
  }
  char text[kLongestNumber + 2];
  ssize_t length = read(in.get(), text, sizeof(text));
  if (length < 0) return ErrnoError(errno, fmt::format("cannot read {}", file.string()));
  if (length > 0 && text[length - 1] == '\n') --length;
  std::uint64_t epoch = 0;
  auto [end, error] = std::from_chars(text, text + length, epoch);
  if (error != std::errc() || end != text + length || length == 0 || epoch == UINT64_MAX) {
    return DataLoss(
        "{} does not hold an epoch; write into it a number above every epoch that agents have seen "
        "(they log it), then start again",
        file.string());
  }
  return epoch;
}

absl::Status WriteDurably(const std::filesystem::path& file, const std::string& text) {
  Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
  if (out.get() < 0) return ErrnoError(errno, fmt::format("cannot write {}", file.string()));
  if (write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return ErrnoError(errno, fmt::format("cannot write {}", file.string()));
  }
  if (fsync(out.get()) != 0) return ErrnoError(errno, fmt::format("cannot sync {}", file.string()));
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::filesystem::path& folder) {
  Descriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0 || fsync(handle.get()) != 0) {
    return ErrnoError(errno, fmt::format("cannot sync {}", folder.string()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StateDirectory> StateDirectory::Open(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return ErrnoError(error.value(),
                      fmt::format("cannot make the state directory {}", path.string()));
  }
  const std::filesystem::path file = path / "lock";
  Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (lock.get() < 0) return ErrnoError(errno, fmt::format("cannot open {}", file.string()));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return ErrnoError(errno, fmt::format("cannot lock {}", file.string()));
    }
    return Unavailable(
        "another controller holds the state directory {}; stop it, or give this one "
        "its own (state_directory)",
        path.string());
  }
  return StateDirectory(path, lock.Release());
}

StateDirectory::StateDirectory(StateDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

StateDirectory::~StateDirectory() {
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<std::uint64_t> StateDirectory::RaiseEpoch() {
  const std::filesystem::path file = path_ / "epoch";
  const std::filesystem::path fresh = path_ / "epoch.new";
  ASSIGN_OR_RETURN(std::uint64_t epoch, ReadEpoch(file));
  ++epoch;
  RETURN_IF_ERROR(WriteDurably(fresh, fmt::format("{}\n", epoch)));
  if (rename(fresh.c_str(), file.c_str()) != 0) {
    return ErrnoError(errno, fmt::format("cannot put {} in place", file.string()));
  }
  RETURN_IF_ERROR(SyncFolder(path_));
  return epoch;
}

}  // namespace roceready
