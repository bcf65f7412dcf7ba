// SPDX-License-Identifier: Apache-2.0
// Verbs of this host, over libibverbs. A device is open from Open() to the end of the Device and no
// longer, so that an idle agent never keeps a driver from being unloaded.
#pragma once

#include <memory>

#include "agent/probe/verbs.h"

namespace roceready::probe {

std::shared_ptr<Verbs> MakeIbVerbs();

}  // namespace roceready::probe
