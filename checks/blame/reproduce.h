// SPDX-License-Identifier: Apache-2.0
// The commands of perftest that send over one way of a probed pair what the probe sent.
#pragma once

#include <string>

#include "checks/blame/probe_matrix.h"

namespace roceready::checks {

// "on gpu2: ib_write_bw -d mlx5_0 ...; then on gpu1: ib_write_bw -d mlx5_0 ... 10.1.1.2". Empty
// where a device's name, its GID index or the address was not seen.
std::string PerftestCommands(const ProbeMatrix& matrix, const MatrixWay& way);

}  // namespace roceready::checks
