#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_chrome.py FILE.json EVENTS.json - does a file of --chrome contain the recording?

EVENTS.json is what tc-report --json prints of it. Slices nest in each row, a longer one before a shorter one
that begins with it; those whose both ends are known, instants and losses are the ones that a model of
its own finds in the events. The last line that is printed counts what was compared.
"""
import collections
import json
import re
import sys

TIME = re.compile(r'"(?:ts|dur)":-?[0-9]+\.[0-9]{3}[,}]')
ANY_TIME = re.compile(r'"(?:ts|dur)":(?!")')
OPEN = ("cut", "no_begin", "no_end")
NOTHING = ("ftrace:kernel_stack", "ftrace:user_stack")
SPANS = re.compile(r"sched:sched_switch|irq:(irq_handler|softirq)_(entry|exit)|irq_vectors:.*_(entry|exit)"
                   r"|(raw_)?syscalls:sys_.*|ftrace:(funcgraph_entry|funcgraph_exit)"
                   r"|timer:h?r?timer_expire_.*|workqueue:workqueue_execute_.*|block:block_rq_(issue|complete)"
                   r"|power:cpu_(frequency|idle)")


def ns(us):
    """Microseconds as they are in the text; parsed as text"""
    whole, part = us.split(".")
    return int(whole + part)


def check_form(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("{\"ph\""):
                assert len(TIME.findall(line)) >= len(ANY_TIME.findall(re.sub(r'"args".*', "", line)))


def check_nesting(slices):
    """Slices of one row, in the order of the file"""
    for begin in {b for b, _, _ in slices}:
        durations = [d for b, d, _ in slices if b == begin and d]
        assert durations == sorted(durations, reverse=True), \
            "a shorter slice before a longer one that begins with it"
    stack = []
    for begin, dur, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while stack and stack[-1] <= begin:
            stack.pop()
        assert not stack or begin + dur <= stack[-1], "%s at %d does not nest" % (name, begin)
        stack.append(begin + dur)


class Model:
    """Pairs that are certain: nothing was lost between their events"""

    def __init__(self, events):
        self.found = collections.defaultdict(list)
        self.instants = collections.Counter()
        self.losses = []
        self.open = {}
        self.last = {}
        self.lost = False
        for e in events:
            ts = int(e["ts"])
            if "lost" in e:
                self.lost = True
                self.losses.append((e["cpu"], self.last.get(e["cpu"], ts), ts, e["lost"]))
                continue
            self.last[e["cpu"]] = ts
            if "event" in e:
                self.event(e, ts)

    def event(self, e, ts):
        event, f, cpu, pid = e["event"], e["fields"], e["cpu"], e["pid"]
        if event not in NOTHING and not SPANS.fullmatch(event):
            self.instants[event] += 1
        if event == "sched:sched_switch":
            before = self.open.get(("run", cpu))
            if before and before[1] == f["prev_pid"]:
                self.found["sched"].append((cpu, f["prev_pid"], before[0], ts - before[0]))
            self.open[("run", cpu)] = (ts, f["next_pid"])
        elif event == "irq:softirq_entry":
            self.open[("softirq", cpu)] = ts
        elif event == "irq:softirq_exit" and ("softirq", cpu) in self.open:
            begin = self.open.pop(("softirq", cpu))
            self.found["softirq"].append((cpu, begin, ts - begin))
        elif event == "irq:irq_handler_entry":
            self.open[("irq", cpu)] = ts
        elif event == "irq:irq_handler_exit" and ("irq", cpu) in self.open:
            begin = self.open.pop(("irq", cpu))
            self.found["irq"].append((cpu, begin, ts - begin))
        elif re.match("(raw_)?syscalls:sys_enter", event):
            self.open[("syscall", pid)] = (ts, f.get("id", f.get("__syscall_nr")))
        elif re.match("(raw_)?syscalls:sys_exit", event):
            before = self.open.pop(("syscall", pid), None)
            if before and before[1] == f.get("id", f.get("__syscall_nr")):
                self.found["syscall"].append((pid, before[0], ts - before[0]))
        elif event == "ftrace:funcgraph_entry":
            self.open.setdefault(("call", pid or ("idle", cpu)), []).append((ts, f["func"], f["depth"]))
        elif event == "ftrace:funcgraph_exit":
            stack = self.open.get(("call", pid or ("idle", cpu)), [])
            while stack and stack[-1][2] > f["depth"]:
                stack.pop()
            if stack and stack[-1][1:] == (f["func"], f["depth"]):
                begin = stack.pop()[0]
                self.found["function"].append((pid, begin, ts - begin))


def main():
    check_form(sys.argv[1])
    with open(sys.argv[1], encoding="utf-8") as f:
        data = json.load(f, parse_float=str)
    with open(sys.argv[2], encoding="utf-8") as f:
        model = Model(json.loads(line, parse_float=str) for line in f)
    assert data["displayTimeUnit"] == "ns"
    base = int(data["metadata"]["base_ns"])
    rows = collections.defaultdict(list)
    found = collections.defaultdict(list)
    instants, losses, names = collections.Counter(), [], {}
    for e in data["traceEvents"]:
        place = (e["pid"], e["tid"])
        if e["ph"] == "M":
            key = (e["name"], e["pid"], e["tid"] if e["name"] == "thread_name" else None)
            assert key not in names, "a name is given twice"
            names[key] = e["args"]["name"]
        elif e["ph"] == "i":
            assert e["s"] == "t"
            instants["%s:%s" % (e["cat"], e["name"])] += 1
        elif e["ph"] == "X":
            begin, dur = base + ns(e["ts"]), ns(e["dur"])
            assert dur >= 0
            if e["cat"] == "loss":
                count = e["name"][5:]
                losses.append((e["tid"], begin, begin + dur, int(count) if count else None))
                continue
            rows[place].append((begin, dur, e["name"]))
            if any(k in e.get("args", {}) for k in OPEN):
                continue
            if e["cat"] == "sched":
                found["sched"].append((e["tid"], e["args"]["tid"], begin, dur))
            elif e["cat"] in ("irq", "softirq"):
                if not e["name"].startswith(("local_timer", "reschedule", "call_function")):
                    found[e["cat"]].append((e["tid"], begin, dur))
            elif e["cat"] in ("syscall", "function"):
                found[e["cat"]].append((e["tid"] if e["pid"] else 0, begin, dur))
    for place, slices in rows.items():
        assert ("thread_name", *place) in names and ("process_name", place[0], None) in names, place
        check_nesting(slices)
    assert instants == model.instants, (instants, model.instants)
    assert losses == model.losses, (losses, model.losses)
    for kind in set(found) | set(model.found):
        got, want = sorted(found[kind]), sorted(model.found[kind])
        if model.lost:
            assert not collections.Counter(got) - collections.Counter(want), kind
            assert len(got) * 2 > len(want), kind
        else:
            assert got == want, (kind, len(got), len(want), list(
                (collections.Counter(got) - collections.Counter(want)).items())[:5], list(
                (collections.Counter(want) - collections.Counter(got)).items())[:5])
    print("%s, %d instants, %d losses" % (", ".join(
        "%d %s (%d ns)" % (len(v), k, sum(s[-1] for s in v)) for k, v in sorted(found.items()) if v),
        sum(instants.values()), len(losses)))


if __name__ == "__main__":
    main()
