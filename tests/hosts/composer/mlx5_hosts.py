# SPDX-License-Identifier: Apache-2.0
"""ConnectX hosts: the kernel's own driver, the vendor's, a broken one, a bond, a virtual function."""
from host import EOPNOTSUPP, EPERM, Host
from pieces import (GEN4_X16, GEN5_X16, aer, bond_data, bond_member, build_id, cable, cm_counters,
                    config_space, limits, mlx5_counters, mlx5_statistics, module_file, vlan)
from rdma import RdmaDevice, add_rdma_device

CONNECTX7, CONNECTX6, VIRTUAL = 0x1021, 0x101d, 0x101e
DSCP = 5
RS, BASE_R = 50, 51
APP_OF_26 = [(DSCP, code >> 3, code) for code in range(64)]
FIRMWARE = "28.39.1002"


def nic(host, number, bus, vendor_driver=False, mtu=9000, pfc=1 << 3, up=True, config=None, link=GEN5_X16,
        stored=FIRMWARE, speed=400000, counters=None, users=(), cm_ids=(), switch_id=None, delay=7, maxrate=(0,) * 8,
        ets=None, autoneg=1,
        state=2, downs=1, eswitch=EPERM, **device):
    """A ConnectX-7 below a bridge of its own, with net device, RDMA device and an address."""
    bridge = f"0000:{bus - 1:02x}:01.0"
    address = f"0000:{bus:02x}:00.0"
    name, index = f"ens{number + 1}np0", number + 2
    host.pci(bridge, 0x8086, 0x352a, 0x060400, "pcieport", config, link)
    real = host.pci(f"{bridge}/{address}", 0x15b3, CONNECTX7, 0x020000, "mlx5_core", config, link,
                    subsystem_vendor="0x15b3", subsystem_device="0x0041", power_state="D0",
                    sriov_totalvfs=16, sriov_numvfs=0, **{"numa_node": number % 2, **device})
    host.iommu(real, number, "identity" if number == 0 else "DMA-FQ")
    aer(host, real, correctable=number)
    hardware = f"94:6d:ae:00:00:{number + 1:02x}"
    host.net_device(name, index, hardware, real, mtu=mtu, up=up, sysctl=(2, 1, 2, 0), port_name="p0", switch_id=switch_id,
                    downs=downs)
    own = f"10.1.{number}.7"
    link_local = f"fe80::966d:aeff:fe00:{number + 1}"
    host.address(index, f"{own}/24")
    host.address(index, f"{link_local}/64")
    host.add_route(index, f"10.1.{number}.0/24", source=own, metric=100 + number)
    host.neighbour(index, f"10.1.{number}.8", 0x02, f"94:6d:ae:00:01:{number + 1:02x}")
    host.port(name, index, "mlx5_core", "24.10-1.1.4" if vendor_driver else "6.1.0-57-amd64",
              f"{FIRMWARE} (MT_0000000838)", address, speed if up else None, 4 if up else None,
              ([RS], RS, 3, 0) if up else None, (0, 0, 0), mlx5_statistics(pause=12 * number, downs=downs),
              state=None if up else state, substate=None if up else state + 1, autoneg=autoneg,
              module=config and cable(f"SN{number:04d}", alarms=number))
    host.dcb(name, pfc, app=APP_OF_26, ets=ets, delay=delay, maxrate=maxrate,
             buffers=([0, 0, 0, 1, 0, 0, 0, 0], [130944, 130944 - 128 * (delay - 7), 0, 0, 0, 0, 0, 0]))
    host.devlink(address, "mlx5_core", f"MT2342X{number:05d}", [("fw.psid", "MT_0000000838")],
                 [("fw.version", FIRMWARE), ("fw", FIRMWARE)], [("fw.version", stored), ("fw", stored)],
                 [("enable_roce", (1, True)), ("enable_rdma", (1, True))], eswitch)
    gids = [(link_local, 1, index), (link_local, 2, index), (own, 1, index), (own, 2, index)]
    rdma = RdmaDevice(f"mlx5_{number}", f"946d:ae03:0000:{number + 1:04x}", name, index, FIRMWARE,
                      counters or mlx5_counters(rp_cnp_handled=17), [("cc_rx_ce_pkts", number % 2), ("cc_rx_cnp_pkts", 1 - number % 2)],
                      1024 if mtu < 4200 else 4096, 4 if up else 1, 5 if up else 3, gids, part=4129,
                      users=users, cm_ids=cm_ids)
    folder = add_rdma_device(host, {"board_id": "MT_0000000838"}, real, rdma)
    host.files(f"{folder}/ports/1/counters", port_rcv_data=5000000, port_xmit_data=7000000)
    return real, name, address, folder


