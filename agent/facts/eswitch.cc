// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/eswitch.h"

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {

v1::Eswitch EswitchOf(const absl::StatusOr<netlink::DevlinkEswitch>& answer) {
  v1::Eswitch result;
  *result.mutable_reading() = ReadingOf(answer.status(), v1::SOURCE_DEVLINK, kReadEswitch);
  if (!answer.ok()) return result;
  // A driver without the operation gets no error, but an answer without the attribute.
  if (!answer->mode) {
    *result.mutable_reading() = MissingReading(v1::OUTCOME_UNSUPPORTED, v1::SOURCE_DEVLINK,
                                               "the driver shows no embedded switch");
    return result;
  }
  result.set_mode(netlink::EswitchModeWord(*answer->mode));
  if (answer->inline_mode) {
    result.set_inline_mode(netlink::EswitchInlineWord(*answer->inline_mode));
  }
  if (answer->encap_mode) result.set_encap_mode(netlink::EswitchEncapWord(*answer->encap_mode));
  return result;
}

v1::Eswitch ReadEswitch(netlink::Transport& generic, const netlink::GenericFamily& family,
                        const HostRoot& root, const std::string& address, const v1::Reading& info) {
  v1::Eswitch result;
  // Some drivers (mlx5) refuse this to a virtual function with EPERM, which no capability mends.
  if (root.Exists(fmt::format("/sys/bus/pci/devices/{}/physfn", address))) {
    *result.mutable_reading() =
        MissingReading(v1::OUTCOME_ABSENT, v1::SOURCE_SYSFS,
                       "a virtual function; the switch is its physical function's");
    return result;
  }
  // The kernel looks at our capabilities before it looks for the device: asked without them, it
  // denies what is not there.
  if (info.outcome() == v1::OUTCOME_ABSENT) {
    *result.mutable_reading() = info;
    return result;
  }
  return EswitchOf(netlink::ReadDevlinkEswitch(generic, family, {"pci", address}));
}

}  // namespace roceready::facts
