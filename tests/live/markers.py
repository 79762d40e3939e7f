#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes numbered lines to an instance's trace_marker, from chosen CPUs.

write INSTANCE CPU N           N lines "CPU/NUMBER" from one CPU, as fast as possible
latency INSTANCE N GAP CMD...  run CMD, which shows the instance's events (clock mono), and write N
                               lines, each GAP seconds after the one before it was shown; prints the
                               median and the greatest latency in milliseconds
check FILE CPUS N              what is wrong with a text that shows such lines, one complaint a line:
                               order of time, order on each CPU, CPU and task; prints "shown lost"
"""
import os
import re
import subprocess
import sys
import time

LINE = re.compile(r" +(.+)-(\d+) +\[(\d+)\] \S+ +([\d.]+): print: +.*?(\d+)/(\d+)$")
LOSS = re.compile(r"CPU:(\d+) \[(\d+) EVENTS DROPPED\]")

def write(instance, cpu, n):
    os.sched_setaffinity(0, {cpu})
    fd = os.open(instance + "/trace_marker", os.O_WRONLY)
    for i in range(n):
        os.write(fd, b"%d/%d\n" % (cpu, i))
    print(os.getpid())


def wait_for(out, held, want):
    """Read until a line holds @want: when it came, and its time stamp; both in seconds"""
    while True:
        data = os.read(out.fileno(), 65536)
        now = time.monotonic()
        if not data:
            break
        held[0] += data.decode(errors="replace")
        lines = held[0].split("\n")
        held[0] = lines.pop()
        for line in lines:
            m = LINE.match(line)
            if m and int(m.group(6)) == want:
                return now, float(m.group(4))
    sys.exit("the program ended, and did not show marker %d" % want)


def latency(instance, n, gap, command):
    cpus = sorted(os.sched_getaffinity(0))
    show = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
    fd = os.open(instance + "/trace_marker", os.O_WRONLY)
    held, found = [""], []
    for i in range(n + 1):
        cpu = cpus[i % len(cpus)]
        os.sched_setaffinity(0, {cpu})
        os.write(fd, b"%d/%d\n" % (cpu, i))
        came, stamp = wait_for(show.stdout, held, i)
        # The first waits for the program to start.
        if i:
            found.append((came - stamp) * 1000)
        time.sleep(gap)
    show.terminate()
    show.wait()
    found.sort()
    print("%.1f %.1f" % (found[len(found) // 2], found[-1]))


def check(path, cpus, n):
    last, number, pids, shown, lost = 0.0, {}, {}, 0, 0
    dropped, names = set(), set()
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        m = LOSS.search(line)
        if m:
            lost += int(m.group(2))
            dropped.add(int(m.group(1)))
        m = LINE.match(line)
        if not m:
            continue
        shown += 1
        task, pid, cpu, stamp = m.group(1), m.group(2), int(m.group(3)), float(m.group(4))
        said, i = int(m.group(5)), int(m.group(6))
        if stamp < last:
            print("earlier than the line before:", line)
        if said != cpu:
            print("shown with another CPU:", line)
        if i != number.get(cpu, -1) + 1 and cpu not in dropped:
            print("not the next of its CPU:", line)
        dropped.discard(cpu)
        # The kernel notes a task's name when the task is next switched out: events before may lack it.
        named = task.startswith("python")
        if named:
            names.add(pid)
        if pids.setdefault(cpu, pid) != pid or not (named or task == "<...>" and pid not in names):
            print("shown with another task:", line)
        last, number[cpu] = stamp, i
    if len(number) != cpus:
        print("events of", len(number), "CPUs were shown")
    if shown + lost != cpus * n:
        print(shown, "shown and", lost, "lost of", cpus * n)
    print(shown, lost)


def main(argv):
    if argv[1] == "write":
        write(argv[2], int(argv[3]), int(argv[4]))
    elif argv[1] == "latency":
        latency(argv[2], int(argv[3]), float(argv[4]), argv[5:])
    else:
        check(argv[2], int(argv[3]), int(argv[4]))


main(sys.argv)
