// SPDX-License-Identifier: Apache-2.0
// What probes measured, as a table for a terminal or as CSV.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "controller/cli/way_quantities.h"
#include "roceready/v1/probe_report.pb.h"

namespace roceready::cli {

// All three: what is printed where none is asked for.
std::vector<Measure> AllMeasures();

// The matrices of a few ways, or how many ways compare; what is not known and why; and how to see
// what is bad by perftest. At most `width` wide, and never longer than a screen or two.
std::string RenderProbes(const v1::ProbeReport& report, const std::vector<Measure>& measures,
                         std::size_t width);

// The matrices alone, or the comparison, of a probing that goes on.
std::string RenderWays(const std::vector<const v1::ProbeWay*>& ways,
                       const std::vector<Measure>& measures, std::size_t width);

// A row a way, in base units (bits a second, nanoseconds, packets), after a row of names. What is
// not known is empty, and the columns that end in _unknown say why. RFC 4180.
std::string RenderProbesCsv(const v1::ProbeReport& report, const std::vector<Measure>& measures);

}  // namespace roceready::cli
