// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/host_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

namespace roceready::facts {
namespace {

constexpr std::string_view kRecordedErrors = "/errors.txt";
constexpr size_t kLargestFile = 1 << 20;
constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string WithoutTrailingSlash(std::string root) {
  while (!root.empty() && root.back() == '/') root.pop_back();
  return root;
}

}  // namespace

// The prefix is made canonical, so that RealPath can tell what lies inside.
HostRoot::HostRoot(std::string root, std::shared_ptr<Observer> observer)
    : prefix_(WithoutTrailingSlash(std::move(root))), observer_(std::move(observer)) {
  if (prefix_.empty()) return;
  std::array<char, PATH_MAX> resolved;
  if (realpath(prefix_.c_str(), resolved.data()) != nullptr) prefix_ = resolved.data();
  prefix_ = WithoutTrailingSlash(prefix_);
  ReadRecordedErrors();
}

void HostRoot::ReadRecordedErrors() {
  const absl::StatusOr<std::string> text = Read(kRecordedErrors);
  if (!text.ok()) return;
  for (const std::string_view line : Lines(*text)) {
    const size_t blank = std::min(line.find(' '), line.size());
    const std::optional<int64_t> error = ParseNumber(line.substr(0, blank));
    if (!error.has_value() || blank == line.size()) continue;
    recorded_errors_[std::string(line.substr(blank + 1))] = static_cast<int>(*error);
  }
}

absl::Status HostRoot::WhetherReadable(std::string_view path) const {
  const auto recorded = recorded_errors_.find(path);
  if (recorded == recorded_errors_.end()) return absl::OkStatus();
  return ErrnoError(recorded->second, path);
}

// What is not there needs no record: it is not there in the recording either.
absl::Status HostRoot::Refused(int error, std::string_view path) const {
  const bool there = error != ENOENT && error != ENOTDIR;
  if (there && observer_ != nullptr) observer_->Failed(path, error);
  return ErrnoError(error, path);
}

std::string HostRoot::Full(std::string_view path) const { return prefix_ + std::string(path); }

absl::StatusOr<std::string> HostRoot::Read(std::string_view path) const {
  RETURN_IF_ERROR(WhetherReadable(path));
  const Descriptor file(open(Full(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return Refused(errno, path);
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Refused(errno, path);
    if (count == 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > kLargestFile) {
      return DataLoss("{}: longer than {} bytes, which no file we read is", path, kLargestFile);
    }
  }
  if (observer_ != nullptr) observer_->Read(path, text);
  return text;
}

absl::StatusOr<std::string> HostRoot::ReadPart(std::string_view path, uint64_t offset,
                                               size_t size) const {
  RETURN_IF_ERROR(WhetherReadable(path));
  if (size > kLargestFile) return DataLoss("{}: {} bytes at once are too many", path, size);
  const Descriptor file(open(Full(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return Refused(errno, path);
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pread(file.get(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Refused(errno, path);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  if (observer_ != nullptr) observer_->ReadPart(path, offset, bytes);
  return bytes;
}

absl::StatusOr<std::string> HostRoot::ReadWord(std::string_view path) const {
  ASSIGN_OR_RETURN(const std::string text, Read(path));
  return std::string(Trim(std::string_view(text).substr(0, text.find('\n'))));
}

absl::StatusOr<int64_t> HostRoot::ReadNumber(std::string_view path) const {
  ASSIGN_OR_RETURN(const std::string word, ReadWord(path));
  const std::optional<int64_t> number = ParseNumber(word);
  if (!number.has_value()) return DataLoss("{}: '{}' is not a number", path, word);
  return *number;
}

absl::StatusOr<std::vector<std::string>> HostRoot::List(std::string_view path) const {
  RETURN_IF_ERROR(WhetherReadable(path));
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(Full(path).c_str()), &closedir);
  if (directory == nullptr) return Refused(errno, path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return ErrnoError(errno, path);
  std::ranges::sort(names);
  if (observer_ != nullptr) observer_->Listed(path, names);
  return names;
}

bool HostRoot::Exists(std::string_view path) const {
  const bool exists = access(Full(path).c_str(), F_OK) == 0;
  if (exists && observer_ != nullptr) observer_->Found(path);
  return exists;
}

absl::StatusOr<std::string> HostRoot::RealPath(std::string_view path) const {
  std::array<char, PATH_MAX> resolved;
  if (realpath(Full(path).c_str(), resolved.data()) == nullptr) return ErrnoError(errno, path);
  std::string_view real = resolved.data();
  const bool inside = real.starts_with(prefix_) && real.substr(prefix_.size()).starts_with('/');
  if (!inside) return ErrnoError(ENOENT, path);
  real.remove_prefix(prefix_.size());
  if (observer_ != nullptr) observer_->Found(path);
  return std::string(real);
}

absl::StatusOr<std::string> HostRoot::LinkName(std::string_view path) const {
  ASSIGN_OR_RETURN(const std::string real, RealPath(path));
  return real.substr(real.rfind('/') + 1);
}

absl::StatusOr<HostRoot::NodeMode> HostRoot::ModeOf(std::string_view path) const {
  struct stat status;
  if (stat(Full(path).c_str(), &status) != 0) return ErrnoError(errno, path);
  if (observer_ != nullptr) observer_->Found(path);
  return NodeMode{static_cast<uint32_t>(status.st_mode & 07777), status.st_uid, status.st_gid};
}

absl::Status HostRoot::CanOpen(std::string_view path) const {
  const Descriptor file(open(Full(path).c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return ErrnoError(errno, path);
  return absl::OkStatus();
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    const size_t end = std::min(text.find_first_of(kWhiteSpace), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace roceready::facts
