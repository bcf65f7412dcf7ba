// SPDX-License-Identifier: Apache-2.0
// Takes what one check says about one thing after another: counts all of it, keeps what is not a
// PASS. Severity, keys, waivers and folding are added later, in one place for all checks.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"
#include "checks/policy/effective_policy.h"
#include "roceready/v1/finding.pb.h"

namespace roceready::checks {

// An RDMA port of a host; without a device it means the whole host, without a port the whole
// device. A switch is "switch NAME", with its port as the device.
struct PortKey {
  std::string host;
  std::string device_id;
  uint32_t port = 0;

  // One of the two holds the other.
  bool Meets(const PortKey& other) const;
  auto operator<=>(const PortKey&) const = default;
};

struct Draft {
  v1::Finding finding;
  // Which ports it concerns, for folding.
  std::vector<PortKey> touches;
  // Instead of Check::explained_by, where the check knows better.
  std::optional<std::vector<std::string_view>> explained_by;
  // Where it explains others, instead of `touches`: what concerns the whole host may take away the
  // readings of some ports only, or of none.
  std::optional<std::vector<PortKey>> explains;
  // Not set on the host alone (Check.is_setting): negotiated, and gone while the port is down.
  bool goes_with_port = false;
  // Keys of findings that this one is known to follow from: the first that there is counts.
  std::vector<std::string> follows;

  // `policy_path` is where the expectation is written, "intent.mtu_bytes"; empty: in no policy.
  Draft& Expected(std::string text, std::string_view policy_path = {});
  Draft& Actual(std::string text);
  Draft& RestsOn(v1::Evidence evidence);
  // A command is run on the subject's host, or else switch.
  Draft& MendedBy(std::string text, std::string command = {},
                  std::optional<bool> survives_reboot = std::nullopt);

  const EffectivePolicy* policy = nullptr;
};

class Judge {
 public:
  Judge(const Check& check, v1::Scope scope, const EffectivePolicy& policy)
      : check_(check), scope_(scope), policy_(policy) {}
  Judge(const Judge&) = delete;

  const EffectivePolicy& policy() const { return policy_; }
  const v1::FabricIntent& intent() const { return policy_.intent; }

  void Pass();
  // The property cannot matter here, or the policy does not say what is wanted.
  void NotApplicable();
  // References stay valid.
  Draft& Fail(const v1::Subject& subject);
  Draft& Unknown(const v1::Subject& subject, std::string reason);
  // UNKNOWN because of a reading, which becomes its evidence.
  Draft& Unread(const v1::Subject& subject, v1::Evidence evidence);

  const v1::CheckTally& tally() const { return tally_; }
  std::deque<Draft> TakeDrafts() { return std::move(drafts_); }

 private:
  Draft& Add(const v1::Subject& subject, v1::CheckStatus status);

  const Check& check_;
  v1::Scope scope_;
  const EffectivePolicy& policy_;
  v1::CheckTally tally_;
  std::deque<Draft> drafts_;
};

// The ports that a subject names: its own, for a pair the peer's, and the switch's.
std::vector<PortKey> PortsOfSubject(const v1::Subject& subject);

PortKey SwitchPortKey(const std::string& switch_name, const std::string& port);

}  // namespace roceready::checks
