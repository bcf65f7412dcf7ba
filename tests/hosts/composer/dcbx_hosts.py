# SPDX-License-Identifier: Apache-2.0
"""A FastLinQ, whose firmware speaks DCBX itself and shows its link partners, under switches that say all that LLDP
can; one of them says it wrong."""
import lldp
from host import EOPNOTSUPP, Host
from pieces import DCBX_LEAF, GEN4_X16, aer, config_space, limits
from rdma import RdmaDevice, add_rdma_device

ETHERTYPE, UDP_PORT, DSCP = 1, 3, 5
STRICT, ETS = 0, 2
RS = 50
RELEASE = "6.12.41-amd64"

LEAF = lldp.frame(
    "44:38:39:ff:00:41", (4, bytes.fromhex("443839ff0040")), (5, b"swp1"), 120,
    lldp.texts("to host qede-dcbx", "leaf-a", "Example OS 5.1"), lldp.capabilities(0x14), lldp.management("192.0.2.41"),
    lldp.port_vlan(1), lldp.vlan_name(100, "RoCE"), lldp.aggregation(0x03, 7), lldp.frame_size(9216),
    lldp.ets(0x80 | 3, (0, 0, 0, 1, 0, 0, 2, 0), (50, 40, 10, 0, 0, 0, 0, 0), (ETS, ETS, STRICT, 0, 0, 0, 0, 0)),
    lldp.ets_recommendation((0, 0, 0, 1, 0, 0, 2, 0), (50, 40, 10, 0, 0, 0, 0, 0), (ETS, ETS, STRICT, 0, 0, 0, 0, 0)),
    lldp.pfc(0x80 | 0x40 | 4, 1 << 3 | 1 << 4), lldp.app((3, 3, 4791), (3, 5, 26), (6, 5, 48)),
    lldp.cee((0x80, (0, 0, 0, 1, 0, 0, 0, 0), (50, 50, 0, 0, 0, 0, 0, 0), 2), (0xc0, 1 << 3, 8),
             (0x80, (0x8915, 0, 1 << 3), (4791, 1, 1 << 3))))
# An older switch, by CEE only, and to another group address; its VLAN name is longer than it says.
OLD_LEAF = lldp.frame(
    "28:99:3a:00:00:02", (7, b"leaf-b"), (7, b"Eth1/2"), 30,
    lldp.texts("Ethernet1/2", "leaf-b", "Example NX 9.3"), lldp.capabilities(0x04), lldp.management("2001:db8::2"),
    lldp.port_vlan(100), lldp.vlan_name(200, "storage"), lldp.organisation(lldp.IEEE_8021, 3, bytes.fromhex("00c809") + b"cut"),
    lldp.aggregation(0x00, 0), lldp.frame_size(1522),
    lldp.ets_recommendation((0, 1, 2, 3, 4, 5, 6, 7), (12, 13, 12, 13, 12, 13, 12, 13), (ETS,) * 8),
    lldp.cee((0x60, (0, 0, 0, 0, 1, 0, 0, 0), (70, 30, 0, 0, 0, 0, 0, 0), 8), (0x20, 1 << 4, 2),
             (0x40, (0x8906, 0, 1 << 4))),
    destination=lldp.NEAREST_NON_TPMR)
# A second speaker on the same port: DCBX older than CEE, and a PFC TLV without its bitmap.
THIRD = lldp.frame(
    "28:99:3a:00:00:03", (4, bytes.fromhex("28993a000003")), (3, bytes.fromhex("28993a000003")), 60, lldp.cin(),
    lldp.organisation(lldp.IEEE_8021, 11, bytes([8])))


def port(host, real, number, address, **dcb):
    name, index, hardware = f"ens5f{number}", 2 + number, f"34:80:0d:00:00:{number + 1:02x}"
    host.net_device(name, index, hardware, real, mtu=9000, max_mtu=9600)
    own = f"10.9.{number}.7"
    host.address(index, f"{own}/24")
    host.add_route(index, f"10.9.{number}.0/24", source=own)
    # The driver has no statistics by priority, and counts PFC frames as one sum.
    statistics = {"rx_pause_frames": 0, "tx_pause_frames": 2, "rx_pfc_frames": 9 * number, "tx_pfc_frames": 0,
                  "no_buff_discards": 0, "brb_discards": number}
    host.port(name, index, "qede", RELEASE, "mbi 15.35.1 [mfw 8.59.1.0]", address, 25000, 1,
              ([RS], RS, 0, 0), (1, 0, 0), statistics, EOPNOTSUPP)
    host.dcb(name, **dcb)
    add_rdma_device(host, {}, real, RdmaDevice(
        f"qedr{number}", f"3680:0dff:fe00:{number + 1:04x}", name, index, "8.59.1.0", None, (), 4096,
        gids=[(own, 1, index), (own, 2, index)], table=128, vendor=0x1077, part=0x8070))


def qede(folder):
    host = Host(folder, kernel=RELEASE, distribution="Debian GNU/Linux 13 (trixie)", boot_time=1764200000)
    host.pci("0000:64:02.0", 0x8086, 0x347c, 0x060400, "pcieport", config_space(256, 512), GEN4_X16)
    reals = []
    for number in (0, 1):
        real = host.pci(f"0000:64:02.0/0000:65:00.{number}", 0x1077, 0x8070, 0x020000, "qede", config_space(256, 4096),
                        ("8.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8), subsystem_vendor="0x1077", subsystem_device="0x0011",
                        numa_node=0, power_state="D0", sriov_totalvfs=32, sriov_numvfs=0)
        host.iommu(real, 12 + number, "DMA-FQ")
        aer(host, real)
        host.devlink(f"0000:65:00.{number}", "qed", running=[("fw.mgmt", "8.59.1.0")], eswitch=())
        reals.append(real)
    host.health()
    classes, bandwidth = [0, 0, 0, 1, 0, 0, 2, 0], [50, 40, 10, 0, 0, 0, 0, 0]
    port(host, reals[0], 0, "0000:65:00.0", pfc=1 << 3, capable=4, dcbx=0x1a,
         ets=(bandwidth, [ETS, ETS, STRICT, 0, 0, 0, 0, 0], classes), app=[(ETHERTYPE, 3, 0x8915), (UDP_PORT, 3, 4791)],
         delay=0, peer=((bandwidth, [ETS, ETS, STRICT, 0, 0, 0, 0, 0], classes), (1 << 3, 4, 0, 0),
                        [(UDP_PORT, 3, 4791), (DSCP, 3, 26)], (0, 3), bandwidth))
    # The partner of the second port wants another priority.
    port(host, reals[1], 1, "0000:65:00.1", pfc=1 << 4, capable=4, dcbx=0x1a, willing=1,
         ets=([70, 30, 0, 0, 0, 0, 0, 0], [ETS] * 8, [0, 0, 0, 0, 1, 0, 0, 0]), app=[(ETHERTYPE, 4, 0x8915)], delay=0,
         peer=(([70, 30, 0, 0, 0, 0, 0, 0], [ETS] * 8, [0, 0, 0, 0, 1, 0, 0, 0]), (1 << 4, 2, 1, 3),
               [(ETHERTYPE, 4, 0x8906)], (1, 8), [0] * 8))
    host.lldp["ens5f0"] = [LEAF]
    host.lldp["ens5f1"] = [OLD_LEAF, THIRD, DCBX_LEAF]
    for name in ("qed", "qede", "qedr", "ib_core", "ib_uverbs"):
        host.module(name)
    host.process(300, "slurmd", limits(), "0::/system.slice/slurmd.service")
    host.write()


HOSTS = {"qede-dcbx": qede}
