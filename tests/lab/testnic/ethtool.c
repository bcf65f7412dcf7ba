// SPDX-License-Identifier: GPL-2.0
/*
 * ethtool operations: virtio's own, plus per-priority statistics named as mlx5 names them, a firmware
 * version and a link speed.
 *
 * Knobs:
 *   speed_mbps        the link speed reported, 0 for unknown
 *   global_pause      report link-level pause as on, both ways
 *   rx_prio_pause, tx_prio_pause, rx_prio_discards
 *                     counters, one value a priority: echo 0,0,0,17,0,0,0,0 > rx_prio_pause
 */
#include <linux/ethtool.h>
#include <linux/module.h>

#include "testnic.h"

static uint speed_mbps = 100000;
module_param(speed_mbps, uint, 0644);

static bool global_pause;
module_param(global_pause, bool, 0644);

ulong rx_prio_pause[TESTNIC_PRIORITIES];
ulong tx_prio_pause[TESTNIC_PRIORITIES];
ulong rx_prio_discards[TESTNIC_PRIORITIES];
module_param_array(rx_prio_pause, ulong, NULL, 0644);
module_param_array(tx_prio_pause, ulong, NULL, 0644);
module_param_array(rx_prio_discards, ulong, NULL, 0644);

static const struct {
	const char *format;
	const ulong *values;
} counters[] = {
	{ "rx_prio%d_pause", rx_prio_pause },
	{ "tx_prio%d_pause", tx_prio_pause },
	{ "rx_prio%d_discards", rx_prio_discards },
};

static const struct ethtool_ops *original;
static struct ethtool_ops operations;

static int original_statistics(struct net_device *netdev)
{
	int count = original->get_sset_count ? original->get_sset_count(netdev, ETH_SS_STATS) : 0;

	return max(count, 0);
}

static int get_sset_count(struct net_device *netdev, int set)
{
	if (set == ETH_SS_STATS)
		return original_statistics(netdev) + ARRAY_SIZE(counters) * TESTNIC_PRIORITIES;
	return original->get_sset_count ? original->get_sset_count(netdev, set) : -EOPNOTSUPP;
}

static void get_strings(struct net_device *netdev, u32 set, u8 *names)
{
	int i, priority;

	if (original->get_strings)
		original->get_strings(netdev, set, names);
	if (set != ETH_SS_STATS)
		return;
	names += original_statistics(netdev) * ETH_GSTRING_LEN;
	for (priority = 0; priority < TESTNIC_PRIORITIES; priority++)
		for (i = 0; i < ARRAY_SIZE(counters); i++)
			ethtool_sprintf(&names, counters[i].format, priority);
}

static void get_statistics(struct net_device *netdev, struct ethtool_stats *request, u64 *values)
{
	int i, priority;

	if (original->get_ethtool_stats)
		original->get_ethtool_stats(netdev, request, values);
	values += original_statistics(netdev);
	for (priority = 0; priority < TESTNIC_PRIORITIES; priority++)
		for (i = 0; i < ARRAY_SIZE(counters); i++)
			*values++ = READ_ONCE(counters[i].values[priority]);
}

static void get_driver_info(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	if (original->get_drvinfo)
		original->get_drvinfo(netdev, info);
	strscpy(info->driver, TESTNIC_NAME, sizeof(info->driver));
	testnic_firmware_version(info->fw_version, sizeof(info->fw_version));
}

static int get_link_settings(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	int error = 0;

	if (original->get_link_ksettings)
		error = original->get_link_ksettings(netdev, settings);
	settings->base.speed = speed_mbps ? speed_mbps : SPEED_UNKNOWN;
	settings->base.duplex = speed_mbps ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	return error;
}

static void get_pause(struct net_device *netdev, struct ethtool_pauseparam *pause)
{
	pause->rx_pause = global_pause;
	pause->tx_pause = global_pause;
}

void testnic_ethtool_attach(struct net_device *netdev)
{
	original = netdev->ethtool_ops;
	operations = *original;
	operations.get_sset_count = get_sset_count;
	operations.get_strings = get_strings;
	operations.get_ethtool_stats = get_statistics;
	operations.get_drvinfo = get_driver_info;
	operations.get_link_ksettings = get_link_settings;
	operations.get_pauseparam = get_pause;
	netdev->ethtool_ops = &operations;
}

void testnic_ethtool_detach(struct net_device *netdev)
{
	if (original)
		netdev->ethtool_ops = original;
}
