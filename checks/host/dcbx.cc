// SPDX-License-Identifier: Apache-2.0
// dcbx.settings-hold and pfc.peer-agrees: nobody overwrites the host's DCB settings, and the link
// partner has PFC on for the same priorities.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/dcb.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// hns3 says "willing" whatever it does (hclge_dcb.c).
bool IsWilling(const CarrierView& carrier) {
  return carrier.net_device->dcb().ets().willing() && carrier.family != NicFamily::kHns;
}

void JudgeSettingsHold(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                       Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::Dcb& dcb = net_device.dcb();
  const Question question{
      .subject = subject,
      .path = NetPath(net_device.id(), "dcb.dcbx.modes"),
      .reading = ReadingOf(dcb.has_dcbx(), dcb.dcbx()),
      .expected = "DCB settings that only the host changes",
      .policy_path = "intent.lossless_priorities",
  };
  if (IsUnanswered(host, judge, question)) return;
  const bool by_firmware = FirmwareRunsDcbx(net_device);
  if (!by_firmware && carrier.family == NicFamily::kHns) return judge.Pass();
  if (!by_firmware && !IsWilling(carrier)) {
    Question ets = question;
    ets.path = NetPath(net_device.id(), "dcb.ets.willing");
    ets.reading = ReadingOf(dcb.has_ets(), dcb.ets());
    if (!IsUnanswered(host, judge, ets, dcb.ets().has_willing())) judge.Pass();
    return;
  }
  FailOn(host, judge, question,
         by_firmware ? "the NIC's firmware runs DCBX" : "the port is willing to take the switch's",
         dcb.dcbx().modes().empty() ? "none" : JoinWords(dcb.dcbx().modes(), ", "))
      .MendedBy(
          "Switch the NIC's own LLDP and DCBX off by the vendor's tool (mlx5: mlnx_qos -d os; ice: "
          "the private flag fw-lldp-agent), or keep it and give the switch the same settings.",
          net_device.driver().name() == "ice"
              ? ShellCommand("ethtool --set-priv-flags {} fw-lldp-agent off", net_device.name())
              : std::string());
}

// What the link partner said, by the driver's DCBX or by LLDP.
struct PeerPfc {
  const v1::Pfc* pfc = nullptr;
  std::string path;
};

PeerPfc PeerPfcOf(const v1::NetDevice& net_device) {
  if (IsOk(net_device.dcb().peer_pfc().reading())) {
    return {&net_device.dcb().peer_pfc(), NetPath(net_device.id(), "dcb.peer_pfc")};
  }
  if (IsOk(net_device.lldp().reading())) {
    for (const v1::LldpNeighbour& neighbour : net_device.lldp().neighbours()) {
      if (IsOk(neighbour.dcb().pfc().reading())) {
        return {&neighbour.dcb().pfc(), NetPath(net_device.id(), "lldp.neighbours")};
      }
    }
  }
  return {&net_device.dcb().peer_pfc(), NetPath(net_device.id(), "dcb.peer_pfc")};
}

void JudgePeer(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
               Judge& judge) {
  const PeerPfc peer = PeerPfcOf(*carrier.net_device);
  const std::set<uint32_t> wanted(host.intent().lossless_priorities().begin(),
                                  host.intent().lossless_priorities().end());
  const std::set<uint32_t> actual(peer.pfc->enabled_priorities().begin(),
                                  peer.pfc->enabled_priorities().end());
  const Question question{
      .subject = subject,
      .path = peer.path,
      .reading = ReadingOf(true, *peer.pfc),
      .expected = fmt::format("PFC at the switch port on {}", PriorityWords(wanted)),
      .policy_path = "intent.lossless_priorities",
  };
  if (IsUnanswered(host, judge, question)) return;
  // A switch is often lossless for more than its hosts use; switch.pfc-unwanted tells, as advice.
  if (std::ranges::includes(actual, wanted)) return judge.Pass();
  FailOn(host, judge, question, fmt::format("the switch says PFC on {}", PriorityWords(actual)))
      .MendedBy("Give the switch port the policy's lossless priorities.");
}

template <typename Each>
void ForLossless(const HostView& host, Judge& judge, Each each) {
  if (host.intent().lossless_priorities().empty()) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    each(host, carrier, subject, judge);
  });
}

void JudgeHostSettings(const HostView& host, Judge& judge) {
  ForLossless(host, judge, JudgeSettingsHold);
}

void JudgeHostPeers(const HostView& host, Judge& judge) { ForLossless(host, judge, JudgePeer); }

}  // namespace

Check DcbxSettingsHold() {
  return {
      .id = "dcbx.settings-hold",
      .title = "Nobody overwrites the DCB settings",
      .severity = v1::SEVERITY_ADVICE,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A NIC whose firmware runs DCBX, or that is willing, takes the switch's PFC and ETS at "
          "the next LLDP frame: what the host has set is gone, often days later.",
      .how =
          "Where the policy has lossless priorities, DCBX must be the host's and the ETS table not "
          "willing. mlx5 says that firmware owns DCBX by leaving out the mode \"host\"; hns3 says "
          "willing always, which is not judged.",
      .fix = "Switch the NIC's own DCBX off, or give the switch port the same settings.",
      .sources = {"dcb, DCB_ATTR_DCBX and struct ieee_ets (include/uapi/linux/dcbnl.h)",
                  "drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c"},
      .explained_by = {"device.rdma-present", "port.active", "pfc.lossless-priority"},
      .host = JudgeHostSettings,
  };
}

Check PfcPeerAgrees() {
  return {
      .id = "pfc.peer-agrees",
      .title = "The switch port has the same PFC",
      .severity = v1::SEVERITY_BLOCKS,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "PFC works only if both ends of the link have it on for the same priority; else one end "
          "pauses and the other goes on sending into a full buffer.",
      .how =
          "The PFC that the switch port announces by DCBX, as the driver or an LLDP frame shows "
          "it, must be on for all of the policy's lossless_priorities; more of them do no harm to "
          "this host. A port that hears no such announcement is UNKNOWN.",
      .fix = "Give the switch port the policy's lossless priorities.",
      .sources = {"dcb IEEE_GET, DCB_ATTR_IEEE_PEER_PFC", "LLDP, IEEE 802.1 PFC TLV"},
      .explained_by = {"device.rdma-present", "port.active", "switch.pfc-lossless"},
      .host = JudgeHostPeers,
  };
}

}  // namespace roceready::checks
