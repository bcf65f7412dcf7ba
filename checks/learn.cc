// SPDX-License-Identifier: Apache-2.0
#include "checks/learn.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "checks/adapter.h"
#include "checks/host/dcb.h"
#include "checks/host/gid.h"
#include "checks/host_view.h"
#include "checks/reading.h"
#include "checks/words.h"
#include "proto/contract/host_list.h"

namespace roceready::checks {
namespace {

// Longer lists of hosts are cut in a comment: the policy is for people.
constexpr size_t kMaxHostListInComment = 60;

// As YAML between double quotes: what a device says of itself is not ours.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// In a comment: on one line.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; }, ' ');
  return text;
}

// What all ports answered to one question.
class Answers {
 public:
  void Say(const std::string& host, std::string value) { by_value_[std::move(value)].Add(host); }
  void Miss(const std::string& host, const std::string& reason) {
    missing_[OneLine(reason)].Add(host);
  }
  void Take(const std::string& host, const v1::Reading& reading, bool present,
            const std::string& value) {
    if (!IsOk(reading)) return Miss(host, ReasonOf(reading));
    if (!present) return Miss(host, "the answer does not hold it");
    Say(host, value);
  }

  bool Agree() const { return by_value_.size() == 1; }
  // The value on which all that answered agree; empty where they do not.
  std::string Common() const { return Agree() ? by_value_.begin()->first : std::string(); }

  // "key: value", or what stands in its way, as comments.
  std::string Line(std::string_view key, std::string_view noun,
                   std::string_view indentation = "  ") const {
    std::string text;
    const auto add = [&](const std::string& line) {
      text += fmt::format("{}{}\n", indentation, line);
    };
    if (Agree()) {
      add(fmt::format("{}: {}  # {}", key, Common(),
                      Counted(by_value_.begin()->second.count, noun)));
    } else if (!by_value_.empty()) {
      add("# They differ: choose one, or give some hosts their own by `overrides`.");
      for (const auto& [value, who] : by_value_) {
        add(fmt::format("# {}: {}  # {} of {}", key, value, Counted(who.count, noun), who.Names()));
      }
    }
    for (const auto& [reason, who] : missing_) {
      add(fmt::format("# {} is not known of {} of {}: {}", key, Counted(who.count, noun),
                      who.Names(), reason));
    }
    return text;
  }

 private:
  struct Group {
    size_t count = 0;
    std::set<std::string> hosts;

    void Add(const std::string& host) {
      ++count;
      hosts.insert(host);
    }
    std::string Names() const {
      std::string names = FoldHostList({hosts.begin(), hosts.end()});
      if (names.size() <= kMaxHostListInComment) return names;
      return Counted(hosts.size(), "host");
    }
  };
  std::map<std::string, Group> by_value_, missing_;
};

template <typename List>
std::string YamlList(const List& list) {
  return fmt::format("[{}]", JoinWords(list, ", "));
}

struct Fabric {
  Answers lossless, trust, dscp, cnp_dscp, cnp_priority, mtu, rdma_mtu, family, congestion, speed;
  // By model; the driver and, where it is known, what tells the model apart.
  std::map<std::string, Answers> firmware;
  std::map<std::string, HardwareIdentity> models;
  size_t ports = 0;

  bool SaysAnything() const {
    return std::ranges::any_of(std::array{&lossless, &trust, &dscp, &cnp_dscp, &cnp_priority, &mtu,
                                          &rdma_mtu, &family, &congestion, &speed},
                               [](const Answers* answers) { return answers->Agree(); });
  }
};

void LearnPfc(const std::string& host, const CarrierView& carrier, Fabric& fabric) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  const v1::Reading reading = ReadingOf(dcb.has_pfc(), dcb.pfc());
  if (IsOk(reading) && ShowsOnlyAnEmptyCache(carrier)) {
    return fabric.lossless.Miss(host, "the driver shows only what was set through the kernel");
  }
  std::set<uint32_t> priorities(dcb.pfc().enabled_priorities().begin(),
                                dcb.pfc().enabled_priorities().end());
  fabric.lossless.Take(host, reading, true, YamlList(priorities));
}

void LearnTrust(const std::string& host, const CarrierView& carrier, Fabric& fabric) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  switch (TrustOf(carrier)) {
    case Trust::kDscp:
      return fabric.trust.Say(host, "dscp");
    case Trust::kPcp:
      return fabric.trust.Say(host, "pcp");
    case Trust::kUnknown:
      return fabric.trust.Miss(host, IsOk(ReadingOf(dcb.has_app(), dcb.app()))
                                         ? "this driver does not say what its port trusts"
                                         : ReasonOf(ReadingOf(dcb.has_app(), dcb.app())));
  }
}