def software(host, vendor=None, build=1, on_disk=1):
    """Modules, the job starter, the library."""
    for name in ("mlx5_core", "mlx5_ib", "ib_core", "ib_uverbs", "rdma_cm"):
        host.module(name, **({"version": vendor} if vendor else {}))
    host.file("/sys/module/mlx5_core/notes/.note.gnu.build-id", build_id(build))
    host.file("/sys/module/mlx5_core/srcversion", f"A{build:08d}")
    release = "/lib/modules/6.1.0-57-amd64"
    path = "updates/mlx5_core.ko" if vendor else "kernel/drivers/net/mlx5_core.ko"
    host.file(f"{release}/modules.dep", f"{path}: kernel/net/psample.ko\nkernel/ib/mlx5_ib.ko.xz:")
    host.file(f"{release}/{path}", module_file(on_disk))
    version = "1.14.44.0" if not vendor else "1.14.2410.0"
    host.file(f"/usr/lib/x86_64-linux-gnu/libibverbs.so.{version}", "")
    host.link("/usr/lib/x86_64-linux-gnu/libibverbs.so.1", f"/usr/lib/x86_64-linux-gnu/libibverbs.so.{version}")


def denied(host, addresses):
    """What an agent without privileges is refused."""
    lines = [f"13 /sys/kernel/debug/mlx5/{address}/cc_params" for address in addresses]
    host.file("/errors.txt", "\n".join(lines))


def inbox(folder):
    host = Host(folder)
    addresses = [nic(host, number, bus, users=[("ib_core", 0, 3)])[2]
                 for number, bus in enumerate((0x3b, 0x5e))]
    host.health(*[(address, name, 0, 0) for address in addresses for name in ("fw", "fw_fatal")])
    software(host)
    denied(host, addresses)
    host.process(812, "slurmd", limits(), "0::/system.slice/slurmd.service")
    host.write()


def ecn(host, name, dscp=48, priority=6):
    for point in ("roce_np", "roce_rp"):
        for number in range(8):
            host.file(f"/sys/class/net/{name}/ecn/{point}/enable/{number}", "1" if number == 3 else "0")
    host.files(f"/sys/class/net/{name}/ecn/roce_np", cnp_dscp=dscp, cnp_802p_prio=priority,
               min_time_between_cnps=4)
    host.files(f"/sys/class/net/{name}/ecn/roce_rp", rpg_ai_rate=5, rpg_hai_rate=50, rpg_gd=11,
               rpg_min_rate=1, rpg_threshold=1, initial_alpha_value=1023, dce_tcp_g=1019)


THRESHOLDS = """Port buffer size = 349056
Spare buffer size = 64
buffer size xoff_threshold xon_threshold
0 156096 0 0
1 192896 81152 40576
"""


