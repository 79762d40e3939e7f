#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shrink_dat.py IN OUT TEXT... - a trace.dat with only the symbols and formats that its texts need

TEXT are what trace-cmd printed of IN (report, -R, -l; plain, .gz or .xz). Ring-buffer data are
copied byte for byte, so are options. kallsyms keeps the symbols that a text names, the next one
(it ends the range), and the first and last of all; event formats keep ftrace's and those of
events in the data. Version 6 files keep their layout, which `report --stat` shows: what is cut
there becomes empty lines. The result must still give the same texts, which tests/golden/sweep.sh checks.
"""
import ctypes
import gzip
import lzma
import re
import struct
import sys
import zlib

MAGIC = b"\x17\x08\x44tracing"
OPTIONS, BUFFER, HEADER, FTRACE, EVENTS, KALLSYMS, PRINTK, CMDLINES = 0, 3, 16, 17, 18, 19, 20, 21
MOVED = (HEADER, FTRACE, EVENTS, KALLSYMS, PRINTK, CMDLINES)


class Zstd:
    """libzstd by hand: Python has no module for it"""

    def __init__(self):
        self.lib = ctypes.CDLL("libzstd.so.1")
        for name in ("ZSTD_compress", "ZSTD_decompress", "ZSTD_compressBound"):
            getattr(self.lib, name).restype = ctypes.c_size_t

    def pack(self, data):
        room = self.lib.ZSTD_compressBound(ctypes.c_size_t(len(data)))
        buf = ctypes.create_string_buffer(room)
        n = self.lib.ZSTD_compress(buf, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 19)
        return buf.raw[:n]

    def unpack(self, data, size):
        buf = ctypes.create_string_buffer(size)
        n = self.lib.ZSTD_decompress(buf, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
        if n != size:
            sys.exit("bad zstd data")
        return buf.raw


class Zlib:
    pack = staticmethod(lambda data: zlib.compress(data, 9))
    unpack = staticmethod(lambda data, size: zlib.decompress(data))


class Plain:
    pack = unpack = None


class Dat:
    def __init__(self, data):
        if not data.startswith(MAGIC):
            sys.exit("no trace.dat")
        self.b = data
        end = data.index(b"\0", 10)
        self.version = int(data[10:end])
        self.order = ">" if data[end + 1] else "<"
        self.page = self.num("I", end + 3)
        self.event_text = end + 7
        self.codec = Plain()
        if self.version >= 7:
            end = data.index(b"\0", self.event_text)
            name = data[self.event_text:end]
            self.codec = {b"zstd": Zstd, b"zlib": Zlib, b"none": Plain}[name]()
            end = data.index(b"\0", end + 1)
            self.first_options = self.num("Q", end + 1)
            self.event_text = end + 9

    def num(self, kind, off, data=None):
        return struct.unpack_from(self.order + kind, self.b if data is None else data, off)[0]

    def pack(self, kinds, *values):
        return struct.pack(self.order + kinds, *values)

    def section(self, off):
        """id, flags and plain payload of the section at off"""
        kind, flags, _, size = struct.unpack_from(self.order + "HHiQ", self.b, off)
        body = self.b[off + 16:off + 16 + size]
        if flags & 1:
            packed, plain = struct.unpack_from(self.order + "II", body)
            body = self.codec.unpack(body[8:8 + packed], plain)
        return kind, flags, body

    def options(self, body):
        off = 0
        while off + 2 <= len(body):
            kind = self.num("H", off, body)
            size = self.num("I", off + 2, body)
            yield kind, body[off + 6:off + 6 + size]
            if kind == 0:
                return
            off += 6 + size

    def chunks(self, off):
        """the chunk table at off: its bytes as stored, and the plain data"""
        at = off + 4
        plain = b""
        for _ in range(self.num("I", off)):
            packed, size = self.num("I", at), self.num("I", at + 4)
            plain += self.codec.unpack(self.b[at + 8:at + 8 + packed], size)
            at += 8 + packed
        return self.b[off:at], plain


def cstr(data, off):
    end = data.index(b"\0", off)
    return data[off:end], end + 1


def read_text(path):
    opener = {"gz": gzip.open, "xz": lzma.open}.get(path.rsplit(".", 1)[-1], open)
    with opener(path, "rb") as f:
        return f.read()


def event_ids(dat, data, page, long_size):
    """common_type of every entry in the sub-buffers of one CPU"""
    found = set()
    header = 8 + long_size
    for start in range(0, len(data), page):
        commit = dat.num("I", start + 8 + (4 if long_size == 8 and dat.order == ">" else 0), data)
        off, end = start + header, start + header + (commit & 0x7ffffff)
        while off < end:
            word = dat.num("I", off, data)
            kind = word & 31 if dat.order == "<" else word >> 27
            if kind in (30, 31):
                off += 8
            elif kind == 29:
                off += 4 + dat.num("I", off + 4, data)
            elif kind == 0:
                found.add(dat.num("H", off + 8, data))
                off += 4 + (dat.num("I", off + 4, data) + 3 & ~3)
            else:
                found.add(dat.num("H", off + 4, data))
                off += 4 + 4 * kind
    return found


def cut_formats(dat, body, ids):
    """EVENT_FORMATS: systems with the events whose id is in ids"""
    off, kept = 4, []
    for _ in range(dat.num("I", 0, body)):
        system, off = cstr(body, off)
        count = dat.num("I", off, body)
        off += 4
        events = []
        for _ in range(count):
            size = dat.num("Q", off, body)
            text = body[off + 8:off + 8 + size]
            off += 8 + size
            if int(re.search(rb"\nID: (\d+)", text).group(1)) in ids:
                events.append(text)
        if events:
            kept.append((system, events))
    out = dat.pack("I", len(kept))
    for system, events in kept:
        out += system + b"\0" + dat.pack("I", len(events))
        out += b"".join(dat.pack("Q", len(e)) + e for e in events)
    return out


def needed_lines(symbols, words):
    """indices of the kallsyms lines that must stay"""
    parsed = []
    for i, line in enumerate(symbols):
        parts = line.split()
        if len(parts) >= 3:
            parsed.append((int(parts[0], 16), i, parts[2]))
    parsed.sort()
    keep = set()
    for k, (addr, i, name) in enumerate(parsed):
        if name not in words:
            continue
        keep.add(i)
        n = k
        while n < len(parsed) and parsed[n][0] == addr:
            n += 1
        if n < len(parsed):
            keep.add(parsed[n][1])
    if parsed:
        keep.update((parsed[0][1], parsed[-1][1]))
    return keep


def cut_kallsyms(text, words, blank):
    lines = text.split(b"\n")
    keep = needed_lines(lines, words)
    if blank:
        return b"\n".join(l if i in keep else b"\n" * len(l) for i, l in enumerate(lines))
    return b"\n".join(l for i, l in enumerate(lines) if i in keep) + b"\n"


def kernel_long(header_page):
    m = re.search(rb"commit;\s*offset:8;\s*size:(\d)", header_page)
    return int(m.group(1)) if m else 8


def shrink_v6(dat, words):
    off = dat.event_text
    for tag in (12, 13):
        off += tag
        off += 8 + dat.num("Q", off)
    for _ in range(dat.num("I", off)):
        off += 8 + dat.num("Q", off + 4)
    off += 4
    systems = dat.num("I", off)
    off += 4
    for _ in range(systems):
        _, off = cstr(dat.b, off)
        count = dat.num("I", off)
        off += 4
        for _ in range(count):
            off += 8 + dat.num("Q", off)
    size = dat.num("I", off)
    text = cut_kallsyms(dat.b[off + 4:off + 4 + size], words, True)
    assert len(text) == size
    return dat.b[:off + 4] + text + dat.b[off + 4 + size:]


class Writer:
    def __init__(self, dat):
        self.dat = dat
        self.out = bytearray(dat.b[:dat.event_text])

    def section(self, kind, flags, body):
        at = len(self.out)
        if flags & 1:
            packed = self.dat.codec.pack(body)
            body = self.dat.pack("II", len(packed), len(body)) + packed
        self.out += self.dat.pack("HHiQ", kind, flags, -1, len(body)) + body
        return at

    def buffer(self, payload):
        """the BUFFER section of an option 3; the option's new payload"""
        dat = self.dat
        name, off = cstr(payload, 8)
        clock, off = cstr(payload, off)
        page, count = dat.num("I", off, payload), dat.num("I", off + 4, payload)
        off += 8
        _, flags = struct.unpack_from(dat.order + "HH", dat.b, dat.num("Q", 0, payload))
        at = len(self.out)
        self.out += dat.pack("HHiQ", BUFFER, flags, -1, 0)
        cpus = b""
        for _ in range(count):
            cpu, where, size = struct.unpack_from(dat.order + "IQQ", payload, off)
            off += 20
            data = dat.chunks(where)[0] if flags & 1 else dat.b[where:where + size]
            if not flags & 1:
                self.out += b"\0" * (-len(self.out) % page)
            cpus += dat.pack("IQQ", cpu, len(self.out), size)
            self.out += data
        struct.pack_into(dat.order + "Q", self.out, at + 8, len(self.out) - at - 16)
        return (dat.pack("Q", at) + name + b"\0" + clock + b"\0" +
                dat.pack("II", page, count) + cpus)