// The DSCPs that lead to the one lossless priority of the port.
void LearnDscp(const std::string& host, const CarrierView& carrier, Fabric& fabric) {
  const v1::Dcb& dcb = carrier.net_device->dcb();
  const v1::Reading reading = ReadingOf(dcb.has_app(), dcb.app());
  if (!IsOk(reading)) return fabric.dscp.Miss(host, ReasonOf(reading));
  if (DscpEntriesNameClasses(carrier)) {
    return fabric.dscp.Miss(host, "this driver's DSCP entries name traffic classes");
  }
  if (dcb.pfc().enabled_priorities_size() != 1) {
    return fabric.dscp.Miss(host, "the port has not one lossless priority");
  }
  std::vector<uint32_t> leading;
  for (const auto& [dscp, priorities] : DscpMapOf(dcb.app())) {
    if (priorities == std::set<uint32_t>{dcb.pfc().enabled_priorities(0)}) leading.push_back(dscp);
  }
  if (leading.size() == 1) return fabric.dscp.Say(host, fmt::format("{}", leading.front()));
  fabric.dscp.Miss(host, leading.empty()
                             ? "no DSCP leads to the lossless priority"
                             : fmt::format("DSCP {} lead to the lossless priority: choose one",
                                           JoinWords(leading)));
}

void LearnCarrier(const std::string& host, const CarrierView& carrier, Fabric& fabric) {
  ++fabric.ports;
  LearnPfc(host, carrier, fabric);
  LearnTrust(host, carrier, fabric);
  LearnDscp(host, carrier, fabric);
  const v1::Ethernet& ethernet = carrier.net_device->ethernet();
  fabric.speed.Take(host, ReadingOf(carrier.net_device->has_ethernet(), ethernet),
                    ethernet.has_speed_mbps(), fmt::format("{}", ethernet.speed_mbps()));
}

void LearnAddresses(const std::string& host, const PortView& port, Fabric& fabric) {
  const v1::GidTable& table = port.port->gid_table();
  const v1::Reading reading = ReadingOf(port.port->has_gid_table(), table);
  if (!IsOk(reading)) return fabric.family.Miss(host, ReasonOf(reading));
  bool ipv4 = false, ipv6 = false;
  for (const v1::Gid& gid : table.gids()) {
    if (gid.type() != v1::GID_TYPE_ROCE_V2) continue;
    (IsIpv4Gid(gid.gid()) ? ipv4 : ipv6) |= !IsLinkLocalGid(gid.gid());
  }
  if (!ipv4 && !ipv6) return fabric.family.Miss(host, "no RoCE v2 GID but the link-local one");
  fabric.family.Say(host, ipv4 ? "ipv4" : "ipv6");
}

void LearnCongestion(const std::string& host, const PortView& port, Fabric& fabric) {
  const v1::CongestionControl& congestion = port.port->congestion();
  const v1::Reading group = ReadingOf(port.port->has_congestion(), congestion);
  v1::Reading reading = group;
  for (const v1::PriorityMask* mask :
       {&congestion.notification_point(), &congestion.reaction_point()}) {
    if (IsOk(reading)) reading = ReadingOf(true, *mask);
  }
  const bool np = congestion.notification_point().enabled_priorities_size() > 0;
  const bool rp = congestion.reaction_point().enabled_priorities_size() > 0;
  if (IsOk(reading) && np != rp) {
    fabric.congestion.Miss(host, "only one of notification and reaction point is on");
  } else {
    fabric.congestion.Take(host, reading, true, np ? "dcqcn" : "none");
  }
  const v1::CongestionParameters& parameters = congestion.parameters();
  const v1::Reading asked =
      IsOk(group) ? ReadingOf(congestion.has_parameters(), parameters) : group;
  fabric.cnp_dscp.Take(host, asked, parameters.has_cnp_dscp(),
                       fmt::format("{}", parameters.cnp_dscp()));
  fabric.cnp_priority.Take(host, asked, parameters.has_cnp_priority(),
                           fmt::format("{}", parameters.cnp_priority()));
}

