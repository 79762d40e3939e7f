#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""truth.py [OPTION...] KERNEL REPORT - compare a report with the kernel's own text

KERNEL is the file "trace" of an instance, REPORT what tc-report makes of the same ring buffer: with
--kernel the whole lines are compared, without it only the text after an event's name. Prints, type
by type, how many lines are the same, the same by a rule (RULES has the reasons), and different.

  --kernel        REPORT was made by tc-report --kernel
  --latency       both are in the kernel's latency format; what its time is counted from may differ
  --least N       fail if fewer than N types occurred
  --samples N     lines of each type to show that differ (default 2)
  --all           list the types that agree as well
  --pinned FILE   types that are known to differ, a line each; one of them that agrees is a failure too

Exit status: 0 all lines are the same or the same by a rule, 1 some are not, 2 usage.
"""

import argparse
import collections
import re
import sys

LINE = re.compile(
    r"^\s*(?P<comm>.*\S|)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?:(?P<flags>[^ ]+) +)?"
    r"(?P<time>\d+\.\d+): (?P<text>.*)$"
)
LATENCY = re.compile(
    r"^\s*(?P<comm>.*\S|)-(?P<pid>\d+) +(?P<cpu>\d+)(?P<flags>[^ ]{5}|[^ ]{7}) +"
    r"(?P<time>\d+)us(?P<text>[^ ]: .*| : .*)$"
)
LOST = re.compile(r"^CPU:(\d+) \[(?:LOST|\d+ EVENTS? DROPPED|EVENTS? DROPPED|LOST \d+).*\]$")
# After an overrun the kernel says where the events of each CPU begin: that is not of an event.
BEGINS = re.compile(r"^##### CPU \d+ buffer started ####$")
CALL = re.compile(r"^sys_(\w+)(\(| -> )")
NAME = re.compile(r"^([^ :()]+):? ?")

Entry = collections.namedtuple("Entry", "line cpu time kind body")


def kind_of(text):
    """The type of an event, and the text after its name, from the text after the time stamp"""
    call = CALL.match(text)
    if call:
        return ("sys_enter_" if call[2] == "(" else "sys_exit_") + call[1], text
    for start, kind in (
        ("<stack trace>", "kernel_stack"),
        ("<user stack trace>", "user_stack"),
        ("# ", "raw_data"),
        ("tracing_mark_write:", "print"),
    ):
        if text.startswith(start):
            return kind, text
    name = NAME.match(text)
    if not name or not text[: name.end()].rstrip().endswith(":"):
        return "function" if "<-" in text else "?", text
    return name[1], text[name.end() :].strip()


def read(path, latency):
    """The entries of each CPU, in their order; in the latency format without their time"""
    cpus = collections.defaultdict(list)
    last = None
    with open(path, encoding="latin-1", newline="\n") as file:
        for line in file:
            line = line.rstrip("\n")
            if last is None and (line.startswith("#") or line.startswith("cpus=")):
                continue
            if BEGINS.match(line):
                continue
            found = (LATENCY if latency else LINE).match(line)
            if found:
                kind, body = kind_of(found["text"][3 if latency else 0 :])
                if latency:
                    line = line[: found.start("time")].rstrip() + line[found.end("time") :]
                last = cpus[int(found["cpu"])]
                last.append([line, found["time"], kind, body])
            elif LOST.match(line):
                last = cpus[int(LOST.match(line)[1])]
                last.append([line, "", "lost", line])
            elif last:
                last[-1][0] += "\n" + line
                last[-1][3] += "\n" + line
    return cpus


# Rules: what may differ, and why. Each is put to both texts, in this order; lines that are the same
# then are "the same by" the rules that changed one of them. "where": kernel, values or both. "change"
# makes of the two texts two others.
Rule = collections.namedtuple("Rule", "name where kinds reason change")


def sub(pattern, to):
    compiled = re.compile(pattern)
    return lambda kernel, ours: (compiled.sub(to, kernel), compiled.sub(to, ours))


def same_blanks(kernel, ours):
    return tuple(
        re.sub(r" *\n *", "\n", re.sub(r" +", " ", text)).strip() for text in (kernel, ours)
    )


HASHED = re.compile(r"\b(?:0x)?0{8}[0-9a-f]{8}\b")


class Hashes:
    """Maps pointers to the hashes they are printed as, and back"""

    def __init__(self):
        self.hash_of, self.pointer_of = {}, {}

    def change(self, kernel, ours):
        hashes = HASHED.findall(kernel)
        if not hashes:
            return kernel, ours
        pattern = r"(?:0x)?([0-9a-f]+)".join(re.escape(part) for part in HASHED.split(kernel))
        found = re.fullmatch(pattern, ours)
        if not found:
            return kernel, ours
        pairs = [(int(h, 16), int(p, 16)) for h, p in zip(hashes, found.groups())]
        if all(hashed == pointer for hashed, pointer in pairs):
            return kernel, ours
        for hashed, pointer in pairs:
            if self.hash_of.setdefault(pointer, hashed) != hashed:
                return kernel, ours
            if self.pointer_of.setdefault(hashed, pointer) != pointer:
                return kernel, ours
        return kernel, kernel


TASK = r"(?:prev_|next_)?comm=(.*) (?:prev_|next_)?pid=(\d+) (?:prev_|next_)?prio=(\d+)"


def task_layout(kernel, ours):
    """comm=COMM pid=PID prio=PRIO as COMM:PID [PRIO]"""
    text = " ==> ".join(re.sub(TASK, r"\1:\2 [\3]", part) for part in kernel.split(" ==> "))
    return text.replace(" prev_state=", " ").replace(" target_cpu=", " CPU:"), ours


def call_site_layout(kernel, ours):
    """(SYMBOL) in front once more"""
    found = re.match(r"\((\S+)\) (?=call_site=(\S+))", ours)
    return kernel, ours[found.end() :] if found and found[1] == found[2] else ours


def same_place(kernel, ours):
    """(SYMBOL+0x1/0x2 <- SYMBOL) as (NUMBER <- NUMBER)"""
    place = r"\((?:0x)?[0-9a-f]+(?: <- (?:0x)?[0-9a-f]+)?\)"
    symbol = r"\((?:0x[0-9a-f]+|[\w.]+\+0x[0-9a-f]+)(?: <- (?:0x[0-9a-f]+|[\w.]+))?\)"
    if not re.match(place, ours) or not re.match(symbol, kernel):
        return kernel, ours
    return re.sub(symbol, "(place)", kernel, count=1), re.sub(place, "(place)", ours, count=1)


def same_pointers(kernel, ours):
    def change(text):
        return re.sub(
            r"\b(?:0x)?([0-9a-f]{16}|(?<=0x)[0-9a-f]+)\b",
            lambda m: "0x" + (m[1].lstrip("0") or "0"),
            text.replace("(nil)", "0x0"),
        )

    return change(kernel), change(ours)


NAME_OF_TASK = re.compile(r"^\s*(?P<comm>.*\S|)(?=-\d+ +\[?\d)")
FORGOTTEN = "<...>"


def forgotten_name(kernel, ours):
    """<...>-PID in both if one has it"""
    names = NAME_OF_TASK.match(kernel), NAME_OF_TASK.match(ours)
    if not all(names) or FORGOTTEN not in (names[0]["comm"], names[1]["comm"]):
        return kernel, ours
    return FORGOTTEN + kernel[names[0].end() :], FORGOTTEN + ours[names[1].end() :]


RULES = [
    Rule(
        "forgotten",
        "kernel",
        ".*",
        "the kernel keeps names of the latest tasks that anybody recorded (saved_cmdlines): one may go, "
        "or come, between its text and ours",
        forgotten_name,
    ),
    Rule(
        "size",
        "both",
        ".*",
        "the kernel's list of symbols, which is in the file, has no sizes: +0x10/0x40 is +0x10",
        sub(r"(\+0x[0-9a-f]+)/0x[0-9a-f]+", r"\1"),
    ),
    Rule(
        "vmemmap",
        "both",
        "mm_.*",
        "the address of a struct page is computed with the kernel's vmemmap_base, which is nowhere",
        sub(r"page=(0x)?[0-9a-f]+ pfn", "page= pfn"),
    ),
    Rule(
        "jiffies",
        "both",
        "writeback_single_inode(_start)?",
        "the age is computed with the kernel's jiffies when it prints, not when it records",
        sub(r"age=\d+", "age="),
    ),
    Rule(
        "no text",
        "both",
        "iomap_iter.*",
        "a kernel without CONFIG_KALLSYMS_ALL names no address outside its text; its list of symbols "
        "has the first one there, __start_rodata",
        sub(r"\bops (0x[0-9a-f]+|__start_rodata)", "ops"),
    ),
    Rule(
        "blanks",
        "values",
        ".*",
        "trace-cmd's layout: several blanks may stand for one, none at the end of a line",
        same_blanks,
    ),
    Rule(
        "eprobe",
        "both",
        "each",
        "an event probe's text begins with its event, which no field and no format says",
        lambda kernel, ours: (re.sub(r"\(\w+\.\w+\) ", "", kernel), re.sub(":  ", ": ", ours)),
    ),
    Rule(
        "place",
        "values",
        ".*",
        "trace-cmd's layout of a probe's place is a number, the kernel's a symbol",
        same_place,
    ),
    Rule(
        "module",
        "values",
        "notifier_(run|register|unregister)",
        "trace-cmd's layout of a function has no module",
        sub(r"\b(\w+) \[\w+\]$", r"\1"),
    ),
    Rule(
        "sched plugin",
        "values",
        "sched_switch|sched_wakeup(_new)?",
        "the layout of libtraceevent's plugin, with the same values",
        task_layout,
    ),
    Rule(
        "kmem plugin",
        "values",
        "kfree|kmalloc|kmalloc_node|kmem_cache_.*",
        "the layout of libtraceevent's plugin: the calling function is in front, too",
        call_site_layout,
    ),
    Rule(
        "tlb plugin",
        "values",
        "tlb_flush",
        "the layout of libtraceevent's plugin: '=' for ':'",
        lambda kernel, ours: (kernel.replace(":", "="), ours),
    ),
    Rule(
        "hash",
        "both",
        ".*",
        "the kernel hashes pointers where options/hash-ptr is absent, or is broken (6.1 cuts texts "
        "off without it): the same hash is always the same pointer",
        Hashes().change,
    ),
    Rule(
        "pointer",
        "values",
        ".*",
        "trace-cmd's layout of %p has 0x and no leading zeros, the kernel's has 16 digits",
        same_pointers,
    ),
]

# Entries whose layout is trace-cmd's throughout in the default text: only --kernel is compared.
LAYOUT = re.compile(
    "sys_enter_.*|sys_exit_.*|raw_data|print|bprint|bputs|function|kernel_stack|user_stack|"
    "funcgraph_.*|wakeup|context_switch|blktrace|mmiotrace_.*"
)


def rules_for(mode, kind):
    return [r for r in RULES if r.where in ("both", mode) and re.fullmatch(r.kinds, kind)]


def compare(kernel, ours, rules):
    """None if the texts differ, else the names of the rules by which they do not"""
    used = []
    if kernel == ours:
        return used
    for rule in rules:
        a, b = rule.change(kernel, ours)
        if (a, b) != (kernel, ours):
            used.append(rule.name)
        kernel, ours = a, b
        if kernel == ours:
            return used
    return None


class Kind:
    def __init__(self):
        self.same = self.ruled = 0
        self.rules = collections.Counter()
        self.differ = []
        self.n_differ = 0


def check(args, kernel, ours, kinds):
    mode = "kernel" if args.kernel else "values"
    wrong = 0
    since = None
    for cpu in sorted(set(kernel) | set(ours)):
        k, o = kernel[cpu], ours[cpu]
        # events overwritten before the first entry are reported only to a reader that consumes
        if o and o[0][2] == "lost" and k and k[0][2] != "lost":
            o = o[1:]
        if len(k) != len(o):
            print(f"# CPU {cpu}: {len(k)} entries of the kernel, {len(o)} of the report")
            wrong += 1
        for a, b in zip(k, o):
            if args.latency and a[1] and b[1]:
                # each is rounded to a microsecond
                since = since or (int(a[1]), int(b[1]))
                apart = int(a[1]) - since[0] - int(b[1]) + since[1]
                other = abs(apart) > 1
            else:
                other = a[1] != b[1]
            if other:
                print(f"# CPU {cpu}: not the same entry\n#   {a[0]}\n#   {b[0]}")
                wrong += 1
                break
            if mode == "values" and LAYOUT.fullmatch(a[2]):
                continue
            kind = kinds[a[2]]
            which = 0 if args.kernel else 3
            used = compare(a[which], b[which], rules_for(mode, a[2]))
            if used is None or (mode == "values" and a[2] != b[2]):
                kind.n_differ += 1
                if len(kind.differ) < args.samples:
                    kind.differ.append((a[0], b[0]))
            elif used:
                kind.ruled += 1
                kind.rules.update(used)
            else:
                kind.same += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--latency", action="store_true")
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--pinned")
    parser.add_argument("files", nargs=2)
    args = parser.parse_args()
    kinds = collections.defaultdict(Kind)
    wrong = check(args, read(args.files[0], args.latency), read(args.files[1], args.latency), kinds)
    pinned = set()
    if args.pinned:
        with open(args.pinned, encoding="ascii") as file:
            pinned = {line.split()[0] for line in file if line.split() and line[0] != "#"}
    for name in sorted(kinds):
        kind = kinds[name]
        if kind.differ or args.all:
            by = ", ".join(f"{n} by {rule}" for rule, n in sorted(kind.rules.items()))
            print(f"{name}: {kind.same} same, {kind.n_differ} differ{', ' + by if by else ''}")
        for a, b in kind.differ:
            print("  kernel | " + a.replace("\n", "\n         | "))
            print("  report | " + b.replace("\n", "\n         | "))
    differ = {name for name, kind in kinds.items() if kind.differ}
    lines = sum(k.same + k.ruled + k.n_differ for k in kinds.values())
    by = collections.Counter()
    for kind in kinds.values():
        by.update(kind.rules)
    print(
        f"# {len(kinds)} types in {lines} lines; {len(differ)} types differ in "
        f"{sum(k.n_differ for k in kinds.values())} lines; "
        + (", ".join(f"{n} lines by rule {r}" for r, n in sorted(by.items())) or "none by a rule")
    )
    if len(kinds) < args.least:
        print(f"# too few types: {len(kinds)} of {args.least}")
        wrong += 1
    for name in sorted(differ - pinned):
        print(f"# differs: {name}")
        wrong += 1
    for name in sorted((pinned & set(kinds)) - differ):
        print(f"# is pinned as different, and agrees: {name}")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
