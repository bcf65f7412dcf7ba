// SPDX-License-Identifier: Apache-2.0
// Any text is either a list or an error; a list survives folding and matches its own names.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proto/contract/host_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view list(reinterpret_cast<const char*>(data), size);
  const auto matcher = roceready::HostMatcher::Parse(list);
  if (matcher.ok()) matcher->Matches("gpu001-ib0.example.org");
  const auto names = roceready::ExpandHostList(list);
  if (!names.ok()) return 0;
  const auto again = roceready::ExpandHostList(roceready::FoldHostList(*names));
  if (!again.ok() || *again != *names) std::abort();
  if (!matcher.ok() || !matcher->Matches(names->front()) || !matcher->Matches(names->back())) {
    std::abort();
  }
  return 0;
}
