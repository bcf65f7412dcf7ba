// SPDX-License-Identifier: GPL-2.0
/*
 * A devlink instance at the NIC's PCI address, for `devlink dev info` and `devlink dev eswitch show`.
 *
 * Knobs, all empty (not reported) unless given:
 *   fw_running  the firmware that runs, also in `ethtool -i`
 *   fw_stored   the firmware that is flashed; empty: the one that runs
 *   psid        the board id that firmware is made for
 *   serial      the serial number
 *
 * Knobs of the embedded switch, in the numbers of include/uapi/linux/devlink.h; -1 (unless given): the
 * driver has no such operation, and the kernel leaves the attribute out:
 *   eswitch_mode    0 legacy, 1 switchdev
 *   eswitch_inline  0 none, 1 link, 2 network, 3 transport
 *   eswitch_encap   0 none, 1 basic
 */
#include <linux/module.h>
#include <net/devlink.h>

#include "testnic.h"

static TEXT_KNOB(fw_running, "");
static TEXT_KNOB(fw_stored, "");
static TEXT_KNOB(psid, "");
static TEXT_KNOB(serial, "");
module_param_cb(fw_running, &text_knob_ops, &fw_running, 0644);
module_param_cb(fw_stored, &text_knob_ops, &fw_stored, 0644);
module_param_cb(psid, &text_knob_ops, &psid, 0644);
module_param_cb(serial, &text_knob_ops, &serial, 0644);

static struct devlink *instance;
static struct device *instance_parent;

/* As mlx5 writes it: the version with the PSID in brackets, or alone if that would be too long. */
int testnic_firmware_version(char *text, size_t size)
{
	char version[sizeof(fw_running.text)], board[sizeof(psid.text)];
	int length;

	if (!text_knob_read(&fw_running, version, sizeof(version)))
		return scnprintf(text, size, "%s", "");
	if (text_knob_read(&psid, board, sizeof(board))) {
		length = snprintf(text, size, "%s (%s)", version, board);
		if (length < size)
			return length;
	}
	return scnprintf(text, size, "%s", version);
}

static int get_info(struct devlink *devlink, struct devlink_info_req *request,
		    struct netlink_ext_ack *extack)
{
	char text[sizeof(fw_running.text)];
	int error;

	error = devlink_info_driver_name_put(request, TESTNIC_NAME);
	if (!error && text_knob_read(&serial, text, sizeof(text)))
		error = devlink_info_serial_number_put(request, text);
	if (!error && text_knob_read(&psid, text, sizeof(text)))
		error = devlink_info_version_fixed_put(request, "fw.psid", text);
	if (!error && text_knob_read(&fw_running, text, sizeof(text)))
		error = devlink_info_version_running_put(request, "fw.version", text);
	if (!error && (text_knob_read(&fw_stored, text, sizeof(text)) ||
		       text_knob_read(&fw_running, text, sizeof(text))))
		error = devlink_info_version_stored_put(request, "fw.version", text);
	return error;
}

static int eswitch_mode = -1;
static int eswitch_inline = -1;
static int eswitch_encap = -1;

static int get_eswitch_mode(struct devlink *devlink, u16 *mode)
{
	*mode = eswitch_mode;
	return 0;
}

static int get_eswitch_inline(struct devlink *devlink, u8 *mode)
{
	*mode = eswitch_inline;
	return 0;
}

static int get_eswitch_encap(struct devlink *devlink, enum devlink_eswitch_encap_mode *mode)
{
	*mode = eswitch_encap;
	return 0;
}

/* What devlink may ask is what a knob has a value for. Changes under the instance's lock once there is one. */
static struct devlink_ops operations = {
	.info_get = get_info,
};

static void offer_eswitch_operations(void)
{
	operations.eswitch_mode_get = eswitch_mode < 0 ? NULL : get_eswitch_mode;
	operations.eswitch_inline_mode_get = eswitch_inline < 0 ? NULL : get_eswitch_inline;
	operations.eswitch_encap_mode_get = eswitch_encap < 0 ? NULL : get_eswitch_encap;
}

static int eswitch_knob_set(const char *value, const struct kernel_param *param)
{
	int wanted;
	int error = kstrtoint(value, 0, &wanted);

	if (error)
		return error;
	if (wanted < -1 || wanted > U8_MAX)
		return -ERANGE;
	if (instance)
		devl_lock(instance);
	*(int *)param->arg = wanted;
	offer_eswitch_operations();
	if (instance)
		devl_unlock(instance);
	return 0;
}

static const struct kernel_param_ops eswitch_knob_ops = {
	.set = eswitch_knob_set,
	.get = param_get_int,
};
module_param_cb(eswitch_mode, &eswitch_knob_ops, &eswitch_mode, 0644);
module_param_cb(eswitch_inline, &eswitch_knob_ops, &eswitch_inline, 0644);
module_param_cb(eswitch_encap, &eswitch_knob_ops, &eswitch_encap, 0644);

int testnic_devlink_register(struct device *parent)
{
	instance = devlink_alloc(&operations, 0, parent);
	if (!instance)
		return -ENOMEM;
	/* Kernel 6.1's devlink keeps a bare pointer; the NIC may be unplugged before we unload. */
	instance_parent = get_device(parent);
	devlink_register(instance);
	return 0;
}

void testnic_devlink_unregister(void)
{
	devlink_unregister(instance);
	kernel_param_lock(THIS_MODULE); /* the knobs of the switch lock the instance */
	devlink_free(instance);
	instance = NULL;
	kernel_param_unlock(THIS_MODULE);
	put_device(instance_parent);
}
