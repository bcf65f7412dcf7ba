// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/reproduce.h"

#include <fmt/format.h>

#include "checks/shell.h"

namespace roceready::checks {
namespace {

std::string CommandOn(std::string_view program, const PerftestEnd& end,
                      const v1::TransportParameters& transport) {
  std::string command = ShellCommand("{} -d {} -i {} -x {} --report_gbits -D 5", program,
                                     end.rdma_device, end.port, end.gid_index);
  if (transport.traffic_class() > 0) {
    command += fmt::format(" --tclass={}", transport.traffic_class());
  }
  if (transport.path_mtu_bytes() > 0) command += fmt::format(" -m {}", transport.path_mtu_bytes());
  return command;
}

PerftestEnd EndOf(const ProbeMatrix& matrix, size_t place, const v1::EndReport& report) {
  return {.host = matrix.port(place).host,
          .rdma_device = matrix.rdma_device(place),
          .port = matrix.port(place).port,
          .gid_index = report.used().gid_index(),
          .address = matrix.AddressOf(place)};
}

}  // namespace

std::optional<PerftestRun> PerftestOf(Verb verb, const PerftestEnd& from, const PerftestEnd& to,
                                      const v1::TransportParameters& transport) {
  // Who waits is written to, or read from.
  const PerftestEnd& first = verb == Verb::kWrite ? to : from;
  const PerftestEnd& second = verb == Verb::kWrite ? from : to;
  if (first.rdma_device.empty() || second.rdma_device.empty() || first.address.empty()) {
    return std::nullopt;
  }
  const std::string_view program = verb == Verb::kWrite ? "ib_write_bw" : "ib_read_bw";
  return PerftestRun{.first_host = first.host,
                     .first_command = CommandOn(program, first, transport),
                     .second_host = second.host,
                     .second_command = fmt::format("{} {}", CommandOn(program, second, transport),
                                                   ShellWord(first.address))};
}

std::string PerftestCommands(const ProbeMatrix& matrix, const MatrixWay& way) {
  const v1::ProbeResult& result = *way.pair->result;
  const bool forward = way.shown.path == Path::kAToB;
  const v1::EndReport& from = forward ? result.a() : result.b();
  const v1::EndReport& to = forward ? result.b() : result.a();
  if (!from.has_used() || !to.has_used()) return {};
  const auto run = PerftestOf(Verb::kWrite, EndOf(matrix, way.way.from, from),
                              EndOf(matrix, way.way.to, to), result.spec().transport());
  if (!run) return {};
  return fmt::format("on {}: {}; then on {}: {}", run->first_host, run->first_command,
                     run->second_host, run->second_command);
}

}  // namespace roceready::checks
