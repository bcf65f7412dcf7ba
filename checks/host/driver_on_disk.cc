// SPDX-License-Identifier: Apache-2.0
// driver.on-disk: the modules that run are those that the next load would take.
#include "checks/check.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

enum class Likeness { kUnknown, kSame, kOther };

// A build id tells more than a source version; either may be missing on one side.
Likeness Compare(const v1::KernelModule& module) {
  if (!IsOk(ScanReading(module.has_on_disk(), module.on_disk()))) return Likeness::kUnknown;
  Likeness likeness = Likeness::kUnknown;
  const auto compare = [&likeness](bool known, const std::string& runs, const std::string& disk) {
    if (!known || likeness == Likeness::kOther) return;
    likeness = runs == disk ? Likeness::kSame : Likeness::kOther;
  };
  compare(module.has_build_id() && module.has_build_id_on_disk(), module.build_id(),
          module.build_id_on_disk());
  compare(module.has_srcversion() && module.has_srcversion_on_disk(), module.srcversion(),
          module.srcversion_on_disk());
  return likeness;
}

std::string BuildWords(const v1::KernelModule& module) {
  if (module.srcversion() != module.srcversion_on_disk()) {
    return fmt::format("{} {} runs, {} is on disk", module.name(), module.srcversion(),
                       module.srcversion_on_disk());
  }
  return fmt::format("{} was built anew: another build id is on disk", module.name());
}

void JudgeHost(const HostView& host, Judge& judge) {
  const v1::KernelFacts& kernel = host.facts().kernel();
  Question question{
      .subject = host.SubjectOfHost(),
      .path = "kernel.modules",
      .reading = ReadingOf(host.facts().has_kernel(), kernel),
      .expected = "RDMA and NIC modules that are those on disk",
  };
  if (IsUnanswered(host, judge, question)) return;
  // Built into the kernel, or no RDMA at all: nothing is loaded from disk.
  if (kernel.modules().empty()) return judge.NotApplicable();
  std::vector<std::string> unread;
  v1::Reading why;
  for (const v1::KernelModule& module : kernel.modules()) {
    switch (Compare(module)) {
      case Likeness::kSame:
        judge.Pass();
        break;
      case Likeness::kUnknown:
        if (unread.empty()) why = ScanReading(module.has_on_disk(), module.on_disk());
        unread.push_back(module.name());
        break;
      case Likeness::kOther:
        question.subject.set_group(module.name());
        FailOn(host, judge, question, BuildWords(module))
            .MendedBy(
                "Reboot, or reload the whole driver stack while no job runs: it takes "
                "the ports down.");
        question.subject.clear_group();
        break;
    }
  }
  if (unread.empty()) return;
  const std::string reason = IsOk(why) ? "no build id or source version" : ReasonOf(why);
  judge.Unknown(question.subject, fmt::format("{}: {}", JoinWords(unread), reason))
      .Expected(question.expected)
      .RestsOn(host.EvidenceAt(question.path, {}, question.reading));
}

}  // namespace

Check DriverOnDisk() {
  return {
      .id = "driver.on-disk",
      .title = "The loaded RDMA drivers are those on disk",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A driver package was updated and the old modules still run: libraries and tools are of "
          "another release than the kernel's side, one more module may refuse to load, and the "
          "next reboot brings a host that nobody has tested.",
      .how =
          "Build id, or else source version, of each loaded RDMA and NIC module must be that of "
          "the file that modprobe would take. Compressed files are not opened and are UNKNOWN.",
      .fix = "Reboot, or reload the driver stack.",
      .sources = {"/sys/module/NAME/notes and srcversion", "/lib/modules/RELEASE/modules.dep",
                  "the module's ELF notes and .modinfo"},
      .explained_by = {},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
