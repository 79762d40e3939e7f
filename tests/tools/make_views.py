#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make_views.py DIRECTORY - seeds of tests/fuzz/fuzz_view.c: a byte that chooses the view, and a
# recording (version 6, one page) with function_graph, system calls and strings

import struct
import sys

COMMON = b"""format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
VIEWS = ["text", "raw", "terminal", "kernel", "json", "csv", "graph", "by-task", "summary",
         "pairs", "stat"]


def event(name, number, fields, text):
    out = b"name: %s\nID: %d\n" % (name, number) + COMMON
    for kind, off, size, signed in fields:
        out += b"\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % (kind, off, size, signed)
    return out + b"\nprint fmt: " + text + b"\n"


CALL = [(b"unsigned long func", 8, 8, 0), (b"unsigned int depth", 16, 4, 0)]
FTRACE = [
    event(b"funcgraph_entry", 11, CALL, b'"--> %ps (%u)", (void *)REC->func, REC->depth'),
    event(b"funcgraph_exit", 10, CALL + [
        (b"unsigned int overrun", 20, 4, 0), (b"unsigned long long calltime", 24, 8, 0),
        (b"unsigned long long rettime", 32, 8, 0)], b'"<-- %ps (%u)", (void *)REC->func, REC->depth'),
    event(b"print", 5, [(b"unsigned long ip", 8, 8, 0), (b"char buf[]", 16, 0, 0)],
          b'"%ps: %s", (void *)REC->ip, REC->buf'),
]
SYSCALLS = [
    event(b"sys_enter_read", 53, [(b"int __syscall_nr", 8, 4, 1), (b"unsigned int fd", 16, 8, 0)],
          b'"fd: 0x%08lx", ((unsigned long)(REC->fd))'),
    event(b"sys_exit_read", 54, [(b"int __syscall_nr", 8, 4, 1), (b"long ret", 16, 8, 1)],
          b'"0x%lx", REC->ret'),
]
MADE = [
    event(b"made", 60, [(b"__data_loc char[] name", 8, 4, 0), (b"u8 b[4]", 12, 4, 0),
                        (b"s16 n", 16, 2, 1), (b"u64 when", 24, 8, 0)],
          b'"%s %d %s %llu", __get_str(name), REC->n, __print_hex(REC->b, 4), REC->when'),
]


def head(number):
    return struct.pack("<HBBi", number, 0, 0, 7)


def records():
    yield head(53) + struct.pack("<iiQ", 0, 0, 3)
    yield head(11) + struct.pack("<QI", 0xffffffff81010000, 0) + bytes(4)
    yield head(11) + struct.pack("<QI", 0xffffffff81020000, 1) + bytes(4)
    yield head(10) + struct.pack("<QIIQQ", 0xffffffff81020000, 1, 0, 1000100, 1000200)
    yield head(60) + struct.pack("<HHIhhiQ", 32, 8, 0x04030201, -7, 0, 0, 99) + b"na\x1bm\ne\0\0"
    yield head(10) + struct.pack("<QIIQQ", 0xffffffff81010000, 0, 0, 1000000, 1000300)
    yield head(5) + struct.pack("<Q", 0xffffffff81010000) + b"hello\n\0\0"
    yield head(54) + struct.pack("<iiq", 0, 0, -11)


def sized(text, kind="<Q"):
    return struct.pack(kind, len(text)) + text


def recording():
    page = b"".join(struct.pack("<I", len(r) // 4 | 50 << 5) + r for r in records())
    page = (struct.pack("<QQ", 1000000, len(page)) + page).ljust(4096, b"\0")
    out = b"\x17\x08\x44tracing6\0" + bytes([0, 8]) + struct.pack("<I", 4096)
    out += b"header_page\0" + sized(b"") + b"header_event\0" + sized(b"")
    out += struct.pack("<I", len(FTRACE)) + b"".join(sized(f) for f in FTRACE)
    out += struct.pack("<I", 2)
    for system, formats in ((b"syscalls", SYSCALLS), (b"fuzz", MADE)):
        out += system + b"\0" + struct.pack("<I", len(formats))
        out += b"".join(sized(f) for f in formats)
    out += sized(b"ffffffff81010000 t alpha\nffffffff81020000 t beta\n", "<I")
    out += sized(b'0xffffffff81800000 : "text\\n"\n', "<I") + sized(b"7 task\n")
    out += struct.pack("<I", 1) + b"flyrecord\0"
    offset = (len(out) + 16 + 4095) // 4096 * 4096
    return (out + struct.pack("<QQ", offset, len(page))).ljust(offset, b"\0") + page


def main():
    for i, name in enumerate(VIEWS):
        with open(f"{sys.argv[1]}/{name}", "wb") as f:
            f.write(bytes([i | 0x80 if name == "graph" else i]) + recording())


if __name__ == "__main__":
    main()
