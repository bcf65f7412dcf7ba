// SPDX-License-Identifier: Apache-2.0
// buffer.lossless: the NIC has a receive buffer for the lossless priorities alone.
#include <algorithm>
#include <set>

#include "checks/check.h"
#include "checks/host/carriers.h"
#include "checks/host/question.h"
#include "checks/shell.h"
#include "checks/words.h"

namespace roceready::checks {
namespace {

// What is wrong with the buffer of one lossless priority; empty: nothing.
std::string FaultOf(const v1::PortBuffer& table, uint32_t priority,
                    const std::set<uint32_t>& lossless, uint32_t mtu) {
  const uint32_t buffer = table.priority_to_buffer(static_cast<int>(priority));
  const uint32_t bytes = table.buffer_bytes(static_cast<int>(buffer));
  if (bytes == 0) {
    return fmt::format("priority {} is in buffer {}, which has no bytes", priority, buffer);
  }
  if (bytes < mtu) {
    return fmt::format("priority {} is in buffer {} of {} bytes, less than one packet", priority,
                       buffer, bytes);
  }
  std::vector<uint32_t> strangers;
  for (int other = 0; other < table.priority_to_buffer_size(); ++other) {
    const auto number = static_cast<uint32_t>(other);
    if (table.priority_to_buffer(other) == buffer && !lossless.contains(number)) {
      strangers.push_back(number);
    }
  }
  if (strangers.empty()) return {};
  return fmt::format("priority {} shares buffer {} with {}", priority, buffer,
                     PriorityWords(strangers));
}

// Every buffer that a priority names has a size.
bool IsWhole(const v1::PortBuffer& table, const std::set<uint32_t>& lossless) {
  return std::ranges::all_of(lossless, [&](uint32_t priority) {
    if (priority >= static_cast<uint32_t>(table.priority_to_buffer_size())) return false;
    return table.priority_to_buffer(static_cast<int>(priority)) <
           static_cast<uint32_t>(table.buffer_bytes_size());
  });
}

void JudgeCarrier(const HostView& host, const CarrierView& carrier, const v1::Subject& subject,
                  Judge& judge) {
  const v1::NetDevice& net_device = *carrier.net_device;
  const v1::PortBuffer& table = net_device.dcb().buffer();
  const std::set<uint32_t> lossless(host.intent().lossless_priorities().begin(),
                                    host.intent().lossless_priorities().end());
  const Question question{
      .subject = subject,
      .path = NetPath(net_device.id(), "dcb.buffer"),
      .reading = ReadingOf(net_device.dcb().has_buffer(), table),
      .expected = fmt::format("a receive buffer for {} alone", PriorityWords(lossless)),
      .policy_path = "intent.lossless_priorities",
  };
  if (IsUnanswered(host, judge, question, IsWhole(table, lossless))) return;
  std::vector<std::string> faults;
  for (const uint32_t priority : lossless) {
    std::string fault = FaultOf(table, priority, lossless, net_device.mtu().mtu_bytes());
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  if (faults.empty()) {
    const Question mtu{
        .subject = subject,
        .path = NetPath(net_device.id(), "mtu.mtu_bytes"),
        .reading = ReadingOf(net_device.has_mtu(), net_device.mtu()),
        .expected = question.expected,
        .policy_path = question.policy_path,
    };
    // Without it nobody knows how large one packet is.
    if (!IsUnanswered(host, judge, mtu, net_device.mtu().has_mtu_bytes())) judge.Pass();
    return;
  }
  FailOn(host, judge, question, JoinWords(faults, ", "))
      .MendedBy(
          "Give the lossless priorities a buffer of their own; the vendor's tables say how "
          "large for this speed and cable.",
          ShellCommand("dcb buffer set dev {} prio-buffer {}:<BUFFER> buffer-size <BUFFER>:<BYTES>",
                       net_device.name(), *lossless.begin()),
          false);
}

void JudgeHost(const HostView& host, Judge& judge) {
  if (host.intent().lossless_priorities().empty()) return NotApplicableToAny(host, judge);
  ForEachCarrier(host, judge, [&](const CarrierView& carrier, const v1::Subject& subject) {
    JudgeCarrier(host, carrier, subject, judge);
  });
}

}  // namespace

Check BufferLosslessPriority() {
  return {
      .id = "buffer.lossless",
      .title = "Lossless priorities have a NIC buffer",
      .severity = v1::SEVERITY_DEGRADES,
      .on_unknown = v1::ON_UNKNOWN_NOTE,
      .why =
          "PFC needs room for what is on its way when the pause goes out. In a buffer shared with "
          "TCP, or too small for a packet, the NIC drops RoCE packets although PFC is on.",
      .how =
          "Each lossless priority of the policy must be in a receive buffer that holds at least "
          "one packet and no other priority. Most drivers but mlx5 do not show their buffers: "
          "UNKNOWN there. Thresholds (xon, xoff) are not judged.",
      .fix = "dcb buffer set dev DEVICE prio-buffer PRIORITY:BUFFER buffer-size BUFFER:BYTES",
      .sources = {"dcb IEEE_GET, DCB_ATTR_DCB_BUFFER (include/uapi/linux/dcbnl.h)",
                  "drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c"},
      .explained_by = {"device.rdma-present", "port.active", "mtu.netdev", "pfc.lossless-priority"},
      .is_setting = true,
      .host = JudgeHost,
  };
}

}  // namespace roceready::checks
