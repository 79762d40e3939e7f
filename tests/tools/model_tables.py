#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of a recording, computed from its events one by one.

    tc-report --json -i FILE | model_tables.py syscalls|wakeups
    tc-report --json -i FILE --syscalls | model_tables.py rows

The first prints what the second should: a line for each row, with sorted keys, in byte order.
Recordings with losses are refused: what is lost is a matter of its own tests.
"""

import json
import math
import sys
from decimal import Decimal

NS = Decimal(10) ** 9
FORKS = ("clone", "clone3", "fork", "vfork")
# Contexts in --json's "flags": letters of common_flags
CONTEXTS = {"h": "hardirq", "H": "hardirq", "s": "softirq", "z": "nmi", "Z": "nmi"}


def seconds(ns):
    return Decimal(ns) / NS


def spread(values):
    """sum, mean, min, max and standard deviation in integers, rounded down"""
    if not values:
        return {"total": seconds(0), "mean": None, "min": None, "max": None, "stddev": None}
    n, total = len(values), sum(values)
    variance = n * sum(v * v for v in values) - total * total
    return {
        "total": seconds(total),
        "mean": seconds(total // n),
        "min": seconds(min(values)),
        "max": seconds(max(values)),
        "stddev": seconds(math.isqrt(variance // (n * (n - 1))) if n > 1 else 0),
    }


def name_errnos(found):
    import errno

    names = {512: "ERESTARTSYS", 513: "ERESTARTNOINTR", 514: "ERESTARTNOHAND",
             516: "ERESTART_RESTARTBLOCK"}
    return {names.get(e) or errno.errorcode.get(e, str(e)): n for e, n in found.items()}


class Call:
    def __init__(self):
        self.times, self.errnos = [], {}
        self.calls = self.unbegun = self.unfinished = 0

    def row(self, name, all_time):
        row = spread(self.times)
        share = float(sum(self.times)) * 10000 / float(all_time) + 0.5 if all_time else 0
        row.update(syscall=name, calls=self.calls, errors=sum(self.errnos.values()),
                   errnos=name_errnos(self.errnos), unbegun=self.unbegun,
                   unfinished=self.unfinished, cut=0,
                   share=Decimal(int(share)) / 100)
        return row


def syscalls(events):
    calls, opened = {}, {}

    def of(name):
        return calls.setdefault(name, Call())

    for e in events:
        system, _, name = e["event"].partition(":")
        key = (e.get("buffer"), e["pid"])
        fields = e["fields"]
        if e["event"] == "sched:sched_switch" and fields["prev_state"] & 0x30:
            key = (e.get("buffer"), fields["prev_pid"])
            if key in opened:
                of(opened.pop(key)[0]).unfinished += 1
        if system != "syscalls":
            continue
        if name.startswith("sys_enter_"):
            if key in opened:
                of(opened[key][0]).unfinished += 1
            opened[key] = (name[len("sys_enter_"):], int(e["ts"]))
            continue
        name = name[len("sys_exit_"):]
        begun = opened.pop(key, None)
        if begun and begun[0] != name:
            of(begun[0]).unfinished += 1
            begun = None
        ret = int(fields["ret"])
        if not begun and not ret and name in FORKS:
            continue
        call = of(name)
        call.calls += 1
        if begun:
            call.times.append(int(e["ts"]) - begun[1])
        else:
            call.unbegun += 1
        if -4095 <= ret < 0:
            call.errnos[-ret] = call.errnos.get(-ret, 0) + 1
    for name, _ in opened.values():
        of(name).unfinished += 1
    all_time = sum(sum(c.times) for c in calls.values())
    return [call.row(name, all_time) for name, call in calls.items()]


class Pair:
    def __init__(self):
        self.times, self.begins, self.count = [], [], 0


def wakeups(events):
    """Only a task that is known to sleep, or of which nothing is known, can be woken."""
    state, pairs, names, waker_names = {}, {}, {}, {}
    has_waking = False
    buffers = set()

    def leave(key, keep):
        # A waiting task that nobody saw run
        old = state.pop(key, None)
        if old and old[0] == "woken":
            pairs[old[2]].count += 1
        if keep:
            state[key] = keep

    for e in events:
        fields, buffer, ts = e["fields"], e.get("buffer"), int(e["ts"])
        system, _, name = e["event"].partition(":")
        if system != "sched":
            continue
        if name == "sched_switch":
            buffers.add(buffer)
            prev, after = (buffer, fields["prev_pid"]), (buffer, fields["next_pid"])
            names[prev], names[after] = fields["prev_comm"], fields["next_comm"]
            if prev[1]:
                if state.get(prev, ("run",))[0] == "woken":
                    leave(prev, None)
                bits = fields["prev_state"]
                state[prev] = ("ready" if not bits & 0xff else "asleep", ts)
                if bits & 0x30:
                    state.pop(prev)
            old = state.get(after)
            if old and old[0] == "woken":
                pair = pairs[old[2]]
                pair.count += 1
                pair.times.append(ts - old[1])
                pair.begins.append(old[1])
            if after[1]:
                state[after] = ("run", ts)
            continue
        if name == "sched_waking":
            has_waking = True
        elif name not in ("sched_wakeup", "sched_wakeup_new") or (
                name == "sched_wakeup" and has_waking):
            continue
        key = (buffer, fields["pid"])
        names[key] = fields["comm"]
        if not key[1] or not fields.get("success", 1):
            continue
        if name == "sched_wakeup_new":
            leave(key, None)
        if state.get(key, ("?",))[0] in ("run", "ready", "woken"):
            continue
        context = CONTEXTS.get(e["flags"][2], "task")
        waker = e["pid"] if context == "task" else None
        pair = (buffer, waker, key[1], context)
        pairs.setdefault(pair, Pair())
        state[key] = ("woken", ts, pair)
    for key in list(state):
        leave(key, None)
    rows = []
    total = sum(p.count for p in pairs.values())
    for (buffer, waker, pid, context), p in pairs.items():
        if buffer not in buffers or not p.count:
            continue
        row = spread(p.times)
        if not p.times:
            row["total"] = None
        del row["stddev"]
        row.update(waker_pid=waker, pid=pid, context=context, count=p.count,
                   unknown=p.count - len(p.times), share=Decimal(
                       int(float(p.count) * 10000 / float(total) + 0.5)) / 100,
                   max_at=seconds(p.begins[p.times.index(max(p.times))]) if p.times else None)
        rows.append(row)
    return rows


def canonical(value):
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return value


def main():
    what = sys.argv[1]
    objects = [json.loads(line, parse_float=Decimal) for line in sys.stdin]
    if any("lost" in o for o in objects):
        sys.exit("events were lost")
    if what == "rows":
        rows = objects
    else:
        rows = {"syscalls": syscalls, "wakeups": wakeups}[what](
            o for o in objects if "event" in o)
    for row in rows:
        for name in ("comm", "waker_comm"):
            row.pop(name, None)
    lines = [json.dumps({k: canonical(v) for k, v in row.items()}, sort_keys=True,
                        default=str) for row in rows]
    print("\n".join(sorted(lines)))


main()
