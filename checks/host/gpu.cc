// SPDX-License-Identifier: Apache-2.0
// gpu.peer-memory and gpu.numa-node: NICs reach the host's GPUs directly, and by a short way.
#include <charconv>
#include <set>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/gpus_of.h"
#include "checks/host/question.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

constexpr uint32_t kNvidia = 0x10de;

// Since Linux 5.12 RDMA can take a GPU's memory as a dma-buf, without a module of the vendor's.
bool HasDmaBuf(std::string_view release) {
  unsigned major = 0, minor = 0;
  const char* end = release.end();
  const auto first = std::from_chars(release.begin(), end, major);
  if (first.ec != std::errc() || first.ptr == end) return false;
  std::from_chars(first.ptr + 1, end, minor);
  return std::pair(major, minor) >= std::pair(5u, 12u);
}

bool HasNvidiaGpu(const v1::HostFacts& facts) {
  for (const v1::Gpu* gpu : UsableGpus(facts)) {
    if (gpu->vendor() == kNvidia && gpu->driver() == "nvidia") return true;
  }
  return false;
}

bool HasHardwarePort(const HostView& host) {
  for (const PortView& port : host.ports()) {
    if (port.family != NicFamily::kSoft) return true;
  }
  return false;
}

void JudgePeerMemory(const HostView& host, Judge& judge) {
  // The drivers of other makers of GPUs bring it along.
  if (!HasNvidiaGpu(host.facts()) || !HasHardwarePort(host)) return judge.NotApplicable();
  const v1::KernelFacts& kernel = host.facts().kernel();
  const Question question{
      .subject = host.SubjectOfHost(),
      .path = "kernel.modules",
      .reading = ReadingOf(host.facts().has_kernel(), kernel),
      .expected = "NICs that reach the GPUs' memory (nvidia_peermem, or dma-buf)",
  };
  if (IsUnanswered(host, judge, question)) return;
  for (const v1::KernelModule& module : kernel.modules()) {
    if (module.name() == "nvidia_peermem") return judge.Pass();
  }
  if (IsUnanswered(host, judge, question, kernel.has_release())) return;
  if (HasDmaBuf(kernel.release())) {
    judge
        .Unknown(question.subject,
                 "nvidia_peermem is not loaded; whether the job uses dma-buf instead is not seen")
        .Expected(question.expected)
        .RestsOn(host.EvidenceAt(question.path, {}, question.reading));
    return;
  }
  FailOn(host, judge, question,
         fmt::format("nvidia_peermem is not loaded, and Linux {} has no dma-buf for RDMA",
                     kernel.release()))
      .MendedBy("Load the module, and have it loaded at boot (modules-load.d).",
                "modprobe nvidia_peermem", false);
}

void JudgeNumaNode(const HostView& host, const CarrierView& carrier,
                   const v1::PciFunction& function, const v1::Subject& subject, Judge& judge) {
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "numa_node"),
      .reading = ReadingOf(true, function),
      .expected = "a GPU on the NIC's NUMA node",
  };
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  std::set<int32_t> nodes;
  bool any = false, all_known = true;
  for (const v1::Gpu& gpu : host.facts().gpus()) {
    const bool is_read = IsOk(ReadingOf(true, gpu));
    if (is_read && !IsUsableGpu(gpu)) continue;
    any = true;
    all_known &= is_read && gpu.has_numa_node() && gpu.numa_node() >= 0;
    if (gpu.has_numa_node()) nodes.insert(gpu.numa_node());
  }
  if (!any) return judge.NotApplicable();
  if (IsUnanswered(host, judge, question, function.has_numa_node())) return;
  // A host of one node, or one whose firmware does not tell.
  if (function.numa_node() < 0) return judge.NotApplicable();
  if (nodes.contains(function.numa_node())) return judge.Pass();
  if (!all_known) {
    judge.Unknown(subject, "the NUMA node of a GPU is not known")
        .Expected(question.expected)
        .RestsOn(host.EvidenceAt("gpus", {}, question.reading));
    return;
  }
  FailOn(
      host, judge, question,
      fmt::format("the NIC is on node {}, all GPUs on {}", function.numa_node(), JoinWords(nodes)))
      .MendedBy(
          "Put the card into a slot of the GPUs' socket, or let jobs that use GPUs take other "
          "rails.");
}

void JudgeHostNumaNodes(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeNumaNode(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check GpuPeerMemory() {
  return {
      .id = "gpu.peer-memory",
      .title = "NICs reach the memory of the GPUs",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Without GPUDirect every message is copied through host memory: a third of the "
          "bandwidth, and nothing says so but one word in the job's log.",
      .how =
          "On a host with NVIDIA GPUs that it uses itself, and RoCE by hardware, the module "
          "nvidia_peermem must be loaded. Since Linux 5.12 a job may use dma-buf instead, which "
          "is not seen from here: then its absence is UNKNOWN. Other makers need no module.",
      .fix = "modprobe nvidia_peermem, or have the job use dma-buf.",
      .sources = {"/sys/module/nvidia_peermem", "/sys/bus/pci/devices/ADDRESS/driver",
                  "Documentation/driver-api/dma-buf.rst"},
      .explained_by = {},
      .host = JudgePeerMemory,
  };
}

Check GpuNumaNode() {
  return {
      .id = "gpu.numa-node",
      .title = "Each rail has a GPU on its own socket",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC on the socket without GPUs sends all it carries over the link between the "
          "sockets, which others need as well.",
      .how =
          "On a host with GPUs, the NUMA node of each NIC below a RoCE port must be that of one of "
          "them. GPUs that are given to virtual machines do not count; a host that tells no nodes "
          "is not judged.",
      .fix = "Move the card to the GPUs' socket, or give GPU jobs other rails.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/numa_node of NICs and GPUs"},
      .explained_by = {"device.rdma-present", "slot.odd-one-out"},
      .host = JudgeHostNumaNodes,
  };
}

}  // namespace roceready::checks
