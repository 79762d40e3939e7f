#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
clocks.py add IN OUT OFFSET PPM FIRST LAST [SOURCE [BOUND]]
    a copy of a recording (version 7, little-endian) with an id and clock pairs (option 0x7c12): at each of 8
    moments from the stamp FIRST to LAST the reference showed OFFSET more and had gained PPM since
    FIRST. SOURCE names the reference; "", as without it, is CLOCK_REALTIME, synchronized within 2 us.
clocks.py model OFFSET_A PPM_A FIRST_A OFFSET_B PPM_B FIRST_B A.json B.json MERGED.json
    the stamps in MERGED are those of A, and those of B as A's clock would have shown them
clocks.py bounds WIDE.json WIDE.csv TABLE.arrows...
    each host with each ts_bound that its rows have
clocks.py option IN OUT ID FORMAT VALUE...
    a copy with one more option, of numbers as struct.pack() stores them
clocks.py guest SHIFT OFFSET_HOST PPM_HOST FIRST_HOST OFFSET_A PPM_A FIRST_A GUEST.json MERGED.json NAME
    the stamps in MERGED with the host NAME are those of GUEST, SHIFT later by its host's clock, as A's
    clock would have shown them

The arithmetic is that of fractions, without floating point.
"""
import csv
import importlib
import json
import os
import struct
import sys
import zlib
from fractions import Fraction

MARK = struct.pack("<I", 0x01020304)


def record(kind, data):
    return struct.pack("<HI", kind, len(data)) + data


def reference(local, offset, ppm, first):
    return local + offset + Fraction((local - first) * ppm, 1000000)


def local(ref, offset, ppm, first):
    return first + (ref - offset - first) / (1 + Fraction(ppm, 1000000))


def append(source, target, number, payload, more=b""):
    with open(source, "rb") as f:
        data = bytearray(f.read())
    assert data[:12] == b"\x17\x08\x44tracing7\0" and data[12] == 0
    at = data.index(b"\0", 18) + 1
    at = data.index(b"\0", at) + 1
    options = struct.pack("<HI", number, len(payload)) + payload + more
    # DONE: the options that the file had follow.
    options += struct.pack("<HI", 0, 8) + data[at:at + 8]
    struct.pack_into("<Q", data, at, len(data))
    data += struct.pack("<HHIQ", 0, 0, 0, len(options)) + options
    with open(target, "wb") as f:
        f.write(data)


def add(source, target, offset, ppm, first, last, name, bound):
    payload = MARK + (record(2, struct.pack("<I", 9) + name.encode() + b"\0") if name else b"")
    for i in range(8):
        t = first + (last - first) * i // 7
        payload += record(1, struct.pack("<3Q4I2Q", t, round(reference(t, offset, ppm, first)),
                                         bound, 9 if name else 0, 1, 1, 0, 2000, 1000))
    # An id, for files that have none
    append(source, target, 0x7C12, payload, struct.pack("<HIQ", 11, 8, zlib.crc32(source.encode())))


def rows(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return [json.loads(line) for line in f]


def content(row):
    return {k: v for k, v in row.items() if k not in ("ts", "time", "host", "file", "buffer")}


def model(a, b, merged, clock_a, clock_b):
    want = [(int(r["ts"]), 0, i, r) for i, r in enumerate(a)]
    want += [(local(reference(int(r["ts"]), *clock_b), *clock_a), 1, i, r)
             for i, r in enumerate(b)]
    want.sort(key=lambda w: (w[0], w[1], w[2]))
    print("rows", len(merged) == len(want) and len(want) > 100)
    print("hosts", len({r["host"] for r in merged}))
    print("times", all(abs(int(m["ts"]) - t) <= 5 for m, (t, *_) in zip(merged, want)))
    ours = [int(m["ts"]) for m in merged]
    print("sorted", ours == sorted(ours))
    # Rows that the arithmetic tells apart are in its order.
    clear = [i for i, w in enumerate(want)
             if all(abs(want[k][0] - w[0]) > 10 for k in (i - 1, i + 1) if 0 <= k < len(want))]
    print("order", len(clear) > 100 and
          all(content(merged[i]) == content(want[i][3]) for i in clear))


def bounds(wide, table, streams):
    yield from ((r["host"], r["ts_bound"]) for r in rows(wide))
    with open(table, encoding="utf-8", errors="surrogateescape", newline="") as f:
        yield from ((r["host"], r["ts_bound"]) for r in csv.DictReader(f))
    sys.path.insert(0, os.path.join(os.path.dirname(sys.argv[0]), "..", "exchange"))
    arrow = importlib.import_module("arrow")
    for path in streams:
        with open(path, "rb") as f:
            stream = arrow.Stream(f.read())
        names = [f.name for f in stream.fields]
        host, bound = (next(i for i, n in enumerate(names) if n in (what, "common_" + what))
                       for what in ("host", "ts_bound"))
        yield from ((r[host], r[bound]) for r in stream.rows())


def guest(shift, clock_host, clock_a, rows_guest, merged):
    want = [local(reference(int(r["ts"]) + shift, *clock_host), *clock_a) for r in rows_guest]
    ours = [int(m["ts"]) for m in merged]
    print("rows", len(ours) == len(want) and len(want) > 100)
    print("times", all(abs(o - w) <= 5 for o, w in zip(ours, want)))


def main():
    if sys.argv[1] == "bounds":
        for host, bound in {(h, str(b)) for h, b in bounds(*sys.argv[2:4], sys.argv[4:])}:
            print(host, bound)
    elif sys.argv[1] == "option":
        values = [int(n, 0) for n in sys.argv[6:]]
        append(sys.argv[2], sys.argv[3], int(sys.argv[4]), struct.pack("<" + sys.argv[5], *values))
    elif sys.argv[1] == "guest":
        n = [int(n) for n in sys.argv[2:9]]
        merged = [r for r in rows(sys.argv[10]) if r["host"] == sys.argv[11]]
        guest(n[0], n[1:4], n[4:7], rows(sys.argv[9]), merged)
    elif sys.argv[1] == "add":
        offset, ppm, first, last = map(int, sys.argv[4:8])
        add(sys.argv[2], sys.argv[3], offset, ppm, first, last,
            sys.argv[8] if len(sys.argv) > 8 else "", int((sys.argv[9:] or [1])[0]))
    else:
        numbers = [int(n) for n in sys.argv[2:8]]
        model(rows(sys.argv[8]), rows(sys.argv[9]), rows(sys.argv[10]), numbers[:3], numbers[3:])


main()