def vendor(folder, healthy=True):
    """As root sees it, with GPUs beside the NICs, storage and a job that runs. The healthy one has
    both NICs alike; in the other one the second NIC differs in all that the vendor's driver shows."""
    host = Host(folder, distribution="Ubuntu 22.04.4 LTS", boot_time=1764000000)
    running = [(None, 4711, 3), (None, 4711, 3), ("ib_core", 0, 3)]
    addresses = []
    for number, bus in enumerate((0x18, 0x3b)):
        odd = number == 1 and not healthy
        # ACS with redirect on the second bridge: GPUDirect goes over the root there.
        space = config_space(256, 512, False, 0x1d) if odd else config_space(512, 4096, True, 0x00)
        real, name, address, folder_of_rdma = nic(
            host, number, bus, True, config=space, users=running if number == 0 else (),
            cm_ids=["nvme_rdma"] * (1 if healthy else 2) if number == 0 else (),
            switch_id="946dae000001" if odd else None, maxrate=(100000000 if odd else 0,) * 8,
            eswitch=(1, 1, 0) if odd else (0, 0, 1))
        addresses.append(address)
        ecn(host, name, *((26, 3) if odd else (48, 6)))
        host.file(f"/sys/class/net/{name}/qos/buffer_size", THRESHOLDS)
        host.file(f"/sys/class/net/{name}/qos/trust", "pcp" if odd else "dscp")
        if not healthy:
            host.file(f"{folder_of_rdma}/tc/1/traffic_class", "Global tclass=96" if odd else "Global tclass=106")
        host.files(f"/sys/kernel/config/rdma_cm/mlx5_{number}/ports/1",
                   default_roce_mode="IB/RoCE v1" if odd else "RoCE v2", default_roce_tos=0 if odd else 104)
        cm_counters(host, folder_of_rdma, retries=5 if odd else 0)
        bridge = f"0000:{bus - 1:02x}:01.0"
        host.pci(f"{bridge}/0000:{bus:02x}:01.0", 0x10de, 0x2335 if odd else 0x2330, 0x030200,
                 "vfio-pci" if odd else "nvidia", numa_node=0 if odd else number)
    host.pci("0000:9a:00.0", 0x10de, 0x2330, 0x030200, "nvidia", numa_node=1)
    host.health(*[(address, "fw", 0, 0) for address in addresses])
    software(host, "24.10-1.1.4")
    host.process(4711, "nccl-test")
    host.process(901, "slurmd", limits(files=131072, most=524288), "0::/system.slice/slurmd.service")
    host.files("/sys/fs/cgroup/system.slice",
               **{"rdma.max": f"mlx5_0 hca_handle={100 if healthy else 4} hca_object=20000"})
    host.files("/sys/fs/cgroup/system.slice/slurmd.service",
               **{"rdma.max": f"mlx5_0 hca_handle=max hca_object={8000 if healthy else 900}\nmlx5_1 hca_handle=8 hca_object=max"})
    for number in (0, 1):
        host.files(f"/sys/class/nvme/nvme{number}", transport="rdma" if number == 0 else "pcie",
                   state="live" if healthy else "connecting",
                   address=f"traddr=10.1.0.{9 if healthy else 10},trsvcid=4420,host_traddr=10.1.0.7",
                   subsysnqn="nqn.2026-01.example:pool0")
    host.file("/proc/mounts",
              "10.1.0.10:/scratch /scratch nfs4 rw,vers=4.2,proto=rdma,port=20049,addr=10.1.0.10 0 0")
    if not healthy:
        host.unix_socket("@/com/intel/lldpad")
    host.module("nvme_rdma")
    host.module("rpcrdma")
    host.write()


def broken(folder):
    """Nearly everything that a checklist names; each NIC has its own faults."""
    host = Host(folder, boot_time=1764430007)
    slow = ("8.0 GT/s PCIe", 8, "32.0 GT/s PCIe", 16)
    _, _, first, _ = nic(host, 0, 0x3b, mtu=1500, pfc=1 << 4, link=slow, stored="28.43.2026",
                          ets=([12, 13, 12, 13, 12, 13, 12, 13], [2] * 8, list(range(8))),
                         counters=mlx5_counters(out_of_sequence=9041, local_ack_timeout_err=77,
                                                rx_icrc_encapsulated=3), users=[("ib_core", 0, 6)])
    _, _, second, _ = nic(host, 1, 0x5e, up=False, downs=23, numa_node=-1, delay=100, autoneg=0,
                          users=[(None, 5000, 6), (None, 5000, 6)])
    nic(host, 2, 0x9e, up=False, state=3, downs=2)
    host.pci("0000:c1:00.0", 0x1002, 0x74a1, 0x120000, "amdgpu", numa_node=1)
    # Its driver is bound, and nothing came of it; another was given to a guest.
    host.pci("0000:85:00.0", 0x15b3, CONNECTX7, 0x020000, "mlx5_core", numa_node=1, power_state="D0")
    host.pci("0000:86:00.0", 0x15b3, CONNECTX7, 0x020700, "vfio-pci", b"\xff" * 64, numa_node=1,
             power_state="D3cold")
    host.devlink("0000:85:00.0")
    host.devlink("0000:86:00.0")
    host.neighbour(2, "10.1.0.99", 0x20)
    host.neighbour(2, "10.1.0.98", 0x01)
    host.health((first, "fw", 1, 4), (second, "fw", 0, 0))
    software(host, build=1, on_disk=2)
    denied(host, [first, second, "0000:9e:00.0"])
    host.process(812, "slurmd", limits(65536, 1024, 4096), "0::/system.slice/slurmd.service")
    host.write()


