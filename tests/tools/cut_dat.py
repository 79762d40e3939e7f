#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cut_dat.py IN OUT PAGES [FIRST] - some sub-buffers of each CPU of a recording, uncompressed

IN is a version 7 file, uncompressed or compressed with zlib. Options are copied as they are; sections
and ring-buffer data are appended without compression, so that a trace-cmd without zlib reads OUT.
shrink_dat.py then leaves out the symbols and formats that nothing needs.
"""
import struct
import sys
import zlib

OPTIONS_DONE, BUFFER = 0, 3
SECTIONS = (16, 17, 18, 19, 20, 21)
COMPRESSED = 1


class Recording:
    def __init__(self, data):
        self.b = bytearray(data)
        at = self.b.index(b"\0", 10) + 1
        if self.b[10:at] != b"7\0":
            sys.exit("not a version 7 file")
        name = at + 6
        self.packed = self.b[name:name + 5] == b"zlib\0"
        if not self.packed and self.b[name:name + 5] != b"none\0":
            sys.exit("neither zlib nor uncompressed")
        self.b[name:name + 4] = b"none"
        self.first = self.b.index(b"\0", name + 5) + 1

    def get(self, form, at):
        return struct.unpack_from("<" + form, self.b, at)

    def section(self, at):
        """an uncompressed copy of the section at @at; where it is"""
        kind, flags, text, _ = self.get("HHIQ", at)
        if not flags & COMPRESSED:
            return at
        size = self.get("I", at + 16)[0]
        data = zlib.decompress(bytes(self.b[at + 24:at + 24 + size]))
        new = len(self.b)
        self.b += struct.pack("<HHIQ", kind, flags & ~COMPRESSED, text, len(data)) + data
        return new

    def pages(self, at, size, packed):
        if not packed:
            return bytes(self.b[at:at + size])
        out, chunks = [], self.get("I", at)[0]
        at += 4
        for _ in range(chunks):
            size = self.get("II", at)[0]
            out.append(zlib.decompress(bytes(self.b[at + 8:at + 8 + size])))
            at += 8 + size
        return b"".join(out)

    def buffer(self, option, keep, first):
        section = self.get("Q", option)[0]
        clock = self.b.index(b"\0", option + 8) + 1
        cpus = self.b.index(b"\0", clock) + 1
        page, count = self.get("II", cpus)
        kind, flags, text, _ = self.get("HHIQ", section)
        new = len(self.b)
        self.b += struct.pack("<HHIQ", kind, 0, text, 0)
        struct.pack_into("<Q", self.b, option, new)
        for entry in range(cpus + 8, cpus + 8 + 20 * count, 20):
            _, at, size = self.get("IQQ", entry)
            data = self.pages(at, size, flags & COMPRESSED)[first * page:(first + keep) * page]
            self.b += bytes(-len(self.b) % page)
            struct.pack_into("<QQ", self.b, entry + 4, len(self.b), len(data))
            self.b += data
        struct.pack_into("<Q", self.b, new + 8, len(self.b) - new - 16)

    def cut(self, keep, first):
        link = self.first
        while self.get("Q", link)[0]:
            at = self.section(self.get("Q", link)[0])
            struct.pack_into("<Q", self.b, link, at)
            at, end = at + 16, at + 16 + self.get("Q", at + 8)[0]
            while at < end:
                kind, size = self.get("HI", at)
                at += 6
                if kind == OPTIONS_DONE:
                    link = at
                    break
                if kind in SECTIONS:
                    struct.pack_into("<Q", self.b, at, self.section(self.get("Q", at)[0]))
                elif kind == BUFFER:
                    self.buffer(at, keep, first)
                at += size
            else:
                break


def main():
    with open(sys.argv[1], "rb") as source:
        recording = Recording(source.read())
    recording.cut(int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0)
    with open(sys.argv[2], "wb") as target:
        target.write(recording.b)


if __name__ == "__main__":
    main()
