// SPDX-License-Identifier: Apache-2.0
#include "checks/policy/validate.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "checks/policy/ip_prefix.h"
#include "checks/policy/site_rule.h"
#include "checks/policy/version_compare.h"
#include "proto/contract/errors.h"

namespace roceready {
namespace {

using google::protobuf::RepeatedPtrField;

std::string At(std::string_view list, int index, std::string_view field = "") {
  return field.empty() ? fmt::format("{}[{}]", list, index)
                       : fmt::format("{}[{}].{}", list, index, field);
}

bool Contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool IsOneOf(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// A policy's name is part of URLs and file names.
bool IsPolicyName(std::string_view name) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
  return !name.empty() && name.size() <= 64 && IsOneOf(name.front(), kFirst) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return IsOneOf(c, kFirst) || IsOneOf(c, "-_."); });
}

// "15b3:101d".
bool IsDeviceId(std::string_view id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (id.size() != 9 || id[4] != ':') return false;
  return std::all_of(id.begin(), id.end(),
                     [&](char c) { return IsOneOf(c, kDigits) || c == ':'; }) &&
         std::count(id.begin(), id.end(), ':') == 1;
}

class Review {
 public:
  Review(const v1::Policy& policy, const PolicyContext& context, PolicyReview& out)
      : policy_(policy), context_(context), out_(out) {
    for (const v1::SiteCheck& check : policy.site_checks()) {
      site_check_ids_.push_back(SiteCheckId(check.id()));
    }
  }

  void Run() {
    Name();
    ReviewIntent(policy_.intent(), policy_.intent(), "intent", out_);
    ReviewJob(policy_.job(), policy_.intent(), out_);
    ReviewProbes(policy_.probes(), out_);
    ReviewSwitches(policy_.switches(), policy_.intent(), out_);
    Checks(policy_.checks(), "checks");
    Overrides();
    Waivers();
    Hardware();
    Inventory();
    ReviewSiteChecks(policy_, out_);
  }

