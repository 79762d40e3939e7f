#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs of tasks as "perf sched timehist -s" and tc-report --profile sum them up, of one run recorded by both.
#
#	timehist.py COMM... < perf's summary
#
# Reads perf.events (perf script --ns -F pid,tid,cpu,time,event,trace), ours.json (--profile --json) and
# events.json (--json). Both recorders stamp each switch themselves, a little apart. So each table must be, to its
# last digit, the sum of its own recorder's stamps; numbers of runs must be the same. Prints a line for each
# check: its name, and 0 or the number of tasks that are wrong, with details after it.
#
# perf 6.1 leaves runs out, namely those of threads that have exited: from then on until their last switch
# the kernel gives perf the number -1 for a thread that is not the first of its process. perf's own samples
# say which these are. tc-record in turn leaves out itself: where its switch to another task is not there, the
# beginning of that one's run is not known, and tc-report counts the run without its time.
import collections
import json
import re
import sys

SUMMARY = re.compile(r"^\s*(.+?)\[(\d+)(?:/\d+)?\]\s+-?\d+\s+(\d+)\s+(\d+\.\d+)")
SWITCH = re.compile(r"^\s*-?\d+/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+sched:sched_switch:"
                    r".* prev_pid=(\d+) .*==> .* next_pid=(\d+) ")


class Runs:
    def __init__(self):
        self.n = self.ns = self.hidden = 0


def add_up(switches):
    """The runs of each task: from the switch before on its CPU to the one that it leaves with; tid 0: ours"""
    last, tasks = {}, collections.defaultdict(Runs)
    for cpu, ts, prev, following, tid in switches:
        runs = tasks[prev]
        if tid == -1:
            runs.hidden += 1
        else:
            runs.n += 1
            begin, task = last.get(cpu, (ts, prev))
            runs.ns += ts - begin if tid or task == prev else 0
        last[cpu] = (ts, following)
    return tasks


def read_perf(path):
    for line in open(path, errors="replace"):
        m = SWITCH.match(line)
        if m:
            yield (int(m[2]), int(m[3]) * 10**9 + int(m[4]), int(m[5]), int(m[6]), int(m[1]))


def read_ours(path):
    for line in open(path):
        e = json.loads(line)
        if e.get("event") == "sched:sched_switch":
            fields = e["fields"]
            yield e["cpu"], int(e["ts"]), fields["prev_pid"], fields["next_pid"], 0


def main():
    theirs = collections.defaultdict(lambda: [0, 0])
    for line in sys.stdin:
        m = SUMMARY.match(line)
        if m:
            theirs[int(m[2])][0] += int(m[3])
            theirs[int(m[2])][1] += int(m[4].replace(".", ""))
    rows = [json.loads(line) for line in open("ours.json")]
    rows = {r["pid"]: r for r in rows if r.get("task") in sys.argv[1:]}
    perf, ours = add_up(read_perf("perf.events")), add_up(read_ours("events.json"))
    wrong = collections.defaultdict(list)
    for pid, r in rows.items():
        runs, usecs = theirs[pid]
        if r["runs"] != runs + perf[pid].hidden:
            wrong["runs"].append((pid, r["runs"], runs, perf[pid].hidden))
        if (runs, usecs) != (perf[pid].n, perf[pid].ns // 1000):
            wrong["perf"].append((pid, runs, usecs, perf[pid].n, perf[pid].ns))
        if (r["runs"], round(r["run"] * 10**9)) != (ours[pid].n, ours[pid].ns):
            wrong["ours"].append((pid, r["runs"], r["run"], ours[pid].n, ours[pid].ns))
    for name in ("runs", "perf", "ours"):
        print(name, len(wrong[name]), *wrong[name])
    print("tasks", len(rows))
    print("hidden", sum(perf[pid].hidden for pid in rows))
    print("all", sum(r["runs"] for r in rows.values()))


main()
