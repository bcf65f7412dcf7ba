# SPDX-License-Identifier: Apache-2.0
"""Pieces that several composed hosts share."""
import struct

from netlink import Recording, attribute, nest, text, u8, u16, u32


def config_space(payload=512, request=4096, relaxed=True, acs=None):
    """4096 bytes as root reads them: a PCI Express capability at 0x60, ACS at 0x100 where wanted."""
    space = bytearray(4096)
    space[0x06] = 0x10
    space[0x34] = 0x60
    space[0x60] = 0x10
    control = (payload // 128).bit_length() - 1 << 5 | (request // 128).bit_length() - 1 << 12
    control |= 0x10 if relaxed else 0
    struct.pack_into("<H", space, 0x68, control)
    if acs is not None:
        struct.pack_into("<IHH", space, 0x100, 0x0d | 1 << 16, 0x5f, acs)
    return bytes(space)


# A frame of lldpd 1.0.16 that speaks as a leaf, without DCBX (tests/unit/agent/lldp/frames.h).
PLAIN_LEAF = (
    "0180c200000e525400aa000188cc020704525400aa000104050765747031060200040a056c656166310c1c534f4e69432053"
    "6f6674776172652056657273696f6e3a20746573740e04009c0080100c0501c000020102000000030010181102fe80000000"
    "000000505400fffebb000102000000020008027641fe0900120f030100000000fe0900120f0100800000360000")
DCBX_LEAF = (
    "0180c200000e525400aa000188cc020704525400aa000104050765747031060200040a056c656166310c1c534f4e69432053"
    "6f6674776172652056657273696f6e3a20746573740e04009c0080100c0501c000020102000000030010181102fe80000000"
    "000000505400fffebb000102000000020008027641fe0900120f030100000000fe0900120f010080000036fe060080c20b08"
    "08fe190080c209000001000032320000000000000202000000000000fe190080c20a00000100003232000000000000020200"
    "0000000000fe0b0080c20c006312b765001afe0600120f042400fe0b0080c203006404526f4345fe18001b2102020a000000"
    "0000010000000106060000800008080000")

GEN5_X16 = ("32.0 GT/s PCIe", 16, "32.0 GT/s PCIe", 16)
GEN4_X16 = ("16.0 GT/s PCIe", 16, "16.0 GT/s PCIe", 16)
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max open files            {files}               {most}               files
Max locked memory         {memory}            {memory}            bytes
"""


def limits(memory="unlimited", files=1048576, most=1048576):
    return LIMITS.format(memory=memory, files=files, most=most)


def build_id(number):
    """The ELF note that /sys/module/NAME/notes/.note.gnu.build-id holds."""
    return struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(number, number + 20))


def module_file(number):
    """A file with nothing but the two sections that are read."""
    names = b"\0.note.gnu.build-id\0.modinfo\0.shstrtab\0"
    note = build_id(number)
    info = f"license=Dual BSD/GPL\0srcversion=A{number:08d}\0".encode()
    offset = 64
    sections = [struct.pack("<IIQQQQIIQQ", *[0] * 10)]
    body = b""
    for name, data in ((".note.gnu.build-id", note), (".modinfo", info), (".shstrtab", names)):
        sections.append(struct.pack("<IIQQQQIIQQ", names.index(name.encode()), 1, 0, 0,
                                    offset + len(body), len(data), 0, 0, 1, 0))
        body += data
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, offset + len(body), 0, 64, 0, 0, 64, 4, 3)
    return header + body + b"".join(sections)


def aer(host, real, correctable=0, nonfatal=0, fatal=0):
    host.file(f"{real}/aer_dev_correctable", f"RxErr {correctable}\nTOTAL_ERR_COR {correctable}")
    host.file(f"{real}/aer_dev_nonfatal", f"CmpltTO {nonfatal}\nTOTAL_ERR_NONFATAL {nonfatal}")
    host.file(f"{real}/aer_dev_fatal", f"DLP {fatal}\nTOTAL_ERR_FATAL {fatal}")


def cm_counters(host, device, retries=0):
    """`device` is the folder of an RDMA device."""
    for folder in ("cm_tx_retries", "cm_rx_duplicates", "cm_rx_msgs"):
        for name in ("req", "rep", "rej"):
            host.file(f"{device}/ports/1/{folder}/{name}",
                      str(retries if (folder, name) == ("cm_tx_retries", "req") else 0))


def cable(serial, alarms=0):
    """The memory of an OSFP cable of two metres (CMIS)."""
    memory = bytearray(256)
    memory[0], memory[9], memory[202] = 0x19, alarms, 0x40 | 2
    for offset, word in ((129, "Composed"), (148, "CABLE-800"), (166, serial)):
        memory[offset:offset + 16] = word.encode().ljust(16)
    memory[164:166] = b"A2"
    return bytes(memory)


def qsfp(serial, alarms=0):
    """The memory of a QSFP28 cable of five metres (SFF-8636)."""
    memory = bytearray(256)
    memory[0], memory[6], memory[130], memory[146] = 0x11, alarms, 0x23, 5
    for offset, word in ((148, "Example"), (168, "CABLE-100"), (196, serial)):
        memory[offset:offset + 16] = word.encode().ljust(16)
    memory[184:186] = b"B0"
    return bytes(memory)


# The names of mlx5 in kernel 6.1 that matter here.
MLX5_COUNTERS = ("rx_write_requests", "rx_read_requests", "out_of_buffer", "out_of_sequence",
                 "duplicate_request", "rnr_nak_retry_err", "packet_seq_err", "implied_nak_seq_err",
                 "local_ack_timeout_err", "rp_cnp_ignored", "rp_cnp_handled",
                 "np_ecn_marked_roce_packets", "np_cnp_sent", "roce_slow_restart",
                 "rx_icrc_encapsulated")


def mlx5_counters(**values):
    return {name: values.get(name, 0) for name in MLX5_COUNTERS}


def mlx5_statistics(priority=3, pause=0, discards=0, downs=0):
    statistics = {"rx_bytes_phy": 91234567890, "link_down_events_phy": downs,
                  "rx_discards_phy": discards, "tx_discards_phy": 0, "rx_pcs_symbol_err_phy": 0}
    for number in range(8):
        statistics[f"rx_prio{number}_bytes"] = 1000 * number
        statistics[f"rx_prio{number}_discards"] = 0
    statistics[f"rx_prio{priority}_pause"] = pause
    statistics[f"tx_prio{priority}_pause"] = 0
    return statistics


# netfilter.txt: (family, table, name, hook, policy) and (family, table, chain, port, verdict[, more]), where more is
# the chain to go to, the network that the rule asks for, and an address it asks for.
def packet_filter(host, chains, rules):
    def big(value):
        return struct.pack(">I", value & 0xffffffff)
    host.module("nf_tables")
    recording = Recording()
    question = bytes(4)
    answers = []
    for number, table, name, hook, policy in chains:
        row = bytes([number, 0, 0, 0]) + attribute(1, text(table)) + attribute(3, text(name))
        row += nest(4, attribute(1, big(hook)), attribute(2, big(0))) + attribute(5, big(policy))
        answers.append((0x0a03, row))
    recording.exchange("list of packet filter chains", 0x0a04, True, question, answers)
    answers = []
    for number, table, chain, port, verdict, *more in rules:
        more = more[0] if more else {}
        def expression(name, *data):
            return nest(1, attribute(1, text(name)), nest(2, *data))
        def compare(value):
            return expression("cmp", attribute(1, big(1)), attribute(2, big(0)), nest(3, attribute(1, value)))
        first = b""
        if "network" in more:
            first += expression("meta", attribute(2, big(15)), attribute(1, big(1))) + compare(u8(more["network"]))
        if "source" in more:
            first += expression("payload", attribute(1, big(1)), attribute(2, big(1)), attribute(3, big(12)),
                                attribute(4, big(4))) + compare(bytes(more["source"]))
        target = [attribute(2, text(more["target"]))] if "target" in more else []
        expressions = nest(
            4, first, expression("meta", attribute(2, big(16)), attribute(1, big(1))),
            expression("cmp", attribute(1, big(1)), attribute(2, big(0)), nest(3, attribute(1, u8(17)))),
            expression("payload", attribute(1, big(1)), attribute(2, big(2)), attribute(3, big(2)),
                       attribute(4, big(2))),
            expression("cmp", attribute(1, big(1)), attribute(2, big(0)),
                       nest(3, attribute(1, struct.pack(">H", port)))),
            expression("immediate", attribute(1, big(0)),
                       nest(2, nest(2, attribute(1, big(verdict)), *target))))
        row = bytes([number, 0, 0, 0]) + attribute(1, text(table)) + attribute(2, text(chain))
        answers.append((0x0a06, row + expressions))
    recording.exchange("list of packet filter rules", 0x0a07, True, question, answers)
    tables = sorted({(number, table) for number, table, *_ in chains})
    answers = [(0x0a00, bytes([number, 0, 0, 0]) + attribute(1, text(table)) + attribute(2, big(0)))
               for number, table in tables]
    recording.exchange("list of packet filter tables", 0x0a01, True, question, answers)
    host.file("/netfilter.txt", recording.text())


def bond_data(mode, policy, active=None, ports=None, partner="00:00:00:00:00:00", fast=False, miimon=100,
              min_links=0):
    fields = [attribute(1, u8(mode)), attribute(3, u32(miimon)), attribute(14, u8(policy)),
              attribute(18, u32(min_links)), attribute(21, u8(1 if fast else 0))]
    if active is not None:
        fields.append(attribute(2, u32(active)))
    if ports is not None:
        fields.append(attribute(23, b"".join([
            attribute(1, struct.pack("<H", 1)), attribute(2, struct.pack("<H", ports)),
            attribute(5, bytes(int(part, 16) for part in partner.split(":")))])))
    return fields


def bond_member(state, mii, aggregator=None, actor=None, partner=None):
    fields = [attribute(1, u8(state)), attribute(2, u8(mii)), attribute(3, u32(0))]
    if aggregator is not None:
        fields.append(attribute(6, struct.pack("<H", aggregator)))
    if actor is not None:
        fields += [attribute(7, u8(actor)), attribute(8, struct.pack("<H", partner))]
    return fields


def vlan(number, egress, ingress=(), protocol=b"\x81\x00"):
    def maps(kind, rows):
        mappings = (attribute(1, u32(start) + u32(end)) for start, end in rows)
        return [attribute(kind, b"".join(mappings))] if rows else []
    return [attribute(1, u16(number)), attribute(5, protocol),
            attribute(2, u32(1) + u32(0xffffffff)), *maps(3, egress), *maps(4, ingress)]
