#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""zlib_dat.py IN OUT - the same recording with its ring-buffer data compressed by zlib

IN is a version 7 file without compression (trace-cmd convert --compression none). Everything else is
copied as it is: the new data are appended, and the buffers' options point at them. Trace-cmd of Debian
has no zlib, so this is how a zlib file comes to hold what its own recordings hold.
"""
import struct
import sys
import zlib

CHUNK_PAGES = 10  # sub-buffers in a chunk, as trace-cmd has it: none is split between two chunks
LEVEL = 1
OPTIONS_DONE, BUFFER = 0, 3
HEADER = b"\x17\x08\x44tracing7\0"


def pack(data, chunk_size):
    chunks = [zlib.compress(data[at:at + chunk_size], LEVEL)
              for at in range(0, len(data), chunk_size)]
    out = [struct.pack("<I", len(chunks))]
    for index, chunk in enumerate(chunks):
        size = min(chunk_size, len(data) - index * chunk_size)
        out.append(struct.pack("<II", len(chunk), size) + chunk)
    return b"".join(out)


def convert_buffer(data, out, at):
    """the BUFFER option at @at: compress the data of its CPUs, append them to @out"""
    section = struct.unpack_from("<Q", out, at)[0]
    cpus = out.index(b"\0", out.index(b"\0", at + 8) + 1) + 1  # after name and clock
    page_size, count = struct.unpack_from("<II", out, cpus)
    struct.pack_into("<H", out, section + 2, 1)
    for index in range(count):
        entry = cpus + 8 + 20 * index
        _, offset, size = struct.unpack_from("<IQQ", out, entry)
        packed = pack(data[offset:offset + size], CHUNK_PAGES * page_size)
        struct.pack_into("<QQ", out, entry + 4, len(out), len(packed))
        out += packed


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    name = len(HEADER) + 6
    if not data.startswith(HEADER) or data[len(HEADER)] or data[name:name + 6] != b"none\0\0":
        sys.exit(f"{sys.argv[1]}: not a little-endian version 7 file without compression")
    out = bytearray(data)
    out[name:name + 4] = b"zlib"
    options = struct.unpack_from("<Q", data, name + 6)[0]
    while options:
        at = options + 16
        while True:
            kind, size = struct.unpack_from("<HI", data, at)
            if kind == BUFFER:
                convert_buffer(data, out, at + 6)
            if kind == OPTIONS_DONE:
                break
            at += 6 + size
        options = struct.unpack_from("<Q", data, at + 6)[0]
    with open(sys.argv[2], "wb") as f:
        f.write(out)


main()
