// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/ethernet.h"

#include "agent/facts/readings.h"
#include "agent/netlink/words.h"

namespace roceready::facts {

void AddFecTotals(const netlink::EthtoolFec& fec, v1::PortCounters* totals) {
  const auto add = [totals](v1::CounterId id, const auto& count) {
    if (!count.has_value() || count->empty()) return;
    v1::CounterSample* sample = totals->add_samples();
    sample->set_id(id);
    sample->set_total(count->front());
  };
  add(v1::COUNTER_ID_FEC_CORRECTED_BLOCKS, fec.corrected_blocks);
  add(v1::COUNTER_ID_FEC_UNCORRECTABLE_BLOCKS, fec.uncorrectable_blocks);
}

v1::Ethernet ReadEthernet(netlink::Transport& generic, const netlink::GenericFamily& family,
                          const std::string& name, v1::PortCounters* link_totals) {
  v1::Ethernet ethernet;
  const auto modes = netlink::ReadEthtoolLinkModes(generic, family, name);
  *ethernet.mutable_reading() = ReadingOf(modes.status(), v1::SOURCE_ETHTOOL_NETLINK);
  if (modes.ok()) {
    if (modes->speed_mbps) ethernet.set_speed_mbps(*modes->speed_mbps);
    if (modes->lanes) ethernet.set_lanes(*modes->lanes);
    if (modes->autoneg) ethernet.set_autoneg(*modes->autoneg);
    if (modes->duplex) ethernet.set_duplex(netlink::DuplexWord(*modes->duplex));
  }
  const auto state = netlink::ReadEthtoolLinkState(generic, family, name);
  if (state.ok() && state->extended_state) {
    ethernet.set_extended_state(netlink::EthtoolExtendedStateWord(*state->extended_state));
    if (state->extended_substate) ethernet.set_extended_substate(*state->extended_substate);
  }
  const auto fec = netlink::ReadEthtoolFec(generic, family, name);
  *ethernet.mutable_fec_reading() = ReadingOf(fec.status(), v1::SOURCE_ETHTOOL_NETLINK);
  if (!fec.ok()) return ethernet;
  if (fec->active) ethernet.set_fec_active(netlink::FecWord(*fec->active));
  if (fec->automatic) ethernet.set_fec_auto(*fec->automatic);
  for (const uint32_t mode : fec->configured.value_or(std::vector<uint32_t>())) {
    ethernet.add_fec_configured(netlink::FecWord(mode));
  }
  AddFecTotals(*fec, link_totals);
  return ethernet;
}

v1::GlobalPause ReadGlobalPause(netlink::Transport& generic, const netlink::GenericFamily& family,
                                const std::string& name, v1::PortCounters* pause_totals) {
  v1::GlobalPause result;
  const auto pause = netlink::ReadEthtoolPause(generic, family, name);
  *result.mutable_reading() = ReadingOf(pause.status(), v1::SOURCE_ETHTOOL_NETLINK);
  if (!pause.ok()) return result;
  if (pause->autoneg) result.set_autoneg(*pause->autoneg);
  if (pause->rx) result.set_rx(*pause->rx);
  if (pause->tx) result.set_tx(*pause->tx);
  const auto add = [pause_totals](v1::CounterId id, std::optional<uint64_t> frames) {
    if (!frames.has_value()) return;
    v1::CounterSample* sample = pause_totals->add_samples();
    sample->set_id(id);
    sample->set_total(*frames);
  };
  add(v1::COUNTER_ID_TX_PAUSE_FRAMES, pause->tx_frames);
  add(v1::COUNTER_ID_RX_PAUSE_FRAMES, pause->rx_frames);
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
  *device->mutable_ethernet()->mutable_fec_reading() = reading;
  *device->mutable_pause()->mutable_reading() = reading;
  *device->mutable_driver()->mutable_reading() = reading;
}

}  // namespace roceready::facts
