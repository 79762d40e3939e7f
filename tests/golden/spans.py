# SPDX-License-Identifier: GPL-2.0-or-later
"""What --latency and --profile have to say, computed from the events of tc-report --json.

    spans.py latency EVENTS TABLE     EVENTS: tc-report --json; TABLE: with --latency besides
    spans.py profile EVENTS TABLE

Prints a line "ok - ..." or "not ok - ..." for each comparison. Written from the definitions in
tc-report(1), not from the program.
"""

import json
import re
import sys
from collections import defaultdict

SOFTIRQS = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]
KEYED = {
    "timer:hrtimer_expire": ("hrtimer_expire_entry:hrtimer_expire_exit", ("hrtimer",)),
    "timer:timer_expire": ("timer_expire_entry:timer_expire_exit", ("timer",)),
    "workqueue:workqueue_execute": ("workqueue_execute_start:workqueue_execute_end", ("work",)),
    "block:block_rq": ("block_rq_issue:block_rq_complete", ("dev", "sector")),
}
BEGINS = ("_entry", "_start", "_issue")
PERCENTS = (("p50", 50000), ("p90", 90000), ("p95", 95000), ("p99", 99000), ("p99.9", 99900))


def nearest_rank(values, percent):
    """The value of rank ceil(p n / 100), @percent in thousandths"""
    return values[max(-(-percent * len(values) // 100000), 1) - 1]


class Task:
    """@state since @since, last seen on @cpu; and what --profile adds up"""

    def __init__(self):
        self.state, self.since, self.cpu = None, 0, None
        self.ran_on = None
        self.runs, self.unknown, self.wakeups, self.migrations = 0, 0, 0, 0
        self.run, self.delay = [], []
        self.wait = defaultdict(int)
        self.events = defaultdict(int)

    def ran(self, cpu, took):
        """@took: None if the beginning of the run is not known"""
        self.runs += 1
        self.migrations += self.ran_on not in (None, cpu)
        self.ran_on = cpu
        if took is None:
            self.unknown += 1
        else:
            self.run.append(took)


class Spans:
    """@took[kind, name]: durations; @tasks[pid]"""

    def __init__(self):
        self.took = defaultdict(list)
        self.first = {}
        self.last = {}
        self.tasks = defaultdict(Task)
        self.running = {}
        self.calls = defaultdict(list)
        self.irqs = defaultdict(list)
        self.keyed = {}
        self.syscall = {}
        self.waking = False

    def seen(self, pid, cpu):
        if pid and cpu in self.first:
            self.tasks[pid].cpu = cpu

    def lost(self, cpu):
        for pid, task in self.tasks.items():
            if task.cpu == cpu:
                task.state = task.cpu = None
                self.calls.pop(pid, None)
                self.syscall.pop(pid, None)
        self.irqs.pop(cpu, None)
        self.running.pop(cpu, None)
        for stack in (self.calls, self.syscall):
            stack.pop(("idle", cpu), None)
        for key in [k for k, v in self.keyed.items() if v[1] == cpu]:
            del self.keyed[key]

    def become(self, pid, state, ts):
        task = self.tasks[pid]
        if task.state is not None:
            task.wait[task.state] += ts - task.since
            if task.state in ("runnable", "preempted"):
                task.delay.append((ts - task.since, task.since))
            if task.state == "runnable":
                self.took["sched", "wakeup"].append(ts - task.since)
        task.wakeups += state == "runnable"
        task.state, task.since = state, ts

    def woken(self, r, f, new):
        pid = f["pid"]
        if f.get("success") == 0 or not pid:
            return
        task = self.tasks[pid]
        if new:
            task.state = None
        if task.state in ("running", "runnable", "preempted"):
            return
        self.become(pid, "runnable", int(r["ts"]))
        if f.get("target_cpu", r["cpu"]) in self.first:
            self.seen(pid, f.get("target_cpu", r["cpu"]))
        elif task.cpu is None:
            self.seen(pid, r["cpu"])

    def switch(self, r, f):
        ts, cpu = int(r["ts"]), r["cpu"]
        prev, then = f["prev_pid"], f["next_pid"]
        run = self.running.pop(cpu, None)
        self.tasks[prev].ran(cpu, ts - run[1] if run and run[0] == prev else None)
        if run and run[0] != prev:
            self.tasks[run[0]].state = None
        if prev:
            task = self.tasks[prev]
            if task.state != "running":
                task.state = None
            self.become(prev, state_of(f["prev_state"]), ts)
            self.seen(prev, cpu)
            if task.state == "dead":
                task.state = None
        self.running[cpu] = (then, ts)
        if then:
            if self.tasks[then].state == "running":
                self.tasks[then].state = None
            self.become(then, "running", ts)
            self.seen(then, cpu)

    def graph(self, r, f, entry):
        who = r["pid"] or ("idle", r["cpu"])
        self.seen(r["pid"], r["cpu"])
        stack = self.calls[who]
        if entry:
            stack.append((f["func"], f["depth"]))
            return
        for i in range(len(stack) - 1, -1, -1):
            if stack[i] == (f["func"], f["depth"]):
                del stack[i:]
                self.took["function", f["func"]].append(max(f["rettime"] - f["calltime"], 0))
                return

    def interrupt(self, r, kind, name, key, entry):
        stack = self.irqs[r["cpu"]]
        if entry:
            stack.append((key, name, int(r["ts"])))
            return
        for i in range(len(stack) - 1, -1, -1):
            if stack[i][0] == key:
                self.took[kind, stack[i][1]].append(int(r["ts"]) - stack[i][2])
                del stack[i:]
                return

    def call(self, r, name, entry):
        who = r["pid"] or ("idle", r["cpu"])
        self.seen(r["pid"], r["cpu"])
        if entry:
            self.syscall[who] = (name, int(r["ts"]))
        elif who in self.syscall:
            begun, ts = self.syscall.pop(who)
            if begun == name:
                self.took["syscall", name].append(int(r["ts"]) - ts)

    def pair(self, r, f, base, entry):
        name, fields = KEYED[base]
        self.seen(r["pid"], r["cpu"])
        key = (base,) + tuple(f[x] for x in fields)
        if not entry:
            begun = self.keyed.pop(key, None)
            if begun:
                self.took["pair", name].append(int(r["ts"]) - begun[0])
        else:
            self.keyed[key] = (int(r["ts"]), r["cpu"])

    def event(self, r):
        name, f = r["event"], r.get("fields", {})
        system, _, short = name.partition(":")
        base = re.sub("_(entry|exit|start|end|issue|complete)$", "", name)
        entry = name.endswith(BEGINS)
        if name == "sched:sched_switch":
            self.switch(r, f)
        elif name == "sched:sched_waking":
            self.waking = True
            self.woken(r, f, False)
        elif name == "sched:sched_wakeup" and not self.waking:
            self.woken(r, f, False)
        elif name == "sched:sched_wakeup_new":
            self.woken(r, f, True)
        elif name == "sched:sched_migrate_task":
            self.seen(f["pid"], f["dest_cpu"])
        elif name in ("ftrace:funcgraph_entry", "ftrace:fgraph_retaddr_entry", "ftrace:funcgraph_exit"):
            self.graph(r, f, "entry" in short)
        elif system == "irq" and short.startswith("irq_handler_"):
            self.interrupt(r, "irq", "%s (%d)" % (f.get("name"), f["irq"]), ("irq", f["irq"]), entry)
        elif system == "irq" and short in ("softirq_entry", "softirq_exit"):
            self.interrupt(r, "softirq", SOFTIRQS[f["vec"]], ("soft", f["vec"]), entry)
        elif system == "irq_vectors" and re.search("_(entry|exit)$", short):
            self.interrupt(r, "irq", re.sub("_(entry|exit)$", "", short), base, entry)
        elif system == "syscalls":
            kind, _, call = short[4:].partition("_")
            self.call(r, call, kind == "enter")
        elif base in KEYED and base != name:
            self.pair(r, f, base, entry)

    def read(self, lines):
        for line in lines:
            r = json.loads(line)
            cpu = r["cpu"]
            if "lost" in r:
                self.lost(cpu)
                continue
            self.first.setdefault(cpu, int(r["ts"]))
            self.last[cpu] = int(r["ts"])
            if r["pid"]:
                self.tasks[r["pid"]].events[r["event"]] += 1
            self.event(r)


def state_of(value):
    """Linux 4.14 and later, include/linux/sched.h: TASK_REPORT"""
    for bit, state in enumerate(("sleeping", "blocked", "stopped", "stopped", "dead", "dead", "parked", "idle")):
        if value & 1 << bit:
            return state
    return "preempted"


def ns(number):
    """Seconds with nine digits, as the table has them, in ns: no floating point"""
    seconds, _, digits = number.partition(".")
    return int(seconds) * 10**9 + int(digits)


def rows_of(path):
    with open(path) as file:
        for line in file:
            row = json.loads(line, parse_float=str)
            if "count" in row:
                yield row


def check(what, want, got):
    if want == got:
        print("ok - %s" % what)
    else:
        print("not ok - %s: want %s, got %s" % (what, want, got))


def summary(values):
    values = sorted(values)
    out = {"count": len(values), "total": sum(values), "min": values[0], "max": values[-1],
           "mean": sum(values) // len(values)}
    out.update((name, nearest_rank(values, percent)) for name, percent in PERCENTS)
    return out


def latency(spans, table):
    want = {key: summary(v) for key, v in spans.took.items()}
    got = {}
    for row in rows_of(table):
        if row["count"]:
            got[row["kind"], row["name"]] = {
                k: ns(row[k]) if k != "count" else row[k] for k in summary([0])}
    # Functions have names there, and addresses here.
    for of in (want, got):
        functions = sorted(map(sorted, (v.items() for k, v in of.items() if k[0] == "function")))
        for key in [k for k in of if k[0] == "function"]:
            del of[key]
        if functions:
            of["function", "all"] = functions
    check("the same names", sorted(want), sorted(got))
    for key in sorted(set(want) & set(got)):
        check("%s %s" % key, want[key], got[key])


def profile(spans, table):
    want, got = {}, {}
    for pid, t in spans.tasks.items():
        if not pid or not (t.runs or t.wakeups or t.events):
            continue
        worst = max(t.delay, key=lambda d: (d[0], -d[1])) if t.delay else None
        want[pid] = {
            "runs": t.runs, "unknown": t.unknown, "run": sum(t.run),
            "run_mean": sum(t.run) // len(t.run) if t.run else None,
            "run_max": max(t.run, default=None), "run_min": min(t.run, default=None),
            "sleep": t.wait["sleeping"] + t.wait["idle"], "blocked": t.wait["blocked"],
            "preempted": t.wait["preempted"], "runnable": t.wait["runnable"],
            "stopped": t.wait["stopped"] + t.wait["parked"],
            "wakeups": t.wakeups, "delays": len(t.delay), "migrations": t.migrations,
            "delay_mean": sum(d[0] for d in t.delay) // len(t.delay) if t.delay else None,
            "delay_max": worst and worst[0], "delay_max_at": worst and worst[1],
            "events": sum(t.events.values()), "by_event": dict(t.events),
        }
    with open(table) as file:
        for line in file:
            row = json.loads(line, parse_float=str)
            if "runs" in row:
                got[row["pid"]] = {k: ns(row[k]) if isinstance(row[k], str) else row[k]
                                   for k in want.get(row["pid"], {})}
    check("the same tasks", sorted(want), sorted(got))
    for pid in sorted(set(want) & set(got)):
        check("task %d" % pid, want[pid], got[pid])


def main():
    spans = Spans()
    with open(sys.argv[2]) as file:
        spans.read(file)
    {"latency": latency, "profile": profile}[sys.argv[1]](spans, sys.argv[3])


main()
