#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make_guests.py DIRECTORY - recordings (version 6) of a host and of its two guests
#
# The formats are those of x86_64's Linux 6.18. host.dat has kvm events of the threads 501 and 502,
# which run guest a's processors, of 601, guest b's, and of 700, no one's; a.dat and b.dat have other
# symbols at the same addresses. other.dat is guest a with a trace id that the host does not know.
# alone.dat is the host without its guests, with cycles that become nanoseconds (option TSC2NSEC), and
# tsc.dat guest a with cycles. mono.dat is a host with guest a only, which it does not name.

import os
import struct
import sys

COMMON = b"""name: %s
ID: %d
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
EXIT = COMMON % (b"kvm_exit", 103) + b"""	field:unsigned int exit_reason;	offset:8;	size:4;	signed:0;
	field:unsigned long guest_rip;	offset:16;	size:8;	signed:0;
	field:u32 isa;	offset:24;	size:4;	signed:0;
	field:u64 info1;	offset:32;	size:8;	signed:0;
	field:u64 info2;	offset:40;	size:8;	signed:0;
	field:u32 intr_info;	offset:48;	size:4;	signed:0;
	field:u32 error_code;	offset:52;	size:4;	signed:0;
	field:unsigned int vcpu_id;	offset:56;	size:4;	signed:0;
	field:u64 requests;	offset:64;	size:8;	signed:0;

print fmt: "vcpu %u reason %u rip 0x%lx", REC->vcpu_id, REC->exit_reason, REC->guest_rip
"""
ENTRY = COMMON % (b"kvm_entry", 115) + b"""	field:unsigned int vcpu_id;	offset:8;	size:4;	signed:0;
	field:unsigned long rip;	offset:16;	size:8;	signed:0;
	field:bool immediate_exit;	offset:24;	size:1;	signed:0;
	field:u32 intr_info;	offset:28;	size:4;	signed:0;
	field:u32 error_code;	offset:32;	size:4;	signed:0;

print fmt: "vcpu %u, rip 0x%lx", REC->vcpu_id, REC->rip
"""
SAID = COMMON % (b"said", 7) + b"""	field:int n;	offset:8;	size:4;	signed:1;

print fmt: "n=%d", REC->n
"""
HEADER_PAGE = b"""	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
"""
TRACECLOCK, TRACEID, GUEST, TSC2NSEC = 4, 11, 13, 14
HOST, GUEST_A, GUEST_B, STRANGER = 0x1001, 0xa00000000002, 0xb00000000003, 0xc00000000004
IDLE = 0xffffffff81c01230


def sized(text, kind="<Q"):
    return struct.pack(kind, len(text)) + text


def kvm_exit(pid, rip, vcpu=1):
    return struct.pack("<HBBiIIQIIQQIIIIQ", 103, 0, 0, pid, 12, 0, rip, 1, 0, 5, 6, 0, 0, vcpu, 0, 0)


def kvm_entry(pid, rip):
    return struct.pack("<HBBiIIQIIII", 115, 0, 0, pid, 1, 0, rip, 0, 0, 0, 0)


def said(n):
    return struct.pack("<HBBii", 7, 0, 0, 1, n)


def guest(name, number, pids):
    out = name + b"\0" + struct.pack("<QI", number, len(pids))
    for cpu, pid in enumerate(pids):
        out += struct.pack("<II", cpu, pid)
    return out


def write(path, system, formats, symbols, comms, options, start, records):
    page = b""
    for i, record in enumerate(records):
        page += struct.pack("<I", len(record) // 4 | (2000 if i else 0) << 5) + record
    page = struct.pack("<QQ", start, len(page)) + page.ljust(4080, b"\0")
    out = b"\x17\x08\x44tracing6\0" + bytes([0, 8]) + struct.pack("<I", 4096)
    out += b"header_page\0" + sized(HEADER_PAGE) + b"header_event\0" + sized(b"")
    out += struct.pack("<II", 0, 1) + system + b"\0" + struct.pack("<I", len(formats))
    out += b"".join(sized(text) for text in formats)
    out += sized(symbols, "<I") + sized(b"", "<I") + sized(comms)
    out += struct.pack("<I", 1) + b"options  \0"
    for number, data in options:
        out += struct.pack("<HI", number, len(data)) + data
    out += struct.pack("<H", 0) + b"flyrecord\0"
    offset = (len(out) + 16 + 4095) // 4096 * 4096
    out += struct.pack("<QQ", offset, len(page))
    with open(path, "wb") as f:
        f.write(out.ljust(offset, b"\0") + page)


def main():
    directory = sys.argv[1]
    for name, options in (
            ("host", [(GUEST, guest(b"a", GUEST_A, [501, 502])), (GUEST, guest(b"b", GUEST_B, [601]))]),
            ("alone", [(TRACECLOCK, b"[tsc2nsec]\0"),
                       (TSC2NSEC, struct.pack("<IIQ", 3 << 20, 21, 0))]),
            ("mono", [(TRACECLOCK, b"[mono]\0")])):
        first = 1 if name == "host" else 0
        strange = [] if name == "mono" else [kvm_exit(601, IDLE, first), kvm_exit(700, IDLE)]
        write(os.path.join(directory, name + ".dat"), b"kvm", [EXIT, ENTRY],
              b"ffffffff81c01000 T of_the_host\nffffffff81d00000 T last\n",
              b"501 CPU 0/KVM\n502 CPU 1/KVM\n601 CPU 0/KVM\n700 other\n",
              [(TRACEID, struct.pack("<Q", HOST))] + options, 1000000,
              [kvm_exit(501, IDLE, first), kvm_entry(502, IDLE), kvm_exit(502, IDLE + 0x30),
               *strange, kvm_exit(501, 0x401000, first)])
    for name, number, symbol, clock in (("a", GUEST_A, b"default_idle", []),
                                        ("b", GUEST_B, b"mwait_idle", []),
                                        ("other", STRANGER, b"default_idle", []),
                                        ("tsc", GUEST_A, b"default_idle",
                                         [(TRACECLOCK, b"[x86-tsc]\0")])):
        write(os.path.join(directory, name + ".dat"), b"made", [SAID],
              b"ffffffff81c01220 T %s\nffffffff81c01250 T next\nffffffff81d00000 T last\n" % symbol,
              b"1 init\n", [(TRACEID, struct.pack("<Q", number))] + clock, 1001000,
              [said(1), said(2)])


if __name__ == "__main__":
    main()
