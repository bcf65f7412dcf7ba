// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/ethernet.h"

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {

v1::Ethernet ReadEthernet(netlink::Transport& generic, const netlink::GenericFamily& family,
                          const std::string& name) {
  v1::Ethernet ethernet;
  const auto modes = netlink::ReadEthtoolLinkModes(generic, family, name);
  *ethernet.mutable_reading() = ReadingOf(modes.status(), v1::SOURCE_ETHTOOL_NETLINK);
  if (modes.ok()) {
    if (modes->speed_mbps) ethernet.set_speed_mbps(*modes->speed_mbps);
    if (modes->lanes) ethernet.set_lanes(*modes->lanes);
    if (modes->autoneg) ethernet.set_autoneg(*modes->autoneg);
  }
  const auto state = netlink::ReadEthtoolLinkState(generic, family, name);
  if (state.ok() && state->extended_state) {
    ethernet.set_extended_state(netlink::EthtoolExtendedStateWord(*state->extended_state));
  }
  const auto fec = netlink::ReadEthtoolFec(generic, family, name);
  if (fec.ok() && fec->active) ethernet.set_fec_active(netlink::FecWord(*fec->active));
  return ethernet;
}

v1::GlobalPause ReadGlobalPause(netlink::Transport& generic, const netlink::GenericFamily& family,
                                const std::string& name) {
  v1::GlobalPause result;
  const auto pause = netlink::ReadEthtoolPause(generic, family, name);
  *result.mutable_reading() = ReadingOf(pause.status(), v1::SOURCE_ETHTOOL_NETLINK);
  if (!pause.ok()) return result;
  if (pause->autoneg) result.set_autoneg(*pause->autoneg);
  if (pause->rx) result.set_rx(*pause->rx);
  if (pause->tx) result.set_tx(*pause->tx);
  return result;
}

v1::NetDriver ReadNetDriver(netlink::EthtoolControl& control, const std::string& name) {
  v1::NetDriver driver;
  const auto info = netlink::ReadEthtoolDriverInfo(control, name);
  *driver.mutable_reading() = ReadingOf(info.status(), v1::SOURCE_ETHTOOL_IOCTL);
  if (!info.ok()) return driver;
  if (!info->driver.empty()) driver.set_name(info->driver);
  if (!info->version.empty()) driver.set_version(info->version);
  if (!info->firmware.empty()) driver.set_firmware(info->firmware);
  if (!info->bus.empty()) driver.set_bus_address(info->bus);
  return driver;
}

void FillEthernetMissing(const v1::Reading& reading, v1::NetDevice* device) {
  *device->mutable_ethernet()->mutable_reading() = reading;
  *device->mutable_pause()->mutable_reading() = reading;
  *device->mutable_driver()->mutable_reading() = reading;
}

}  // namespace roceready::facts
