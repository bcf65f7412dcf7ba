// SPDX-License-Identifier: Apache-2.0
#include "checks/switch/chain.h"

#include <algorithm>

#include "checks/reading.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

std::string_view WordOf(v1::SwitchMapKind kind) {
  switch (kind) {
    case v1::SWITCH_MAP_KIND_DSCP_TO_TC:
      return "DSCP map";
    case v1::SWITCH_MAP_KIND_PCP_TO_TC:
      return "PCP map";
    case v1::SWITCH_MAP_KIND_TC_TO_QUEUE:
      return "queue map";
    case v1::SWITCH_MAP_KIND_TC_TO_PRIORITY_GROUP:
      return "priority group map";
    case v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_QUEUE:
      return "PFC queue map";
    case v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_PRIORITY_GROUP:
      return "PFC priority group map";
    default:
      return "map of an unknown kind";
  }
}

// Follows the maps of one port, and remembers why it got stuck.
class Walk {
 public:
  Walk(const SwitchView& view, const v1::SwitchPort& port) : view_(view), port_(port) {}

  Chain Go(const PacketClass& packet) {
    if (!HasQos()) return std::move(chain_);
    chain_.traffic_class = Step(packet.map, packet.value, packet.words, Otherwise::kIsProblem);
    if (!chain_.traffic_class) return std::move(chain_);
    const uint32_t tc = *chain_.traffic_class;
    const std::string words = fmt::format("TC {}", tc);
    chain_.queue = Step(v1::SWITCH_MAP_KIND_TC_TO_QUEUE, tc, words, Otherwise::kSameNumber);
    if (!chain_.queue) return std::move(chain_);
    chain_.priority_group =
        Step(v1::SWITCH_MAP_KIND_TC_TO_PRIORITY_GROUP, tc, words, Otherwise::kIsUnknown);
    if (!chain_.priority_group) return std::move(chain_);
    chain_.priority = PriorityOf(*chain_.priority_group);
    if (!chain_.priority) return std::move(chain_);
    chain_.paused_queue =
        Step(v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_QUEUE, *chain_.priority,
             fmt::format("PFC priority {}", *chain_.priority), Otherwise::kSameNumber);
    const v1::Pfc& pfc = port_.qos().pfc();
    const v1::Reading reading = ReadingOf(port_.qos().has_pfc(), pfc);
    if (IsOk(reading) || IsSettled(reading)) {
      chain_.lossless = std::ranges::find(pfc.enabled_priorities(), *chain_.priority) !=
                        pfc.enabled_priorities().end();
    }
    return std::move(chain_);
  }

 private:
  // What holds where the port names no map of a kind.
  enum class Otherwise { kIsProblem, kIsUnknown, kSameNumber };

  void Stop(std::string why) {
    (view_.facts().complete() ? chain_.problem : chain_.unknown) = std::move(why);
  }

  // What a whole configuration does not have is not configured.
  bool IsSettled(const v1::Reading& reading) const {
    return reading.outcome() == v1::OUTCOME_ABSENT && view_.facts().complete();
  }

  bool HasQos() {
    const v1::Reading reading = ReadingOf(port_.has_qos(), port_.qos());
    if (IsOk(reading)) return true;
    chain_.evidence.push_back(view_.EvidenceAt(SwitchPortPath(port_, "qos"), {}, reading));
    if (IsSettled(reading)) {
      chain_.problem = reading.detail();
    } else {
      chain_.unknown = ReasonOf(reading);
    }
    return false;
  }

  const v1::SwitchMapUse* UseOf(v1::SwitchMapKind kind) const {
    for (const auto* uses : {&port_.qos().maps(), &view_.facts().default_maps()}) {
      const auto use = std::ranges::find(*uses, kind, &v1::SwitchMapUse::kind);
      if (use != uses->end()) return &*use;
    }
    return nullptr;
  }

  // The map that the port uses; null with the reason noted, or where it uses none (`used` false).
  const v1::SwitchMap* MapOf(v1::SwitchMapKind kind, bool& used) {
    const v1::SwitchMapUse* use = UseOf(kind);
    used = use != nullptr;
    if (!used) return nullptr;
    const v1::SwitchMap* map = view_.FindMap(kind, use->map_name());
    if (map != nullptr && IsOk(ReadingOf(true, *map))) return map;
    chain_.evidence.push_back(
        view_.EvidenceAt(SwitchPortPath(port_, "qos.maps"), use->map_name(), use->reading()));
    if (map == nullptr) {
      Stop(fmt::format("{} {} is named, and there is none of that name", WordOf(kind),
                       use->map_name()));
    } else {
      chain_.unknown =
          fmt::format("{} {}: {}", WordOf(kind), map->name(), ReasonOf(ReadingOf(true, *map)));
    }
    return nullptr;
  }

