// SPDX-License-Identifier: GPL-2.0
/*
 * DCB operations: what `dcb pfc|ets|app|buffer|maxrate|dcbx` sets is kept here and given back.
 *
 * Knobs:
 *   hang_ms     every DCB query sleeps this long with RTNL held, as behind a wedged firmware;
 *               writing 0 wakes the sleepers
 *   fail_errno  every DCB query fails with this (positive) errno; the kernel then leaves the
 *               attribute out and reports no error
 *   fail_query  which query fails: all, pfc, ets, buffer, maxrate or peer
 *   no_dcb      the device answers no DCB query at all, like a driver without dcbnl operations
 *   peer        report a link partner, as a NIC does whose firmware speaks DCBX
 *   peer_pfc    the partner's lossless priorities, a bitmap
 *   peer_app_dscp, peer_app_priority
 *               the partner's APP table: lists of equal length
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/dcbnl.h>

#include "testnic.h"

#define HANG_SLICE_MS 20 /* how soon a sleeper sees that hang_ms was set back to 0 */

static uint hang_ms;
module_param(hang_ms, uint, 0644);

static uint fail_errno;
module_param(fail_errno, uint, 0644);

static TEXT_KNOB(fail_query, "all");
module_param_cb(fail_query, &text_knob_ops, &fail_query, 0644);

static bool peer;
module_param(peer, bool, 0644);

static uint peer_pfc;
module_param(peer_pfc, uint, 0644);

static ushort peer_app_dscp[64], peer_app_priority[64];
static uint peer_app_dscp_count, peer_app_priority_count;
module_param_array(peer_app_dscp, ushort, &peer_app_dscp_count, 0644);
module_param_array(peer_app_priority, ushort, &peer_app_priority_count, 0644);

/* What was set, guarded by RTNL like every dcbnl callback. */
static struct ieee_pfc pfc = { .pfc_cap = TESTNIC_PRIORITIES };
static struct ieee_ets ets = {
	.ets_cap = IEEE_8021QAZ_MAX_TCS,
	.prio_tc = { 0, 1, 2, 3, 4, 5, 6, 7 },
};
static struct ieee_maxrate maxrate;
static struct dcbnl_buffer buffer = {
	.buffer_size = { 128 * 1024 },
	.total_size = 256 * 1024,
};
static u8 dcbx_mode = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

/* The answer that the knobs want for a query: 0 or a negative errno. */
static int fate(const char *query)
{
	char failing[sizeof(fail_query.text)];
	uint error = READ_ONCE(fail_errno);

	if (!error)
		return 0;
	text_knob_read(&fail_query, failing, sizeof(failing));
	if (strcmp(failing, "all") && strcmp(failing, query))
		return 0;
	return -(int)error;
}

static void hang(void)
{
	unsigned long end = jiffies + msecs_to_jiffies(READ_ONCE(hang_ms));

	while (READ_ONCE(hang_ms) && time_before(jiffies, end))
		msleep(HANG_SLICE_MS);
}

static int get_pfc(struct net_device *netdev, struct ieee_pfc *answer)
{
	int priority;

	/* The kernel asks for PFC once in each IEEE query, so a query hangs once, not once per attribute. */
	hang();
	*answer = pfc;
	for (priority = 0; priority < TESTNIC_PRIORITIES; priority++) {
		answer->requests[priority] = tx_prio_pause[priority];
		answer->indications[priority] = rx_prio_pause[priority];
	}
	return fate("pfc");
}

static int set_pfc(struct net_device *netdev, struct ieee_pfc *wanted)
{
	pfc.pfc_en = wanted->pfc_en;
	pfc.mbc = wanted->mbc;
	pfc.delay = wanted->delay;
	return 0;
}

static int get_ets(struct net_device *netdev, struct ieee_ets *answer)
{
	*answer = ets;
	return fate("ets");
}

static int set_ets(struct net_device *netdev, struct ieee_ets *wanted)
{
	u8 capability = ets.ets_cap;

	ets = *wanted;
	ets.ets_cap = capability;
	return 0;
}

