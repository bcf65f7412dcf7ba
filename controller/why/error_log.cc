// SPDX-License-Identifier: Apache-2.0
#include "controller/why/error_log.h"

#include <list>
#include <map>
#include <memory>
#include <utility>

#include "controller/why/writer.h"
#include "proto/contract/errors.h"

namespace roceready::why {
namespace {

constexpr std::size_t kChunk = 1 << 16;
// A longer line is cut: what it names stands at its beginning.
constexpr std::size_t kMaxLine = 2000;
// Tasks whose ends, and processes whose errors, are remembered at a time.
constexpr std::size_t kMaxRemembered = 1024;
// The two lines that UCX writes at once are no further apart when many processes write.
constexpr std::size_t kMaxApart = 1000;

bool Has(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

// UCX says what went wrong on one line and on the next what it was doing: "RC QP 0x1a2 wqe[3]: SEND
// s-e [rqpn 0x2b1 dlid=0 ... dgid=::ffff:10.77.0.18 sgid_index=3]". Lines of other processes may
// come between.
class UcxErrors {
 public:
  explicit UcxErrors(const std::function<void(ErrorLine)>& found) : found_(found) {}

  // Takes an error that such a line may follow; false: it is not one.
  bool Take(std::string_view line, ErrorLine& error) {
    if (!Has(line, "synd 0x") || !error.remote_addresses.empty()) return false;
    const std::optional<std::string> process = UcxProcessOf(line);
    if (!process) return false;
    Give([&](const Waiting& one) { return one.process == *process; });
    waiting_.push_back({.process = *process, .error = std::move(error)});
    if (waiting_.size() > kMaxRemembered) GiveOldest();
    return true;
  }

  void Read(std::size_t number, std::string_view line) {
    while (!waiting_.empty() && number - waiting_.front().error.number > kMaxApart) GiveOldest();
    if (waiting_.empty() || !Has(line, " QP 0x") || !Has(line, "wqe[")) return;
    const std::optional<std::string> process = UcxProcessOf(line);
    // Older UCX writes no beginning of the second line: then nothing comes between the two.
    const auto is_about = [&](const Waiting& one) {
      return process ? one.process == *process : one.error.number + 1 == number;
    };
    Give(is_about, line);
  }

  void End() {
    while (!waiting_.empty()) GiveOldest();
  }

 private:
  struct Waiting {
    std::string process;
    ErrorLine error;
  };

  template <typename Predicate>
  void Give(const Predicate& is_meant, std::string_view with_line = {}) {
    for (auto one = waiting_.begin(); one != waiting_.end(); ++one) {
      if (!is_meant(*one)) continue;
      AddNamed(with_line, &one->error);
      found_(std::move(one->error));
      waiting_.erase(one);
      return;
    }
  }

  void GiveOldest() {
    found_(std::move(waiting_.front().error));
    waiting_.pop_front();
  }

  const std::function<void(ErrorLine)>& found_;
  std::list<Waiting> waiting_;  // the oldest first, one of a process
};

// perftest prints its two ends on lines of their own long before an error: " local address: LID
// ...", then " GID: ...", and the same with "remote". Several tasks may write to one log.
class PerftestEnds {
 public:
  void Read(std::string_view line) {
    if (const auto local = line.find("local address: LID"); local != line.npos) {
      Ends& ends = Of(line.substr(0, local));
      // Those of the next test.
      if (ends.reading == &Ends::remote) ends = Ends();
      ends.reading = &Ends::local;
    } else if (const auto remote = line.find("remote address: LID"); remote != line.npos) {
      Of(line.substr(0, remote)).reading = &Ends::remote;
    } else if (const auto gid = line.find("GID: "); gid != line.npos) {
      const auto ends = ends_.find(TaskOf(line.substr(0, gid)));
      if (ends == ends_.end()) return;
      if (auto address = DecimalGid(line)) ends->second.*(ends->second.reading) = *address;
    }
  }

  // To an error of perftest the ends of its test.
  void AddTo(std::string_view line, ErrorLine* error) const {
    if (ends_.empty() || !error->local_addresses.empty() || !error->remote_addresses.empty())
      return;
    const std::string lower = Lower(line);
    for (const char* words : {"failed status", "completion with error", "failed to modify qp"}) {
      const std::size_t at = lower.find(words);
      if (at == std::string::npos) continue;
      const auto ends = ends_.find(TaskOf(line.substr(0, at)));
      if (ends == ends_.end()) return;
      if (!ends->second.local.empty()) error->local_addresses = {ends->second.local};
      if (!ends->second.remote.empty()) error->remote_addresses = {ends->second.remote};
      return;
    }
  }

 private:
  struct Ends {
    std::string local, remote;
    std::string Ends::* reading = &Ends::local;  // which of them the next GID is
  };

  Ends& Of(std::string_view before) {
    std::string task = TaskOf(before);
    if (ends_.size() == kMaxRemembered && !ends_.contains(task)) ends_.clear();
    return ends_[std::move(task)];
  }

  std::map<std::string, Ends> ends_;
};

class Errors {
 public:
  explicit Errors(std::function<void(ErrorLine)> found) : found_(std::move(found)) {}

  void Read(std::string_view line) {
    ++number_;
    ucx_.Read(number_, line);
    perftest_.Read(line);
    std::optional<ErrorLine> error = ReadErrorLine(line);
    if (!error) return;
    error->number = number_;
    if (ucx_.Take(line, *error)) return;
    perftest_.AddTo(line, &*error);
    found_(*std::move(error));
  }

  void End() { ucx_.End(); }

 private:
  const std::function<void(ErrorLine)> found_;
  std::size_t number_ = 0;
  UcxErrors ucx_{found_};
  PerftestEnds perftest_;
};

}  // namespace

absl::Status ReadErrors(std::istream& log, std::function<void(ErrorLine)> found) {
  Errors errors(std::move(found));
  const auto buffer = std::make_unique<char[]>(kChunk);
  std::string line;
  bool is_begun = false;
  do {
    log.read(buffer.get(), kChunk);
    std::string_view chunk(buffer.get(), static_cast<std::size_t>(log.gcount()));
    while (!chunk.empty()) {
      const std::string_view part = chunk.substr(0, chunk.find('\n'));
      line += part.substr(0, kMaxLine - line.size());
      is_begun = part.size() == chunk.size();
      chunk.remove_prefix(is_begun ? part.size() : part.size() + 1);
      if (is_begun) break;
      errors.Read(line);
      line.clear();
    }
  } while (log);
  if (is_begun) errors.Read(line);
  errors.End();
  return log.bad() ? InvalidArgument("cannot be read to its end") : absl::OkStatus();
}

}  // namespace roceready::why