void LearnPort(const std::string& host, const PortView& port, Fabric& fabric) {
  const v1::PortAttributes& attributes = port.port->attributes();
  fabric.rdma_mtu.Take(host, ReadingOf(port.port->has_attributes(), attributes),
                       attributes.has_active_mtu_bytes(),
                       fmt::format("{}", attributes.active_mtu_bytes()));
  if (port.net_device == nullptr) {
    fabric.mtu.Miss(host, "its net device is not visible");
  } else {
    const v1::NetMtu& mtu = port.net_device->mtu();
    fabric.mtu.Take(host, ReadingOf(port.net_device->has_mtu(), mtu), mtu.has_mtu_bytes(),
                    fmt::format("{}", mtu.mtu_bytes()));
  }
  LearnAddresses(host, port, fabric);
  LearnCongestion(host, port, fabric);
}

void LearnHost(const v1::HostFacts& facts, const EffectivePolicy& nothing, Fabric& fabric) {
  HostInput input;
  input.host = facts.identity().host();
  input.facts = &facts;
  input.policy = &nothing;
  const HostView host(input);
  for (const CarrierView& carrier : host.carriers()) LearnCarrier(input.host, carrier, fabric);
  for (const PortView& port : host.ports()) LearnPort(input.host, port, fabric);
  for (const Adapter& adapter : AdaptersOf(host)) {
    const Version version = FirmwareOf(host, adapter, {});
    fabric.models.emplace(ModelOf(adapter), adapter.identity);
    Answers& answers = fabric.firmware[ModelOf(adapter)];
    if (version.value.empty()) {
      answers.Miss(input.host, WhyNoVersion(version));
    } else {
      answers.Say(input.host, Quoted(version.value));
    }
  }
}

// Each line as a comment.
std::string Commented(const std::string& lines) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at) + 1;
    text += "#" + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

std::string RulesOf(const Fabric& fabric) {
  std::string rules, undecided;
  for (const auto& [model, answers] : fabric.firmware) {
    const HardwareIdentity& identity = fabric.models.at(model);
    std::string rule = fmt::format("  - driver: {}\n", Quoted(identity.driver));
    if (!identity.psid.empty()) {
      rule += fmt::format("    psid: {}\n", Quoted(identity.psid));
    } else if (!identity.device_id.empty()) {
      rule += fmt::format("    device_ids: [{}]\n", Quoted(identity.device_id));
    }
    rule += answers.Line("min_firmware", "NIC", "    ");
    (answers.Agree() ? rules : undecided) += answers.Agree() ? rule : Commented(rule);
  }
  std::string text;
  if (!rules.empty()) text += "\n# What runs now is the least that is wanted.\nhardware:\n" + rules;
  if (!undecided.empty())
    text += "\n# NICs of one model that run different firmware:\n" + undecided;
  return text;
}

}  // namespace

std::string LearnPolicy(const std::string& name, const std::vector<const v1::HostFacts*>& hosts) {
  const EffectivePolicy nothing;
  Fabric fabric;
  for (const v1::HostFacts* facts : hosts) LearnHost(*facts, nothing, fabric);

  std::string intent = fabric.lossless.Line("lossless_priorities", "port");
  const std::string lossless = fabric.lossless.Common();
  // "[3]": one priority, and so RoCE's.
  if (lossless.size() == 3) intent += fmt::format("  roce_priority: {}\n", lossless[1]);
  intent += fabric.trust.Line("trust", "port");
  intent += fabric.dscp.Line("roce_dscp", "port");
  intent += fabric.cnp_dscp.Line("cnp_dscp", "RDMA port");
  intent += fabric.cnp_priority.Line("cnp_priority", "RDMA port");
  intent += fabric.mtu.Line("mtu_bytes", "RDMA port");
  intent += fabric.rdma_mtu.Line("rdma_mtu_bytes", "RDMA port");
  intent += fabric.family.Line("ip_family", "RDMA port");
  if (fabric.family.Agree()) intent += "  roce_version: v2\n";
  intent += fabric.congestion.Line("congestion_control", "RDMA port");
  intent += fabric.speed.Line("min_speed_mbps", "port");

  // Comments alone would be no mapping.
  const bool says_anything = fabric.SaysAnything();
  return fmt::format(
             "# Learned from {} with {}: what they have in common. That all agree does not make "
             "it\n"
             "# right: read each line, and what could not be read.\n"
             "name: {}\n\nintent:{}\n",
             Counted(hosts.size(), "host"), Counted(fabric.ports, "physical RoCE port"),
             Quoted(name), says_anything ? "" : " {}") +
         intent + RulesOf(fabric);
}

}  // namespace roceready::checks