  std::optional<uint32_t> Step(v1::SwitchMapKind kind, uint32_t from, std::string_view from_words,
                               Otherwise otherwise) {
    bool used = false;
    const v1::SwitchMap* map = MapOf(kind, used);
    if (!used) {
      if (otherwise == Otherwise::kSameNumber) return from;
      const std::string why = fmt::format("the port has no {}", WordOf(kind));
      if (otherwise == Otherwise::kIsProblem) {
        chain_.evidence.push_back(
            view_.EvidenceAt(SwitchPortPath(port_, "qos.maps"), "none", port_.qos().reading()));
        Stop(why);
      } else {
        chain_.unknown = why + ": what the ASIC does then is not in the configuration";
      }
      return std::nullopt;
    }
    if (map == nullptr) return std::nullopt;
    const auto entry = std::ranges::find(map->entries(), from, &v1::QosMapping::from);
    const bool found = entry != map->entries().end();
    chain_.evidence.push_back(view_.EvidenceAt(
        fmt::format("maps[{}].entries", map->name()),
        found ? fmt::format("{} -> {}", from, entry->to()) : fmt::format("none for {}", from),
        map->reading()));
    if (found) return entry->to();
    Stop(fmt::format("{} {} has no entry for {}", WordOf(kind), map->name(), from_words));
    return std::nullopt;
  }

  // For which priority PFC is sent when this group fills up: the map leads the other way.
  std::optional<uint32_t> PriorityOf(uint32_t group) {
    constexpr auto kKind = v1::SWITCH_MAP_KIND_PFC_PRIORITY_TO_PRIORITY_GROUP;
    bool used = false;
    const v1::SwitchMap* map = MapOf(kKind, used);
    if (!used) return group;
    if (map == nullptr) return std::nullopt;
    std::vector<uint32_t> priorities;
    for (const v1::QosMapping& entry : map->entries()) {
      if (entry.to() == group) priorities.push_back(entry.from());
    }
    chain_.evidence.push_back(view_.EvidenceAt(
        fmt::format("maps[{}].entries", map->name()),
        fmt::format("{} -> {}", priorities.empty() ? "nothing" : JoinWords(priorities), group),
        map->reading()));
    if (priorities.size() == 1) return priorities.front();
    Stop(priorities.empty()
             ? fmt::format("{} {} leads to priority group {} from no priority", WordOf(kKind),
                           map->name(), group)
             : fmt::format("{} {} leads to priority group {} from several: {}", WordOf(kKind),
                           map->name(), group, PriorityWords(priorities)));
    return std::nullopt;
  }

  const SwitchView& view_;
  const v1::SwitchPort& port_;
  Chain chain_;
};

// What of a port its chains depend on.
std::string SettingsOf(const v1::SwitchPort& port) {
  const v1::SwitchPortQos& qos = port.qos();
  std::string text = fmt::format("{} {}", static_cast<int>(qos.reading().outcome()),
                                 static_cast<int>(qos.pfc().reading().outcome()));
  for (const uint32_t priority : qos.pfc().enabled_priorities()) {
    text += fmt::format(" {}", priority);
  }
  for (const v1::SwitchMapUse& use : qos.maps()) {
    text += fmt::format("|{} {}", static_cast<int>(use.kind()), use.map_name());
  }
  return text;
}

}  // namespace

PacketClass DscpClass(uint32_t dscp, std::string_view policy_path) {
  return {v1::SWITCH_MAP_KIND_DSCP_TO_TC, dscp, fmt::format("DSCP {}", dscp),
          std::string(policy_path)};
}

std::optional<PacketClass> RoceClass(const v1::FabricIntent& intent) {
  if (intent.trust() == "pcp") {
    if (!intent.has_roce_pcp()) return std::nullopt;
    return PacketClass{v1::SWITCH_MAP_KIND_PCP_TO_TC, intent.roce_pcp(),
                       fmt::format("PCP {}", intent.roce_pcp()), "intent.roce_pcp"};
  }
  if (!intent.has_roce_dscp()) return std::nullopt;
  return DscpClass(intent.roce_dscp(), "intent.roce_dscp");
}

