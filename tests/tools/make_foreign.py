#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_foreign.py 32|be DAT TEXT - a small recording of another machine, and the lines it must give

32: little-endian with 32-bit longs; be: big-endian with 64-bit longs. The events are those whose text
libtraceevent gets wrong on other machines. The expected text of a line is computed here, next to the
record, from the event's print format as its own machine evaluates it.
"""
import struct
import sys

PAGE = 4096
PID = 42
COMMON = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")


class Machine:
    def __init__(self, order, long_size):
        self.order = order
        self.long_size = long_size
        self.records = b""
        self.lines = []
        self.formats = {}
        self.now = 1000000000

    def pack(self, kinds, *values):
        return struct.pack(self.order + kinds, *values)

    def event(self, number, system, name, fields, print_fmt):
        text = f"name: {name}\nID: {number}\nformat:\n{COMMON}"
        for decl, offset, size, signed in fields:
            text += f"\tfield:{decl};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
        text += f"\nprint fmt: {print_fmt}\n"
        self.formats.setdefault(system, []).append(text.encode())

    def record(self, number, name, payload, says):
        body = self.pack("HBBi", number, 0, 0, PID) + payload
        body += b"\0" * (-len(body) % 4)
        kind = len(body) // 4
        word = kind << 27 | 1000 if self.order == ">" else 1000 << 5 | kind
        self.records += self.pack("I", word) + body
        self.now += 1000
        stamp = f"{self.now // 10**9:5}.{self.now // 1000 % 10**6:06}"
        self.lines.append(f"{'made':>16}-{PID:<5} [000] {stamp}: {name}: " +
                          " " * (20 - len(name)) + says)


def machine_32():
    m = Machine("<", 4)
    m.event(300, "raw_syscalls", "sys_exit",
            [("long id", 8, 4, 1), ("long ret", 12, 4, 1)],
            '"NR %ld = %ld", REC->id, REC->ret')
    m.event(301, "tlb", "tlb_flush",
            [("int reason", 8, 4, 1), ("unsigned long pages", 12, 4, 0)],
            '"pages:%ld reason:%s (%d)", REC->pages, __print_symbolic(REC->reason, '
            '{ 0, "flush on task switch" }), REC->reason')
    m.event(302, "writeback", "made_age",
            [("unsigned long dirtied_when", 8, 4, 0)],
            '"age=%lu", (jiffies - REC->dirtied_when) / 250')
    m.event(16, "ftrace", "raw_data",
            [("unsigned int id", 8, 4, 0), ("char buf", 12, 0, 1)],
            '"id:%04x %08x", REC->id, (int)REC->buf[0]')
    m.event(12, "ftrace", "user_stack", [("unsigned int tgid", 8, 4, 0)], '"%u", REC->tgid')
    m.record(300, "sys_exit", m.pack("ii", 3, -10), "NR 3 = -10")
    m.record(301, "tlb_flush", m.pack("iI", 0, 0xffffffff),
             "pages=-1 reason=flush on task switch (0)")
    m.record(301, "tlb_flush", m.pack("iI", 0, 7), "pages=7 reason=flush on task switch (0)")
    # A symbol in a print format is its address; the long that is printed has 32 bits.
    jiffies, when = 0xc1000000, 0xfffff000
    m.record(302, "made_age", m.pack("I", when),
             f"age={(jiffies - when) % 2**64 // 250 % 2**32}")
    data = b"raw-bytes-here\1\2"
    m.record(16, "raw_data", m.pack("I", 0x4030201) + data,
             "# 4030201" + "".join(f" {b:02x}" for b in data))
    kallsyms = b"c0100000 T _text\nc1000000 D jiffies\nc2000000 T _end\n"
    return m, kallsyms, b""


def machine_be():
    m = Machine(">", 8)
    m.event(300, "rcu", "rcu_utilization", [("const char * s", 8, 8, 0)], '"%s", REC->s')
    m.event(302, "raw_syscalls", "sys_exit",
            [("long id", 8, 8, 1), ("long ret", 16, 8, 1)],
            '"NR %ld = %ld", REC->id, REC->ret')
    m.event(12, "ftrace", "user_stack", [("unsigned int tgid", 8, 4, 0)], '"%u", REC->tgid')
    m.record(300, "rcu_utilization", m.pack("Q", 0x1234567890), "Start scheduler-tick")
    m.record(300, "rcu_utilization", m.pack("Q", 0x99), "99")
    m.record(302, "sys_exit", m.pack("qq", 4, -22), "NR 4 = -22")
    return m, b"0000000000100000 T _text\n", b'0x1234567890 : "Start scheduler-tick"\n'


def build(m, kallsyms, printk):
    size, long_size = PAGE - 8 - m.long_size, m.long_size
    page_format = (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                   f"\tfield: local_t commit;\toffset:8;\tsize:{long_size};\tsigned:1;\n"
                   f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                   f"\tfield: char data;\toffset:{8 + long_size};\tsize:{size};\tsigned:1;\n").encode()
    event_format = b"# compressed entry header\n\ttype_len    :    5 bits\n"
    out = bytearray(b"\x17\x08\x44tracing7\0" + bytes([m.order == ">", long_size]) +
                    m.pack("I", PAGE) + b"none\0\0")
    patch = len(out)
    out += bytes(8)
    options = []

    def section(kind, body):
        options.append((kind, m.pack("Q", len(out))))
        out.extend(m.pack("HHiQ", kind, 0, -1, len(body)) + body)

    def files(texts):
        return b"".join(m.pack("Q", len(t)) + t for t in texts)

    ftrace = m.formats.pop("ftrace")
    section(16, b"header_page\0" + m.pack("Q", len(page_format)) + page_format +
            b"header_event\0" + m.pack("Q", len(event_format)) + event_format)
    section(17, m.pack("I", len(ftrace)) + files(ftrace))
    section(18, m.pack("I", len(m.formats)) + b"".join(
        s.encode() + b"\0" + m.pack("I", len(t)) + files(t) for s, t in m.formats.items()))
    section(19, m.pack("I", len(kallsyms)) + kallsyms)
    section(20, m.pack("I", len(printk)) + printk)
    comms = f"{PID} made\n".encode()
    section(21, m.pack("Q", len(comms)) + comms)
    options.append((4, b"[local] global\n\0"))
    options.append((8, m.pack("I", 1)))
    at = len(out)
    out.extend(m.pack("HHiQ", 3, 0, -1, 0))
    out.extend(bytes(-len(out) % PAGE))
    data = len(out)
    page = m.pack("Q", 1000000000) + m.pack("I" if long_size == 4 else "Q", len(m.records))
    page += m.records
    out.extend(page + bytes(PAGE - len(page)))
    struct.pack_into(m.order + "Q", out, at + 8, len(out) - at - 16)
    options.append((3, m.pack("Q", at) + b"\0local\0" + m.pack("IIIQQ", PAGE, 1, 0, data, PAGE)))
    struct.pack_into(m.order + "Q", out, patch, len(out))
    body = b"".join(m.pack("HI", k, len(p)) + p for k, p in options) + m.pack("HIQ", 0, 8, 0)
    out.extend(m.pack("HHiQ", 0, 0, -1, len(body)) + body)
    return bytes(out)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("32", "be"):
        sys.exit(__doc__)
    m, kallsyms, printk = machine_32() if sys.argv[1] == "32" else machine_be()
    with open(sys.argv[2], "wb") as f:
        f.write(build(m, kallsyms, printk))
    with open(sys.argv[3], "w", encoding="ascii") as f:
        f.write("cpus=1\n" + "\n".join(m.lines) + "\n")


if __name__ == "__main__":
    main()
