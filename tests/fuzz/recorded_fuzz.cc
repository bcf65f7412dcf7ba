// SPDX-License-Identifier: Apache-2.0
// Files of a recorded host (`facts --root`), which may come from anywhere: byte 0 picks the reader.
// Each text is understood or refused with the reason.
#include <cstdlib>

#include "agent/facts/firmware.h"
#include "agent/facts/module_file.h"
#include "agent/facts/recorded_lldp.h"
#include "agent/facts/verbs_text.h"
#include "agent/netlink/recorded_transport.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

template <typename Answer>
void RequireInvalidArgumentUnlessOk(const absl::StatusOr<Answer>& answer) {
  if (answer.ok()) return;
  Require(absl::IsInvalidArgument(answer.status()) && !answer.status().message().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roceready;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      RequireInvalidArgumentUnlessOk(netlink::RecordedTransport::FromText(text));
      break;
    case 1:
      RequireInvalidArgumentUnlessOk(facts::ParseVerbsText(text));
      break;
    case 2:
      // No net device is there that a line could name.
      RequireInvalidArgumentUnlessOk(
          facts::ParseRecordedLldp(facts::HostRoot("/nonexistent"), text));
      break;
    case 3: {
      const auto path = facts::FindModulePath(text, "mlx5_core");
      Require(path.ok() || absl::IsNotFound(path.status()));
      if (path.ok()) Require(text.find(*path) != std::string_view::npos);
      break;
    }
    default: {
      const facts::FirmwareText firmware = facts::ParseFirmwareText(text);
      Require(firmware.version.size() + firmware.psid.size() <= text.size());
    }
  }
  return 0;
}
