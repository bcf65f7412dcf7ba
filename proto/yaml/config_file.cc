// SPDX-License-Identifier: Apache-2.0
#include "proto/yaml/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "proto/contract/errors.h"
#include "proto/yaml/decode.h"
#include "proto/yaml/tree.h"

namespace roceready::yaml {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO in the file's place must not hang the program.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return ErrnoError(errno, path.string());
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return ErrnoError(errno, path.string());
  if (!S_ISREG(status.st_mode)) {
    return InvalidArgument("{}: found no regular file, expected one", path.string());
  }
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t count = read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(errno, path.string());
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kMaxTextBytes) {
      return InvalidArgument("{}: found more than {} bytes, which is the limit", path.string(),
                             kMaxTextBytes);
    }
  }
}

absl::Status ReadConfigFile(const std::filesystem::path& path, google::protobuf::Message& config) {
  ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  std::vector<Problem> problems;
  const auto root = ParseTree(text, path.string(), problems);
  const bool is_empty = root && root->kind == Node::Kind::kNothing;
  return Decode(is_empty ? "{}" : text, path.string(), config).status();
}

}  // namespace roceready::yaml
