# SPDX-License-Identifier: Apache-2.0
"""One composed host: its files, and what its kernel answers to the agent's questions."""
import ipaddress
import os
import pathlib
import struct

from netlink import (DEVLINK, ETHTOOL, Recording, attribute, ethtool_driver, ethtool_header,
                     ethtool_statistics, family, generic, mac, nest, text, u8, u16, u32, u64)

EOPNOTSUPP, EAFNOSUPPORT, EPERM, EINVAL, ENODEV = 95, 97, 1, 22, 19


class Host:
    def __init__(self, folder, kernel="6.1.0-57-amd64", distribution="Debian GNU/Linux 12 (bookworm)",
                 boot_time=1764430000, ipv6=True):
        self.folder = pathlib.Path(folder)
        self.ipv6 = ipv6
        self.route, self.generic, self.rdma = Recording(), Recording(), Recording()
        self.ethtool, self.verbs = "", ""
        self.links, self.addresses, self.routes, self.neighbours = [], [], [], []
        self.rdma_devices, self.rules = [], []
        self.netns_mode, self.copy_on_fork = 1, 1
        # What is heard on each port: "silent", or a frame in hexadecimal, or several.
        self.lldp = {}
        self.file("/proc/sys/kernel/osrelease", kernel)
        # Debian and others build nf_tables as a module.
        self.file(f"/lib/modules/{kernel}/modules.builtin", "kernel/net/ipv4/tcp_cubic.ko")
        self.file("/proc/sys/kernel/random/boot_id", "0b8d7f9e-5b0c-4c6a-9d0e-2f4a6c8e0a1b")
        self.file("/proc/stat", f"btime {boot_time}")
        self.file("/proc/mounts", "")
        self.unix_sockets = ["Num       RefCount Protocol Flags    Type St Inode Path"]
        self.file("/etc/os-release", f'PRETTY_NAME="{distribution}"')
        for folder_of_class in ("/sys/class/net", "/sys/bus/pci/devices"):
            self.directory(folder_of_class)
        family(self.generic, "ethtool", ETHTOOL)
        family(self.generic, "devlink", DEVLINK)

    # Files ---------------------------------------------------------------------------------------
    def path(self, path):
        return self.folder / path.lstrip("/")

    def file(self, path, content):
        full = self.path(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            full.write_bytes(content)
        else:
            full.write_text(content if content.endswith("\n") or not content else content + "\n")

    def files(self, folder, **contents):
        for name, content in contents.items():
            self.file(f"{folder}/{name}", str(content))

    def directory(self, path):
        self.path(path).mkdir(parents=True, exist_ok=True)
        # Git keeps no empty folder.
        (self.path(path) / ".keep").touch()

    def link(self, path, target):
        full = self.path(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        if not full.is_symlink():
            full.symlink_to(os.path.relpath(self.path(target), full.parent))

    def module(self, name, **contents):
        self.file(f"/sys/module/{name}/initstate", "live")
        self.files(f"/sys/module/{name}", **contents)

    def process(self, number, name, limits="", cgroup=""):
        self.files(f"/proc/{number}", comm=name, limits=limits, cgroup=cgroup)

    def unix_socket(self, path):
        self.unix_sockets.append(f"0000000000000000: 00000002 00000000 00010000 0001 01 20001 {path}")

    # PCI -----------------------------------------------------------------------------------------
    def pci(self, path, vendor, device, code, driver=None, config=None, link=None, **contents):
        """`path` is that of the bridges and the function: "0000:3a:00.0/0000:3b:00.0"."""
        real = f"/sys/devices/pci{path[:7]}/{path}"
        address = path.split("/")[-1]
        self.files(real, vendor=f"0x{vendor:04x}", device=f"0x{device:04x}", **{"class": f"0x{code:06x}"})
        self.files(real, **contents)
        if link:
            speed, width, most_speed, most_width = link
            self.files(real, current_link_speed=speed, current_link_width=width,
                       max_link_speed=most_speed, max_link_width=most_width)
        self.file(f"{real}/config", config if config is not None else b"\x86" * 64)
        self.link(f"/sys/bus/pci/devices/{address}", real)
        if driver:
            self.directory(f"/sys/bus/pci/drivers/{driver}")
            self.link(f"{real}/driver", f"/sys/bus/pci/drivers/{driver}")
        return real

    def iommu(self, real, group, kind):
        self.file(f"/sys/kernel/iommu_groups/{group}/type", kind)
        self.link(f"{real}/iommu_group", f"/sys/kernel/iommu_groups/{group}")

    # Net devices ---------------------------------------------------------------------------------
    def net_device(self, name, index, address, device=None, dev_port=0, mtu=9000, up=True, kind=None,
                   data=(), member=(), lower=None, master=None, port_name=None, switch_id=None,
                   sysctl=(0, 0, 0, 0), max_mtu=9978, min_mtu=68, downs=1):
        real = f"{device or '/sys/devices/virtual'}/net/{name}"
        self.files(real, ifindex=index, type=1, dev_port=dev_port, mtu=mtu, address=address,
                   addr_assign_type=0 if device else 3, carrier_down_count=downs)
        if device:
            self.link(f"{real}/device", device)
            self.lldp[name] = "silent"
        self.link(f"/sys/class/net/{name}", real)
        for key, value in zip(("rp_filter", "arp_ignore", "arp_announce", "arp_filter"), sysctl):
            self.file(f"/proc/sys/net/ipv4/conf/{name}/{key}", str(value))
            self.file(f"/proc/sys/net/ipv4/conf/all/{key}", "0")
        if self.ipv6:
            self.file(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "0")
        flags = 0x1043 | (0x10000 if up else 0) if up is not None else 0x1002
        answer = struct.pack("<BBHiII", 0, 0, 1, index, flags, 0) + attribute(3, text(name))
        answer += attribute(4, u32(mtu)) + attribute(16, u8(6 if up else 2))
        answer += attribute(33, u8(1 if up else 0)) + attribute(1, mac(address))
        answer += attribute(50, u32(min_mtu)) + attribute(51, u32(max_mtu))
        if lower is not None:
            answer += attribute(5, u32(lower))
        if master is not None:
            answer += attribute(10, u32(master))
        if port_name:
            answer += attribute(38, text(port_name))
        if switch_id:
            answer += attribute(36, bytes.fromhex(switch_id))
        info = []
        if kind:
            info.append(attribute(1, text(kind)))
            info.append(attribute(2, b"".join(data)))
        if member:
            info.append(attribute(4, text("bond")))
            info.append(attribute(5, b"".join(member)))
        if info:
            answer += attribute(18, b"".join(info))
        self.links.append(answer)
        return real

    def virtual_functions(self, index, *functions):
        """What the device says of its function's virtual ones, each a dictionary; none: it shows none."""
        entries = []
        for number, row in enumerate(functions):
            key = u32(number)
            entries.append(attribute(1, b"".join((
                attribute(1, key + mac(row["mac"]) + bytes(26)),
                attribute(2, key + u32(row["vlan"]) + u32(row["priority"])),
                attribute(4, key + u32(row["spoof_check"])), attribute(5, key + u32(row["link_state"])),
                attribute(6, key + u32(row["least"]) + u32(row["most"])), attribute(9, key + u32(row["trust"])),
                attribute(12, attribute(1, key + u32(row["vlan"]) + u32(row["priority"]) +
                                        b"\x81\x00" + bytes(2)))))))
        question = struct.pack("<BBHiII", 0, 0, 0, index, 0, 0) + attribute(29, u32(9))
        answer = struct.pack("<BBHiII", 0, 0, 1, index, 0x11043, 0)
        if entries:
            answer += attribute(21, u32(len(entries))) + attribute(22, b"".join(entries))
        self.route.exchange(f"virtual functions of link {index}", 0x12, False, question, [(0x10, answer)])

    def address(self, index, prefix, tentative=False, dynamic=False):
        interface = ipaddress.ip_interface(prefix)
        if interface.version == 6 and not self.ipv6:
            return
        family_number = 2 if interface.version == 4 else 10
        scope = 253 if interface.ip.is_link_local else 0
        flags = (0x40 if tentative else 0) | (0 if dynamic else 0x80)
        answer = struct.pack("<BBBBi", family_number, interface.network.prefixlen, flags, scope, index)
        answer += attribute(1, interface.ip.packed)
        if interface.version == 4:
            answer += attribute(2, interface.ip.packed)
        self.addresses.append(answer)

    def add_route(self, index, prefix, gateway=None, source=None, metric=None, table=254, mtu=None):
        network = ipaddress.ip_network(prefix)
        family_number = 2 if network.version == 4 else 10
        answer = struct.pack("<BBBBBBBBI", family_number, network.prefixlen, 0, 0, table, 3, 0, 1, 0)
        answer += attribute(15, u32(table))
        if network.prefixlen:
            answer += attribute(1, network.network_address.packed)
        answer += attribute(4, u32(index))
        for kind, value in ((5, gateway), (7, source)):
            if value:
                answer += attribute(kind, ipaddress.ip_address(value).packed)
        if metric is not None:
            answer += attribute(6, u32(metric))
        if mtu:
            answer += attribute(8, attribute(2, u32(mtu)))
        self.routes.append((family_number, answer))

    def add_rule(self, priority, table, action=1, source=None, target=None, incoming=None, outgoing=None,
                 mark=None):
        sizes = [ipaddress.ip_network(prefix).prefixlen if prefix else 0 for prefix in (target, source)]
        answer = struct.pack("<BBBBBBBBI", 2, *sizes, 0, table, 0, 0, action, 0)
        answer += attribute(15, u32(table)) + attribute(6, u32(priority))
        for kind, prefix in ((1, target), (2, source)):
            if prefix:
                answer += attribute(kind, ipaddress.ip_network(prefix).network_address.packed)
        for kind, name in ((3, incoming), (17, outgoing)):
            if name:
                answer += attribute(kind, text(name))
        if mark is not None:
            answer += attribute(10, u32(mark))
        self.rules.append((0x20, answer))

    def neighbour(self, index, address, state, hardware=None):
        packed = ipaddress.ip_address(address).packed
        family_number = 2 if len(packed) == 4 else 10
        answer = struct.pack("<BBHiHBB", family_number, 0, 0, index, state, 0, 1) + attribute(1, packed)
        if hardware:
            answer += attribute(2, mac(hardware))
        self.neighbours.append((family_number, answer))

    # Ethernet ports ------------------------------------------------------------------------------
    def port(self, name, index, driver, version, firmware, bus, speed=None, lanes=None, fec=None,
             pause=None, statistics=None, module_error=EPERM, module=None, state=None, substate=None, autoneg=1,
             duplex=1, fec_auto=0):
        """What the ethtool interfaces say; None: the driver has no such operation."""
        def ask(command, flags, what, answer):
            question = generic(command, ethtool_header(name, flags=1 | flags))
            answers = [] if answer is None else [(ETHTOOL, answer)]
            self.generic.exchange(f"{what} of {name}", ETHTOOL, False, question, answers,
                                  EOPNOTSUPP if answer is None else 0)
        header = ethtool_header(name, index)
        modes = generic(4, header, attribute(2, u8(autoneg)), attribute(5, u32(speed or 0xffffffff)),
                        attribute(6, u8(duplex if speed else 255)),
                        *([attribute(9, u32(lanes))] if lanes else []))
        ask(4, 0, "link modes", modes)
        ask(6, 0, "link state", generic(6, header, attribute(2, u8(1 if speed else 0)),
                                        *([attribute(5, u8(state))] if state is not None else []),
                                        *([attribute(6, u8(substate))] if substate is not None else [])))
        if fec:
            configured, active, corrected, uncorrected = fec
            bits = sum(1 << bit for bit in configured)
            bitset = nest(2, attribute(2, u32(96)), attribute(4, bits.to_bytes(12, "little")))
            counts = nest(5, attribute(2, u64(corrected)), attribute(3, u64(uncorrected)))
            ask(29, 4, "fec", generic(30, header, bitset, attribute(3, u8(fec_auto)),
                                      attribute(4, u32(active)), counts))
        else:
            ask(29, 4, "fec", None)
        ask(21, 4, "pause", pause and generic(22, header, *(attribute(2 + i, u8(value))
                                                            for i, value in enumerate(pause))))
        self.ethtool += ethtool_driver(name, driver, version, firmware, bus)
        self.ethtool += ethtool_statistics(name, statistics or {})
        for offset in (0, 128):
            question = generic(31, nest(1, attribute(2, text(name))), attribute(2, u32(offset)),
                               attribute(3, u32(128)), attribute(4, u8(0)), attribute(6, u8(0x50)))
            answer = module and generic(32, header, attribute(7, module[offset:offset + 128]))
            self.generic.exchange(f"module of {name}", ETHTOOL, False, question,
                                  [(ETHTOOL, answer)] if answer else [], 0 if answer else module_error)

    def dcb(self, name, pfc=None, capable=8, app=(), dcbx=0x0d, ets=None, buffers=None, maxrate=None,
            willing=0, classes=8, receive=(0,) * 8, macsec=0, delay=7, peer=None):
        """`pfc` is the mask of priorities; None: no DCB. `app`: (selector, priority, protocol). `peer`: what firmware
        tells of the link partner: its ETS, its PFC (mask, capable classes, MACsec bypass, delay), its APP table,
        whether it is willing and for how many classes, and its bandwidth of reception."""
        question = struct.pack("<BBH", 0, 21, 0) + attribute(1, text(name))
        if pfc is None:
            self.route.exchange(f"dcb of {name}", 0x4e, False, question, error=EOPNOTSUPP)
            return
        def ets_table(willing, classes, receive, bandwidth, algorithm, class_of):
            return (bytes([willing, classes, 0]) + bytes(bandwidth) + bytes(receive) + bytes(algorithm) +
                    bytes(class_of) + bytes(24))

        def pfc_table(mask, capable, macsec, delay):
            return bytes([capable, mask, macsec, 0]) + u16(delay) + bytes(2) + bytes(128)

        def app_table(entries):
            return b"".join(attribute(1, struct.pack("<BBH", *entry)) for entry in entries)
        own = ets or ([0] * 8, [255] * 8, [1, 0, 2, 3, 4, 5, 6, 7])
        fields = [attribute(1, ets_table(willing, classes, receive, *own)),
                  attribute(2, pfc_table(pfc, capable, macsec, delay)), attribute(3, app_table(app))]
        if peer:
            their_ets, their_pfc, their_app, (their_willing, their_classes), their_receive = peer
            fields += [attribute(4, ets_table(their_willing, their_classes, their_receive, *their_ets)),
                       attribute(5, pfc_table(*their_pfc)), attribute(6, app_table(their_app))]
        if buffers:
            fields.append(attribute(10, bytes(buffers[0]) + b"".join(map(u32, buffers[1])) +
                                    u32(sum(buffers[1]))))
        if maxrate:
            fields.append(attribute(7, b"".join(map(u64, maxrate))))
        answer = struct.pack("<BBH", 0, 21, 0) + attribute(1, text(name))
        answer += attribute(13, b"".join(fields)) + attribute(14, u8(dcbx))
        self.route.exchange(f"dcb of {name}", 0x4e, False, question, [(0x4e, answer)])

    # devlink -------------------------------------------------------------------------------------
    def devlink(self, bus_address, driver=None, serial=None, fixed=(), running=(), stored=(),
                parameters=(), eswitch=EPERM):
        """`eswitch`: its mode, inline mode and encapsulation as far as the driver has them, an errno,
        or None where nobody asks (a virtual function)."""
        handle = attribute(1, text("pci")) + attribute(2, text(bus_address))
        what = f"devlink info of pci/{bus_address}"
        if driver is None:
            self.generic.exchange(what, DEVLINK, False, generic(51, handle), error=ENODEV)
        else:
            answer = generic(51, handle, attribute(98, text(driver)))
            if serial:
                answer += attribute(99, text(serial))
            for kind, versions in ((100, fixed), (101, running), (102, stored)):
                for name, value in versions:
                    answer += nest(kind, attribute(103, text(name)), attribute(104, text(value)))
            self.generic.exchange(what, DEVLINK, False, generic(51, handle), [(DEVLINK, answer)])
        if driver is not None and eswitch is not None:
            what = f"devlink eswitch of pci/{bus_address}"
            refused = isinstance(eswitch, int)
            answer = generic(29, handle) if refused else generic(29, handle, *(
                attribute(kind, pack(value)) for kind, pack, value in zip((25, 26, 62), (u16, u8, u8), eswitch)))
            self.generic.exchange(what, DEVLINK, False, generic(29, handle),
                                  [] if refused else [(DEVLINK, answer)], eswitch if refused else 0)
        known = dict(parameters)
        for name in ("enable_roce", "enable_rdma", "enable_iwarp", "enable_sriov"):
            question = generic(38, handle, attribute(81, text(name)))
            what = f"devlink parameter {name} of pci/{bus_address}"
            if name not in known:
                self.generic.exchange(what, DEVLINK, False, question,
                                      error=EINVAL if driver else ENODEV)
                continue
            mode, value = known[name]
            # A flag is true by being there.
            row = [attribute(87, u8(mode))] + ([attribute(86, b"")] if value else [])
            parameter = nest(80, attribute(81, text(name)), attribute(82, b""), attribute(83, u8(6)),
                             nest(84, nest(85, *row)))
            self.generic.exchange(what, DEVLINK, False, question,
                                  [(DEVLINK, generic(38, handle, parameter))])

    def health(self, *reporters):
        """(address, name, state, errors)"""
        answers = []
        for bus_address, name, state, errors in reporters:
            reporter = nest(114, attribute(115, text(name)), attribute(116, u8(state)),
                            attribute(117, u64(errors)), attribute(118, u64(errors)))
            answers.append((DEVLINK, generic(52, attribute(1, text("pci")),
                                             attribute(2, text(bus_address)), reporter)))
        self.generic.exchange("list of devlink health reporters", DEVLINK, True, generic(52), answers)

    def write(self, rdma_loaded=True):
        from rdma import write_rdma  # the other half of a host
        write_rdma(self, rdma_loaded)
        route = self.route
        route.exchange("list of links", 0x12, True, bytes(16) + attribute(29, u32(8)),
                       [(0x10, link) for link in self.links])
        route.exchange("list of addresses", 0x16, True, bytes(8),
                       [(0x14, address) for address in self.addresses])
        for number in (2, 10):
            # Without IPv6 the kernel knows no rules of it, answers for its routes with those of all families, and
            # has no neighbours (net/core/fib_rules.c, rtnetlink.c, neighbour.c).
            without = number == 10 and not self.ipv6
            refused = EAFNOSUPPORT if without else 0
            rules = []
            for priority, table in ((0, 255), (32766, 254)):
                rules.append((0x20, struct.pack("<BBBBBBBBI", number, 0, 0, 0, table, 0, 0, 1, 0) +
                              attribute(15, u32(table)) + attribute(6, u32(priority))))
            if number == 2:
                rules += self.rules
            route.exchange("list of routing rules", 0x22, True, bytes([number]) + bytes(11),
                           [] if refused else rules, refused)
            route.exchange("list of routes", 0x1a, True, bytes([number]) + bytes(11),
                           [(0x18, row) for kind, row in self.routes if kind == number or without])
            route.exchange("list of neighbours", 0x1e, True, bytes([number]) + bytes(11),
                           [(0x1c, row) for kind, row in self.neighbours if kind == number])
        self.file("/proc/net/unix", "\n".join(self.unix_sockets))
        heard = []
        for name, said in self.lldp.items():
            frames = [] if said == "silent" else [said] if isinstance(said, str) else said
            heard += [f"heard {name} {frame}" for frame in frames] or [f"silent {name}"]
        self.file("/lldp.txt", "\n".join(heard))
        self.file("/route.txt", route.text())
        self.file("/generic.txt", self.generic.text())
        self.file("/ethtool.txt", self.ethtool)
        self.file("/verbs.txt", self.verbs)
