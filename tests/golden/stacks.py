#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks.py WHAT [OPTION...] < TEXT - fold stacks of texts by the rules of FlameGraph's scripts

text   trace-cmd report's text: each kernel_stack and user_stack belongs to the event before it on its CPU
perf   perf script's text, as stackcollapse-perf.pl reads it with all annotations
off    trace-cmd report -t's text of sched_switch and sched_waking: ns from when a task leaves its CPU until it
       runs again, by its stack then
graph  trace-cmd report -R's text of function_graph: ns of each call without those it made, of tasks whose calls
       all began and ended in order

--event NAME     only of this event
--weight FIELD   the number after "FIELD=" in the event's text, instead of 1
--root pid|tid   the first frame: comm-PID, comm-PID/TID ("?": nothing names the process)
--plain          without annotations
--part NAME      of "off": blocked, until a task is woken; runnable, the rest
"""
import argparse
import re
import sys
from collections import defaultdict

HEAD = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\] .*?(\d+\.\d+): (\w+): +(.*)$")
CALLER = re.compile(r"^\s*=> (?:(.*) \(([0-9a-f]+)\)|(?:0x)?([0-9a-f]+))$")
SAMPLE = re.compile(r"^(\S.+?)\s+(\d+)/*(\d+)*\s+\[\d+\]\s+\d+\.\d{6}:\s+(\d+) (\S+):$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((.*)\)$")
KERNEL = "[kernel.kallsyms]"
INTERRUPT = re.compile(r"asm_sysvec_.*|asm_common_interrupt|common_interrupt|el.*_irq|do_IRQ")
TRACING = re.compile(r"(ftrace|perf)_syscall_(enter|exit)|trace_event_raw_.*|__traceiter_.*|perf_trace_.*|__bpf_trace_.*")
SCHEDULE = re.compile(r"__schedule|schedule|preempt_schedule.*")
BY_CHANCE = ("local_timer_entry", "hrtimer_expire_entry", "sched_switch", "sched_stat_runtime")


def kernel_part(event, frames):
    """[(name, dso)] innermost first, without what recorded it; that is not in a sample of CPU time"""
    if event == "cpu-clock":
        return frames
    while frames and TRACING.fullmatch(frames[0][0]):
        frames = frames[1:]
    if event in ("sched_switch", "sched_stat_runtime"):
        while frames and SCHEDULE.fullmatch(frames[0][0]):
            frames = frames[1:]
    if event in BY_CHANCE:
        entries = [i for i, f in enumerate(frames) if INTERRUPT.fullmatch(f[0])]
        if entries:  # the innermost interrupt; its entry may be several functions
            end = entries[0] + 1
            while end in entries:
                end += 1
            frames = frames[end:]
    return frames


def tidy(name, dso, plain):
    """One frame as stackcollapse-perf.pl writes it"""
    if name == "[unknown]":
        name = "[%s]" % (re.sub(r".*/", "", dso) if dso != "[unknown]" else "unknown")
    name = name.replace(";", ":")
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
    name = name.replace('"', "").replace("'", "")
    if not plain and re.search(r"^\[|vmlinux$", dso) and "unknown" not in dso:
        name += "_[k]"
    return name


def root_of(comm, tgid, tid, how):
    comm = comm.replace(" ", "_").replace(";", ":")
    tgid = "?" if tgid is None else tgid
    return {"comm": comm, "pid": f"{comm}-{tgid}", "tid": f"{comm}-{tgid}/{tid}"}[how]


class Folded:
    def __init__(self, args):
        self.args = args
        self.sums = defaultdict(int)

    def add(self, comm, tgid, tid, event, kernel, user, weight):
        frames = [tidy(n, d, self.args.plain) for n, d in kernel_part(event, kernel) + user]
        frames.append(root_of(comm, tgid, tid, self.args.root))
        self.sums[";".join(reversed(frames))] += weight

    def write(self):
        lines = [f"{stack} {n}\n".encode("utf-8", "surrogateescape")
                 for stack, n in self.sums.items() if n]
        sys.stdout.buffer.write(b"".join(sorted(lines)))


def weight_of(text, field):
    if not field:
        return 1
    found = re.search(r"\b%s=(-?\d+)" % re.escape(field), text)
    return int(found.group(1)) if found else None


def add_caller(target, found):
    frames, kind = target
    if kind == "user_stack":
        if int(found.group(3) or found.group(2), 16):
            frames.append(("[unknown]", "[unknown]"))
            if len(frames) == 8:
                frames.append(("[…]", "[unknown]"))
    else:
        frames.append((found.group(1) or "[unknown]", KERNEL))


def from_text(lines, folded, args):
    last = {}  # of each CPU: the event, its stacks

    def give(cpu):
        event = last.pop(cpu, None)
        if event and event["has"] and (not args.event or event["name"] == args.event):
            weight = weight_of(event["text"], args.weight)
            if weight is not None:
                folded.add(event["comm"], None, event["tid"], event["name"], event["kernel"],
                           event["user"], weight)

    target = None
    for line in lines:
        head = HEAD.match(line)
        if head:
            comm, tid, cpu, _, name, text = head.groups()
            target = None
            if name in ("kernel_stack", "user_stack"):
                if cpu in last:
                    last[cpu]["has"] = True
                    target = (last[cpu]["kernel" if name[0] == "k" else "user"], name)
                    line = text
            else:
                give(cpu)
                last[cpu] = {"comm": comm, "tid": tid, "name": name, "text": text, "has": False,
                             "kernel": [], "user": []}
        found = CALLER.match(line)
        if found and target:
            add_caller(target, found)
    for cpu in list(last):
        give(cpu)


def from_perf(lines, folded, args):
    sample = None
    for line in lines:
        if not line:
            if sample:
                folded.add(*sample)
            sample = None
            continue
        head = SAMPLE.match(line)
        if head and not sample:
            comm, tgid, tid, period, event = head.groups()
            if not tid:
                tgid, tid = None, tgid
            event = event.split(":")[-1]
            if not args.event or event == args.event:
                sample = [comm, tgid, tid, event, [], [], int(period)]
            continue
        frame = FRAME.match(line)
        if not head and not frame:
            sys.exit("not of perf script: " + line)
        if frame and sample:
            name, dso = re.sub(r"\+0x[0-9a-f]+$", "", frame.group(2)), frame.group(3)
            chain = name.split("->")
            kernel = dso.startswith("[") and dso != "[unknown]"
            sample[4 if kernel else 5].extend((n, dso) for n in reversed(chain))


SWITCH = re.compile(r"^(.*):(\d+) \[\d+\] (\S+) ==> (.*):(\d+) \[\d+\]$")
WAKING = re.compile(r"\bpid=(\d+) ")
COMM = re.compile(r"\bcomm=(.*) pid=")
CALL = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\] .*? funcgraph_(entry|exit): +func=(\S+) depth=(\d+)"
                  r"(?:.* calltime=([0-9a-f]+) rettime=([0-9a-f]+))?")


def nanoseconds(stamp):
    seconds, fraction = stamp.split(".")
    assert len(fraction) == 9
    return int(seconds) * 10**9 + int(fraction)


def from_text_off(lines, folded, args):
    away = {}  # tasks off their CPU: since when, state, the event with its stacks
    last = {}  # of each CPU: its last event
    seen = set()  # tasks of switches

    def leaf(event, what, ns):
        if args.part not in (None, what) or not event:
            return
        frames = kernel_part("sched_switch", event["kernel"])
        frames = [tidy(n, d, args.plain) for n, d in frames + event["user"]]
        frames.append(root_of(event["comm"], None, event["tid"], args.root))
        frames.reverse()
        folded.sums[";".join(frames + ["[runqueue]"] * (what == "runnable"))] += ns

    target = None
    for line in lines:
        head = HEAD.match(line)
        if head:
            comm, tid, cpu, stamp, name, text = head.groups()
            target = None
            if name in ("kernel_stack", "user_stack"):
                if cpu in last:
                    target = (last[cpu]["kernel" if name[0] == "k" else "user"], name)
                    line = text
            else:
                last[cpu] = {"comm": comm, "tid": tid, "kernel": [], "user": []}
                now = nanoseconds(stamp)
            woken = WAKING.search(text) if name in ("sched_waking", "sched_wakeup_new") else None
            # A task that was not switched out before has no stack; if it ran, it will be switched out.
            if woken and woken.group(1) != "0" and woken.group(1) not in seen:
                alone = {"comm": COMM.search(text).group(1), "tid": woken.group(1),
                         "kernel": [], "user": []}
                away.setdefault(woken.group(1), [now, "R", alone])
            if woken and away.get(woken.group(1), [0, "R"])[1][0] not in "RXZ":
                task = away[woken.group(1)]
                leaf(task[2], "blocked", now - task[0])
                task[0:2] = now, "R"
            switch = SWITCH.match(text) if name == "sched_switch" else None
            if switch:
                seen.update((switch.group(2), switch.group(5)))
                if switch.group(5) in away:
                    since, state, event = away.pop(switch.group(5))
                    leaf(event, "runnable" if state[0] == "R" else "blocked", now - since)
                if switch.group(2) != "0":
                    away[switch.group(2)] = [now, switch.group(3), last[cpu]]
        found = CALLER.match(line)
        if found and target:
            add_caller(target, found)


def from_graph(lines, folded, args):
    tasks = defaultdict(list)  # open calls: [function, depth, path, ns of calls that it made]
    sums = defaultdict(lambda: defaultdict(int))
    incomplete = set()
    for line in lines:
        call = CALL.match(line)
        if not call:
            continue
        comm, tid, cpu, what, func, depth, begin, end = call.groups()
        root = root_of(comm, None, tid, args.root)
        around = tasks[root, cpu if tid == "0" else None]
        if what == "entry":
            while around and around[-1][1] >= int(depth):
                around.pop()
                incomplete.add(root)
            path = around[-1][2] if around else root
            around.append([func, int(depth), path + ";" + tidy(func, KERNEL, args.plain), 0])
        elif not around or around[-1][:2] != [func, int(depth)]:
            incomplete.add(root)
        else:
            _, _, path, inner = around.pop()
            duration = int(end, 16) - int(begin, 16)
            sums[root][path] += max(0, duration - inner)
            if around:
                around[-1][3] += duration
    for (root, _), around in tasks.items():
        if not around and root not in incomplete:
            folded.sums.update(sums[root])


READERS = {"text": from_text, "perf": from_perf, "off": from_text_off, "graph": from_graph}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=sorted(READERS))
    parser.add_argument("--event")
    parser.add_argument("--weight")
    parser.add_argument("--root", default="comm")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--part")
    args = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    lines = sys.stdin.read().split("\n")
    folded = Folded(args)
    READERS[args.what](lines, folded, args)
    folded.write()


main()
