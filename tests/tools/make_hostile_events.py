#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_hostile_events.py CASE:N... - for each CASE a recording (version 6) that no kernel writes, CASE.dat

Formats are those of a 64-bit kernel. The cases:
  names       tasks, interrupts, functions and strings with markup, quotes, control characters,
              bytes that are not UTF-8 and separators of other formats
  tasks       N tasks that run once each and make a system call
  backwards   N switches and system calls whose times run backwards from sub-buffer to sub-buffer
  nesting     N calls, interrupts and softirqs that begin within each other and never end
  ends        N ends of things that never began
  stacks      N stacks of 500 frames each, all of them different
  losses      N sub-buffers of one event, each after a loss
  overflow    times near 2^63 and 2^64, durations and numbers at their limits
  options     private options, packed: N MiB of the shortest records of each kind
  functions   the same of functions of one object, with a name to be made readable
"""
import struct
import sys
import zlib

COMMON = b"""format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
PAGE = 4096
FUNC = 0xffffffff81000000
BAD = [b"</script>", b"<img onerror=", b"'\";--", b"&lt;&amp", b"\x1b]0;x\x07", b"\xff\xfe\xc0\x80",
       b"a;b c 1", b"]]><svg/onl", b"\\u003c\n{}", b"-->", b"=cmd|' /C'!", b"\r\nA,B\t\"\""]


def event(name, number, fields, text):
    out = b"name: %s\nID: %d\n" % (name, number) + COMMON
    for kind, off, size, signed in fields:
        out += b"\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % (kind, off, size, signed)
    return out + b"\nprint fmt: " + text + b"\n"


FTRACE = [
    event(b"funcgraph_entry", 11, [(b"unsigned long func", 8, 8, 0), (b"unsigned int depth", 16, 4, 0)],
          b'"--> %ps (%u)", (void *)REC->func, REC->depth'),
    event(b"funcgraph_exit", 10, [
        (b"unsigned long func", 8, 8, 0), (b"unsigned int depth", 16, 4, 0),
        (b"unsigned int overrun", 20, 4, 0), (b"unsigned long long calltime", 24, 8, 0),
        (b"unsigned long long rettime", 32, 8, 0)], b'"<-- %ps (%u)", (void *)REC->func, REC->depth'),
    event(b"kernel_stack", 4, [(b"int size", 8, 4, 1), (b"unsigned long caller[]", 16, 0, 0)],
          b'"\\t=> %ps\\n", (void *)REC->caller[0]'),
    event(b"user_stack", 12, [(b"unsigned int tgid", 8, 4, 0), (b"unsigned long caller[8]", 16, 64, 0)],
          b'"\\t=> %08lx\\n", (void *)REC->caller[0]'),
    event(b"print", 5, [(b"unsigned long ip", 8, 8, 0), (b"char buf[]", 16, 0, 0)],
          b'"%ps: %s", (void *)REC->ip, REC->buf'),
]
SYSTEMS = {
    b"sched": [
        event(b"sched_switch", 100, [
            (b"char prev_comm[16]", 8, 16, 0), (b"pid_t prev_pid", 24, 4, 1), (b"int prev_prio", 28, 4, 1),
            (b"long prev_state", 32, 8, 1), (b"char next_comm[16]", 40, 16, 0),
            (b"pid_t next_pid", 56, 4, 1), (b"int next_prio", 60, 4, 1)],
              b'"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d '
              b'next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? '
              b'__print_flags(REC->prev_state & 0xff, "|", { 0x1, "S" }, { 0x2, "D" }, { 0x4, "T" }, '
              b'{ 0x8, "t" }, { 0x10, "X" }, { 0x20, "Z" }, { 0x40, "P" }, { 0x80, "I" }) : "R", '
              b'REC->prev_state & 0x100 ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio'),
        event(b"sched_waking", 101, [
            (b"char comm[16]", 8, 16, 0), (b"pid_t pid", 24, 4, 1), (b"int prio", 28, 4, 1),
            (b"int target_cpu", 32, 4, 1)],
              b'"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu'),
        event(b"sched_stat_runtime", 102, [
            (b"char comm[16]", 8, 16, 0), (b"pid_t pid", 24, 4, 1), (b"u64 runtime", 32, 8, 0)],
              b'"comm=%s pid=%d runtime=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->runtime'),
        event(b"sched_process_fork", 103, [
            (b"char parent_comm[16]", 8, 16, 0), (b"pid_t parent_pid", 24, 4, 1),
            (b"char child_comm[16]", 28, 16, 0), (b"pid_t child_pid", 44, 4, 1)],
              b'"comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, '
              b'REC->child_comm, REC->child_pid'),
    ],
    b"irq": [
        event(b"irq_handler_entry", 110, [(b"int irq", 8, 4, 1), (b"__data_loc char[] name", 12, 4, 0)],
              b'"irq=%d name=%s", REC->irq, __get_str(name)'),
        event(b"irq_handler_exit", 111, [(b"int irq", 8, 4, 1), (b"int ret", 12, 4, 1)],
              b'"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"'),
        event(b"softirq_entry", 112, [(b"unsigned int vec", 8, 4, 0)], b'"vec=%u", REC->vec'),
        event(b"softirq_exit", 113, [(b"unsigned int vec", 8, 4, 0)], b'"vec=%u", REC->vec'),
    ],
    b"raw_syscalls": [
        event(b"sys_enter", 120, [(b"long id", 8, 8, 1), (b"unsigned long args[6]", 16, 48, 0)],
              b'"NR %ld (%lx)", REC->id, REC->args[0]'),
        event(b"sys_exit", 121, [(b"long id", 8, 8, 1), (b"long ret", 16, 8, 1)],
              b'"NR %ld = %ld", REC->id, REC->ret'),
    ],
    b"</script><b>": [
        event(b"</style><i>", 130, [(b"__data_loc char[] name", 8, 4, 0), (b"s64 n", 16, 8, 1)],
              b'"%s %lld </script>", __get_str(name), REC->n'),
    ],
}


