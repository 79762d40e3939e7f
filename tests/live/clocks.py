#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
clocks.py pairs FILE
    the clock pairs of a recording (option 0x7c12), each once: trace clock, realtime, bound, method
clocks.py shift IN OUT OFFSET PPM HOST [JITTER]
    rewrite a recording (version 7, not compressed) as if its host's trace clock were OFFSET ns ahead
    and gained PPM; stamps of events and of clock pairs change, the times they happened at do not.
    HOST becomes the name of the host (UNAME), and the boot id another one. Its CLOCK_REALTIME is
    called synchronized, with an error of at most JITTER ns (0), and is wrong by half of that.
clocks.py ahead IN OUT OFFSET HOST
    the same for a recording whose clock pairs have been made by a clock that is OFFSET ns ahead: only the stamps of
    its events change, and the names of host and boot

Shares nothing with the product: the format is read as trace.dat(5) and the kernel's ring_buffer.h
have it.
"""
import struct
import sys

OPTION_UNAME, OPTION_BUFFER, SEGMENTS, CLOCKS = 5, 3, 0x7C02, 0x7C12
MARK = struct.pack("<I", 0x01020304)
PAIR = "<3Q4I2Q"


def strz(data, at):
    end = data.index(b"\0", at)
    return data[at:end], end + 1


def options(data):
    """(id, offset of the bytes, size) of all options"""
    assert data[:10] == b"\x17\x08\x44tracing"
    version, at = strz(data, 10)
    assert version == b"7" and data[at] == 0, "a little-endian file of version 7"
    codec, at = strz(data, at + 6)
    _, at = strz(data, at)
    (section,) = struct.unpack_from("<Q", data, at)
    while section:
        _, flags, _, size = struct.unpack_from("<HHIQ", data, section)
        at, end, section = section + 16, section + 16 + size, 0
        if flags & 1:
            import zlib
            raise SystemExit("option sections are compressed: record with --compression none")
        while at < end:
            number, length = struct.unpack_from("<HI", data, at)
            if number == 0:
                (section,) = struct.unpack_from("<Q", data, at + 6)
                break
            yield number, at + 6, length
            at += 6 + length


def records(data, at, size):
    """(type, offset, size) of the records of a private option"""
    assert data[at:at + 4] == MARK
    end, at = at + size, at + 4
    while at < end:
        kind, length = struct.unpack_from("<HI", data, at)
        yield kind, at + 6, length
        at += 6 + length


def pair_places(data):
    for number, at, size in options(data):
        if number == CLOCKS:
            for kind, where, _ in records(data, at, size):
                if kind == 1:
                    yield where


def pages(data):
    for number, at, _ in options(data):
        if number != OPTION_BUFFER:
            continue
        _, at = strz(data, at + 8)
        _, at = strz(data, at)
        page, cpus = struct.unpack_from("<II", data, at)
        for i in range(cpus):
            _, off, size = struct.unpack_from("<IQQ", data, at + 8 + 20 * i)
            for start in range(off, off + size, page):
                yield start


def shift_page(data, start, clock):
    old, commit = struct.unpack_from("<QQ", data, start)
    at, end = start + 16, start + 16 + (commit & 0x7FFFFFF)
    new = clock(old)
    struct.pack_into("<Q", data, start, new)
    while at < end:
        (word,) = struct.unpack_from("<I", data, at)
        kind, delta, size = word & 31, word >> 5, 4
        high = 0
        if kind == 29 and delta == 0:
            break
        if kind in (0, 29, 30, 31):
            (high,) = struct.unpack_from("<I", data, at + 4)
        if kind == 31:
            old = (old & ~((1 << 59) - 1)) | high << 27 | delta
            new = clock(old)
            value = new & ((1 << 59) - 1)
        else:
            old += delta + (high << 27 if kind == 30 else 0)
            value = clock(old) - new
            new += value
        if kind in (30, 31):
            struct.pack_into("<I", data, at + 4, value >> 27)
            value &= (1 << 27) - 1
            size = 8
        elif kind in (0, 29):
            size += high
        else:
            size += 4 * kind
        assert 0 <= value < 1 << 27, "a difference of stamps does not fit"
        struct.pack_into("<I", data, at, value << 5 | kind)
        at += size


def shift(data, offset, ppm, host, jitter, pairs=True):
    first = min(struct.unpack_from("<Q", data, p)[0] for p in pages(data))

    def clock(t):
        return t + offset + (t - first) * ppm // 1000000

    for start in pages(data):
        shift_page(data, start, clock)
    for at in pair_places(data) if pairs else ():
        pair = list(struct.unpack_from(PAIR, data, at))
        pair[0] = clock(pair[0])
        if jitter:
            pair[1] += jitter // 2
        pair[5] |= 1
        pair[7] = jitter
        struct.pack_into(PAIR, data, at, *pair)
    for number, at, size in options(data):
        if number == OPTION_UNAME:
            words = bytes(data[at:at + size]).split(b"\0")[0].split(b" ")
            assert len(words[1]) >= len(host), "a longer name than the host's does not fit"
            words[1] = host.encode()
            data[at:at + size] = b" ".join(words).ljust(size, b"\0")
        if number == SEGMENTS:
            data[at + 8:at + 16] = host.encode().ljust(8, b"-")[:8]


def main():
    with open(sys.argv[2], "rb") as f:
        data = bytearray(f.read())
    if sys.argv[1] == "pairs":
        for trace, ref, bound, method in sorted(
                {(p[0], p[1], p[2], p[4])
                 for p in (struct.unpack_from(PAIR, data, at) for at in pair_places(data))}):
            print(trace, ref, bound, method)
        return
    if sys.argv[1] == "ahead":
        shift(data, int(sys.argv[4]), 0, sys.argv[5], 0, pairs=False)
    else:
        offset, ppm = int(sys.argv[4]), int(sys.argv[5])
        shift(data, offset, ppm, sys.argv[6], int(sys.argv[7]) if len(sys.argv) > 7 else 0)
    with open(sys.argv[3], "wb") as f:
        f.write(data)


main()
