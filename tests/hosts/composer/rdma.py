# SPDX-License-Identifier: Apache-2.0
"""RDMA devices of a composed host: files, RDMA netlink, verbs."""
import ipaddress

from netlink import attribute, nest, text, u8, u32, u64

EINVAL, EPROTONOSUPPORT, EOPNOTSUPP = 22, 93, 95


class RdmaDevice:
    """One device with one port, on a net device."""

    def __init__(self, name, guid, net_device, index, firmware=None, counters=None, optional=(),
                 active_mtu=4096, state=4, physical=5, gids=(), table=256, vendor=0x2c9, part=0,
                 users=(), points=None, cm_ids=(), node_mode=0o666, lifespan=10):
        self.name, self.guid, self.net_device, self.index = name, guid, net_device, index
        self.firmware, self.counters, self.optional = firmware, counters, optional
        self.active_mtu, self.state, self.physical = active_mtu, state, physical
        self.gids, self.table, self.vendor, self.part = gids, table, vendor, part
        # (name of the kernel part or None, process number, state of the queue pair)
        self.users, self.cm_ids = users, cm_ids
        # Of the values in its hw_counters, in milliseconds.
        self.lifespan = lifespan
        # Of its uverbs node; a checkout does not keep it.
        self.node_mode = node_mode
        # (notification, reaction) as masks of priorities, by DEVX; None: the firmware refuses.
        self.points = points


def gid_bytes(address):
    address = ipaddress.ip_address(address)
    return address.packed if address.version == 6 else bytes(10) + b"\xff\xff" + address.packed


def add_rdma_device(host, device, folder, rdma):
    """`folder` is that of its PCI function."""
    number = len(host.rdma_devices)
    real = f"{folder}/infiniband/{rdma.name}"
    host.files(real, node_guid=f"{rdma.guid}", fw_ver=rdma.firmware or "")
    host.files(real, **device)
    host.files(f"{real}/ports/1", link_layer="Ethernet", state="4: ACTIVE")
    if rdma.counters is not None:
        host.files(f"{real}/ports/1/hw_counters", lifespan=rdma.lifespan)
    host.link(f"{real}/device", folder)
    host.link(f"/sys/class/infiniband/{rdma.name}", real)
    host.file(f"/sys/class/infiniband_verbs/uverbs{number}/ibdev", rdma.name)
    host.file(f"/dev/infiniband/uverbs{number}", "")
    host.path(f"/dev/infiniband/uverbs{number}").chmod(rdma.node_mode)
    host.rdma_devices.append(rdma)
    return real


def counter_nest(counters):
    return nest(80, *(nest(81, attribute(82, text(name)), attribute(83, u64(value)))
                      for name, value in counters.items()))


def write_device(recording, number, rdma):
    key = attribute(1, u32(number)) + attribute(2, text(rdma.name))
    port = attribute(1, u32(number)) + attribute(3, u32(1))
    guid = int(rdma.guid.replace(":", ""), 16)
    row = key + attribute(3, u32(1)) + attribute(6, u64(guid)) + attribute(7, u64(guid))
    row += attribute(14, u8(1)) + attribute(67, text("roce"))
    if rdma.firmware:
        row += attribute(5, text(rdma.firmware))
    answer = key + attribute(3, u32(1)) + attribute(12, u8(rdma.state)) + attribute(13, u8(rdma.physical))
    if rdma.net_device:
        answer += attribute(50, u32(rdma.index)) + attribute(51, text(rdma.net_device))
    recording.exchange("rdma port", 0x1405, False, port, [(0x1401, answer)])
    if rdma.counters is None:
        recording.exchange("counters", 0x1411, False, port, error=EINVAL)
        recording.exchange("counter states", 0x1418, False, port, error=EINVAL)
    else:
        body = key + attribute(3, u32(1))
        recording.exchange("counters", 0x1411, False, port,
                           [(0x1411, body + counter_nest(rdma.counters))])
        states = [nest(81, attribute(82, text(name)), attribute(94, u32(place)))
                  for place, name in enumerate(rdma.counters)]
        states += [nest(81, attribute(82, text(name)), attribute(94, u32(len(states) + place)),
                        attribute(95, u8(on))) for place, (name, on) in enumerate(rdma.optional)]
        recording.exchange("counter states", 0x1418, False, port,
                           [(0x1418, body + nest(80, *states))])
    pairs = []
    for place, (kernel, process, state) in enumerate(rdma.users):
        owner = attribute(29, text(kernel)) if kernel else attribute(28, u32(process))
        pairs.append(nest(20, attribute(3, u32(1)), attribute(21, u32(place + 1)), owner,
                          attribute(26, u8(2)), attribute(27, u8(state))))
    recording.exchange("queue pairs", 0x140a, True, attribute(1, u32(number)),
                       [(0x140a, key + nest(19, *pairs))])
    recording.exchange("connection ids", 0x140b, True, attribute(1, u32(number)),
                       [(0x140b, key + nest(30, *(nest(31, attribute(29, text(owner)), attribute(32, u32(0x106)))
                                                  for owner in rdma.cm_ids)))])
    counts = {"pd": 3, "cq": 5, "qp": len(rdma.users), "cm_id": len(rdma.cm_ids), "mr": 2 * len(rdma.users), "ctx": 1}
    recording.exchange("resources", 0x1409, False, attribute(1, u32(number)), [
        (0x1409, key + nest(15, *(nest(16, attribute(17, text(kind)), attribute(18, u64(count)))
                                  for kind, count in counts.items())))])
    return row


def verbs_text(rdma):
    lines = [f"device {rdma.name} {rdma.vendor} {rdma.part} 262144 16777216"]
    for place, (address, kind, net_index) in enumerate(rdma.gids):
        lines.append(f"gid 1 {place} {gid_bytes(address).hex()} {kind} {net_index}")
    lines += [f"ports {rdma.name}", f"port 1 {rdma.active_mtu} 4096 {rdma.table} 2 0"]
    if rdma.name.startswith("mlx5"):
        lines.append(f"points {rdma.name} {rdma.points[0]} {rdma.points[1]}" if rdma.points
                     else f"no-points {rdma.name} {EOPNOTSUPP}")
    return "\n".join(lines) + "\n"


def write_rdma(host, loaded):
    if not loaded:
        host.file("/rdma.txt", f"closed {EPROTONOSUPPORT}")
        return
    host.directory("/sys/class/infiniband")
    rows = []
    for number, rdma in enumerate(host.rdma_devices):
        rows.append((0x1401, write_device(host.rdma, number, rdma)))
        host.verbs += verbs_text(rdma)
    host.rdma.exchange("list of rdma devices", 0x1401, True, b"", rows)
    system = attribute(66, u8(host.netns_mode)) + attribute(93, u8(host.copy_on_fork))
    host.rdma.exchange("rdma system", 0x1406, False, b"", [(0x1406, system)])
    host.file("/rdma.txt", host.rdma.text())
