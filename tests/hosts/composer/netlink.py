# SPDX-License-Identifier: Apache-2.0
"""Bytes of netlink messages and ethtool buffers, little-endian, as a kernel answers them."""
import struct


def u8(value):
    return struct.pack("<B", value)


def u16(value):
    return struct.pack("<H", value)


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def text(value):
    return value.encode() + b"\0"


def mac(value):
    return bytes(int(part, 16) for part in value.split(":"))


def attribute(kind, payload):
    """One struct nlattr, padded to four bytes."""
    length = 4 + len(payload)
    return struct.pack("<HH", length, kind) + payload + b"\0" * (-length % 4)


def nest(kind, *attributes):
    return attribute(kind | 0x8000, b"".join(attributes))


class Recording:
    """A file of exchanges (agent/netlink/recorded_transport.h)."""

    def __init__(self):
        self.lines = ["# composed, not recorded"]

    def exchange(self, what, kind, dump, question, answers=(), error=0):
        self.lines.append(f"# {what}")
        self.lines.append(f"ask 0x{kind:04x} {'dump' if dump else 'do'} {question.hex()}")
        flags = 2 if dump else 0
        for answer_kind, payload in answers:
            self.lines.append(f"answer 0x{answer_kind:04x} 0x{flags:04x} {payload.hex()}")
        if error:
            self.lines.append(f"error {error}")

    def text(self):
        return "\n".join(self.lines) + "\n"


# Generic netlink families of a composed host: their numbers are given out at run time.
ETHTOOL, DEVLINK = 0x14, 0x15


def generic(command, *attributes):
    return struct.pack("<BBH", command, 1, 0) + b"".join(attributes)


def family(recording, name, number, error=0):
    question = generic(3, attribute(2, text(name)))
    answer = struct.pack("<BBH", 1, 2, 0) + attribute(2, text(name)) + attribute(1, u16(number))
    answer += attribute(3, u32(1))
    recording.exchange(f"generic netlink family {name}", 0x10, False, question,
                       [] if error else [(0x10, answer)], error)


def ethtool_header(name, index=None, flags=None):
    fields = [] if index is None else [attribute(1, u32(index))]
    fields.append(attribute(2, text(name)))
    if flags is not None:
        fields.append(attribute(3, u32(flags)))
    return nest(1, *fields)


# Private statistics and driver names: ethtool.txt.
def ethtool_driver(name, driver, version, firmware, bus):
    buffer = u32(3) + driver.encode().ljust(32, b"\0") + version.encode().ljust(32, b"\0")
    buffer += firmware.encode().ljust(32, b"\0") + bus.encode().ljust(32, b"\0")
    return f"ask {name} 03\nanswer {buffer.hex()}\n"


def ethtool_statistics(name, statistics):
    """Without statistics the driver answers that it has no such string set."""
    def line(buffer):
        return buffer.rstrip(b"\0").hex()
    count = u32(len(statistics))
    sets = u32(0x37) + u32(0) + u64(2 if statistics else 0)
    lines = [f"ask {name} {line(u32(0x37) + u32(0) + u64(2))}", f"answer {line(sets + count)}"]
    if statistics:
        names = b"".join(key.encode().ljust(32, b"\0") for key in statistics)
        values = b"".join(u64(value) for value in statistics.values())
        question = u32(0x1b) + u32(1) + count
        lines += [f"ask {name} {line(question)}", f"answer {line(question + names)}"]
        question = u32(0x1d) + count
        lines += [f"ask {name} {line(question)}", f"answer {line(question + values)}"]
    return "\n".join(lines) + "\n"