def all_options(dat):
    off = dat.first_options
    while off:
        _, _, body = dat.section(off)
        off = 0
        for kind, payload in dat.options(body):
            if kind == OPTIONS:
                off = dat.num("Q", 0, payload)
            else:
                yield kind, payload


def used_ids(dat, options, long_size):
    ids = set()
    for kind, payload in options:
        if kind != BUFFER:
            continue
        _, off = cstr(payload, 8)
        _, off = cstr(payload, off)
        page, count = dat.num("I", off, payload), dat.num("I", off + 4, payload)
        flags = dat.num("H", dat.num("Q", 0, payload) + 2)
        for n in range(count):
            _, where, size = struct.unpack_from(dat.order + "IQQ", payload, off + 8 + 20 * n)
            data = dat.chunks(where)[1] if flags & 1 else dat.b[where:where + size]
            ids |= event_ids(dat, data, page, long_size)
    return ids


def shrink_v7(dat, words):
    options = list(all_options(dat))
    if any(kind == 22 for kind, _ in options):
        return shrink_text(dat, options, words)
    header = dat.section(next(dat.num("Q", 0, p) for k, p in options if k == HEADER))[2]
    ids = used_ids(dat, options, kernel_long(header))
    return rewrite(dat, options, words, ids, Writer.buffer)


