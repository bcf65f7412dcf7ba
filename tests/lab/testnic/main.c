// SPDX-License-Identifier: GPL-2.0
/*
 * Loads on top of one network device, and lets go of it when it is unplugged or the module unloads.
 *
 * Parameter: dev, the device's name.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>

#include "testnic.h"

static char *dev = "eth0";
module_param(dev, charp, 0444);

struct net_device *testnic_netdev;

static int attach(struct net_device *netdev)
{
	testnic_netdev = netdev;
	testnic_dcb_attach(netdev);
	testnic_ethtool_attach(netdev);
	return testnic_vf_attach(netdev);
}

static void detach(void)
{
	if (!testnic_netdev)
		return;
	testnic_vf_detach();
	testnic_ethtool_detach(testnic_netdev);
	testnic_dcb_detach(testnic_netdev);
	dev_put(testnic_netdev);
	testnic_netdev = NULL;
}

static int on_netdev_event(struct notifier_block *block, unsigned long event, void *info)
{
	if (event == NETDEV_UNREGISTER && netdev_notifier_info_to_dev(info) == testnic_netdev)
		detach();
	return NOTIFY_DONE;
}

static struct notifier_block netdev_events = { .notifier_call = on_netdev_event };

/* A virtio NIC hangs on a virtio device on a PCI function: the last is what devlink names. */
struct device *testnic_pci_function(struct net_device *netdev)
{
	struct device *device = netdev->dev.parent;

	if (!device)
		return NULL;
	return device->parent && !dev_is_pci(device) ? device->parent : device;
}

static int __init testnic_init(void)
{
	struct net_device *netdev = dev_get_by_name(&init_net, dev);
	int error = -ENODEV;

	if (!netdev)
		return error;
	if (!testnic_pci_function(netdev))
		goto put;
	error = -EBUSY;
	if (netdev->dcbnl_ops)
		goto put;
	error = testnic_vf_init();
	if (error)
		goto put;
	error = testnic_devlink_register(testnic_pci_function(netdev));
	if (error)
		goto leave_bus;
	rtnl_lock();
	error = attach(netdev);
	rtnl_unlock();
	if (!error)
		error = register_netdevice_notifier(&netdev_events);
	if (!error)
		return 0;
	rtnl_lock();
	detach(); /* puts the device as well */
	rtnl_unlock();
	testnic_devlink_unregister();
	testnic_vf_exit();
	return error;
leave_bus:
	testnic_vf_exit();
put:
	dev_put(netdev);
	return error;
}

static void __exit testnic_exit(void)
{
	unregister_netdevice_notifier(&netdev_events);
	rtnl_lock();
	detach();
	rtnl_unlock();
	testnic_devlink_unregister();
	testnic_vf_exit();
}

module_init(testnic_init);
module_exit(testnic_exit);
MODULE_DESCRIPTION("DCB, statistics, firmware version, devlink and virtual functions for a NIC that has none");
MODULE_LICENSE("GPL");
