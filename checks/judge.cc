// SPDX-License-Identifier: Apache-2.0
#include "checks/judge.h"

#include "checks/evaluate.h"
#include "checks/reading.h"

namespace roceready::checks {

bool PortKey::Meets(const PortKey& other) const {
  if (host != other.host) return false;
  if (device_id.empty() || other.device_id.empty()) return true;
  return device_id == other.device_id && (port == 0 || other.port == 0 || port == other.port);
}

std::vector<PortKey> PortsOfSubject(const v1::Subject& subject) {
  std::vector<PortKey> ports;
  if (!subject.host().empty()) {
    ports.push_back({subject.host(), subject.device_id(), subject.port()});
  }
  if (!subject.peer_host().empty()) {
    ports.push_back({subject.peer_host(), subject.peer_device_id(), 0});
  }
  if (!subject.switch_name().empty()) {
    ports.push_back(SwitchPortKey(subject.switch_name(), subject.switch_port()));
  }
  return ports;
}

PortKey SwitchPortKey(const std::string& switch_name, const std::string& port) {
  return {"switch " + switch_name, port, 0};
}

Draft& Draft::Expected(std::string text, std::string_view policy_path) {
  finding.set_expected(std::move(text));
  if (!policy_path.empty()) finding.set_policy_source(policy->SourceOf(policy_path));
  return *this;
}

Draft& Draft::Actual(std::string text) {
  finding.set_actual(std::move(text));
  return *this;
}

Draft& Draft::RestsOn(v1::Evidence evidence) {
  *finding.add_evidence() = std::move(evidence);
  return *this;
}

Draft& Draft::MendedBy(std::string text, std::string command, std::optional<bool> survives_reboot) {
  v1::Fix& fix = *finding.mutable_fix();
  fix.set_text(std::move(text));
  if (!command.empty()) {
    const v1::Subject& subject = finding.subject();
    fix.set_run_on(subject.host().empty() ? subject.switch_name() : subject.host());
  }
  fix.set_command(std::move(command));
  if (survives_reboot) fix.set_survives_reboot(*survives_reboot);
  return *this;
}

void Judge::Pass() {
  tally_.set_evaluated(tally_.evaluated() + 1);
  tally_.set_pass(tally_.pass() + 1);
}

void Judge::NotApplicable() { tally_.set_not_applicable(tally_.not_applicable() + 1); }

Draft& Judge::Fail(const v1::Subject& subject) {
  tally_.set_evaluated(tally_.evaluated() + 1);
  tally_.set_fail(tally_.fail() + 1);
  return Add(subject, v1::CHECK_STATUS_FAIL);
}

Draft& Judge::Unknown(const v1::Subject& subject, std::string reason) {
  tally_.set_evaluated(tally_.evaluated() + 1);
  tally_.set_unknown(tally_.unknown() + 1);
  Draft& draft = Add(subject, v1::CHECK_STATUS_UNKNOWN);
  draft.finding.set_reason(std::move(reason));
  return draft;
}

Draft& Judge::Unread(const v1::Subject& subject, v1::Evidence evidence) {
  Draft& draft = Unknown(subject, ReasonOf(evidence.reading()));
  draft.RestsOn(std::move(evidence));
  return draft;
}

Draft& Judge::Add(const v1::Subject& subject, v1::CheckStatus status) {
  Draft& draft = drafts_.emplace_back();
  draft.policy = &policy_;
  draft.touches = PortsOfSubject(subject);
  v1::Finding& finding = draft.finding;
  finding.set_key(FindingKey(check_.id, subject));
  finding.set_check_id(std::string(check_.id));
  finding.set_scope(scope_);
  *finding.mutable_subject() = subject;
  finding.set_status(status);
  return draft;
}

}  // namespace roceready::checks
