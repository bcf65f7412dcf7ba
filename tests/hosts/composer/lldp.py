# SPDX-License-Identifier: Apache-2.0
"""Frames of LLDP speakers (IEEE 802.1AB; DCBX by IEEE 802.1Qaz and CEE 1.01), big-endian, as hexadecimal."""
import ipaddress
import struct

IEEE_8021, IEEE_8023, INTEL = bytes.fromhex("0080c2"), bytes.fromhex("00120f"), bytes.fromhex("001b21")
NEAREST_BRIDGE, NEAREST_NON_TPMR = "0180c200000e", "0180c2000003"


def tlv(kind, value):
    return struct.pack(">H", kind << 9 | len(value)) + value


def organisation(oui, subtype, value):
    return tlv(127, oui + bytes([subtype]) + value)


def frame(source, chassis, port, seconds, *tlvs, destination=NEAREST_BRIDGE):
    """`chassis` and `port`: (subtype, bytes)."""
    said = b"".join(tlv(kind, bytes([subtype]) + value) for kind, (subtype, value) in ((1, chassis), (2, port)))
    said += tlv(3, struct.pack(">H", seconds)) + b"".join(tlvs) + tlv(0, b"")
    return (bytes.fromhex(destination + source.replace(":", "") + "88cc") + said).hex()


def texts(port_description, name, description):
    return b"".join(tlv(kind, word.encode()) for kind, word in ((4, port_description), (5, name), (6, description)))


def capabilities(enabled):
    return tlv(7, struct.pack(">HH", 0xffff, enabled))


def management(address):
    packed = ipaddress.ip_address(address).packed
    kind = 1 if len(packed) == 4 else 2
    return tlv(8, bytes([len(packed) + 1, kind]) + packed + bytes([2]) + struct.pack(">I", 7) + bytes(1))


def port_vlan(number):
    return organisation(IEEE_8021, 1, struct.pack(">H", number))


def vlan_name(number, name):
    return organisation(IEEE_8021, 3, struct.pack(">HB", number, len(name)) + name.encode())


def aggregation(bits, port):
    return organisation(IEEE_8021, 7, struct.pack(">BI", bits, port))


def frame_size(size):
    return organisation(IEEE_8023, 4, struct.pack(">H", size))


def nibbles(values):
    """Priority 0 is the top one."""
    return struct.pack(">I", sum(value << 28 - 4 * place for place, value in enumerate(values)))


def ets(first, classes, bandwidth, algorithm, subtype=9):
    return organisation(IEEE_8021, subtype, bytes([first]) + nibbles(classes) + bytes(bandwidth) + bytes(algorithm))


def ets_recommendation(classes, bandwidth, algorithm):
    return ets(0, classes, bandwidth, algorithm, 10)


def pfc(first, priorities):
    return organisation(IEEE_8021, 11, bytes([first, priorities]))


def app(*entries):
    """(priority, selector, protocol)"""
    return organisation(IEEE_8021, 12, bytes(1) + b"".join(
        struct.pack(">BH", priority << 5 | selector, protocol) for priority, selector, protocol in entries))


def cee(groups=None, priorities=None, applications=None):
    """Each: (flags, rest). Flags: 0x80 enabled, 0x40 willing, 0x20 error. Groups: the group of each priority,
    bandwidths, number of classes; PFC: bitmap, number of classes; applications: (protocol, selector, bitmap)."""
    def feature(kind, flags, value):
        return tlv(kind, bytes([0, 0, flags, 0]) + value)
    said = tlv(1, struct.pack(">BBII", 0, 0, 1, 1))
    if groups:
        flags, of_priority, bandwidth, classes = groups
        said += feature(2, flags, nibbles(of_priority) + bytes(bandwidth) + bytes([classes]))
    if priorities:
        flags, bitmap, classes = priorities
        said += feature(3, flags, bytes([bitmap, classes]))
    if applications:
        flags, *entries = applications
        said += feature(4, flags, b"".join(struct.pack(">HBHB", protocol, selector, 0x1b21, bitmap)
                                           for protocol, selector, bitmap in entries))
    return organisation(INTEL, 2, said)


def cin():
    """DCBX before CEE: recognised, not read."""
    return organisation(INTEL, 1, bytes(8))
