// SPDX-License-Identifier: Apache-2.0
// iommu.passthrough: the NIC's DMA is not translated page by page.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"

namespace roceready::checks {
namespace {

void JudgeFunction(const HostView& host, const CarrierView& carrier,
                   const v1::PciFunction& function, const v1::Subject& subject, Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const Question question{
      .subject = subject,
      .path = FunctionPath(carrier, "iommu_domain_type"),
      .reading = ReadingOf(true, function),
      .expected = "an IOMMU in passthrough (identity), or none",
  };
  if (IsUnanswered(host, judge, question, function.has_iommu_domain_type())) return;
  const std::string& type = function.iommu_domain_type();
  if (type == "identity") return judge.Pass();
  FailOn(host, judge, question, fmt::format("IOMMU domain {}", type), type)
      .MendedBy(
          "Boot with iommu=pt, unless virtual machines or the site's rules want translation.");
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachFunction(
      host, judge,
      [&](const CarrierView& carrier, const v1::PciFunction& function, const v1::Subject& subject) {
        JudgeFunction(host, carrier, function, subject, judge);
      });
}

}  // namespace

Check IommuPassthrough() {
  return {
      .id = "iommu.passthrough",
      .title = "The IOMMU lets the NIC's DMA through",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "Page by page translation costs bandwidth and latency, and keeps GPU and NIC from "
          "talking to each other directly.",
      .how =
          "The domain of the NIC's IOMMU group must be \"identity\". A function without a group "
          "is UNKNOWN: the IOMMU may be off, or not shown.",
      .fix = "Boot the kernel with iommu=pt.",
      .sources = {"/sys/bus/pci/devices/ADDRESS/iommu_group/type"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
