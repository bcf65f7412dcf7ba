// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/case_audit.h"

#include <fmt/core.h>
#include <google/protobuf/util/json_util.h>

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "checks/check.h"
#include "checks/evaluate.h"
#include "checks/policy/loaded_policy.h"
#include "checks/policy/validate.h"
#include "checks/switch/policed_switches.h"
#include "checks/switch_import/sonic.h"
#include "proto/contract/errors.h"
#include "proto/contract/facts_file.h"
#include "proto/contract/host_list.h"
#include "proto/contract/ids.h"
#include "proto/yaml/config_file.h"
#include "proto/yaml/decode.h"
#include "tests/accuracy/host_copy.h"

namespace roceready::accuracy {
namespace {

namespace fs = std::filesystem;

// A fixed moment: waivers of cases end before it or after it, whenever the corpus is judged.
const checks::WallTime kNow = std::chrono::sys_days(std::chrono::year{2026} / 12 / 1);
constexpr checks::Age kAge = std::chrono::seconds(10);

absl::Status Wrong(const Case& one, const Text& text, std::string_view what) {
  return yaml::ToStatus({{one.file.string(), text.at, text.text, std::string(what)}});
}

// Paths of a host's facts begin in HostFacts, or with "counters.".
absl::Status ApplyToHost(v1::FactsFile& host, const Changes& changes, const fs::path& file) {
  Changes facts;
  Changes counters;
  for (const Change& change : changes) {
    (change.path.text.starts_with("counters.") ? counters : facts).push_back(change);
  }
  std::vector<yaml::Problem> problems = Apply(facts, file.string(), *host.mutable_facts());
  const auto more = Apply(counters, file.string(), host);
  problems.insert(problems.end(), more.begin(), more.end());
  yaml::SortByPosition(problems);
  return yaml::ToStatus(problems);
}

// Everything that an AuditInput points into.
struct World {
  std::deque<v1::FactsFile> hosts;
  std::shared_ptr<const LoadedPolicy> policy;
  std::unique_ptr<const checks::PolicedSwitches> switches;
  std::deque<v1::ProbeResult> results;
  checks::ProbeInput probes;

  v1::FactsFile* Find(std::string_view host) {
    for (v1::FactsFile& file : hosts) {
      if (file.facts().identity().host() == host) return &file;
    }
    return nullptr;
  }
};

class Maker {
 public:
  Maker(const Case& one, const Corpus& corpus) : case_(one), corpus_(corpus) {}

  absl::StatusOr<World> Make() {
    for (const Entry& entry : case_.hosts) RETURN_IF_ERROR(AddHosts(entry));
    for (const Entry& entry : case_.edits) RETURN_IF_ERROR(EditHosts(entry));
    RETURN_IF_ERROR(LoadPolicy());
    RETURN_IF_ERROR(LoadSwitches());
    for (const Entry& entry : case_.probes) RETURN_IF_ERROR(AddProbe(entry));
    return std::move(world_);
  }

 private:
  absl::Status ApplyTo(google::protobuf::Message& message, const Changes& changes) {
    return yaml::ToStatus(Apply(changes, case_.file.string(), message));
  }

  absl::StatusOr<v1::FactsFile> LoadBase(const Text& name) {
    const fs::path base_file = corpus_.folder() / "bases" / (name.text + ".yaml");
    if (!fs::exists(base_file)) {
      return Wrong(case_, name, fmt::format("there is no {}", base_file.string()));
    }
    ASSIGN_OR_RETURN(const Base base, ReadBase(base_file));
    const fs::path recorded = corpus_.root / "tests/hosts" / base.recorded.text / "facts.json";
    ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(recorded));
    ASSIGN_OR_RETURN(v1::FactsFile file, ParseFactsFile(text, recorded.string()));
    RETURN_IF_ERROR(ApplyToHost(file, base.changes, base_file));
    return file;
  }

  absl::Status AddHosts(const Entry& entry) {
    ASSIGN_OR_RETURN(const v1::FactsFile base, LoadBase(entry.base));
    const auto names = ExpandHostList(entry.hosts.text);
    if (!names.ok()) return Wrong(case_, entry.hosts, Message(names.status()));
    for (const std::string& name : *names) {
      if (world_.Find(name) != nullptr) {
        return Wrong(case_, entry.hosts, fmt::format("host {} is already there", name));
      }
      const auto number = static_cast<unsigned>(world_.hosts.size());
      world_.hosts.push_back(CopyOfHost(base, name, number));
      RETURN_IF_ERROR(ApplyToHost(world_.hosts.back(), entry.changes, case_.file));
    }
    return absl::OkStatus();
  }

