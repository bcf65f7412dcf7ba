// SPDX-License-Identifier: Apache-2.0
// The commands of perftest that send over one way of a probed pair what the probe sent.
#pragma once

#include <optional>
#include <string>

#include "checks/blame/probe_matrix.h"

namespace roceready::checks {

// One end, as perftest is told of it. Empty names: not known.
struct PerftestEnd {
  std::string host;
  std::string rdma_device;
  uint32_t port = 0;
  uint32_t gid_index = 0;
  // At which the other end dials it.
  std::string address;
};

// The first waits for the second.
struct PerftestRun {
  std::string first_host, first_command;
  std::string second_host, second_command;
};

// Payload from one end to the other, by WRITEs of `from` or READs of `to`. None where a name or the
// address that is dialled is not known.
std::optional<PerftestRun> PerftestOf(Verb verb, const PerftestEnd& from, const PerftestEnd& to,
                                      const v1::TransportParameters& transport);

// "on gpu2: ib_write_bw -d mlx5_0 ...; then on gpu1: ib_write_bw -d mlx5_0 ... 10.1.1.2". Empty
// where a device's name, its GID index or the address was not seen.
std::string PerftestCommands(const ProbeMatrix& matrix, const MatrixWay& way);

}  // namespace roceready::checks
