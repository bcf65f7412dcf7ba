# SPDX-License-Identifier: Apache-2.0
"""Hosts with Broadcom, Intel and Huawei NICs, and one without RDMA."""
from host import EOPNOTSUPP, Host
from pieces import (GEN4_X16, GEN5_X16, PLAIN_LEAF, aer, build_id, cm_counters, config_space, limits, packet_filter, qsfp, vlan)
from rdma import RdmaDevice, add_rdma_device

ETHERTYPE, UDP_PORT, DSCP = 1, 3, 5
RS = 50
RELEASE_OF_72 = "7.2.13-amd64"


def bnxt(folder):
    """A Thor of kernel 7.2, as root sees it: congestion control in debugfs, counters renamed."""
    host = Host(folder, kernel=RELEASE_OF_72, distribution="Debian GNU/Linux forky/sid")
    space = config_space(256, 512, True)
    host.pci("0000:16:02.0", 0x8086, 0x347a, 0x060400, "pcieport", config_space(256, 512, acs=0), GEN4_X16)
    real = host.pci("0000:16:02.0/0000:17:00.0", 0x14e4, 0x1750, 0x020000, "bnxt_en", space, GEN4_X16,
                    subsystem_vendor="0x14e4", subsystem_device="0x2100", numa_node=0, power_state="D0",
                    sriov_totalvfs=16, sriov_numvfs=0)
    host.iommu(real, 4, "identity")
    aer(host, real)
    host.net_device("ens2f0np0", 2, "bc:97:e1:00:00:01", real, mtu=4300, max_mtu=9500, sysctl=(2, 2, 2, 0))
    host.address(2, "10.5.0.7/22")
    host.add_route(2, "10.5.0.0/22", source="10.5.0.7")
    statistics = {"rx_pause_frames": 0, "tx_pause_frames": 0, "rx_stat_discard": 0, "link_down_events": 2}
    for number in range(8):
        statistics[f"rx_pfc_ena_frames_pri{number}"] = 31 if number == 3 else 0
        statistics[f"tx_pfc_ena_frames_pri{number}"] = 0
    host.port("ens2f0np0", 2, "bnxt_en", RELEASE_OF_72, "231.0.153.0/pkg 231.1.162.1", "0000:17:00.0", 200000, 4,
              ([RS], RS, 812, 0), (1, 0, 0), statistics, module=qsfp("EX00001", alarms=0x40), fec_auto=1)
    host.dcb("ens2f0np0", 1 << 3, 2, dcbx=0x09,
             app=[(UDP_PORT, 3, 4791), (ETHERTYPE, 3, 0x8915), (DSCP, 3, 26), (DSCP, 7, 48)],
             ets=([50, 50, 0, 0, 0, 0, 0, 0], [2, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0]))
    host.devlink("0000:17:00.0", "bnxt_en", "BC-97-E1-FF-FE-00-00-01", [("board.id", "P2100G"), ("asic.id", "1750")],
                 [("fw", "231.1.162.1"), ("fw.roce", "231.0.153.0")], [("fw", "231.1.162.1")],
                 [("enable_sriov", (2, False)), ("enable_roce", (2, True))], (0,))
    host.health(("0000:17:00.0", "fw", 0, 0))
    counters = {"rx_pkts": 100, "rx_bytes": 409600, "tx_pkts": 90, "tx_bytes": 368640, "local_ack_timeout_err": 0,
                "packet_seq_err": 0, "rnr_nak_retry_err": 2, "duplicate_request": 0, "out_of_sequence": 0,
                "out_of_buffer": 0, "np_cnp_pkts": 40, "rp_cnp_handled": 12, "np_ecn_marked_roce_packets": 55}
    rdma = add_rdma_device(host, {}, real, RdmaDevice(
        "bnxt_re0", "be97:e1ff:fe00:0001", "ens2f0np0", 2, "231.0.153.0", counters, (), 4096,
        gids=[("10.5.0.7", 1, 2), ("10.5.0.7", 2, 2)], table=256, vendor=0x14e4, part=0x1750))
    cm_counters(host, rdma)
    debug = "/sys/kernel/debug/bnxt_re/0000:17:00.0/cc_config"
    host.files(debug, enable_cc=1, run_avg_weight_g=2, num_phase_per_state=1, init_cr=200, init_tr=200, tos_ecn=1,
               tos_dscp=26, alt_vlan_pcp=7, alt_vlan_dscp=48, rtt=40, cc_mode=1, tcp_cp=0, inactivity_cp=10000)
    for name in ("bnxt_en", "bnxt_re", "ib_core", "ib_uverbs"):
        host.module(name)
        host.file(f"/sys/module/{name}/notes/.note.gnu.build-id", build_id(len(name)))
    host.file(f"/lib/modules/{RELEASE_OF_72}/modules.dep", "kernel/drivers/net/bnxt_en.ko.xz:")
    packet_filter(host, [(2, "raw", "PREROUTING", 0, 1)], [(2, "raw", "PREROUTING", 4791, 0)])
    host.file("/proc/net/ip_tables_names", "filter")
    host.process(640, "kubelet", limits(8388608), "0::/kubelet.slice")
    host.write()