def bond(folder):
    """Two ports of one card as mlx5_bond_0, with a VLAN on top and per-source routing."""
    host = Host(folder)
    host.pci("0000:3a:01.0", 0x8086, 0x352a, 0x060400, "pcieport", link=GEN4_X16)
    functions = []
    for port in (0, 1):
        real = host.pci(f"0000:3a:01.0/0000:3b:00.{port}", 0x15b3, CONNECTX6, 0x020000, "mlx5_core",
                        link=GEN4_X16, subsystem_vendor="0x15b3", subsystem_device="0x0016", numa_node=0,
                        power_state="D0", sriov_totalvfs=8, sriov_numvfs=3 * port)
        functions.append(real)
        name, index, address = f"ens1f{port}np{port}", 2 + port, f"0000:3b:00.{port}"
        host.net_device(name, index, f"b8:3f:d2:00:00:{port + 1:02x}", real, port_name=f"p{port}", master=10,
                        switch_id="b83fd2000001", mtu=4200,
                        member=bond_member(0, 0 if port == 0 else 2, 1 + port, 0x3d if port == 0 else 0x45,
                                           0x3f if port == 0 else 0x03))
        host.port(name, index, "mlx5_core", "6.1.0-57-amd64", "22.35.1012 (MT_0000000359)", address,
                  100000 if port == 0 else 25000, 2 if port == 0 else 1, ([RS, BASE_R], BASE_R, 0, 0), (1, 1, 1),
                  mlx5_statistics())
        host.dcb(name, 1 << 3, app=APP_OF_26, dcbx=0x0c)
        # Only the first function tells the card's serial number.
        host.devlink(address, "mlx5_core", "MT2018X11111" if port == 0 else None,
                     [("fw.psid", "MT_0000000359")], [("fw.version", "22.35.1012")],
                     [("fw.version", "22.36.1010")], [("enable_roce", (1, port == 0))])
    # A virtual function that was given to a guest, and the host's end of another.
    virtual = host.pci("0000:3a:01.0/0000:3b:08.2", 0x15b3, VIRTUAL, 0x020000, "vfio-pci", numa_node=0,
                       power_state="D0", link=("Unknown", 0, "Unknown", 255))
    host.link(f"{virtual}/physfn", functions[1])
    host.devlink("0000:3b:08.2")
    host.virtual_functions(
        3, dict(mac="00:00:00:00:00:00", vlan=0, priority=0, spoof_check=0, link_state=0, least=0, most=0, trust=0),
        dict(mac="b8:3f:d2:00:01:01", vlan=100, priority=3, spoof_check=1, link_state=1, least=1000, most=100000, trust=1),
        dict(mac="b8:3f:d2:00:01:02", vlan=0, priority=0, spoof_check=1, link_state=0, least=0, most=0, trust=0))
    host.virtual_functions(5)
    host.net_device("ens1f1npf1vf0", 5, "ce:00:00:00:00:01", functions[1], port_name="pf1vf0",
                    switch_id="b83fd2000001", mtu=1500, up=None)
    host.port("ens1f1npf1vf0", 5, "mlx5e_rep", "6.1.0-57-amd64", "22.35.1012 (MT_0000000359)", "0000:3b:00.1")
    host.dcb("ens1f1npf1vf0")
    host.net_device("bond0", 10, "b8:3f:d2:00:00:01", kind="bond", mtu=4200, sysctl=(2, 1, 2, 1),
                    data=bond_data(4, 1, ports=2, partner="44:38:39:ff:00:01", fast=True))
    host.net_device("bond0.100", 11, "b8:3f:d2:00:00:01", kind="vlan", lower=10, mtu=4200,
                    data=vlan(100, [(2, 3), (3, 3)]))
    host.net_device("bond1", 12, "b8:3f:d2:00:00:09", kind="bond", up=False, mtu=1500,
                    data=bond_data(1, 0, active=3, miimon=0, min_links=1))
    host.net_device("bond2", 13, "b8:3f:d2:00:00:0a", kind="bond", up=False, mtu=1500,
                    data=bond_data(4, 2, ports=1))
    host.net_device("bond3", 14, "b8:3f:d2:00:00:0b", kind="bond", up=False, mtu=1500,
                    data=bond_data(6, 0, active=2))
    host.net_device("backup", 15, "b8:3f:d2:00:00:0b", kind="dummy", mtu=1500, master=14,
                    member=bond_member(1, 0))
    host.net_device("bond0.ad", 16, "b8:3f:d2:00:00:01", kind="vlan", lower=10, mtu=4200,
                    data=vlan(200, [(4, 4)], [(3, 3), (5, 4)], b"\x88\xa8"))
    for name, index in (("bond0", 10), ("bond0.100", 11), ("bond1", 12), ("bond2", 13), ("bond3", 14),
                        ("backup", 15), ("bond0.ad", 16)):
        host.port(name, index, "bonding" if index not in (11, 16) else "802.1Q VLAN Support", "6.1.0-57-amd64", "2", "")
        host.dcb(name)
    host.address(10, "10.2.0.7/24")
    host.address(11, "10.2.100.7/24")
    host.address(10, "fe80::ba3f:d2ff:fe00:1/64", tentative=True)
    host.add_route(10, "10.2.0.0/24", source="10.2.0.7")
    host.add_route(11, "10.3.0.0/16", gateway="10.2.100.1", table=100, mtu=4000)
    host.add_route(11, "10.8.0.0/16", gateway="10.2.100.2", table=100, mtu=1400)
    host.add_rule(100, 100, source="10.2.100.7/32", target="10.3.0.0/16", incoming="lo", mark=7)
    host.add_rule(101, 0, 6, target="10.9.0.0/16", incoming="bond0", outgoing="bond0", mark=8)
    host.add_rule(102, 100, outgoing="bond0.100")
    host.neighbour(11, "10.2.100.1", 0x80, "44:38:39:ff:00:01")
    gids = [("10.2.0.7", 2, 10), ("10.2.100.7", 2, 11)]
    add_rdma_device(host, {"board_id": "MT_0000000359"}, functions[0],
                    RdmaDevice("mlx5_bond_0", "b83f:d203:0000:0001", "bond0", 10, "22.35.1012",
                               mlx5_counters(), gids=gids, table=255, part=4125, points=(1 << 3 | 1 << 5, 1 << 3 | 1 << 4)))
    host.health()
    software(host)
    denied(host, ["0000:3b:00.0"])
    host.write()