std::optional<PacketClass> CnpClass(const v1::FabricIntent& intent) {
  if (intent.trust() == "pcp" || !intent.has_cnp_dscp()) return std::nullopt;
  return DscpClass(intent.cnp_dscp(), "intent.cnp_dscp");
}

std::string Chain::Words() const {
  std::string words;
  const auto add = [&](std::string_view name, const std::optional<uint32_t>& number) {
    if (number) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, *number);
  };
  add("TC", traffic_class);
  add("queue", queue);
  add("priority group", priority_group);
  return words;
}

Chain ChainOf(const SwitchView& view, const v1::SwitchPort& port, const PacketClass& packet) {
  return Walk(view, port).Go(packet);
}

Marking MarkingOf(const SwitchView& view, const v1::SwitchPort& port, const Chain& chain) {
  Marking marking;
  if (!chain.queue) {
    marking.unknown = "it is not known which queue these packets wait in";
    return marking;
  }
  const std::string path = SwitchPortPath(port, "queues");
  const v1::SwitchQueue* queue = FindQueue(port, *chain.queue);
  const auto stop = [&](std::string why, const v1::Reading& reading) {
    (view.facts().complete() ? marking.problem : marking.unknown) = std::move(why);
    marking.evidence.push_back(view.EvidenceAt(path, {}, reading));
  };
  if (queue == nullptr) {
    stop(fmt::format("queue {} is not configured: no ECN", *chain.queue), port.reading());
    return marking;
  }
  if (const v1::Reading reading = ReadingOf(true, *queue); !IsOk(reading)) {
    marking.unknown = fmt::format("queue {}: {}", *chain.queue, ReasonOf(reading));
    return marking;
  }
  if (!queue->has_wred_profile()) {
    stop(fmt::format("queue {} has no WRED profile: no ECN", *chain.queue), queue->reading());
    return marking;
  }
  marking.profile = view.FindWredProfile(queue->wred_profile());
  if (marking.profile == nullptr) {
    stop(fmt::format("queue {} names WRED profile {}, and there is none of that name", *chain.queue,
                     queue->wred_profile()),
         queue->reading());
    return marking;
  }
  // Nothing colours RoCE packets: they are green.
  const v1::WredColour& green = marking.profile->green();
  marking.evidence.push_back(
      view.EvidenceAt(fmt::format("wred_profiles[{}].green.marks_ecn", marking.profile->name()),
                      green.has_marks_ecn() ? (green.marks_ecn() ? "true" : "false") : "",
                      marking.profile->reading()));
  if (!green.has_marks_ecn()) {
    marking.unknown =
        fmt::format("WRED profile {} does not say whether it marks ECN", marking.profile->name());
    return marking;
  }
  marking.marks = green.marks_ecn();
  if (!marking.marks) {
    marking.problem = fmt::format("WRED profile {} of queue {} does not mark ECN",
                                  marking.profile->name(), *chain.queue);
    return marking;
  }
  const bool own = green.has_ecn_min_bytes() || green.has_ecn_max_bytes();
  if (own ? green.has_ecn_min_bytes() : green.has_drop_min_bytes()) {
    marking.min_bytes = own ? green.ecn_min_bytes() : green.drop_min_bytes();
  }
  if (own ? green.has_ecn_max_bytes() : green.has_drop_max_bytes()) {
    marking.max_bytes = own ? green.ecn_max_bytes() : green.drop_max_bytes();
  }
  if (green.has_ecn_max_percent()) {
    marking.max_percent = green.ecn_max_percent();
  } else if (!own && green.has_drop_max_percent()) {
    marking.max_percent = green.drop_max_percent();
  }
  return marking;
}

const std::vector<uint32_t>& LosslessDscps::At(const v1::SwitchPort& port) {
  constexpr uint32_t kDscps = 64;
  const auto [found, is_new] = known_.try_emplace(SettingsOf(port));
  for (uint32_t dscp = 0; is_new && dscp < kDscps; ++dscp) {
    const Chain chain = ChainOf(view_, port, DscpClass(dscp));
    if (chain.lossless.value_or(false)) found->second.push_back(dscp);
  }
  return found->second;
}

}  // namespace roceready::checks
