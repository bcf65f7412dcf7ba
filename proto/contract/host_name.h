// SPDX-License-Identifier: Apache-2.0
// One name of a host, as against lists of them (host_list).
#pragma once

#include <string_view>

namespace roceready {

// What stands before the first dot: "gpu017" of "gpu017.lab.example".
std::string_view ShortHostName(std::string_view name);

// Whether two names may mean one host: they are the same, or one of them has no domain and is the
// other one's short name. Logs write short names (gethostname(2)) of hosts that certificates call
// by their full ones, and the other way round. Both in lower case.
bool MayBeSameHost(std::string_view a, std::string_view b);

}  // namespace roceready
