// SPDX-License-Identifier: Apache-2.0
// switch.mtu: no switch port is narrower than the hosts.
#include "checks/check.h"
#include "checks/shell.h"
#include "checks/switch/port_check.h"

namespace roceready::checks {
namespace {

void JudgeMtu(const SwitchView& view, Judge& judge) {
  const v1::SwitchIntent& own = view.policy().switches;
  const bool has_own = own.has_mtu_bytes();
  const uint32_t wanted = has_own ? own.mtu_bytes() : view.intent().mtu_bytes();
  for (const v1::SwitchPort* port : view.ports()) {
    if (!has_own && !view.intent().has_mtu_bytes()) {
      judge.NotApplicable();
      continue;
    }
    const std::string expected = fmt::format("MTU of at least {}", wanted);
    const std::string_view source = has_own ? "switches.mtu_bytes" : "intent.mtu_bytes";
    v1::Evidence evidence = view.EvidenceAt(
        SwitchPortPath(*port, "mtu_bytes"),
        port->has_mtu_bytes() ? std::to_string(port->mtu_bytes()) : "", port->reading());
    if (!port->has_mtu_bytes()) {
      judge.Unknown(view.SubjectOf(*port), "the configuration gives the port no MTU")
          .Expected(expected, source)
          .RestsOn(std::move(evidence));
    } else if (port->mtu_bytes() < wanted) {
      constexpr uint32_t kSonicLargest = 9216;
      Draft& draft = judge.Fail(view.SubjectOf(*port))
                         .Expected(expected, source)
                         .Actual(fmt::format("MTU {} of the switch port", port->mtu_bytes()))
                         .RestsOn(std::move(evidence));
      MendedOnSwitch(draft, view, "Raise it at both ends of the link.",
                     ShellCommand("config interface mtu {} {}", port->name(),
                                  std::max(wanted, kSonicLargest)));
    } else {
      judge.Pass();
    }
  }
}

}  // namespace

Check SwitchMtu() {
  return {
      .id = "switch.mtu",
      .title = "Switch ports take the fabric's packets",
      .scope = v1::SCOPE_SWITCH,
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A switch drops what is larger than its port's MTU and tells nobody: small messages "
          "pass, "
          "large ones never arrive.",
      .how =
          "The MTU of every port in service must be at least the policy's switches.mtu_bytes, or "
          "intent.mtu_bytes. SONiC's MTU is that of the IP packet; it adds room for the Ethernet "
          "header and a tag itself.",
      .fix = "config interface mtu PORT 9216; config save",
      .sources = {"SONiC CONFIG_DB PORT mtu (sonic-port.yang)",
                  "sonic-swss orchagent/portsorch.cpp (what is added to the MTU)"},
      .at_switch = JudgeMtu,
  };
}

}  // namespace roceready::checks
