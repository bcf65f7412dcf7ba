// SPDX-License-Identifier: Apache-2.0
// From what a log calls an end of an error, and who the controller knows by that, to the one host
// that is meant, or to why it is not known. Pure.
#pragma once

#include <string>
#include <string_view>

#include "roceready/v1/fleet.pb.h"

namespace roceready::why {

struct End {
  // No host: none or more than one is known. With `as` and a device empty: only the host is known.
  v1::Place place;
  // "nobody has 10.0.0.9", "192.168.122.1 fits 12 hosts: gpu1, gpu2, gpu3 and others".
  std::string unclear;
};

// `writer` is the host that wrote of its own end, as the log calls it; empty: it is not known, or
// the end is another host's.
End EndOf(std::string_view what, std::string_view writer, const v1::WhoIsResponse& answer);

}  // namespace roceready::why
