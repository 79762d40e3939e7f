#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_large.py IN.dat OUT.dat BYTES - a large recording out of a small one

IN is version 7 without compression, little-endian, 64-bit, one buffer, its data at the end of the
file ('tc-record --compression=none' makes such). Each CPU's sub-buffers are repeated until OUT has about BYTES;
each time round they are later by what the recording lasts, so that time goes on.
"""
import struct
import sys

OPTIONS, BUFFER = 0, 3


def options(data, at):
    """id, offset of the payload and its size of each option, all sections"""
    while at:
        _, flags, _, size = struct.unpack_from("<HHiQ", data, at)
        assert not flags & 1, "compressed options"
        p, end, at = at + 16, at + 16 + size, 0
        while p < end:
            oid, size = struct.unpack_from("<HI", data, p)
            p += 6
            if oid == OPTIONS:
                at = struct.unpack_from("<Q", data, p)[0]
                break
            yield oid, p, size
            p += size


def read(data):
    """where the BUFFER section is, where its cpus are described, and [cpu, offset, size]"""
    assert data[:12] == b"\x17\x08\x44tracing7\0" and data[12] == 0, "not version 7"
    p = 12 + 2 + 4
    page_size = struct.unpack_from("<I", data, 14)[0]
    for _ in range(2):
        p = data.index(b"\0", p) + 1
    for oid, at, _ in options(data, struct.unpack_from("<Q", data, p)[0]):
        if oid != BUFFER:
            continue
        section = struct.unpack_from("<Q", data, at)[0]
        q = at + 8
        for _ in range(2):
            q = data.index(b"\0", q) + 1
        _, n = struct.unpack_from("<II", data, q)
        places = [q + 8 + 20 * i for i in range(n)]
        return page_size, section, places
    raise SystemExit("no buffer")


def main():
    src, out, want = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(src, "rb") as f:
        data = bytearray(f.read())
    page_size, section, places = read(data)
    cpus = [struct.unpack_from("<IQQ", data, at) for at in places]
    first = min(c[1] for c in cpus)
    stamps = [struct.unpack_from("<Q", data, c[1] + i)[0]
              for c in cpus for i in range(0, c[2], page_size)]
    last = max(stamps)
    # the last sub-buffer lasts a while, too
    step = (last - min(stamps)) * 11 // 10 + 1000000000
    times = max(1, (want - first) // sum(c[2] for c in cpus))
    at = first
    for place, (cpu, _, size) in zip(places, cpus):
        struct.pack_into("<IQQ", data, place, cpu, at, size * times)
        at += size * times
    struct.pack_into("<Q", data, section + 8, at - section - 16)
    with open(out, "wb") as f:
        f.write(data[:first])
        for _, offset, size in cpus:
            block = bytearray(data[offset:offset + size])
            for _ in range(times):
                f.write(block)
                for i in range(0, size, page_size):
                    ts = struct.unpack_from("<Q", block, i)[0]
                    struct.pack_into("<Q", block, i, ts + step)


main()
