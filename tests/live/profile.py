#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A second reader of CPU profiles, over tc-report --json: what do samples and run times say of one task?
#
#	profile.py COMM SYMBOLS TRUTH < JSON	prints "KEY VALUE" lines: samples N, runtime NS, wrong and
#						chance PERMILLE
#	profile.py --perf COMM TRUTH < "perf script -F comm,ip,sym" of perf record -g
#	profile.py --total PID < JSON		ns that the process PID and its children ran
#	profile.py --weights COMM SYMBOLS TRUTH FOLDED < JSON
#						compares tc-report --folded --countname=ns with the run time of
#						each second, shared evenly by the task's samples in it, and that of
#						tasks without samples by all of tasks with the same name: prints
#						the functions that differ by more than 2 ns for each sample
#
# SYMBOLS is nm's output, TRUTH that of busy.c. "wrong" is half of the sum of absolute differences
# between the shares of functions in the truth and in the samples. That is the largest difference of any
# set of functions, whose standard error with N samples is at most 0.5 / sqrt(N). "chance" is five of
# these: none of the 31 sets exceeds it by chance but once in 100,000 runs.
#
# A function is the innermost one of the program: interrupts that arrive in it are of its time.
import bisect
import collections
import json
import math
import sys

OTHER = "(other)"
WINDOW = 10**9


def read_symbols(path):
    rows = sorted((int(line.split()[0], 16), line.split()[2])
                  for line in open(path) if len(line.split()) == 3)
    return [row[0] for row in rows], [row[1] for row in rows]


def name_of(symbols, address):
    at = bisect.bisect_right(symbols[0], address) - 1
    return symbols[1][at] if at >= 0 else ""


def read_truth(path):
    """ns by function, and of all else that the program did"""
    truth = {line.split()[0]: int(line.split()[1]) for line in open(path)}
    total = truth.pop("total")
    if truth:
        truth[OTHER] = max(total - sum(truth.values()), 0)
    return truth


def print_wrong(truth, counts):
    """In permille; the samples of functions of the C library and of the kernel are others"""
    found = collections.Counter()
    for name, n in counts.items():
        found[name if name in truth else OTHER] += n
    whole, samples = sum(truth.values()), sum(found.values())
    print("wrong", round(500 * sum(abs(truth[n] / whole - found[n] / samples) for n in truth)))
    print("chance", round(5 * 500 / math.sqrt(samples)))


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
    if truth and counts:
        print_wrong(truth, counts)


def of_perf(comm, truth):
    counts = collections.Counter()
    fresh = False
    for line in sys.stdin:
        words = line.split()
        if not line.startswith((" ", "\t")):
            fresh = bool(words) and words[0] == comm
        elif fresh and words:
            # the innermost frame that is not the kernel's, which perf names itself
            if words[0].startswith("ffff"):
                continue
            counts[words[1]] += 1
            fresh = False
    print("samples", sum(counts.values()))
    if truth and counts:
        print_wrong(truth, counts)


def weights(comm, symbols, truth, folded):
    samples, runtimes = read_json(sys.stdin)
    spent, names = collections.Counter(), {}
    for pid, ts, ns, name in runtimes:
        inside = min(ns, ts % WINDOW)
        spent[pid, ts // WINDOW] += inside
        spent[pid, ts // WINDOW - 1] += ns - inside
        names[pid] = name
    own = collections.Counter((s[0], s[2] // WINDOW) for s in samples)
    spread, sharing = collections.Counter(), collections.Counter()
    for (pid, window), ns in spent.items():
        if not own[pid, window]:
            spread[names[pid], window] += ns
    for (pid, window), n in own.items():
        sharing[names.get(pid), window] += n
    want, taken, got = collections.Counter(), collections.Counter(), collections.Counter()
    for pid, name, ts, address in samples:
        function, window = name_of(symbols, address), ts // WINDOW
        if name == comm and function in truth:
            shared = (names.get(pid), window)
            want[function] += spent[pid, window] / own[pid, window] + spread[shared] / sharing[shared]
            taken[function] += 1
    for line in open(folded):
        stack, ns = line.rsplit(" ", 1)
        frames = [f for f in stack.split(";") if not f.endswith("_[k]")]
        if frames[0] == comm:
            got[frames[-1]] += int(ns)
    for function in truth:
        if function != OTHER and not abs(want[function] - got[function]) <= 2 * taken[function] > 0:
            print(function, round(want[function]), got[function], "samples", taken[function])


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
    if args[0] == "--weights":
        weights(args[1], read_symbols(args[2]), read_truth(args[3]), args[4])
    elif args[0] == "--perf":
        of_perf(args[1], read_truth(args[2]))
    else:
        of_json(args[0], read_symbols(args[1]), read_truth(args[2]))


main()
