#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trace-why.py TEXT OBJECTS: tc-trace --why -j against the kernel's text of the same recording

TEXT is what "trace-cmd report -l -t -N" prints. Whatever differs is printed; the last line on standard
error says how many calls were compared, and how many of them waited, did requests, faulted and are
doubtful to tc-trace alone.
"""
import collections
import json
import re
import sys

LINE = re.compile(r"^\s*(.+)-(\d+)\s+(\d+)([^\d\s]\S*)\s+(\d+\.\d{9}): (\w+):\s+(.*)$")
STATES = {"S": "sleeping", "D": "blocked", "T": "stopped", "t": "stopped", "I": "idle", "P": "parked", "R": "preempted"}


def ns(text):
    return int(text.replace(".", ""))


def number(text, name):
    return int(re.search(r"(?<!\w)%s=(-?\d+)" % name, text).group(1))


class Call:
    def __init__(self, begin):
        self.begin = begin
        self.seconds = collections.Counter()
        self.counts = collections.Counter()
        self.wakers = collections.Counter()
        self.requests = []
        self.faults = 0
        self.partial = False

    def slept(self, sleep, until):
        """It left its CPU as @sleep says; @until: it was switched to again; None: that was not recorded"""
        begin, state, woken = sleep
        if begin < self.begin:
            return
        if not until:
            self.partial = True
        if woken or until:
            self.seconds[state] += (woken[0] if woken else until) - begin
            self.counts[state] += 1
        if woken:
            self.wakers[woken[1], woken[2]] += 1
        if woken and until:
            self.seconds["runnable"] += until - woken[0]
            self.counts["runnable"] += 1


def read(path):
    """Calls of threads, (tid, begin): Call, and whether each ended"""
    open_calls, asleep, done = {}, {}, {}
    for line in open(path, errors="replace"):
        match = LINE.match(line)
        if not match:
            continue
        pid, flags, ts, event, text = int(match[2]), match[4], ns(match[5]), match[6], match[7]
        interrupt = any(c in flags for c in "hHsZz")
        if pid in asleep and pid:
            sleep = asleep.pop(pid)
            if pid in open_calls:
                open_calls[pid].slept(sleep, None)
        if event == "sys_enter":
            open_calls[pid] = Call(ts)
        elif event == "sys_exit" and pid in open_calls:
            call = open_calls.pop(pid)
            done[pid, call.begin] = call
        elif event == "sched_switch":
            state = re.search(r"prev_state=(\S+)", text)[1][0]
            asleep[number(text, "prev_pid")] = [ts, STATES.get(state, "unknown"), None]
            sleep = asleep.pop(number(text, "next_pid"), None)
            call = open_calls.get(number(text, "next_pid"))
            if sleep and call:
                call.slept(sleep, ts)
        elif event == "sched_waking":
            task = asleep.get(number(text, "pid"))
            if task and not task[2] and task[1] != "preempted":
                task[2] = (ts, pid, interrupt)
        elif event == "block_rq_issue" and pid in open_calls and not interrupt:
            fields = re.match(r"(\d+),(\d+) (\S+) (\d+) \(.*?\) (\d+) \+ (\d+)", text)
            open_calls[pid].requests.append((f"{fields[1]}:{fields[2]}", fields[3], int(fields[5]), int(fields[4])))
        elif event in ("page_fault_user", "page_fault_kernel") and pid in open_calls and not interrupt:
            open_calls[pid].faults += 1
    return done


def compare(call, why):
    want = {
        "off_cpu": sum(call.seconds.values()),
        "states": {s: (call.counts[s], call.seconds[s]) for s in call.counts},
        "wakeups": sum(call.wakers.values()),
        "requests": len(call.requests),
        "bytes": sum(r[3] for r in call.requests),
        "faults": call.faults,
        "complete": not call.partial,
    }
    got = {
        "off_cpu": ns("%.9f" % why["off_cpu"]),
        "states": {s: (v["count"], ns("%.9f" % v["seconds"])) for s, v in why["states"].items()},
        "wakeups": why["wakeups"],
        "requests": why["requests"],
        "bytes": why["bytes"],
        "faults": why["faults"],
        "complete": why["complete"],
    }
    # A switch of another task that the kernel left out makes a CPU's time doubtful, not that of its tasks' events.
    if not why["complete"]:
        want["complete"] = False
    differs = [f"{k}: {got[k]}, the text says {want[k]}" for k in want if got[k] != want[k]]
    wakers = {(w["pid"], w["interrupt"]): w["count"] for w in why["wakers"]}
    if len(call.wakers) <= 4 and wakers != dict(call.wakers):
        differs.append(f"wakers: {wakers}, the text says {dict(call.wakers)}")
    block = [(b["dev"], b["rwbs"], b["sector"], b["bytes"]) for b in why["block"]]
    if block != call.requests[:4]:
        differs.append(f"block: {block}, the text says {call.requests[:4]}")
    return differs


def main():
    calls = read(sys.argv[1])
    n = collections.Counter()
    for line in open(sys.argv[2]):
        o = json.loads(line, parse_float=lambda text: text)
        key = (o["pid"], ns(o["begin"])) if "begin" in o else None
        if key not in calls or o["unfinished"]:
            continue
        why = json.loads(line)["why"]
        n["calls"] += 1
        n["waited"] += bool(why["states"])
        n["requests"] += bool(why["requests"])
        n["faults"] += bool(why["faults"])
        n["doubtful"] += not why["complete"] and not calls[key].partial
        differs = compare(calls[key], why)
        for text in differs:
            print(f"{o['pid']} {o['syscall']} at {o['begin']}: {text}")
    print(n["calls"], n["waited"], n["requests"], n["faults"], n["doubtful"], file=sys.stderr)


main()
