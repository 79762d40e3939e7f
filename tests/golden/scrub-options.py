#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scrub-options.py FLAT OUT [KIND] - statistics of two CPUs become other options

KIND: "guest", maps of a process and a guest (the default); "values", maps and what numbers of a probe mean;
"unknown", two options that nobody knows.
FLAT: not compressed, little-endian. The options keep their sizes, so nothing else moves.
"""
import struct
import sys

CPUSTAT, PROCMAPS, GUEST, VALUES = 2, 10, 13, 0x7C04
UNKNOWN = 26, 0x7BFF
MAPS = b"4d2 2 /home/bob/s\n55d0a1b2c000 55d0a1b2d000 /home/bob/bin/secretd\n"
GUEST_OF = b"customer1\0" + struct.pack("<QIII", 7, 1, 0, 1234)
VALUES_OF = struct.pack("<I", 0x01020304) + b"sys:e\0f\0" + struct.pack("<IIQ", 1, 1, 7) + b"secretd\0"
KINDS = {
    "guest": ((PROCMAPS, MAPS), (GUEST, GUEST_OF)),
    "values": ((PROCMAPS, MAPS), (VALUES, VALUES_OF)),
    "unknown": ((UNKNOWN[0], MAPS), (UNKNOWN[1], MAPS)),
}

with open(sys.argv[1], "rb") as f:
    data = bytearray(f.read())
for begin, (option, payload) in zip((b"CPU: 0\n", b"CPU: 1\n"), KINDS[(sys.argv[3:] or ["guest"])[0]]):
    at = data.index(begin)
    was, size = struct.unpack_from("<HI", data, at - 6)
    assert was == CPUSTAT and size >= len(payload)
    struct.pack_into("<H", data, at - 6, option)
    data[at:at + size] = payload.ljust(size, b"\0")
with open(sys.argv[2], "wb") as f:
    f.write(data)
