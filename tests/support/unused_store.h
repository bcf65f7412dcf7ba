// SPDX-License-Identifier: Apache-2.0
// A store that can do nothing: a test of what calls a store overrides what is to be called.
#pragma once

#include "controller/store/store.h"
#include "proto/contract/errors.h"

namespace roceready {

class UnusedStore : public Store {
 public:
  absl::Status BeginAudit(const AuditId&, const v1::Audit&) override { return Unused(); }
  absl::Status EndAudit(const AuditId&, const v1::Audit&, const std::vector<v1::Finding>&,
                        const std::vector<std::shared_ptr<const v1::ProbeResult>>&) override {
    return Unused();
  }
  absl::StatusOr<std::vector<KeptAudit>> NewestAudits(std::size_t) override { return Unused(); }
  absl::StatusOr<std::optional<KeptAudit>> FindAudit(const AuditId&) override { return Unused(); }
  absl::StatusOr<std::optional<AuditId>> FindRequest(const std::string&,
                                                     const std::string&) override {
    return Unused();
  }
  absl::StatusOr<std::size_t> ForgetAudits(std::size_t, std::size_t) override { return Unused(); }
  absl::Status PutSwitches(const std::vector<KeptSwitch>&) override { return Unused(); }
  absl::Status RemoveSwitch(const std::string&) override { return Unused(); }
  absl::StatusOr<std::vector<KeptSwitch>> Switches() override { return Unused(); }
  absl::Status PutFacts(const std::vector<KeptFacts>&, const std::vector<v1::Event>&) override {
    return Unused();
  }
  absl::Status ConfirmFacts(const std::vector<FactsRead>&) override { return Unused(); }
  absl::Status ForgetFacts(const std::vector<std::string>&) override { return Unused(); }
  absl::StatusOr<std::vector<KeptFacts>> LatestFacts() override { return Unused(); }
  absl::StatusOr<EventPage> Events(const EventQuery&) override { return Unused(); }
  absl::StatusOr<std::size_t> ForgetEvents(std::size_t, std::size_t) override { return Unused(); }
  absl::Status PutMaintenance(const std::vector<v1::MaintenanceMark>&, WallTime) override {
    return Unused();
  }
  absl::Status RemoveMaintenance(const std::vector<std::string>&) override { return Unused(); }
  absl::StatusOr<std::vector<v1::MaintenanceMark>> Maintenance() override { return Unused(); }
  absl::Status CheckIntegrity() override { return Unused(); }

 private:
  static absl::Status Unused() { return Unimplemented("this test does not expect that call"); }
};

}  // namespace roceready
