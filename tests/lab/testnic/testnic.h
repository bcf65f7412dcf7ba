/* SPDX-License-Identifier: GPL-2.0 */
/*
 * testnic: gives an existing network device (the guest's virtio NIC) what a RoCE NIC's driver has and
 * virtio lacks: DCB operations, per-priority statistics, a link speed, a firmware version, a devlink
 * instance with an embedded switch, and a second device that has virtual functions. Readers then meet
 * the kernel's own dcbnl, ethtool, devlink and rtnetlink code, and Soft-RoCE can stay stacked on the same
 * device. Carrier and packets remain virtio's business.
 *
 * Everything can be set at run time under /sys/module/testnic/parameters; each file names its knobs.
 */
#ifndef TESTNIC_H
#define TESTNIC_H

#include <linux/device.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>

#define TESTNIC_NAME "testnic"
#define TESTNIC_PRIORITIES 8

/*
 * A text parameter that may be written while others read it. The module's parameter lock cannot be used
 * for that: readers hold RTNL, and a writer that waits for RTNL may hold the parameter lock.
 */
struct text_knob {
	spinlock_t lock;
	char text[32];
};

#define TEXT_KNOB(name, initial)                                                      \
	struct text_knob name = { .lock = __SPIN_LOCK_UNLOCKED(name.lock), .text = initial }

extern const struct kernel_param_ops text_knob_ops;
/* Copies the knob's text, at most @size bytes with the terminator; tells whether there is any. */
bool text_knob_read(struct text_knob *knob, char *text, size_t size);

/* Per-priority counters, set from outside: nothing in the lab pauses for real. */
extern ulong rx_prio_pause[TESTNIC_PRIORITIES];
extern ulong tx_prio_pause[TESTNIC_PRIORITIES];
extern ulong rx_prio_discards[TESTNIC_PRIORITIES];

/* The device under test; NULL once it is gone. Guarded by RTNL. */
extern struct net_device *testnic_netdev;

/* The PCI function that the device sits on; NULL when it sits on nothing. */
struct device *testnic_pci_function(struct net_device *netdev);

/* Attach and detach run under RTNL; detaching twice is harmless. */
void testnic_dcb_attach(struct net_device *netdev);
void testnic_dcb_detach(struct net_device *netdev);
void testnic_ethtool_attach(struct net_device *netdev);
void testnic_ethtool_detach(struct net_device *netdev);
int testnic_vf_attach(struct net_device *netdev);
void testnic_vf_detach(void);
int testnic_firmware_version(char *text, size_t size);

/* The bus of what testnic_vf_attach makes; exit sleeps until all of that is gone. Without RTNL. */
int testnic_vf_init(void);
void testnic_vf_exit(void);

/* devlink has its own locks: called without RTNL. */
int testnic_devlink_register(struct device *parent);
void testnic_devlink_unregister(void);

#endif
