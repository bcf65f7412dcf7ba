// SPDX-License-Identifier: GPL-2.0
/*
 * A physical function with virtual functions: a second network device, pf0, whose driver answers what
 * `ip link show` asks of virtual functions. It carries no packets, and there are no VFs to use: only
 * their settings, which differ in everything that a physical function can set.
 *
 * The kernel asks the bus of a network device's parent how many VFs there are. Only the PCI core knows
 * that of a PCI function, so pf0 hangs on a device of a bus of our own, below the function of the NIC
 * that we sit on; that function gets the files of sysfs that a PCI function with SR-IOV has.
 *
 * Knobs:
 *   vfs  how many virtual functions pf0 has, at most 3; 0: there is no pf0. Busy (EBUSY) while another
 *        holds RTNL: write again
 */
#include <linux/atomic.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "testnic.h"

/* What the kernel puts there for a driver that does not say whether it checks or trusts. */
#define UNSAID ((u32)-1)

/* As a physical function of a RoCE NIC has them: of a tenant, of one that was cut off, and untouched. */
static const struct ifla_vf_info settings[] = {
	{
		.mac = { 0x52, 0x54, 0x00, 0xcc, 0x01, 0x00 },
		.vlan = 100,
		.qos = 3,
		.vlan_proto = htons(ETH_P_8021Q),
		.spoofchk = 1,
		.linkstate = IFLA_VF_LINK_STATE_ENABLE,
		.min_tx_rate = 1000,
		.max_tx_rate = 25000,
		.rss_query_en = 1,
		.trusted = 1,
	},
	{
		.mac = { 0x52, 0x54, 0x00, 0xcc, 0x01, 0x01 },
		.vlan = 4094,
		.qos = 5,
		.vlan_proto = htons(ETH_P_8021AD),
		.spoofchk = 0,
		.linkstate = IFLA_VF_LINK_STATE_DISABLE,
		.max_tx_rate = 400000,
		.trusted = 0,
	},
	{
		.vlan_proto = htons(ETH_P_8021Q),
		.spoofchk = UNSAID,
		.linkstate = IFLA_VF_LINK_STATE_AUTO,
		.rss_query_en = UNSAID,
		.trusted = UNSAID,
	},
};

/* All guarded by RTNL. */
static uint vfs;
static struct device *function; /* of pf0: ours, on our bus */
static struct net_device *pf;

/* How many of our devices are still in somebody's hands; without RTNL. */
static atomic_t functions = ATOMIC_INIT(0);

static int num_vf(struct device *device)
{
	return READ_ONCE(vfs);
}

static struct bus_type bus = {
	.name = TESTNIC_NAME,
	.num_vf = num_vf,
};

static void release_function(struct device *device)
{
	kfree(device);
	if (atomic_dec_and_test(&functions))
		wake_up_var(&functions);
}

static ssize_t sriov_numvfs_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%u\n", READ_ONCE(vfs));
}
static DEVICE_ATTR_RO(sriov_numvfs);

static ssize_t sriov_totalvfs_show(struct device *device, struct device_attribute *attribute, char *text)
{
	return sysfs_emit(text, "%zu\n", ARRAY_SIZE(settings));
}
static DEVICE_ATTR_RO(sriov_totalvfs);

static struct attribute *sriov_files[] = {
	&dev_attr_sriov_numvfs.attr,
	&dev_attr_sriov_totalvfs.attr,
	NULL,
};
static const struct attribute_group sriov_group = { .attrs = sriov_files };

static netdev_tx_t drop(struct sk_buff *packet, struct net_device *netdev)
{
	dev_kfree_skb(packet);
	return NETDEV_TX_OK;
}

static int get_vf_config(struct net_device *netdev, int vf, struct ifla_vf_info *answer)
{
	if (vf >= ARRAY_SIZE(settings))
		return -EINVAL;
	*answer = settings[vf];
	answer->vf = vf;
	return 0;
}

static int get_vf_stats(struct net_device *netdev, int vf, struct ifla_vf_stats *answer)
{
	if (vf >= ARRAY_SIZE(settings))
		return -EINVAL;
	answer->rx_packets = 1000 * (vf + 1);
	answer->tx_packets = 2000 * (vf + 1);
	answer->rx_dropped = vf;
	return 0;
}