  absl::Status EditHosts(const Entry& entry) {
    const auto hosts = HostMatcher::Parse(entry.hosts.text);
    if (!hosts.ok()) return Wrong(case_, entry.hosts, Message(hosts.status()));
    bool found = false;
    for (v1::FactsFile& file : world_.hosts) {
      if (!hosts->Matches(file.facts().identity().host())) continue;
      found = true;
      RETURN_IF_ERROR(ApplyToHost(file, entry.changes, case_.file));
    }
    return found ? absl::OkStatus() : Wrong(case_, entry.hosts, "names no host of the case");
  }

  // A file beside the case, else one of those that are shared.
  absl::StatusOr<fs::path> FileOf(const Text& name, const std::vector<fs::path>& folders) {
    const fs::path beside = case_.file.parent_path() / name.text;
    if (fs::exists(beside)) return beside;
    for (const fs::path& folder : folders) {
      if (fs::exists(folder / name.text)) return folder / name.text;
    }
    return Wrong(case_, name, "there is no such file");
  }

  absl::Status LoadPolicy() {
    Text name = case_.policy;
    if (!name.text.ends_with(".yaml")) name.text += ".yaml";
    ASSIGN_OR_RETURN(const fs::path path, FileOf(name, {corpus_.root / "checks/policy/policies"}));
    ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(path));
    v1::Policy policy;
    yaml::Decoded decoded = yaml::Decode(text, path.string(), policy);
    RETURN_IF_ERROR(decoded.status());
    RETURN_IF_ERROR(
        yaml::ToStatus(Apply(case_.policy_changes, case_.file.string(), policy, &decoded.sources)));
    PolicyContext context;
    context.now = kNow;
    for (const checks::Check& check : checks::Catalog()) {
      context.known_check_ids.emplace_back(check.id);
    }
    std::vector<yaml::Problem> notes;
    ValidatePolicy(policy, decoded.sources, context, decoded.problems, notes);
    RETURN_IF_ERROR(decoded.status());
    world_.policy = std::make_shared<const LoadedPolicy>(policy, decoded.sources);
    return absl::OkStatus();
  }

