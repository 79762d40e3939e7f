# SPDX-License-Identifier: GPL-2.0-or-later
"""Files with markers (SDT), and what the kernel would fetch at them.

  markers.py FILE MACHINE OPERANDS [PROVIDER...]
      writes an ELF file of any machine with the marker "test:here", and PROVIDER:here beside it
  gdb-multiarch -x markers.py
      run by markers.sh: fetches at each definition of the file "definitions" what it says, in a
      program that qemu-user runs
"""

import re
import struct
import sys

# e_machine, class, data
MACHINES = {
    "x86_64": (62, 2, "<"), "i386": (3, 1, "<"), "aarch64": (183, 2, "<"), "arm": (40, 1, "<"),
    "riscv64": (243, 2, "<"), "s390x": (22, 2, ">"), "ppc64le": (21, 2, "<"),
}
BASE = 0x10000
CODE = 0x1000


def make(path, machine, operands, *more):
    """Text and data at BASE; the marker is at BASE + CODE, "variable" 0x100 after it."""
    number, wide, order = MACHINES[machine]
    word = "Q" if wide == 2 else "I"
    strings = b"\0.text\0.note.stapsdt\0.shstrtab\0.symtab\0.strtab\0"
    names = b"\0start\0variable\0"
    note = b""
    for i, provider in enumerate(("test",) + more):
        desc = struct.pack(order + 3 * word, BASE + CODE + 4 * i, 0, 0)
        desc += b"%s\0here\0%s\0" % (provider.encode(), b"" if i else operands.encode())
        note += struct.pack(order + "3I", 8, len(desc), 3) + b"stapsdt\0" + desc
        note += bytes(-len(note) % 4)
    if wide == 2:
        symbols = bytes(24) + struct.pack(order + "IBBHQQ", 1, 0x12, 0, 1, BASE + CODE, 16)
        symbols += struct.pack(order + "IBBHQQ", 7, 0x11, 0, 1, BASE + CODE + 0x100, 8)
    else:
        symbols = bytes(16) + struct.pack(order + "IIIBBH", 1, BASE + CODE, 16, 0x12, 0, 1)
        symbols += struct.pack(order + "IIIBBH", 7, BASE + CODE + 0x100, 8, 0x11, 0, 1)
    body, sections = bytearray(CODE + 0x200), [(0,) * 10]

    def section(name, kind, data, flags=0, addr=0, link=0, info=0, entry=0):
        at = len(body)
        body.extend(data + bytes(-len(data) % 8))
        sections.append((strings.index(name), kind, flags, addr, at, len(data), link, info, 4, entry))

    sections.append((strings.index(b".text\0"), 1, 6, BASE + CODE, CODE, 0x200, 0, 0, 4, 0))
    section(b".note.stapsdt\0", 7, note)
    section(b".shstrtab\0", 3, strings)
    section(b".symtab\0", 2, symbols, link=5, info=1, entry=24 if wide == 2 else 16)
    section(b".strtab\0", 3, names)
    head_size, part_size, row_size = (64, 56, 64) if wide == 2 else (52, 32, 40)
    body[:16] = struct.pack("4sBBB9x", b"\x7fELF", wide, 1 if order == "<" else 2, 1)
    # of ppc64le: the second ABI
    body[16:head_size] = struct.pack(order + "HHI" + 3 * word + "I6H", 2, number, 1, BASE + CODE,
                                     head_size, len(body), 2 if machine == "ppc64le" else 0,
                                     head_size, part_size, 1, row_size, len(sections), 3)
    if wide == 2:
        part = struct.pack(order + "II6Q", 1, 7, 0, BASE, BASE, CODE + 0x200, CODE + 0x200, CODE)
        rows = (struct.pack(order + "II4QIIQQ", *s) for s in sections)
    else:
        part = struct.pack(order + "8I", 1, 0, BASE, BASE, CODE + 0x200, CODE + 0x200, 7, CODE)
        rows = (struct.pack(order + "10I", *s) for s in sections)
    body[head_size:head_size + part_size] = part
    with open(path, "wb") as out:
        out.write(bytes(body) + b"".join(rows))


def load_address(path, offset):
    """Where the byte at a file offset is loaded."""
    with open(path, "rb") as f:
        data = f.read()
    order = "<" if data[5] == 1 else ">"
    wide = data[4] == 2
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data, 32 if wide else 28)
    size, count = struct.unpack_from(order + "HH", data, 54 if wide else 42)
    for i in range(count):
        if wide:
            kind, _, off, addr, _, length = struct.unpack_from(order + "II4Q", data, at + i * size)
        else:
            kind, off, addr, _, length = struct.unpack_from(order + "5I", data, at + i * size)
        if kind == 1 and off <= offset < off + length:
            return addr + offset - off
    raise ValueError(hex(offset))


def fetch(gdb, text, order):
    """A fetch argument as Documentation/trace/uprobetracer.rst says, and :TYPE"""
    where, kind = text.rsplit(":", 1)
    size = int(kind[1:]) // 8
    deref = re.fullmatch(r"([-+]\d+)\(%(\w+)\)", where)
    register = deref[2] if deref else where[1:]
    if where[0] == "\\":
        raw = (int(where[1:]) & (1 << 8 * size) - 1).to_bytes(size, "little")
        order = "<"
    else:
        value = int(gdb.parse_and_eval("(unsigned long long) $" + register.replace("gpr", "r")))
        if deref:
            raw = bytes(gdb.selected_inferior().read_memory(value + int(deref[1]), size))
        else:
            raw = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            order = "<"
    return int.from_bytes(raw, "little" if order == "<" else "big", signed=kind[0] == "s")


def evaluate(gdb):
    """Stop at each marker in turn; print NAME VALUE... for it."""
    with open("definitions", encoding="utf-8") as f:
        lines = [line.split() for line in f]
    program = lines[0][1].rsplit(":", 1)[0]
    with open(program, "rb") as f:
        order = "<" if f.read(6)[5] == 1 else ">"
    stops = {}
    for line in lines:
        where = re.sub(r"\(0x.*", "", line[1].rsplit(":", 1)[1])
        address = load_address(program, int(where, 16))
        stops.setdefault(address, []).append(line)
        gdb.execute("break *" + hex(address), to_string=True)
    while True:
        try:
            gdb.execute("continue", to_string=True)
            here = int(gdb.parse_and_eval("(unsigned long long) $pc"))
        except gdb.error:
            return
        for line in stops.get(here, []):
            values = [fetch(gdb, arg.split("=", 1)[1], order) for arg in line[2:]]
            print("VALUES", line[0].split("/")[1], *values)


if __name__ == "__main__":
    if "gdb" in sys.modules:
        evaluate(sys.modules["gdb"])
    else:
        make(*sys.argv[1:])
