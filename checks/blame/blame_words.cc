// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/blame_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/words.h"

namespace roceready::checks {
namespace {

// The port that stands for the suspect: its only one, or the first.
size_t FirstPlaceOf(const Suspect& suspect, const std::vector<Place>& places) {
  if (suspect.kind == SuspectKind::kPort) return suspect.first;
  const auto found = std::ranges::find_if(places, [&](const Place& place) {
    return suspect.kind == SuspectKind::kAdapter ? place.adapter == suspect.first
                                                 : place.host == suspect.first;
  });
  return static_cast<size_t>(found - places.begin());
}

std::string PortsOfAdapter(size_t adapter, const ProbeMatrix& matrix,
                           const std::vector<Place>& places) {
  std::vector<std::string> names;
  for (size_t at = 0; at < places.size(); ++at) {
    if (places[at].adapter != adapter) continue;
    const std::string& label = matrix.label(at);
    const std::string lead = matrix.port(at).host + " ";
    names.push_back(label.starts_with(lead) ? label.substr(lead.size()) : label);
  }
  return JoinWords(names, ", ");
}

template <typename Value>
Value MedianOf(std::vector<Value> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Marks by switches whose queues were long, as the receivers counted them.
uint64_t MarksOf(const ProbedPair& pair, Path path) {
  uint64_t marks = 0;
  for (const Bandwidth& one : pair.bandwidths) {
    if (one.data_path != path) continue;
    const v1::PhaseResult* receiver =
        one.verb == Verb::kWrite ? one.phase.passive : one.phase.active;
    marks += DeltaOf(receiver, pair.To(path), v1::COUNTER_ID_ECN_MARKED).value_or(0);
  }
  return marks;
}

std::string SymptomWords(Symptom symptom, const Blame& blame, const std::vector<MatrixWay>& ways) {
  std::vector<double> rates, bandwidths;
  uint64_t marks = 0;
  bool not_sent = true;
  for (const size_t index : blame.ways) {
    const MatrixWay& way = ways[index];
    rates.push_back(way.shown.rate);
    bandwidths.push_back(way.shown.bandwidth_bps);
    not_sent = not_sent && way.way.not_sent;
    if (symptom == Symptom::kSlow) marks += MarksOf(*way.pair, way.shown.path);
  }
  switch (symptom) {
    case Symptom::kNoTraffic:
      return not_sent ? "packets are not sent" : "transfers fail";
    case Symptom::kLargeOnly:
      return "large payloads vanish, small ones pass";
    case Symptom::kLoss:
      return fmt::format("{} of packets lost", Percent(MedianOf(std::move(rates))));
    case Symptom::kSlow: {
      std::string text = fmt::format("slow, {:.1f} Gb/s", MedianOf(std::move(bandwidths)) / 1e9);
      if (marks > 0) {
        text += fmt::format(" and congested ({} marked CE)", Counted(marks, "packet"));
      }
      return text;
    }
  }
  return {};
}

std::string DirectionWords(const Blame& blame, const ProbeMatrix& matrix) {
  const Suspect& suspect = blame.suspect;
  switch (suspect.kind) {
    case SuspectKind::kRail:
    case SuspectKind::kLeaf:
      return "everywhere";
    case SuspectKind::kBetweenLeaves:
      if (suspect.direction == Direction::kBoth) return "both ways";
      return fmt::format(
          "towards {} only",
          matrix.leaf(suspect.direction == Direction::kSending ? suspect.second : suspect.first));
    case SuspectKind::kUplinks:
      if (suspect.direction == Direction::kBoth) return "both ways";
      return suspect.direction == Direction::kSending ? "from this leaf only" : "to this leaf only";
    default:
      if (blame.direction_untold) return "sending or receiving, cannot be told";
      if (suspect.direction == Direction::kBoth) return "sending and receiving";
      return suspect.direction == Direction::kSending ? "sending only" : "receiving only";
  }
}

}  // namespace

v1::Subject SubjectOf(const Suspect& suspect, const ProbeMatrix& matrix,
                      const std::vector<Place>& places) {
  v1::Subject subject;
  const auto set_group = [&](std::string name) {
    subject.set_group(name);
    subject.set_label(std::move(name));
  };
  switch (suspect.kind) {
    case SuspectKind::kPort: {
      const PortKey& port = matrix.port(suspect.first);
      subject.set_host(port.host);
      subject.set_device_id(port.device_id);
      subject.set_port(port.port);
      subject.set_label(matrix.label(suspect.first));
      break;
    }
    case SuspectKind::kAdapter: {
      const PortKey& port = matrix.port(FirstPlaceOf(suspect, places));
      subject.set_host(port.host);
      subject.set_device_id(port.device_id);
      subject.set_label(
          fmt::format("{} NIC of {}", port.host, PortsOfAdapter(suspect.first, matrix, places)));
      break;
    }
    case SuspectKind::kHost:
      subject.set_host(matrix.port(FirstPlaceOf(suspect, places)).host);
      subject.set_label(subject.host());
      break;
    case SuspectKind::kBetweenLeaves:
      set_group(fmt::format("between leaf {} and leaf {}", matrix.leaf(suspect.first),
                            matrix.leaf(suspect.second)));
      break;
    case SuspectKind::kUplinks:
      set_group(fmt::format("uplinks of leaf {}", matrix.leaf(suspect.first)));
      break;
    case SuspectKind::kLeaf:
      set_group(fmt::format("leaf {}", matrix.leaf(suspect.first)));
      break;
    case SuspectKind::kRail:
      set_group(fmt::format("rail {}", matrix.rail(suspect.first)));
      break;
  }
  return subject;
}

std::string WhatIsWrong(Symptom symptom, const Blame& blame, const std::vector<MatrixWay>& ways,
                        const ProbeMatrix& matrix) {
  std::string text = fmt::format("{}, {}: {} of {} pairs", SymptomWords(symptom, blame, ways),
                                 DirectionWords(blame, matrix), blame.bad_pairs,
                                 blame.bad_pairs + blame.good_pairs);
  if (blame.other_good_pairs > 0) {
    text += fmt::format(", {} {} well", Counted(blame.other_good_pairs, "other"),
                        blame.other_good_pairs == 1 ? "is" : "are");
  }
  return fmt::format("{} (confidence {:.0f} %)", text, blame.confidence * 100);
}

std::string WhereToLook(const Suspect& suspect) {
  switch (suspect.kind) {
    case SuspectKind::kPort:
      return "Look at this port, its optic and cable, and the switch port that it is plugged into.";
    case SuspectKind::kAdapter:
      return "All probed ports of this NIC show it: look at the NIC, its slot and its firmware.";
    case SuspectKind::kHost:
      return "Several NICs of this host show it: look at what they share, such as a packet filter, "
             "the processor's and PCIe settings, and the power.";
    case SuspectKind::kBetweenLeaves:
      return "Look at the links and spines between these two switches; within each of them all is "
             "well.";
    case SuspectKind::kUplinks:
      return "Look at the uplinks of this switch, and at the switch.";
    case SuspectKind::kLeaf:
      return "Look at this switch: it is what all these ports share.";
    case SuspectKind::kRail:
      return "Look at what all ports of this rail share: its switches and their configuration.";
  }
  return {};
}

}  // namespace roceready::checks