  absl::Status LoadSwitches() {
    std::vector<checks::KnownSwitch> known;
    for (const Entry& entry : case_.switches) {
      ASSIGN_OR_RETURN(const fs::path path,
                       FileOf(entry.base, {corpus_.folder() / "switches",
                                           corpus_.root / "tests/switches/sonic"}));
      ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(path));
      switches::ImportResult result = switches::ImportSonic(text, path.string());
      RETURN_IF_ERROR(yaml::ToStatus(result.problems));
      RETURN_IF_ERROR(ApplyTo(result.facts, entry.changes));
      known.push_back({std::make_shared<const v1::SwitchFacts>(std::move(result.facts)), kAge});
    }
    world_.switches =
        std::make_unique<const checks::PolicedSwitches>(*world_.policy, std::move(known));
    return absl::OkStatus();
  }

  absl::StatusOr<v1::ProbeEnd> EndOf(const Entry& entry, const std::string& host) {
    const v1::FactsFile* file = world_.Find(host);
    if (file == nullptr) {
      return Wrong(case_, entry.between, fmt::format("{} is no host of the case", host));
    }
    for (const v1::RdmaDevice& device : file->facts().rdma_devices()) {
      if (device.name() != entry.device.text || device.ports().empty()) continue;
      v1::ProbeEnd end;
      end.set_host(host);
      end.set_rdma_device_id(device.id());
      end.set_port(device.ports(0).number());
      end.set_gid_type(v1::GID_TYPE_ROCE_V2);
      end.set_gid_family(v1::IP_FAMILY_V4);
      end.set_net_device_id(device.ports(0).net_device_id());
      return end;
    }
    return Wrong(case_, entry.device, fmt::format("{} has no such RDMA device", host));
  }

  absl::Status AddProbe(const Entry& entry) {
    const std::string& between = entry.between.text;
    const size_t arrow = between.find('>');
    if (arrow == std::string::npos) return Wrong(case_, entry.between, "expected HOST>HOST");
    ASSIGN_OR_RETURN(const v1::ProbeEnd a, EndOf(entry, between.substr(0, arrow)));
    ASSIGN_OR_RETURN(const v1::ProbeEnd b, EndOf(entry, between.substr(arrow + 1)));
    world_.probes.asked = true;
    world_.probes.planned.push_back({.a = a, .b = b, .missing_reason = {}});
    if (entry.base.text == "none") {
      world_.probes.planned.back().missing_reason = "out of budget";
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const fs::path path, FileOf(entry.base, {corpus_.folder() / "probes"}));
    ASSIGN_OR_RETURN(const std::string text, yaml::ReadTextFile(path));
    v1::ProbeResult& result = world_.results.emplace_back();
    const auto parsed = google::protobuf::util::JsonStringToMessage(text, &result);
    if (!parsed.ok()) {
      return InvalidArgument("{}: {}", path.string(), parsed.message().ToString());
    }
    RETURN_IF_ERROR(ApplyTo(result, entry.changes));
    v1::ProbeSpec& spec = *result.mutable_spec();
    spec.set_probe_id(fmt::format("probe-{}", world_.results.size()));
    *spec.mutable_a() = a;
    *spec.mutable_b() = b;
    OwnCounters(a, *result.mutable_a());
    OwnCounters(b, *result.mutable_b());
    world_.probes.results.push_back(&result);
    return absl::OkStatus();
  }

  // A file of results does not know whose they will be.
  static void OwnCounters(const v1::ProbeEnd& end, v1::EndReport& report) {
    for (v1::PhaseResult& phase : *report.mutable_phases()) {
      for (v1::PortCounters& counters : *phase.mutable_counters()) {
        if (!counters.owner_id().empty()) continue;
        counters.set_owner_id(RdmaPortOwnerId(end.rdma_device_id(), end.port()));
      }
    }
  }

  const Case& case_;
  const Corpus& corpus_;
  World world_;
};

v1::AuditReport Judge(const World& world, const std::vector<std::string>& silent) {
  std::map<std::string, EffectivePolicy> policies;
  checks::AuditInput input;
  for (const v1::FactsFile& file : world.hosts) {
    checks::HostInput host;
    host.host = file.facts().identity().host();
    host.facts = &file.facts();
    host.counters = file.has_counters() ? &file.counters() : nullptr;
    host.counters_age = kAge;
    input.hosts.push_back(std::move(host));
  }
  for (const std::string& name : silent) {
    checks::HostInput host;
    host.host = name;
    host.state = v1::HOST_STATE_STALE;
    host.state_reason = "not heard for 2 h";
    input.hosts.push_back(std::move(host));
  }
  for (checks::HostInput& host : input.hosts) {
    host.policy = &policies.emplace(host.host, world.policy->ForHost(host.host)).first->second;
    host.switches = world.switches->set();
  }
  const EffectivePolicy for_all = world.policy->ForAllHosts();
  input.fleet.policy = &for_all;
  input.fleet.probes = world.probes;
  input.fleet.switches = world.switches->set();
  input.fleet.now = kNow;
  return checks::Evaluate(input);
}

}  // namespace

absl::StatusOr<Audit> AuditCase(const Case& one, const Corpus& corpus) {
  ASSIGN_OR_RETURN(const World world, Maker(one, corpus).Make());
  std::vector<std::string> silent;
  if (!one.silent.empty()) {
    const auto names = ExpandHostList(one.silent.text);
    if (!names.ok()) return Wrong(one, one.silent, Message(names.status()));
    silent = *names;
  }
  Audit audit;
  for (const v1::FactsFile& file : world.hosts) {
    const std::string& host = file.facts().identity().host();
    for (const v1::RdmaDevice& device : file.facts().rdma_devices()) {
      audit.names.emplace(host + " " + device.id(), device.name());
    }
    for (const v1::NetDevice& device : file.facts().net_devices()) {
      audit.names.emplace(host + " " + device.id(), device.name());
    }
  }
  audit.report = Judge(world, silent);
  return audit;
}

}  // namespace roceready::accuracy
