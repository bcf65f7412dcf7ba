// SPDX-License-Identifier: Apache-2.0
// limits.locked-memory and limits.open-files: what a job may lock and open.
#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// 64 KiB, 8 MiB and 64 MiB are what distributions and container engines set where nobody has
// thought of RDMA.
constexpr uint64_t kLargestDefaultBytes = uint64_t{64} << 20;
// Two to three descriptors a connection: 1024, the usual default, ends at some 400 peers.
constexpr uint64_t kUsualOpenFiles = 1024;

Question AskLimits(const HostView& host, std::string_view field, std::string expected) {
  const v1::KernelFacts& kernel = host.facts().kernel();
  v1::Reading reading = ReadingOf(kernel.has_job_limits(), kernel.job_limits());
  if (!kernel.has_job_limits() && !IsOk(kernel.reading())) {
    reading = ReadingOf(host.facts().has_kernel(), kernel);
  }
  return {.subject = host.SubjectOfHost(),
          .path = fmt::format("kernel.job_limits.{}", field),
          .reading = std::move(reading),
          .expected = std::move(expected)};
}

void JudgeLockedMemory(const HostView& host, Judge& judge) {
  const v1::JobLimits& limits = host.facts().kernel().job_limits();
  const Question question =
      AskLimits(host, "memlock_soft_bytes", "no limit, or one that was raised for RDMA");
  const bool known = limits.memlock_unlimited() || limits.has_memlock_soft_bytes();
  if (IsUnanswered(host, judge, question, known)) return;
  if (limits.memlock_unlimited() || limits.memlock_soft_bytes() > kLargestDefaultBytes) {
    return judge.Pass();
  }
  FailOn(host, judge, question,
         fmt::format("{} bytes, a default", Grouped(limits.memlock_soft_bytes())))
      .MendedBy(
          "Set LimitMEMLOCK=infinity in the unit of the program that starts jobs, restart "
          "it, and give containers the limit -1.");
}

void JudgeOpenFiles(const HostView& host, Judge& judge) {
  const v1::JobLimits& limits = host.facts().kernel().job_limits();
  const Question question =
      AskLimits(host, "open_files", fmt::format("more than {} open files", kUsualOpenFiles));
  if (IsUnanswered(host, judge, question, limits.has_open_files())) return;
  if (limits.open_files() > kUsualOpenFiles) return judge.Pass();
  FailOn(host, judge, question, fmt::format("{} open files", limits.open_files()))
      .MendedBy("Set LimitNOFILE in the unit of the program that starts jobs, and restart it.");
}

}  // namespace

Check LimitsLockedMemory() {
  return {
      .id = "limits.locked-memory",
      .title = "Jobs may lock enough memory",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Queues and buffers are locked memory: with the default limit a job of another user than "
          "root ends with \"cannot allocate memory\", or falls back to TCP.",
      .how =
          "The soft limit of the program that starts jobs (slurmd, kubelet, containerd ...) must "
          "be "
          "unlimited or above 64 MiB, the largest default seen. The limits of a login or of the "
          "agent prove nothing and are not used; where no such program runs it is UNKNOWN.",
      .fix = "LimitMEMLOCK=infinity for the program that starts jobs.",
      .sources = {"/proc/PID/limits of the program that starts jobs", "getrlimit(2)"},
      .explained_by = {},
      .host = JudgeLockedMemory,
  };
}

Check LimitsOpenFiles() {
  return {
      .id = "limits.open-files",
      .title = "Jobs may open enough files",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Each RDMA connection takes two or three file descriptors: a full mesh over some hundred "
          "peers ends at the default of 1024.",
      .how =
          "The soft limit of the program that starts jobs must be above 1024. Where no such "
          "program "
          "runs it is UNKNOWN.",
      .fix = "LimitNOFILE=1048576 for the program that starts jobs.",
      .sources = {"/proc/PID/limits of the program that starts jobs"},
      .explained_by = {},
      .host = JudgeOpenFiles,
  };
}

}  // namespace roceready::checks