def head(number, pid):
    return struct.pack("<HBBi", number, 0, 0, pid)


def comm(text):
    return text[:15].ljust(16, b"\0")


def switch(prev, state, nxt, pid=None):
    """prev and next are (comm, pid)"""
    return head(100, prev[1] if pid is None else pid) + comm(prev[0]) + struct.pack("<iiq", prev[1], 120, state) + \
        comm(nxt[0]) + struct.pack("<ii", nxt[1], 120)


def waking(by, name, pid):
    return head(101, by) + comm(name) + struct.pack("<iii", pid, 120, 0) + bytes(4)


def runtime(name, pid, ns):
    return head(102, pid) + comm(name) + struct.pack("<iiQ", pid, 0, ns)


def fork(pid, name, child):
    return head(103, pid) + comm(name) + struct.pack("<i", pid) + comm(name) + struct.pack("<i", child)


def text(number, pid, fixed, name):
    """an event whose __data_loc follows @fixed bytes at the offset of the word"""
    name += b"\0"
    at = 8 + len(fixed[0]) + 4 + len(fixed[1])
    out = head(number, pid) + fixed[0] + struct.pack("<HH", at, len(name)) + fixed[1] + name
    return out.ljust((len(out) + 3) // 4 * 4, b"\0")


def irq_entry(pid, irq, name):
    return text(110, pid, (struct.pack("<i", irq), b""), name)


def irq_exit(pid, irq):
    return head(111, pid) + struct.pack("<ii", irq, 1)


def softirq(pid, vec, end=False):
    return head(113 if end else 112, pid) + struct.pack("<I", vec)


def sys_enter(pid, nr):
    return head(120, pid) + struct.pack("<q6Q", nr, 1, 2, 3, 4, 5, 6)


def sys_exit(pid, nr, ret):
    return head(121, pid) + struct.pack("<qq", nr, ret)


def call(pid, func, depth):
    return head(11, pid) + struct.pack("<QI", func, depth) + bytes(4)


def ret(pid, func, depth, begin, end):
    return head(10, pid) + struct.pack("<QIIQQ", func, depth, 0, begin, end)


def kernel_stack(pid, frames):
    return head(4, pid) + struct.pack(f"<iI{len(frames)}Q", len(frames), 0, *frames)


def user_stack(pid, tgid, frames):
    return head(12, pid) + struct.pack("<II8Q", tgid, 0, *frames)


def strange(pid, name, n):
    return text(130, pid, (b"", bytes(4) + struct.pack("<q", n)), name)


class Cpu:
    """the sub-buffers of a CPU"""

    def __init__(self):
        self.pages, self.data, self.start, self.last, self.lost = [], b"", None, 0, None

    def add(self, ts, record):
        size = len(record)
        words = size // 4
        coded = struct.pack("<I", words) if words <= 28 else struct.pack("<II", 0, size + 4)
        delta = 0 if self.start is None else ts - self.last
        room = len(coded) + size + 8
        if self.start is None or not 0 <= delta < 1 << 59 or len(self.data) + room > PAGE - 32:
            self.flush()
            self.start, delta = ts, 0
        if delta >= 1 << 27:
            self.data += struct.pack("<II", 30 | (delta & (1 << 27) - 1) << 5, delta >> 27)
            delta = 0
        first = struct.unpack_from("<I", coded)[0] | delta << 5
        self.data += struct.pack("<I", first) + coded[4:] + record
        self.last = ts

    def flush(self):
        if self.start is None:
            return
        commit, tail = len(self.data), b""
        if self.lost is not None:
            commit |= 1 << 31
            if self.lost:
                commit |= 1 << 30
                tail = struct.pack("<Q", self.lost)
        page = struct.pack("<QQ", self.start & (1 << 64) - 1, commit) + self.data + tail
        self.pages.append(page.ljust(PAGE, b"\0"))
        self.data, self.start, self.lost = b"", None, None

    def lose(self, count):
        """events are lost here; 0: nobody counted them"""
        self.flush()
        self.lost = count


def sized(value, kind="<Q"):
    return struct.pack(kind, len(value)) + value


def options(n):
    """v6 options with n MiB each of tasks, descriptors, objects and images"""
    rows = {0x7c08: (1, bytes(31)), 0x7c11: (3, bytes(41)), 0x7c05: (1, bytes(17)), 0x7c06: (1, bytes(36))}
    out = b""
    for number, (kind, row) in rows.items():
        out += option(number, n, (struct.pack("<HI", kind, len(row)) + row) * ((1 << 20) // (6 + len(row))))
    return out + bytes(2)


def functions(n):
    rows = struct.pack("<QQI", 0, 1, 0) * ((1 << 20) // 20)
    rows = struct.pack("<II", 0, len(rows) // 20) + rows
    name = b"_ZN1fILi0EEEv\0"
    return option(0x7c05, 1, struct.pack("<HI", 1, 17) + bytes(17)) + \
        option(0x7c07, n, struct.pack("<HI", 2, len(rows)) + rows, struct.pack("<HI", 1, len(name)) + name) + bytes(2)


def option(number, n, records, before=b""):
    """the records n times, after others"""
    packed = struct.pack("<II", 1, len(records)) + zlib.compress(records, 9)
    data = struct.pack("<I", 0x01020304) + before + (struct.pack("<HI", 0xfff0, len(packed)) + packed) * n
    return struct.pack("<HI", number, len(data)) + data


def write(path, cpus, comms, symbols, more=b""):
    for c in cpus:
        c.flush()
    out = b"\x17\x08\x44tracing6\0" + bytes([0, 8]) + struct.pack("<I", PAGE)
    out += b"header_page\0" + sized(b"") + b"header_event\0" + sized(b"")
    out += struct.pack("<I", len(FTRACE)) + b"".join(sized(f) for f in FTRACE)
    out += struct.pack("<I", len(SYSTEMS))
    for system, formats in SYSTEMS.items():
        out += system + b"\0" + struct.pack("<I", len(formats)) + b"".join(sized(f) for f in formats)
    out += sized(b"".join(b"%016x t %s\n" % s for s in symbols), "<I") + sized(b"", "<I")
    out += sized(b"".join(b"%d %s\n" % c for c in comms))
    out += struct.pack("<I", len(cpus)) + (b"options  \0" + more if more else b"") + b"flyrecord\0"
    at = (len(out) + 16 * len(cpus) + PAGE - 1) // PAGE * PAGE
    first = at
    for c in cpus:
        out += struct.pack("<QQ", at, PAGE * len(c.pages))
        at += PAGE * len(c.pages)
    with open(path, "wb") as f:
        f.write(out.ljust(first, b"\0"))
        for c in cpus:
            f.writelines(c.pages)


def names(cpus, _):
    comms, symbols, ts, idle = [], [], 10**9, (b"swapper/0", 0)
    for i, bad in enumerate(BAD):
        pid, func = 100 + i, FUNC + 4096 * i
        comms.append((pid, bad.replace(b"\n", b" ")))
        symbols.append((func, bad.translate(None, b"\n\t \r") or b"x"))
        t = (bad, pid)
        for r in (waking(0, bad, pid), switch(idle, 0, t), sys_enter(pid, i), irq_entry(pid, i, bad),
                  irq_exit(pid, i), softirq(pid, i % 10), softirq(pid, i % 10, True),
                  call(pid, func, 0), ret(pid, func, 0, ts, ts + 5000), sys_exit(pid, i, -i),
                  strange(pid, bad, -i), runtime(bad, pid, 9000), kernel_stack(pid, [func, func + 8]),
                  user_stack(pid, pid, [0x400000 + i, 0x400100] + [0] * 6),
                  fork(pid, bad, pid + 1000), switch(t, 1, idle)):
            ts += 1000
            cpus[0].add(ts, r)
    return comms, symbols


def tasks(cpus, n):
    ts, before = 10**9, (b"swapper", 0)
    for i in range(1, n + 1):
        t = (b"t%d" % i, i)
        ts += 700
        cpus[0].add(ts, waking(before[1], t[0], i))
        cpus[0].add(ts + 300, switch(before, 1, t))
        cpus[0].add(ts + 400, sys_enter(i, 1))
        cpus[0].add(ts + 500, sys_exit(i, 1, 0))
        before = t
    return [], []


def backwards(cpus, n):
    a, b = (b"a", 1), (b"b", 2)
    for i in range(n):
        ts = 10**12 - i * 1000000
        cpu = cpus[i % len(cpus)]
        cpu.add(ts, switch(a, 1, b))
        cpu.add(ts + 500, sys_enter(2, 0))
        # Also before its entry
        cpu.add(ts + (700 if i % 2 else 300), sys_exit(2, 0, 1))
        cpu.add(ts + 900, switch(b, 0, a))
    return [(1, b"a"), (2, b"b")], []


def nesting(cpus, n):
    ts = 10**9
    for i in range(n):
        ts += 100
        cpus[0].add(ts, call(7, FUNC, i))
        cpus[0].add(ts + 20, irq_entry(7, i & 0xff, b"deep"))
        cpus[0].add(ts + 40, softirq(7, i % 10))
        cpus[0].add(ts + 60, sys_enter(7, i % 300))
    return [(7, b"deep")], [(FUNC, b"f")]


def ends(cpus, n):
    ts = 10**9
    for i in range(n):
        ts += 100
        cpus[0].add(ts, ret(7, FUNC + i, i & 0xffff, ts, ts - 5000))
        cpus[0].add(ts + 20, irq_exit(7, i & 0xff))
        cpus[0].add(ts + 40, softirq(7, i % 10, True))
        cpus[0].add(ts + 60, sys_exit(7, i % 300, -1))
    return [], []


def stacks(cpus, n):
    ts = 10**9
    for i in range(n):
        ts += 100
        cpus[0].add(ts, waking(7, b"w", 8))
        cpus[0].add(ts + 10, kernel_stack(7, [FUNC + 16 * (i * 500 + j) for j in range(490)]))
        cpus[0].add(ts + 20, user_stack(7, 7, [0x400000 + 16 * (8 * i + j) for j in range(8)]))
    return [(7, b"stacker")], [(FUNC + 16 * i, b"f%d" % i) for i in range(1000)]


def losses(cpus, n):
    ts = 10**9
    for i in range(n):
        ts += 1000
        cpu = cpus[i % len(cpus)]
        cpu.lose(i % 3)
        cpu.add(ts, switch((b"a", 1), 0, (b"b", 2)) if i % 2 else sys_enter(1, 3))
    return [(1, b"a"), (2, b"b")], []


def overflow(cpus, _):
    a, b = (b"a", -1), (b"b", 2**31 - 1)
    for i, ts in enumerate((0, 1, 2**31, 2**53, 2**62, 2**63 - 2000, 2**63 - 1, 2**63, 2**64 - 3000)):
        for k, r in enumerate((switch(a, -1, b), sys_enter(2**31 - 1, -2**63), sys_exit(2**31 - 1, -2**63, -2**63),
                               call(-1, 2**64 - 1, 2**32 - 1), ret(-1, 2**64 - 1, 2**32 - 1, 2**64 - 1, 0),
                               irq_entry(0, -2**31, b""), softirq(0, 2**32 - 1), runtime(b"", -1, 2**64 - 1),
                               switch(b, 2**63 - 1, a))):
            cpus[i & 1].add(ts + k * 100, r)
    return [(-1, b"a"), (2**31 - 1, b"b")], []


def main():
    cases = {f.__name__: f for f in (names, tasks, backwards, nesting, ends, stacks, losses, overflow, options,
                                     functions)}
    for arg in sys.argv[1:]:
        case, _, count = arg.partition(":")
        if case not in cases or not count.isdigit():
            raise SystemExit(__doc__)
        cpus = [Cpu(), Cpu()]
        if case in ("options", "functions"):
            write(f"{case}.dat", cpus, *stacks(cpus, 10), cases[case](int(count)))
        else:
            write(f"{case}.dat", cpus, *cases[case](cpus, int(count)))


if __name__ == "__main__":
    main()
