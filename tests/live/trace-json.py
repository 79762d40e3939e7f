#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trace-json.py OBJECTS LINES EVENTS - the objects of tc-trace -j say what its lines and tc-report --json say

LINES: the calls that returned (-z -Z), with threads in front. EVENTS: the events that both were made of. Prints
what differs.
"""
import json
import re
import sys

objects = [json.loads(line, parse_float=str) for line in open(sys.argv[1], encoding="utf-8")]
events = [json.loads(line) for line in open(sys.argv[3], encoding="utf-8")]
calls = [o for o in objects if "syscall" in o]
shown = [o for o in objects if "syscall" not in o or not (o["unbegun"] or o["unfinished"])]


def text(o):
    if "syscall" in o:
        return f"{o['pid']} {o['syscall']}({o['text']}) = {o['result']}"
    if "signal" in o:
        return f"{o['pid']} --- {o['signal']}"
    return f"{o['pid']} +++ " + (f"killed by {o['killed']}" if "killed" in o else f"exited with {o['exit']}") + " +++"


def lines(path):
    for line in open(path, encoding="utf-8"):
        line = re.sub(r"^(\d+) +", r"\1 ", line.rstrip("\n"))
        if " resumed>" not in line:
            yield re.sub(r" \{si_signo.*", "", re.sub(r"\) +=", ") =", line))


for got, want in zip(map(text, shown), lines(sys.argv[2])):
    if got != want:
        print(f"{got} instead of {want}")
        break
if len(shown) != sum(1 for _ in lines(sys.argv[2])):
    print("there are more objects, or fewer, than lines")

# Numbers and times are those of the events, to the nanosecond.
def ns(seconds):
    return int(seconds.replace(".", ""))


entries, wanted = {}, set()
for e in events:
    fields, pid = e["fields"], e["pid"]
    if e["event"] == "raw_syscalls:sys_enter":
        entries[pid] = e["ts"], fields["id"], fields["args"]
    elif pid in entries:
        begin, number, args = entries.pop(pid)
        wanted.add((int(begin), int(e["ts"]) - int(begin), pid, number, fields["ret"], tuple(map(int, args))))
known = {w[:5] for w in wanted}
registers = {w[:1] + w[2:3]: w[5] for w in wanted}
timed = [o for o in calls if o["duration"] is not None]
for o in timed:
    key = ns(o["begin"]), ns(o["duration"]), o["pid"], o["nr"], o["ret"]
    if key not in known:
        print(f"not among the events: {key}")
    args = registers.get((key[0], key[2]), ())
    mask = (1 << 32) - 1
    if [int(v) & mask for v in o["args"].values()] != [v & mask for v in args[: len(o["args"])]]:
        print(f"arguments {o['args']} instead of {args}")
if len(timed) < 20:
    print("only few calls have a time")
for o in calls:
    if (o["ret"] is not None and o["ret"] < 0) != (o["error"] is not None):
        print(f"error without a reason: {o}")
