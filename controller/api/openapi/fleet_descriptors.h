// SPDX-License-Identifier: Apache-2.0
// The descriptors of fleet.proto and all it imports, with comments: a serialized FileDescriptorSet
// that the build makes.
#pragma once

#include <cstddef>

extern const unsigned char roceready_fleet_descriptors[];
extern const std::size_t roceready_fleet_descriptors_size;