 private:
  bool Gives(const std::string& path, std::initializer_list<const char*> fields) const {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const char* field) { return out_.sources().Has(path + "." + field); });
  }

  void Name() {
    if (!policy_.name().empty() && !IsPolicyName(policy_.name())) {
      out_.Problem("name", "found " + yaml::Quote(policy_.name()) +
                               ", expected at most 64 of a-z, 0-9, '-', '_' and '.', beginning "
                               "with a letter or digit");
    }
  }

  void CheckId(const std::string& path, const std::string& id) {
    // The site's own are known, whatever else is.
    const bool is_known = IsSiteCheckId(id) ? Contains(site_check_ids_, id)
                                            : context_.known_check_ids.empty() ||
                                                  Contains(context_.known_check_ids, id);
    if (id.empty() || is_known) return;
    std::vector<std::string> known = context_.known_check_ids;
    known.insert(known.end(), site_check_ids_.begin(), site_check_ids_.end());
    out_.Problem(path, "found " + yaml::Quote(id) + ", expected the id of a check" +
                           yaml::DidYouMean(id, known));
  }

  void Hosts(const std::string& path, const std::string& hosts) {
    const auto matcher = HostMatcher::Parse(hosts);
    if (!matcher.ok()) {
      out_.Problem(path, "found " + yaml::Quote(hosts) +
                             ", expected a host list: " + std::string(Message(matcher.status())));
    }
  }

  void Checks(const RepeatedPtrField<v1::CheckSetting>& settings, const std::string& path) {
    std::map<std::string, int> first;
    for (int i = 0; i < settings.size(); ++i) {
      const v1::CheckSetting& setting = settings[i];
      const std::string id_path = At(path, i, "check_id");
      CheckId(id_path, setting.check_id());
      const auto [earlier, is_new] = first.emplace(setting.check_id(), i);
      if (!is_new && !setting.check_id().empty()) {
        out_.Problem(id_path,
                     fmt::format("found {} again, expected it once (first on line {})",
                                 yaml::Quote(setting.check_id()),
                                 out_.sources().At(At(path, earlier->second, "check_id")).line));
      }
      const std::string setting_path = At(path, i);
      if (!Gives(setting_path, {"severity", "on_unknown", "enabled"})) {
        out_.Problem(setting_path,
                     "found a setting without effect, expected severity, on_unknown or enabled");
      }
    }
  }

  void Overrides() {
    for (int i = 0; i < policy_.overrides_size(); ++i) {
      const v1::HostOverride& entry = policy_.overrides(i);
      const std::string path = At("overrides", i);
      Hosts(path + ".hosts", entry.hosts());
      Checks(entry.checks(), path + ".checks");
      if (entry.checks_size() == 0 && entry.intent().ByteSizeLong() == 0) {
        out_.Problem(path, "found an override without effect, expected values in intent or checks");
        continue;
      }
      v1::FabricIntent merged = policy_.intent();
      OverrideIntent(entry.intent(), merged);
      ReviewIntent(merged, entry.intent(), path + ".intent", out_);
    }
  }

  void Waivers() {
    std::map<std::string, int> first;
    for (int i = 0; i < policy_.waivers_size(); ++i) {
      const v1::Waiver& waiver = policy_.waivers(i);
      CheckId(At("waivers", i, "check_id"), waiver.check_id());
      Hosts(At("waivers", i, "hosts"), waiver.hosts());
      const auto [earlier, is_new] = first.emplace(waiver.id(), i);
      if (!is_new && !waiver.id().empty()) {
        out_.Problem(At("waivers", i, "id"),
                     fmt::format("found {} again, expected each id once (first on line {})",
                                 yaml::Quote(waiver.id()),
                                 out_.sources().At(At("waivers", earlier->second, "id")).line));
      }
      if (waiver.has_until() && HasEnded(waiver, context_.now)) {
        out_.Note(At("waivers", i, "until"),
                  fmt::format("waiver {} ended on {:%Y-%m-%d}: what it waived counts again",
                              waiver.id(), fmt::gmtime(waiver.until().seconds())));
      }
    }
  }

  void Version(const std::string& path, const std::string& version) {
    if (out_.sources().Has(path) && !IsVersion(version)) {
      out_.Problem(path, "found " + yaml::Quote(version) +
                             ", expected a version that begins with a number, such as 28.39.1002");
    }
  }

  void Hardware() {
    for (int i = 0; i < policy_.hardware_size(); ++i) {
      const v1::HardwareRule& rule = policy_.hardware(i);
      const std::string path = At("hardware", i);
      if (!Gives(path, {"driver", "device_ids", "psid"})) {
        out_.Problem(path,
                     "found a rule for every device there is, expected driver, device_ids or "
                     "psid: versions of two families cannot be compared");
      }
      if (!Gives(path, {"min_firmware", "bad_firmware", "min_driver"})) {
        out_.Problem(path,
                     "found a rule without effect, expected min_firmware, bad_firmware or "
                     "min_driver");
      }
      for (int j = 0; j < rule.device_ids_size(); ++j) {
        if (IsDeviceId(rule.device_ids(j))) continue;
        out_.Problem(At(path + ".device_ids", j),
                     "found " + yaml::Quote(rule.device_ids(j)) +
                         ", expected PCI vendor:device in lower-case hexadecimal, such as "
                         "15b3:101d");
      }
      Version(path + ".min_firmware", rule.min_firmware());
      Version(path + ".min_driver", rule.min_driver());
      for (int j = 0; j < rule.bad_firmware_size(); ++j) {
        Version(At(path + ".bad_firmware", j), rule.bad_firmware(j));
        if (CompareVersions(rule.bad_firmware(j), rule.min_firmware()) ==
            std::strong_ordering::equal) {
          out_.Problem(path + ".min_firmware", "found the known bad version " +
                                                   rule.min_firmware() +
                                                   " as the minimum, expected another one");
        }
      }
    }
  }

  void Inventory() {
    for (int i = 0; i < policy_.inventory_size(); ++i) {
      const v1::ExpectedHosts& entry = policy_.inventory(i);
      Hosts(At("inventory", i, "hosts"), entry.hosts());
      for (int j = 0; j < entry.rails_size(); ++j) {
        Rail(At(At("inventory", i, "rails"), j), entry.rails(j));
      }
      if (entry.rails().empty()) {
        out_.Note(At("inventory", i), "no rails: nothing is asked of these hosts");
      }
    }
  }

  void Rail(const std::string& path, const std::string& text) {
    const std::optional<IpPrefix> subnet = IpPrefix::Parse(text);
    if (!subnet) {
      out_.Problem(path, "found " + yaml::Quote(text) +
                             ", expected a subnet, such as 10.77.0.0/24 or fd00:77::/64");
    } else if (!subnet->IsNetwork()) {
      out_.Problem(path, "found " + yaml::Quote(text) + ", an address in " +
                             subnet->Network().Text() + ", expected the subnet itself");
    } else if (subnet->bits() == 0) {
      out_.Problem(path, "found " + yaml::Quote(text) +
                             ", which holds every address, expected the subnet of one rail");
    }
  }

  const v1::Policy& policy_;
  const PolicyContext& context_;
  PolicyReview& out_;
  std::vector<std::string> site_check_ids_;
};

}  // namespace

PolicyReview::PolicyReview(const yaml::SourceMap& sources, std::vector<yaml::Problem>& problems,
                           std::vector<yaml::Problem>& notes)
    : sources_(sources), problems_(problems), notes_(notes) {
  for (const yaml::Problem& problem : problems) decoding_failed_.insert(problem.path);
}

void PolicyReview::Problem(const std::string& path, std::string text) {
  for (const std::string& failed : decoding_failed_) {
    // The value itself, or a part of it, was not understood: that has been told already.
    const bool is_inside = failed.size() > path.size() &&
                           failed.compare(0, path.size(), path) == 0 &&
                           (failed[path.size()] == '.' || failed[path.size()] == '[');
    if (failed == path || is_inside) return;
  }
  problems_.push_back(sources_.MakeProblem(path, std::move(text)));
}

void PolicyReview::Note(const std::string& path, std::string text) {
  notes_.push_back(sources_.MakeProblem(path, std::move(text)));
}

void ValidatePolicy(const v1::Policy& policy, const yaml::SourceMap& sources,
                    const PolicyContext& context, std::vector<yaml::Problem>& problems,
                    std::vector<yaml::Problem>& notes) {
  PolicyReview review(sources, problems, notes);
  Review(policy, context, review).Run();
  yaml::SortByPosition(problems);
  yaml::SortByPosition(notes);
}

}  // namespace roceready
