// SPDX-License-Identifier: Apache-2.0
// One policy: from YAML text to what it wants of each host. Pure: text in, no files, no clock.
#pragma once

#include <roceready/v1/policy.pb.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checks/policy/effective_policy.h"
#include "checks/policy/job_environment.h"
#include "proto/contract/host_list.h"
#include "proto/yaml/decode.h"

namespace roceready {

// What a policy is held against.
struct PolicyContext {
  // Check ids that a setting or a waiver may name; none: any.
  std::vector<std::string> known_check_ids;
  // Tells which waivers have ended.
  std::chrono::system_clock::time_point now;
};

class LoadedPolicy {
 public:
  // Both must be free of problems (LoadPolicy makes sure of it).
  LoadedPolicy(v1::Policy message, yaml::SourceMap sources);

  const std::string& name() const { return message_.name(); }
  // SHA-256 of the content, hexadecimal: the same for two files that differ in comments or layout.
  const std::string& digest() const { return digest_; }
  const v1::Policy& message() const { return message_; }

  // The same policy for a job that is started with this environment: its settings win over `job:`.
  std::shared_ptr<const LoadedPolicy> WithJob(const JobEnvironment& environment) const;

  // With the overrides and waivers for this host (its name in lower case) applied.
  EffectivePolicy ForHost(std::string_view host) const { return ForRules(RulesFor(host)); }
  // The same in two steps, for who judges many hosts: which of the overrides, waivers and
  // inventories concern a host, and what holds for all hosts that the same ones concern.
  std::vector<bool> RulesFor(std::string_view host) const;
  EffectivePolicy ForRules(const std::vector<bool>& rules) const;
  // What holds where no override does; waivers for all hosts are in it, no others.
  EffectivePolicy ForAllHosts() const;

 private:
  std::string LineOf(std::string_view path) const;
  EffectivePolicy MakeBase() const;
  void ApplyChecks(const google::protobuf::RepeatedPtrField<v1::CheckSetting>& settings,
                   const std::string& path, EffectivePolicy& policy) const;
  void ApplyOverride(int index, EffectivePolicy& policy) const;
  void AddRails(int index, EffectivePolicy& policy) const;

  v1::Policy message_;
  yaml::SourceMap sources_;
  std::string digest_;
  EffectivePolicy base_;
  std::vector<HostMatcher> override_hosts_;
  std::vector<HostMatcher> waiver_hosts_;
  std::vector<HostMatcher> inventory_hosts_;
};

struct PolicyResult {
  // Null where there is a problem.
  std::shared_ptr<const LoadedPolicy> policy;
  // Everything that is wrong, in the order of the file.
  std::vector<yaml::Problem> problems;
  // Not wrong, but to be said: an ended waiver, a value that nothing reads.
  std::vector<yaml::Problem> notes;

  bool ok() const { return problems.empty(); }
};

// `file_name` is shown in problems as given, and without its folders in Finding.policy_source.
PolicyResult LoadPolicy(std::string_view text, std::string_view file_name,
                        const PolicyContext& context);

}  // namespace roceready