def shrink_text(dat, options, words):
    def text_section(writer, payload):
        at = dat.num("Q", 0, payload)
        size = dat.num("Q", at + 8)
        where = len(writer.out)
        writer.out += dat.b[at:at + 16 + size]
        return dat.pack("Q", where) + payload[8:]
    return rewrite(dat, options, words, set(), text_section)


def rewrite(dat, options, words, ids, put_data):
    writer = Writer(dat)
    new = []
    for kind, payload in options:
        if kind in MOVED:
            _, flags, body = dat.section(dat.num("Q", 0, payload))
            if kind == KALLSYMS:
                text = cut_kallsyms(body[4:], words, False)
                body = dat.pack("I", len(text)) + text
            elif kind == EVENTS:
                body = cut_formats(dat, body, ids)
            payload = dat.pack("Q", writer.section(kind, flags, body))
        elif kind in (BUFFER, 22):
            payload = put_data(writer, payload)
        new.append((kind, payload))
    body = b"".join(dat.pack("HI", k, len(p)) + p for k, p in new) + dat.pack("HIQ", 0, 8, 0)
    at = writer.section(OPTIONS, 0, body)
    struct.pack_into(dat.order + "Q", writer.out, dat.event_text - 8, at)
    return bytes(writer.out)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as f:
        dat = Dat(f.read())
    words = set()
    for path in sys.argv[3:]:
        words.update(re.findall(rb"[A-Za-z_.$][\w.$]*", read_text(path)))
    # Names in arithmetic of a print format are looked up as symbols, too.
    words.add(b"jiffies")
    out = shrink_v6(dat, words) if dat.version < 7 else shrink_v7(dat, words)
    with open(sys.argv[2], "wb") as f:
        f.write(out)


if __name__ == "__main__":
    main()
