#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A second reader of CPU profiles, over tc-report --json: what do samples and run times say of one task?
#
#	profile.py COMM SYMBOLS TRUTH < JSON	prints "KEY VALUE" lines: samples N, runtime NS, wrong PERMILLE
#	profile.py --perf COMM TRUTH < "perf script -F comm,ip,sym" of perf record -g
#	profile.py --total PID < JSON		ns that the process PID and its children ran
#
# SYMBOLS is nm's output, TRUTH that of busy.c. "wrong" is half of the sum of absolute differences
# between the shares of functions in the truth and in the samples.
import bisect
import collections
import json
import sys


def read_symbols(path):
    rows = sorted((int(line.split()[0], 16), line.split()[2])
                  for line in open(path) if len(line.split()) == 3)
    return [row[0] for row in rows], [row[1] for row in rows]


def name_of(symbols, address):
    at = bisect.bisect_right(symbols[0], address) - 1
    return symbols[1][at] if at >= 0 else ""


def read_truth(path):
    truth = {line.split()[0]: int(line.split()[1]) for line in open(path)}
    truth.pop("total", None)
    return truth


def wrong(truth, counts):
    """In permille; the samples of other functions (of the C library, of the kernel) count as wrong."""
    whole, samples = sum(truth.values()), sum(counts.values())
    names = set(truth) | set(counts)
    return round(500 * sum(abs(truth.get(n, 0) / whole - counts[n] / samples) for n in names))


def read_json(lines):
    """Samples [pid, comm, ts, innermost user address or 0], and run times [pid, ts, ns]"""
    samples, runtimes, last = [], [], {}
    for line in lines:
        event = json.loads(line)
        name, fields = event.get("event"), event.get("fields")
        if event.get("buffer") == "samples":
            if name in ("sched:sched_waking", "irq_vectors:local_timer_entry"):
                last[event["cpu"]] = [event["pid"], event["comm"], int(event["ts"]), 0]
                samples.append(last[event["cpu"]])
            elif name == "ftrace:user_stack":
                last[event["cpu"]][3] = int(fields["caller"][0], 16)
        elif event.get("buffer") == "runtime" and name == "sched:sched_stat_runtime":
            runtimes.append([fields["pid"], int(event["ts"]), fields["runtime"], fields["comm"]])
    return samples, runtimes


def of_json(comm, symbols, truth):
    samples, runtimes = read_json(sys.stdin)
    samples = [s for s in samples if s[1] == comm]
    pids = {s[0] for s in samples}
    counts = collections.Counter(name_of(symbols, s[3]) for s in samples)
    print("samples", len(samples))
    print("runtime", sum(r[2] for r in runtimes if r[0] in pids))
    if truth:
        print("wrong", wrong(truth, counts))


def of_perf(comm, truth):
    counts = collections.Counter()
    fresh = False
    for line in sys.stdin:
        words = line.split()
        if not line.startswith((" ", "\t")):
            fresh = bool(words) and words[0] == comm
        elif fresh and words:
            # the innermost frame, which perf names itself
            counts[words[1]] += 1
            fresh = False
    print("samples", sum(counts.values()))
    if truth:
        print("wrong", wrong(truth, counts))


def total(command):
    """Run time of COMMAND and all that it started"""
    tasks, runtime = {command}, 0
    for line in sys.stdin:
        event = json.loads(line)
        fields = event.get("fields")
        if event.get("event") == "sched:sched_stat_runtime" and fields["pid"] in tasks:
            runtime += fields["runtime"]
        elif event.get("event") == "sched:sched_process_fork" and fields["parent_pid"] in tasks:
            tasks.add(fields["child_pid"])
    print(runtime)


def main():
    args = sys.argv[1:]
    if args[0] == "--total":
        total(int(args[1]))
        return
    if args[0] == "--perf":
        of_perf(args[1], read_truth(args[2]))
    else:
        of_json(args[0], read_symbols(args[1]), read_truth(args[2]))


main()
