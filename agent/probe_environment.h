// SPDX-License-Identifier: Apache-2.0
// The live host as probe sessions see it: names of the moment from sysfs, counters and users of an
// adapter from the kernel. Called from session threads; each call opens what it needs and closes
// it.
#pragma once

#include <memory>

#include "agent/facts/sources.h"
#include "agent/probe/environment.h"

namespace roceready::agent {

std::shared_ptr<const probe::Environment> LiveProbeEnvironment(
    std::shared_ptr<const facts::Sources> sources);

std::unique_ptr<probe::DeviceDirectory> MakeDeviceDirectory(
    std::shared_ptr<const facts::Sources> sources);
std::unique_ptr<probe::CounterReader> MakeCounterReader(
    std::shared_ptr<const facts::Sources> sources);
std::unique_ptr<probe::DeviceUse> MakeDeviceUse(std::shared_ptr<const facts::Sources> sources);

}  // namespace roceready::agent
