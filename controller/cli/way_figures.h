// SPDX-License-Identifier: Apache-2.0
// From the result of a pair's probe to what it measured on each of its two ways: the arithmetic
// alone. What is not known is absent, with the reason in its place; it is never 0.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "roceready/v1/finding.pb.h"
#include "roceready/v1/probe.pb.h"
#include "roceready/v1/probe_report.pb.h"

namespace roceready::cli {

// Both ways, or the one that the probe had phases for (an incast).
std::vector<v1::ProbeWay> WaysOf(const v1::ProbeResult& result);

// Of pairs that were planned and have no result, as the findings of an audit that was judged say
// it: each way with the reason and nothing else.
std::vector<v1::ProbeWay> WaysNotProbed(
    const google::protobuf::RepeatedPtrField<v1::Finding>& findings);

}  // namespace roceready::cli
