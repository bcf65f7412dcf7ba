// SPDX-License-Identifier: Apache-2.0
#include "agent/reading_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "proto/contract/errors.h"
#include "proto/process/descriptor.h"

namespace roceready::agent {
namespace {

// What comes before the text: the value, or the message of the error. Both ends are one program.
struct Header {
  int32_t code = 0;  // absl::StatusCode
  uint32_t bytes = 0;
};

bool WriteAll(int file, const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(file, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

// False at the end of the file, too.
bool ReadAll(int file, void* data, size_t size) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(file, next, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

[[noreturn]] void Child(int answer, const std::function<absl::StatusOr<std::string>()>& read) {
  // Gone with the command, unless the kernel holds it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const Descriptor null(open("/dev/null", O_RDWR)); null.is_open()) {
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      dup2(null.get(), standard);
    }
  }
  const absl::StatusOr<std::string> result = read();
  const std::string_view text = result.ok() ? std::string_view(*result) : Message(result.status());
  const Header header{static_cast<int32_t>(result.status().code()),
                      static_cast<uint32_t>(text.size())};
  const bool told =
      WriteAll(answer, &header, sizeof header) && WriteAll(answer, text.data(), text.size());
  // Not exit(): destructors would wait for threads that hang.
  _exit(told ? 0 : 1);
}

std::string DescribeEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status)
             ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

absl::StatusOr<std::string> ReadInChild(const std::function<absl::StatusOr<std::string>()>& read) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "cannot make a pipe");
  const Descriptor answer(ends[0]);
  Descriptor question(ends[1]);
  const pid_t child = fork();
  if (child < 0) return ErrnoError(errno, "cannot start a process to read with");
  if (child == 0) Child(question.get(), read);
  question = Descriptor();
  Header header;
  std::string text;
  bool whole = ReadAll(answer.get(), &header, sizeof header);
  if (whole) {
    text.resize(header.bytes);
    whole = ReadAll(answer.get(), text.data(), text.size());
  }
  if (!whole) {
    return Internal("the reading process ended without an answer: {}", DescribeEnd(child));
  }
  // The child is not waited for: that is what it is for.
  if (header.code != 0) return MakeError(static_cast<absl::StatusCode>(header.code), text);
  return text;
}

}  // namespace roceready::agent