static int get_maxrate(struct net_device *netdev, struct ieee_maxrate *answer)
{
	*answer = maxrate;
	return fate("maxrate");
}

static int set_maxrate(struct net_device *netdev, struct ieee_maxrate *wanted)
{
	maxrate = *wanted;
	return 0;
}

static int get_buffer(struct net_device *netdev, struct dcbnl_buffer *answer)
{
	*answer = buffer;
	return fate("buffer");
}

static int set_buffer(struct net_device *netdev, struct dcbnl_buffer *wanted)
{
	u32 total = buffer.total_size;

	buffer = *wanted;
	buffer.total_size = total; /* hardware's, not the administrator's */
	return 0;
}

static u8 get_dcbx(struct net_device *netdev)
{
	return dcbx_mode;
}

static u8 set_dcbx(struct net_device *netdev, u8 mode)
{
	dcbx_mode = mode;
	return 0;
}

static int get_peer_ets(struct net_device *netdev, struct ieee_ets *answer)
{
	if (!peer)
		return -EOPNOTSUPP;
	*answer = ets;
	answer->willing = 1;
	return fate("peer");
}

static int get_peer_pfc(struct net_device *netdev, struct ieee_pfc *answer)
{
	if (!peer)
		return -EOPNOTSUPP;
	memset(answer, 0, sizeof(*answer));
	answer->pfc_cap = TESTNIC_PRIORITIES;
	answer->pfc_en = peer_pfc;
	return fate("peer");
}

static u16 peer_app_entries(void)
{
	return min(peer_app_dscp_count, peer_app_priority_count);
}

static int get_peer_app_info(struct net_device *netdev, struct dcb_peer_app_info *info, u16 *entries)
{
	if (!peer)
		return -EOPNOTSUPP;
	info->willing = 1;
	*entries = peer_app_entries();
	return fate("peer");
}

/* The kernel has just allocated as many entries as get_peer_app_info said; both run under RTNL. */
static int get_peer_app_table(struct net_device *netdev, struct dcb_app *table)
{
	u16 entries = peer_app_entries();
	u16 i;

	for (i = 0; i < entries; i++) {
		table[i].selector = IEEE_8021QAZ_APP_SEL_DSCP;
		table[i].protocol = peer_app_dscp[i];
		table[i].priority = peer_app_priority[i];
	}
	return 0;
}

/* No setapp, delapp: the kernel's own list then holds the APP table, with every selector. */
static const struct dcbnl_rtnl_ops operations = {
	.ieee_getpfc = get_pfc,
	.ieee_setpfc = set_pfc,
	.ieee_getets = get_ets,
	.ieee_setets = set_ets,
	.ieee_getmaxrate = get_maxrate,
	.ieee_setmaxrate = set_maxrate,
	.dcbnl_getbuffer = get_buffer,
	.dcbnl_setbuffer = set_buffer,
	.getdcbx = get_dcbx,
	.setdcbx = set_dcbx,
	.ieee_peer_getets = get_peer_ets,
	.ieee_peer_getpfc = get_peer_pfc,
	.peer_getappinfo = get_peer_app_info,
	.peer_getapptable = get_peer_app_table,
};

static bool no_dcb;

static int no_dcb_set(const char *value, const struct kernel_param *param)
{
	int error;

	/* Never wait for RTNL here: the parameter lock is held, and hang_ms could then not be set to 0. */
	if (!rtnl_trylock())
		return -EBUSY;
	error = param_set_bool(value, param);
	if (!error && testnic_netdev)
		testnic_netdev->dcbnl_ops = no_dcb ? NULL : &operations;
	rtnl_unlock();
	return error;
}

static const struct kernel_param_ops no_dcb_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = no_dcb_set,
	.get = param_get_bool,
};
module_param_cb(no_dcb, &no_dcb_ops, &no_dcb, 0644);

void testnic_dcb_attach(struct net_device *netdev)
{
	netdev->dcbnl_ops = no_dcb ? NULL : &operations;
}

void testnic_dcb_detach(struct net_device *netdev)
{
	netdev->dcbnl_ops = NULL;
}
