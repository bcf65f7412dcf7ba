// SPDX-License-Identifier: Apache-2.0
// link.bit-errors and link.module-alarms: the cable carries what is sent, and its module is well.
#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/counter_look.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// What IEEE 802.3 allows a link to lose: one bit in 10^12.
constexpr double kAllowedBitErrorRatio = 1e-12;

double AllowedErrors(const CarrierView& carrier, double seconds) {
  return carrier.net_device->ethernet().speed_mbps() * 1e6 * seconds * kAllowedBitErrorRatio;
}

void JudgeErrors(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                 Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const std::string_view expected = "no more bit errors than a sound cable has";
  const CounterLook link(host, LinkOwnerId(carrier.net_device->id()));
  const CounterLook port(host, carrier.net_device->id());
  const auto blocks = link.DeltaOf(v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS);
  const auto symbols = port.DeltaOf(v1::COUNTER_ID_SYMBOL_ERRORS);
  const bool bad_blocks = blocks.value_or(0) > 0;
  const bool bad_symbols =
      static_cast<double>(symbols.value_or(0)) > AllowedErrors(carrier, port.WindowSeconds());
  if (bad_blocks || bad_symbols) {
    const CounterLook& look = bad_blocks ? link : port;
    judge.Fail(subject)
        .Expected(std::string(expected))
        .Actual(bad_blocks ? fmt::format("{} that FEC could not repair in {:.0f} s",
                                         Counted(*blocks, "block"), look.WindowSeconds())
                           : fmt::format("{} in {:.0f} s", Counted(*symbols, "symbol error"),
                                         look.WindowSeconds()))
        .RestsOn(
            look.Evidence({v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS, v1::COUNTER_ID_SYMBOL_ERRORS}))
        .MendedBy("Clean and reseat both ends, then exchange the cable or the optic.");
    return;
  }
  if (!blocks && !symbols) {
    link.SayUnknown(subject, expected, judge);
    return;
  }
  for (const CounterLook* look : {&link, &port}) {
    if (IsOk(look->reading()) || look->IsNotCounted()) continue;
    look->SayUnknown(subject, expected, judge);
    return;
  }
  judge.Pass();
}

void JudgeAlarms(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                 Judge& judge) {
  if (IsSoftwareOnly(carrier)) return judge.NotApplicable();
  const v1::Transceiver& module = carrier.net_device->transceiver();
  const Question question{
      .subject = subject,
      .path = NetPath(carrier.net_device->id(), "transceiver.alarms"),
      .reading = ReadingOf(carrier.net_device->has_transceiver(), module),
      .expected = "a module without alarms",
  };
  if (IsUnanswered(host, judge, question)) return;
  if (module.alarms().empty()) return judge.Pass();
  FailOn(host, judge, question, JoinWords(module.alarms()))
      .MendedBy(
          "Look at the cooling of host and rack and at the ends of the fibre, then exchange the "
          "module.",
          ShellCommand("ethtool -m {}", carrier.net_device->name()));
}

void JudgeHostErrors(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeErrors(host, carrier, subject, judge);
  });
}

void JudgeHostAlarms(const HostView& host, Judge& judge) {
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeAlarms(host, carrier, subject, judge);
  });
}

}  // namespace

Check LinkBitErrors() {
  return {
      .id = "link.bit-errors",
      .title = "Cables carry every bit",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A bad cable loses a packet now and then. RoCE repeats everything after it, so that a "
          "loss nobody would notice with TCP costs a large part of the bandwidth, or ends a job.",
      .how =
          "Between two looks, no block may be beyond repair by FEC, and symbol errors may not be "
          "more than one bit in 10^12 of the port's speed. Judged by whichever of the two the NIC "
          "counts. Blocks that FEC repaired are normal.",
      .fix = "Clean and reseat both ends, then exchange cable or optic.",
      .sources = {"ethtool FEC_GET statistics", "ethtool statistics (rx_pcs_symbol_err_phy)",
                  "IEEE 802.3, bit error ratio"},
      .explained_by = {"device.rdma-present", "port.active", "link.module-alarms"},
      .host = JudgeHostErrors,
  };
}

Check LinkModuleAlarms() {
  return {
      .id = "link.module-alarms",
      .title = "Modules and cables raise no alarm",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "A module that is too hot or gets too little light fails soon, first by bit errors and "
          "then by a link that goes down in the middle of a job.",
      .how =
          "The module of each port that carries RoCE must say that none of its thresholds is "
          "passed. Cables without a memory and drivers that do not show it are UNKNOWN.",
      .fix = "Cooling, clean fibre ends, another module.",
      .sources = {"ethtool MODULE_EEPROM_GET (SFF-8636, SFF-8472, CMIS)"},
      .explained_by = {"device.rdma-present", "port.active"},
      .host = JudgeHostAlarms,
  };
}

}  // namespace roceready::checks
