// SPDX-License-Identifier: Apache-2.0
#include "checks/blame/reproduce.h"

#include <fmt/format.h>

#include "checks/shell.h"

namespace roceready::checks {
namespace {

std::string CommandOn(const ProbeMatrix& matrix, size_t place, const v1::ProbeEndpoint& used,
                      const v1::TransportParameters& transport) {
  std::string command =
      ShellCommand("ib_write_bw -d {} -i {} -x {} --report_gbits -D 5", matrix.rdma_device(place),
                   matrix.port(place).port, used.gid_index());
  if (transport.traffic_class() > 0) {
    command += fmt::format(" --tclass={}", transport.traffic_class());
  }
  if (transport.path_mtu_bytes() > 0) command += fmt::format(" -m {}", transport.path_mtu_bytes());
  return command;
}

}  // namespace

std::string PerftestCommands(const ProbeMatrix& matrix, const MatrixWay& way) {
  const v1::ProbeResult& result = *way.pair->result;
  const size_t sender = way.way.from, receiver = way.way.to;
  const bool forward = way.shown.path == Path::kAToB;
  const v1::EndReport& from = forward ? result.a() : result.b();
  const v1::EndReport& to = forward ? result.b() : result.a();
  const std::string address = matrix.AddressOf(receiver);
  if (matrix.rdma_device(sender).empty() || matrix.rdma_device(receiver).empty() ||
      address.empty() || !from.has_used() || !to.has_used()) {
    return {};
  }
  const v1::TransportParameters& transport = result.spec().transport();
  return fmt::format("on {}: {}; then on {}: {} {}", matrix.port(receiver).host,
                     CommandOn(matrix, receiver, to.used(), transport), matrix.port(sender).host,
                     CommandOn(matrix, sender, from.used(), transport), ShellWord(address));
}

}  // namespace roceready::checks
