// SPDX-License-Identifier: Apache-2.0
// RenderSwitches(): what each switch is set to, before what is wrong with it.
#include "checks/report/layout.h"
#include "checks/report/report.h"
#include "checks/words.h"

namespace roceready::report {
namespace {

using checks::Counted, checks::Grouped;

std::string NumberOr(bool known, uint32_t number) {
  return known ? std::to_string(number) : std::string("?");
}

// "TC 3, queue 3, group 3, lossless, ECN 1,048,576 to 2,097,152 at 5 %".
std::string WordsOf(const v1::SwitchDscpAnswer& answer) {
  std::string words = fmt::format("TC {}, queue {}, group {}, {}",
                                  NumberOr(answer.has_traffic_class(), answer.traffic_class()),
                                  NumberOr(answer.has_queue(), answer.queue()),
                                  NumberOr(answer.has_priority_group(), answer.priority_group()),
                                  !answer.has_lossless() ? "lossless?"
                                  : answer.lossless()    ? "lossless"
                                                         : "LOSSY");
  if (!answer.has_marks_ecn()) return words + ", ECN?";
  if (!answer.marks_ecn()) return words + ", no ECN";
  words += ", ECN";
  if (answer.has_ecn_min_bytes() && answer.has_ecn_max_bytes()) {
    words += fmt::format(" from {} to {}", Grouped(answer.ecn_min_bytes()),
                         Grouped(answer.ecn_max_bytes()));
  }
  if (answer.has_ecn_max_percent()) words += fmt::format(", {} %", answer.ecn_max_percent());
  return words;
}

}  // namespace

std::string RenderSwitches(const google::protobuf::RepeatedPtrField<v1::SwitchSummary>& summaries,
                           const TableOptions& options) {
  Page page(options.width, options.color);
  for (const v1::SwitchSummary& summary : summaries) {
    page.Line(fmt::format("{}   {}", Styled(Harmless(summary.name()), Style::kBold, options.color),
                          Harmless(summary.hardware())));
    page.Field(2, "ports",
               fmt::format("{}, {} in service, {} with QoS maps", summary.ports(),
                           summary.ports_in_service(), summary.ports_with_qos()));
    for (const v1::SwitchPfcGroup& group : summary.pfc()) {
      page.Field(2, "PFC",
                 fmt::format("{} on {}", checks::PriorityWords(group.priorities()),
                             Counted(group.ports(), "port")));
    }
    for (const v1::SwitchDscpAnswer& answer : summary.dscps()) {
      page.Field(2, fmt::format("DSCP {}", answer.dscp()),
                 fmt::format("{} on {}", WordsOf(answer), Counted(answer.ports(), "port")));
    }
    page.Blank();
  }
  return page.Take();
}

}  // namespace roceready::report