def ice(folder):
    """An E810 of kernel 6.12 with irdma, a packet filter, and firmware that follows the switch's DCBX."""
    host = Host(folder, kernel="6.12.41-amd64", distribution="Debian GNU/Linux 13 (trixie)", boot_time=1764300000)
    host.pci("0000:b0:04.0", 0x8086, 0x347c, 0x060400, "pcieport", config_space(512, 512, acs=0x1d), GEN4_X16)
    real = host.pci("0000:b0:04.0/0000:b1:00.0", 0x8086, 0x1592, 0x020000, "ice", config_space(512, 4096), GEN4_X16,
                    subsystem_vendor="0x8086", subsystem_device="0x0002", numa_node=1, power_state="D0",
                    sriov_totalvfs=256, sriov_numvfs=0)
    host.iommu(real, 31, "DMA-FQ")
    aer(host, real, correctable=44, nonfatal=1)
    host.net_device("ens801f0", 4, "b4:96:91:00:00:01", real, mtu=9000, max_mtu=9702)
    host.lldp["ens801f0"] = PLAIN_LEAF
    host.unix_socket("/run/lldpd.socket")
    host.net_device("ens801f0.200", 5, "b4:96:91:00:00:01", kind="vlan", lower=4, mtu=9000, max_mtu=65535,
                    data=vlan(200, [(4, 4)], [(4, 4)]))
    host.address(4, "10.6.0.7/24")
    host.address(5, "10.6.200.7/24")
    host.add_route(4, "10.6.0.0/24", source="10.6.0.7")
    host.neighbour(4, "10.6.0.1", 0x04, "44:38:39:ff:00:06")
    statistics = {"rx_dropped.nic": 3, "link_xoff_rx.nic": 8, "link_xoff_tx.nic": 0}
    for number in range(8):
        statistics[f"rx_priority_{number}_xoff.nic"] = 5 if number == 4 else 0
        statistics[f"tx_priority_{number}_xoff.nic"] = 0
    host.port("ens801f0", 4, "ice", "6.12.41-amd64", "4.40 0x8001c7d4 1.3534.0", "0000:b1:00.0", 100000, 4,
              ([RS], RS, 0, 0), (0, 1, 1), statistics, EOPNOTSUPP)
    host.port("ens801f0.200", 5, "802.1Q VLAN Support", "1.8", "N/A", "", 100000)
    host.dcb("ens801f0", 1 << 4, 8, dcbx=0x0a, app=[(ETHERTYPE, 4, 0x8915)],
             ets=([60, 40, 0, 0, 0, 0, 0, 0], [2] * 8, [0, 0, 0, 0, 1, 0, 0, 0]), willing=1, macsec=1,
             receive=(60, 40, 0, 0, 0, 0, 0, 0))
    host.dcb("ens801f0.200")
    host.devlink("0000:b1:00.0", "ice", "00-01-00-ff-ff-91-96-b4", [("board.id", "K91258-003")],
                 [("fw.mgmt", "7.4.13"), ("fw.undi", "1.3534.0")], [("fw.mgmt", "7.5.4"), ("fw.undi", "1.3534.0")],
                 [("enable_roce", (0, True)), ("enable_iwarp", (0, False))], (0,))
    host.health()
    counters = {"cnpHandled": 4294967290, "cnpIgnored": 0, "cnpSent": 7, "RxECNMrkd": 9, "tcpRetransSegs": 0,
                "ip4InDiscards": 0, "rxVlanErrors": 0}
    add_rdma_device(host, {}, real, RdmaDevice(
        "rocep177s0", "b696:91ff:fe00:0001", "ens801f0", 4, "1.70", counters, (), 4096,
        gids=[("fe80::b696:91ff:fe00:1", 2, 4), ("10.6.0.7", 2, 4), ("10.6.200.7", 2, 5)], table=128, vendor=0x8086,
        part=0x1592, lifespan=2000))
    for name in ("ice", "irdma", "ib_core", "ib_uverbs"):
        host.module(name, **({"version": "1.15.4"} if name == "irdma" else {}))
    # Intel's own irdma.
    host.file("/sys/module/irdma/parameters/dcqcn_enable", "0")
    packet_filter(host, [(1, "filter", "input", 1, 0), (1, "filter", "output", 3, 1)],
                  [(1, "filter", "input", 4791, 1), (1, "filter", "input", 22, 1),
                   (1, "filter", "output", 4791, -3, {"target": "fabric", "network": 2}),
                   (1, "filter", "output", 4791, -4, {"target": "fabric6", "network": 10}),
                   (1, "filter", "fabric", 4791, 1, {"source": (10, 77, 0, 4)}),
                   (1, "filter", "fabric", 4791, 1, {"source": (10, 77, 1, 4)})])
    host.file("/proc/net/ip6_tables_names", "filter")
    host.process(77, "pbs_mom", limits(), "0::/system.slice/pbs.service")
    host.write()


