// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/scope.h"

#include "checks/switch/planned_end.h"

namespace roceready::checks {
namespace {

// What all ASICs of a switch share.
std::string ChassisOf(const SwitchView& view) {
  const v1::SwitchIdentity& identity = view.facts().identity();
  return identity.has_hostname() ? LowerCase(identity.hostname()) : view.name();
}

class Scoping {
 public:
  Scoping(const SwitchSet& switches, const AuditedHosts& hosts)
      : switches_(switches), hosts_(hosts) {
    for (const SwitchView& view : switches.views()) {
      switch_names_.insert(ShortName(ChassisOf(view)));
    }
    for (const SwitchView& view : switches.views()) Look(view);
  }

  SwitchScope Make() const {
    SwitchScope scope;
    const bool no_host = hosts_.names.empty() && hosts_.plugged_into.empty();
    const bool is_whole = no_host || with_ours_.empty();
    scope.is_cabling_unknown = is_whole && !no_host;
    for (const SwitchView& view : switches_.views()) {
      if (is_whole) {
        scope.views.emplace_back(view, view.ports());
      } else if (IsUnrelated(view)) {
        scope.unrelated.push_back(view.name());
      } else {
        std::vector<const v1::SwitchPort*> ports;
        for (const v1::SwitchPort* port : view.ports()) {
          if (!IsOfAnother(view, *port)) ports.push_back(port);
        }
        scope.ports_of_others += view.ports().size() - ports.size();
        scope.views.emplace_back(view, std::move(ports));
      }
    }
    return scope;
  }

 private:
  bool IsOurs(const SwitchView& view, const v1::SwitchPort& port) const {
    if (hosts_.plugged_into.contains(SwitchPortKey(view.name(), port.name()))) return true;
    const auto end = PlannedEndOf(port);
    return end && hosts_.names.contains(ShortName(end->name));
  }

  bool IsOfAnother(const SwitchView& view, const v1::SwitchPort& port) const {
    const auto end = PlannedEndOf(port);
    return end && end->IsHost() && !switch_names_.contains(ShortName(end->name)) &&
           !IsOurs(view, port);
  }

  // All ports: a host that is plugged into one that is not judged is there nevertheless.
  void Look(const SwitchView& view) {
    const std::string chassis = ChassisOf(view);
    // "ToRRouter", "BackEndToRRouter", "SpineRouter" (SONiC's device types); "LeafRouter" is said
    // of leaves and of the tier above them.
    const std::string role = LowerCase(view.facts().identity().role());
    if (role.find("spine") != std::string::npos) spines_.insert(chassis);
    if (role.find("tor") != std::string::npos) with_hosts_.insert(chassis);
    for (const v1::SwitchPort& port : view.facts().ports()) {
      if (IsOurs(view, port)) with_ours_.insert(chassis);
      if (IsOfAnother(view, port)) with_hosts_.insert(chassis);
    }
  }

  bool IsUnrelated(const SwitchView& view) const {
    const std::string chassis = ChassisOf(view);
    return with_hosts_.contains(chassis) && !with_ours_.contains(chassis) &&
           !spines_.contains(chassis);
  }

  const SwitchSet& switches_;
  const AuditedHosts& hosts_;
  std::set<std::string> switch_names_;
  // By chassis.
  std::set<std::string> with_hosts_, with_ours_, spines_;
};

}  // namespace

SwitchScope ScopeOf(const SwitchSet& switches, const AuditedHosts& hosts) {
  return Scoping(switches, hosts).Make();
}

}  // namespace roceready::checks