static const struct net_device_ops pf_operations = {
	.ndo_start_xmit = drop,
	.ndo_get_vf_config = get_vf_config,
	.ndo_get_vf_stats = get_vf_stats,
};

static void get_driver_info(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, TESTNIC_NAME, sizeof(info->driver));
	strscpy(info->bus_info, dev_name(function->parent), sizeof(info->bus_info));
}

static const struct ethtool_ops pf_ethtool_operations = { .get_drvinfo = get_driver_info };

static struct device *make_function(struct device *pci_function)
{
	struct device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	int error;

	if (!device)
		return ERR_PTR(-ENOMEM);
	device->parent = pci_function;
	device->bus = &bus;
	device->release = release_function;
	atomic_inc(&functions);
	device_initialize(device);
	/* Readers of sysfs look through a virtio device to its PCI function; so they do here. */
	error = dev_set_name(device, "virtio-pf0");
	if (!error)
		error = device_add(device);
	if (!error)
		return device;
	put_device(device);
	return ERR_PTR(error);
}

static int make_pf(struct net_device *neighbour)
{
	static const u8 address[ETH_ALEN] = { 0x52, 0x54, 0x00, 0xcc, 0x00, 0x01 };
	int error = -ENOMEM;

	pf = alloc_etherdev(0);
	if (!pf)
		return error;
	SET_NETDEV_DEV(pf, function);
	strscpy(pf->name, "pf0", sizeof(pf->name));
	eth_hw_addr_set(pf, address);
	pf->netdev_ops = &pf_operations;
	pf->ethtool_ops = &pf_ethtool_operations;
	pf->needs_free_netdev = true;
	pf->dev_port = neighbour->dev_port + 1; /* the second port of the card */
	netif_carrier_off(pf);
	error = register_netdevice(pf);
	if (!error)
		return 0;
	free_netdev(pf);
	pf = NULL;
	return error;
}

static void destroy(void)
{
	if (!function)
		return;
	if (pf)
		unregister_netdevice(pf);
	pf = NULL;
	sysfs_remove_group(&function->parent->kobj, &sriov_group);
	device_unregister(function);
	function = NULL;
}

static int create(struct net_device *neighbour)
{
	struct device *pci_function = testnic_pci_function(neighbour);
	int error;

	/* The files are there already, and the PCI core's. */
	if (dev_is_pf(pci_function))
		return -EBUSY;
	function = make_function(pci_function);
	if (IS_ERR(function)) {
		error = PTR_ERR(function);
		function = NULL;
		return error;
	}
	error = sysfs_create_group(&pci_function->kobj, &sriov_group);
	if (error) {
		device_unregister(function);
		function = NULL;
		return error;
	}
	error = make_pf(neighbour);
	if (error)
		destroy();
	return error;
}

static int vfs_set(const char *value, const struct kernel_param *param)
{
	uint wanted, before;
	int error = kstrtouint(value, 0, &wanted);

	if (error)
		return error;
	if (wanted > ARRAY_SIZE(settings))
		return -ERANGE;
	/* Never wait for RTNL here: the parameter lock is held, and hang_ms could then not be set to 0. */
	if (!rtnl_trylock())
		return -EBUSY;
	before = vfs;
	WRITE_ONCE(vfs, wanted);
	if (!wanted)
		destroy();
	else if (testnic_netdev && !function)
		error = create(testnic_netdev);
	if (error)
		WRITE_ONCE(vfs, before);
	rtnl_unlock();
	return error;
}

static const struct kernel_param_ops vfs_ops = {
	.set = vfs_set,
	.get = param_get_uint,
};
module_param_cb(vfs, &vfs_ops, &vfs, 0644);

int testnic_vf_attach(struct net_device *netdev)
{
	return vfs ? create(netdev) : 0;
}

void testnic_vf_detach(void)
{
	destroy();
}

int testnic_vf_init(void)
{
	return bus_register(&bus);
}

void testnic_vf_exit(void)
{
	/* Whoever still holds one of our devices would end it by code that is gone. */
	wait_var_event(&functions, !atomic_read(&functions));
	bus_unregister(&bus);
}