def hns(folder):
    """A Kunpeng of a vendor kernel, whose driver shows DCQCN in sysfs."""
    host = Host(folder, kernel="5.10.0-182.0.0.95.oe2203sp3.aarch64", distribution="openEuler 22.03 (LTS-SP3)")
    real = host.pci("0000:bd:00.0", 0x19e5, 0xa226, 0x020000, "hns3", numa_node=2, power_state="D0",
                    sriov_totalvfs=7, sriov_numvfs=0)
    host.iommu(real, 9, "DMA")
    host.net_device("eno1", 3, "44:67:47:00:00:01", real, mtu=5500, sysctl=(1, 0, 0, 0))
    host.address(3, "10.7.0.7/24")
    host.add_route(3, "10.7.0.0/24", source="10.7.0.7")
    statistics = {f"mac_{way}_pfc_pri{number}_pkt_num": 0 for way in ("rx", "tx") for number in range(8)}
    statistics |= {"mac_rx_mac_pause_num": 0, "mac_tx_mac_pause_num": 0}
    host.port("eno1", 3, "hns3", "5.10.0-182.0.0.95.oe2203sp3.aarch64", "1.9.38.12", "0000:bd:00.0", 100000, None,
              ([RS], RS, 0, 0), (0, 0, 0), statistics)
    host.dcb("eno1", 1 << 3 | 1 << 5, 8, dcbx=0x05, app=[(DSCP, 3, 26)],
             ets=([100, 0, 0, 0, 0, 0, 0, 0], [0] * 8, [0] * 8), willing=1, classes=4)
    host.devlink("0000:bd:00.0", "hns3", running=[("fw", "1.9.38.12")], eswitch=())
    host.health()
    rdma = add_rdma_device(host, {"board_id": "HNS"}, real, RdmaDevice(
        "hns_0", "4667:47ff:fe00:0001", "eno1", 3, None, None, (), 4096,
        gids=[("10.7.0.7", 1, 3), ("10.7.0.7", 2, 3)], table=256, vendor=0x19e5, part=0xa226))
    host.files(f"{rdma}/ports/1/dcqcn_cc_param", ai=10, f=1, tkp=15, tmp=50, alp=100, max_speed=0, g=4, al=0,
               cnp_time=4, ashift=0, lifespan=0)
    for name in ("hns3", "hclge", "hns_roce_hw_v2", "ib_core", "ib_uverbs"):
        host.module(name, srcversion="5D41402ABC4B2A76B9719D9")
    host.write()


def none(folder):
    """An ordinary server: a NIC of no RDMA family, no RDMA stack, IPv6 switched off, an old Mellanox
    that nobody bound."""
    host = Host(folder, boot_time=1760000000, ipv6=False)
    real = host.pci("0000:02:00.0", 0x14e4, 0x165f, 0x020000, "tg3", subsystem_vendor="0x1028",
                    subsystem_device="0x0639", numa_node=-1, power_state="D0",
                    link=("5.0 GT/s PCIe", 1, "5.0 GT/s PCIe", 2))
    host.pci("0000:03:00.0", 0x15b3, 0x1003, 0x020000, numa_node=0, link=GEN5_X16)
    host.net_device("eno1", 2, "18:66:da:00:00:01", real, mtu=1500, max_mtu=9000, min_mtu=60, downs=0)
    host.address(2, "192.0.2.7/24")
    host.add_route(2, "192.0.2.0/24", source="192.0.2.7")
    host.add_route(2, "0.0.0.0/0", gateway="192.0.2.1", metric=1024)
    host.port("eno1", 2, "tg3", "6.1.0-57-amd64", "FFV21.60.2 bc 5720-v1.39", "0000:02:00.0", 100, None, None,
              (1, 1, 1), {"rx_octets": 5, "rx_discards": 0}, duplex=0)
    host.dcb("eno1")
    for address in ("0000:02:00.0", "0000:03:00.0"):
        host.devlink(address)
    host.health()
    host.write(rdma_loaded=False)


HOSTS = {"bnxt-7.2": bnxt, "ice-irdma": ice, "hns-vendor": hns, "no-rdma": none}
