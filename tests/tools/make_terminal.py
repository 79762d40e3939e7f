#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make_terminal.py FILE [marks] - a recording (version 6) whose names and strings would act on a terminal
#
# With "marks": its name and string have a mark that turns the direction of what follows, a byte that is not
# UTF-8, and begin as a formula of a spreadsheet does.
#
# The task's name sets a title; the string of the only record clears the screen, in three ways, and
# has a line of its own that looks like a record's.

import struct
import sys

FORMAT = b"""name: %s
ID: %d
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char s[100];	offset:8;	size:100;	signed:0;

print fmt: "s=%%s", REC->s
"""
HEADER_PAGE = b"""	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
"""
COMM = b"\x1b]0;title\x07x"
STRING = (b"a\n            bash-9     [000] .....     0.001000: said: s=forged"
          b"\x1b[2J\xc2\x9b2J\x9b2J\x7f\tb\r\xc3\xa4")


MARKED_COMM = b"@\xe2\x80\xaevil\xff"
MARKED_STRING = b"=cmd\xe2\x81\xa6 x\xffy\nz,\"q\""


def sized(text, kind="<Q"):
    return struct.pack(kind, len(text)) + text


def main():
    marks = sys.argv[2:] == ["marks"]
    comm, string = (MARKED_COMM, MARKED_STRING) if marks else (COMM, STRING)
    record = struct.pack("<HBBi", 7, 0, 0, 1) + string.ljust(100, b"\0")
    entry = struct.pack("<I", len(record) // 4) + record
    page = struct.pack("<QQ", 1000000, len(entry)) + entry.ljust(4080, b"\0")
    out = b"\x17\x08\x44tracing6\0" + bytes([0, 8]) + struct.pack("<I", 4096)
    out += b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(b"")
    out += struct.pack("<I", 1) + sized(FORMAT % (b"said", 7))
    out += struct.pack("<I", 1) + b"sys\x1btem\0" + struct.pack("<I", 1)
    out += sized(FORMAT % (b"na\x1b]0;me", 8))
    out += sized(b"", "<I") + sized(b"", "<I") + sized(b"1 " + comm + b"\n")
    out += struct.pack("<I", 1) + b"flyrecord\0"
    offset = (len(out) + 16 + 4095) // 4096 * 4096
    out += struct.pack("<QQ", offset, len(page))
    with open(sys.argv[1], "wb") as f:
        f.write(out.ljust(offset, b"\0") + page)


if __name__ == "__main__":
    main()
