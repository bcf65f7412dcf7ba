// SPDX-License-Identifier: Apache-2.0
// sriov.vf-settings: what a physical function imposes on its virtual ones lets RoCE through.
#include <string>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// What is wrong with the functions of one NIC, and what mends it.
struct Faults {
  std::string words;
  std::string commands;
  // A value that is judged was not in the answer.
  bool any_unsaid = false;

  void Add(std::string what, std::string command) {
    words += (words.empty() ? "" : "; ") + std::move(what);
    commands += (commands.empty() ? "" : " && ") + std::move(command);
  }
};

void AddLinkState(const v1::NetDevice& physical, const v1::VirtualFunction& vf, Faults& faults) {
  if (!vf.has_link_state()) faults.any_unsaid = true;
  if (vf.link_state() != "disable") return;
  faults.Add(fmt::format("VF {}: its link is disabled", vf.index()),
             ShellCommand("ip link set dev {} vf {} state auto", physical.name(), vf.index()));
}

void AddRate(const v1::NetDevice& physical, const v1::VirtualFunction& vf,
             const v1::FabricIntent& intent, Faults& faults) {
  if (!intent.has_min_speed_mbps()) return;
  if (!vf.has_max_rate_mbps()) faults.any_unsaid = true;
  if (vf.max_rate_mbps() == 0 || vf.max_rate_mbps() >= intent.min_speed_mbps()) return;
  faults.Add(fmt::format("VF {}: it may send {} Mb/s", vf.index(), vf.max_rate_mbps()),
             ShellCommand("ip link set dev {} vf {} max_tx_rate 0", physical.name(), vf.index()));
}

// A VF that the NIC tags cannot choose the PCP: its own VLAN device and service level are lost.
void AddPriority(const v1::NetDevice& physical, const v1::VirtualFunction& vf,
                 const v1::FabricIntent& intent, Faults& faults) {
  if (!intent.has_roce_pcp()) return;
  if (!vf.has_vlan_id() || !vf.has_vlan_priority()) faults.any_unsaid = true;
  const bool is_tagged = vf.vlan_id() != 0 || vf.vlan_priority() != 0;
  if (!is_tagged || vf.vlan_priority() == intent.roce_pcp()) return;
  faults.Add(fmt::format("VF {}: the NIC tags it with VLAN {}, PCP {}", vf.index(), vf.vlan_id(),
                         vf.vlan_priority()),
             ShellCommand("ip link set dev {} vf {} vlan {} qos {}", physical.name(), vf.index(),
                          vf.vlan_id(), intent.roce_pcp()));
}

// A switch takes a frame's priority from a tag of 802.1Q; one of a provider it carries as it is.
void AddTagKind(const v1::NetDevice& physical, const v1::VirtualFunction& vf,
                const v1::FabricIntent& intent, Faults& faults) {
  if (!intent.has_roce_pcp() || vf.vlan_protocol() != "802.1ad") return;
  faults.Add(
      fmt::format("VF {}: the NIC tags it with VLAN {} of 802.1ad", vf.index(), vf.vlan_id()),
      ShellCommand("ip link set dev {} vf {} vlan {} qos {} proto 802.1Q", physical.name(),
                   vf.index(), vf.vlan_id(), intent.roce_pcp()));
}

std::string ExpectedOf(const v1::FabricIntent& intent) {
  std::vector<std::string> parts = {"links that may be up"};
  if (intent.has_min_speed_mbps()) {
    parts.push_back(fmt::format("{} Mb/s or more", intent.min_speed_mbps()));
  }
  if (intent.has_roce_pcp()) parts.push_back(fmt::format("PCP {} where tagged", intent.roce_pcp()));
  return JoinWords(parts);
}

bool HasNone(const HostView& host, const CarrierView& carrier, const v1::Reading& reading) {
  // A representor is the host's end of one virtual function.
  if (reading.outcome() == v1::OUTCOME_ABSENT || carrier.net_device->link().representor()) {
    return true;
  }
  const std::string_view address = PciAddressOf(carrier.net_device->id());
  const v1::PciFunction* function = FindPciFunction(host.facts(), PciId(address));
  return function != nullptr && IsOk(function->sriov().reading()) &&
         function->sriov().has_enabled_vfs() && function->sriov().enabled_vfs() == 0;
}

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const v1::NetDevice& physical = *carrier.net_device;
  const v1::FabricIntent& intent = host.intent();
  const Question question{
      .subject = subject,
      .path = NetPath(physical.id(), "virtual_functions.functions"),
      .reading = ReadingOf(physical.has_virtual_functions(), physical.virtual_functions()),
      .expected = ExpectedOf(intent)};
  if (IsSoftwareOnly(carrier) || PciAddressOf(physical.id()).empty() ||
      HasNone(host, carrier, question.reading)) {
    return judge.NotApplicable();
  }
  if (IsUnanswered(host, judge, question)) return;
  Faults faults;
  for (const v1::VirtualFunction& vf : physical.virtual_functions().functions()) {
    AddLinkState(physical, vf, faults);
    AddRate(physical, vf, intent, faults);
    AddPriority(physical, vf, intent, faults);
    AddTagKind(physical, vf, intent, faults);
  }
  if (faults.words.empty()) {
    if (IsUnanswered(host, judge, question, !faults.any_unsaid)) return;
    return judge.Pass();
  }
  FailOn(host, judge, question, faults.words)
      .MendedBy(
          "Set the virtual functions on the host that owns them, and wherever they are set "
          "at boot or by what hands them out.",
          faults.commands, false);
}

void JudgeHost(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check SriovVfSettings() {
  return {
      .id = "sriov.vf-settings",
      .title = "Virtual functions may send RoCE as the policy wants it",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A guest or container cannot see what the physical function imposes on its virtual one: "
          "a link that is held down, a rate, a VLAN whose priority replaces its own. Everything "
          "looks right from inside, and RoCE is slow, unprotected or dead.",
      .how =
          "Of each virtual function of a physical port below a RoCE port, link state, highest rate "
          "and the NIC's own VLAN tag are read from the physical function. The link must not be "
          "disabled; a rate must be at least the policy's min_speed_mbps; a tag must carry the "
          "policy's roce_pcp. Spoof check and trust are facts that are not judged.",
      .fix = "ip link set dev PF vf N state auto | max_tx_rate 0 | vlan ID qos PCP",
      .sources = {"rtnetlink IFLA_VFINFO_LIST", "net/core/rtnetlink.c, rtnl_fill_vfinfo()"},
      .explained_by = {"device.rdma-present"},
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
