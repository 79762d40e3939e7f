#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scrub-options.py FLAT OUT - statistics of two CPUs become maps of a process and a guest

FLAT: not compressed, little-endian. The options keep their sizes, so nothing else moves.
"""
import struct
import sys

CPUSTAT, PROCMAPS, GUEST = 2, 10, 13
MAPS = b"4d2 2 /home/bob/s\n55d0a1b2c000 55d0a1b2d000 /home/bob/bin/secretd\n"
GUEST_OF = b"customer1\0" + struct.pack("<QIII", 7, 1, 0, 1234)

with open(sys.argv[1], "rb") as f:
    data = bytearray(f.read())
for begin, option, payload in ((b"CPU: 0\n", PROCMAPS, MAPS), (b"CPU: 1\n", GUEST, GUEST_OF)):
    at = data.index(begin)
    was, size = struct.unpack_from("<HI", data, at - 6)
    assert was == CPUSTAT and size >= len(payload)
    struct.pack_into("<H", data, at - 6, option)
    data[at:at + size] = payload.ljust(size, b"\0")
with open(sys.argv[2], "wb") as f:
    f.write(data)