def container(folder):
    """A pod that was given one virtual function: sysfs shows the host's PCI, the network is its own."""
    host = Host(folder, distribution="Rocky Linux 9.4 (Blue Onyx)")
    physical = host.pci("0000:3b:00.0", 0x15b3, CONNECTX6, 0x020000, "mlx5_core", sriov_totalvfs=8,
                        sriov_numvfs=4, numa_node=0, power_state="D0", link=GEN4_X16)
    virtual = host.pci("0000:3b:00.2", 0x15b3, VIRTUAL, 0x020000, "mlx5_core", numa_node=0,
                       power_state="unknown", link=("Unknown", 0, "Unknown", 255))
    host.link(f"{virtual}/physfn", physical)
    host.net_device("net1", 7, "0a:58:0a:02:00:07", virtual, mtu=9000)
    host.address(7, "10.4.0.7/16", dynamic=True)
    host.netns_mode, host.copy_on_fork = 0, 0
    host.add_route(7, "10.4.0.0/16", source="10.4.0.7")
    host.add_route(7, "0.0.0.0/0", gateway="10.4.0.1")
    host.port("net1", 7, "mlx5_core", "6.1.0-57-amd64", "22.35.1012 (MT_0000000359)", "0000:3b:00.2",
              module_error=EOPNOTSUPP)
    # A virtual function has no DCB: its PFC is its physical function's.
    host.dcb("net1")
    # devlink shows only the devices of its own network namespace.
    host.devlink("0000:3b:00.0")
    host.devlink("0000:3b:00.2", "mlx5_core", running=[("fw.version", "22.35.1012")], eswitch=None)
    host.health()
    add_rdma_device(host, {}, virtual, RdmaDevice("mlx5_2", "0a58:0aff:fe02:0007", "net1", 7, "22.35.1012",
                                                  mlx5_counters(), gids=[("10.4.0.7", 2, 7)], table=64, part=4126,
                                                  points=(0, 0), node_mode=0o600))
    software(host)
    host.file("/errors.txt", "13 /sys/kernel/debug/mlx5/0000:3b:00.2/cc_params\n1 /proc/1/limits")
    host.process(1, "containerd", "", "0::/")
    host.write()


HOSTS = {"mlx5-inbox": inbox, "mlx5-vendor": vendor,
         "mlx5-vendor-broken": lambda folder: vendor(folder, healthy=False), "mlx5-broken": broken, "mlx5-bond": bond,
         "vf-container": container}
