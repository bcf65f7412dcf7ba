// SPDX-License-Identifier: GPL-2.0
/*
 * A devlink instance at the NIC's PCI address, for `devlink dev info`.
 *
 * Knobs, all empty (not reported) unless given:
 *   fw_running  the firmware that runs, also in `ethtool -i`
 *   fw_stored   the firmware that is flashed; empty: the one that runs
 *   psid        the board id that firmware is made for
 *   serial      the serial number
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

static const struct devlink_ops operations = {
	.info_get = get_info,
};

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
	devlink_free(instance);
	put_device(instance_parent);
}
