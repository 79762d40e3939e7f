#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_perfetto.py FILE.pftrace EVENTS.json SYMBOLS - does the file contain the recording?

EVENTS.json is what tc-report --json prints of the same recording, SYMBOLS what tc-report -f prints.
Events of each CPU have to be the same, in order, with all their fields; so have losses. The last line that is
printed counts what was compared.
"""
import bisect
import collections
import json
import re
import sys

import pftrace

STACKS = ("ftrace:kernel_stack", "ftrace:user_stack")
PRINTS = ("ftrace:bprint", "ftrace:bputs")
CALL, RETURN = "ftrace:funcgraph_entry", "ftrace:funcgraph_exit"
# Fields whose value is the number of an interned symbol
SYMBOLS = {("funcgraph_entry", "func"), ("funcgraph_exit", "func"),
           ("hrtimer_expire_entry", "function"), ("sched_blocked_reason", "caller"),
           ("workqueue_execute_start", "function"), ("workqueue_execute_end", "function")}
# Slices that a reader makes: of an event's beginning
BEGINS = {"irq_handler_entry": "irq", "softirq_entry": "softirq", "sys_enter": "syscalls",
          "funcgraph_entry": "calls", "sched_switch": "switches"}


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def text(value):
    """A value of JSON as tc-report prints it"""
    if isinstance(value, list):
        return ",".join(text(v) for v in value)
    return value if isinstance(value, str) else str(value)


def string(value):
    """Text as bytes: those that are not UTF-8 are escaped"""
    raw = value.encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "backslashreplace").encode("utf-8")


def same_number(a, b):
    a, b = a - number(b), 1 << 64
    return a % b == 0 or a % (1 << 32) == 0


class Symbols:
    def __init__(self, path):
        self.v = []
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            for line in f:
                addr, name = line.split()[:2]
                self.v.append((int(addr, 16), name))
        self.v.sort()
        self.names = collections.defaultdict(set)
        for addr, name in self.v:
            self.names[addr].add(name)

    def match(self, name, addr):
        """May the address have this name?"""
        i = bisect.bisect_right(self.v, (addr, chr(0x10ffff))) - 1
        if i < 0:
            return name == hex(addr)
        return name in self.names[self.v[i][0]] or name == hex(addr)


def calls(events):
    """Without ends of calls whose beginning is not there, by the depth and name of those that are open"""
    tasks = collections.defaultdict(list)
    last = {}
    out = []
    for e in events:
        if "lost" in e:
            for task in [t for t, cpu in last.items() if cpu == e["cpu"]]:
                tasks[task].clear()
        elif e.get("event") in (CALL, RETURN):
            task = e["pid"] or ("idle", e["cpu"])
            depth, func = e["fields"]["depth"], e["fields"]["func"]
            stack = tasks[task]
            if e["event"] == CALL:
                while stack and stack[-1][0] >= depth:
                    stack.pop()
                stack.append((depth, func))
            else:
                n = len(stack)
                while n and stack[n - 1][0] > depth:
                    n -= 1
                if not n or stack[n - 1] != (depth, func):
                    continue
                del stack[n - 1:]
            last[task] = e["cpu"]
        out.append(e)
    return out


class Decoded:
    """The contents of the file: events and losses of each CPU"""

    def __init__(self, packets, described):
        self.described = described
        self.cpus = collections.defaultdict(list)
        self.losses = collections.defaultdict(list)
        self.lost_bundles = 0
        self.made_up = 0
        self.attributes = {}
        self.interned = collections.defaultdict(dict)
        self.samples, self.stacks, self.slices, self.tgids = [], [], [], {}
        symbols = collections.defaultdict(dict)
        begun = set()
        tracks, open_slices = {}, {}
        for p in packets:
            sequence = p.one("trusted_packet_sequence_id")
            assert sequence, "a packet without a sequence"
            assert p.one("sequence_flags") == (2 if sequence in begun else 1)
            begun.add(sequence)
            for data in p.all("interned_data"):
                for s in data.all("kernel_symbols"):
                    assert s.one("iid") not in symbols[sequence], "interned twice"
                    symbols[sequence][s.one("iid")] = s.one("str").decode("utf-8")
            for bundle in p.all("ftrace_events"):
                self.lost_bundles += bundle.one("lost_events", False)
                for e in bundle.all("event"):
                    self.add(bundle.one("cpu"), e, symbols[sequence])
            for d in p.all("track_descriptor"):
                assert d.one("uuid") not in tracks, "a track is described twice"
                assert "parent_uuid" not in d or d.one("parent_uuid") in tracks
                tracks[d.one("uuid")] = d
            for data in p.all("interned_data"):
                self.intern(sequence, data)
            for e in p.all("track_event"):
                self.track_event(p, e, tracks[e.one("track_uuid")], open_slices)
            for s in p.all("stack_sample"):
                self.samples.append((p.one("timestamp"), s.one("task_context").one("tid"),
                                     self.callstack(sequence, s.one("callstack_iid")),
                                     s.one("primary_weight")))
            for s in p.all("perf_sample"):
                self.samples.append((p.one("timestamp"), s.one("tid"),
                                     self.callstack(sequence, s.one("callstack_iid")), None))
            for tree in p.all("process_tree"):
                for t in tree.all("processes"):
                    assert t.one("pid") not in self.tgids and t.one("cmdline")
                    self.tgids[t.one("pid")] = t.one("pid")
                for t in tree.all("threads"):
                    assert t.one("tid") not in self.tgids
                    self.tgids[t.one("tid")] = t.one("tgid")
            for a in p.all("trace_attributes"):
                for x in a.all("attribute"):
                    self.attributes[x.one("key").decode()] = x.one(
                        "long_value", x.one("string_value"))
        assert not any(open_slices.values())

    def intern(self, sequence, data):
        known = self.interned[sequence]
        for kind in ("function_names", "frames", "callstacks"):
            for x in data.all(kind):
                key = (kind, x.one("iid"))
                assert key not in known and key[1], "interned twice, or without a number"
                known[key] = x

    def callstack(self, sequence, iid):
        """Names, outermost first"""
        known = self.interned[sequence]
        frames = [known["frames", i] for i in known["callstacks", iid].all("frame_ids")]
        return [known["function_names", f.one("function_name_id")].one("str").decode() for f in frames]

    def track_event(self, p, e, track, open_slices):
        ts, uuid = p.one("timestamp"), e.one("track_uuid")
        if e.one("type") == 3:
            self.stacks.append((ts, e.one("name").decode(), self.callstack(
                p.one("trusted_packet_sequence_id"), e.one("callstack_iid"))))
        elif e.one("type") == 1:
            open_slices.setdefault(uuid, []).append((ts, e))
        else:
            begin, first = open_slices[uuid].pop()
            if first.one("name") == b"lost events":
                count = first.one("debug_annotations")
                self.losses[track.one("name").decode()].append(
                    (begin, ts, count and count.one("uint_value")))
            else:
                assert begin <= ts
                self.slices.append((begin, ts, first.one("name").decode()))

    def add(self, cpu, e, symbols):
        names = [k for k in e if k not in ("timestamp", "pid")]
        assert len(names) == 1 and "timestamp" in e and "pid" in e, "an event has one message"
        message = e.one(names[0])
        if names[0] == "funcgraph_exit" and "calltime" not in message and "overrun" not in message:
            self.made_up += 1
            return
        for field in list(message):
            if (names[0], field) in SYMBOLS:
                message[field] = [symbols[v] for v in message[field]]
        self.cpus[cpu].append((e.one("timestamp"), e.one("pid"), names[0], message))


def check_native(name, message, event, symbols):
    """The fields that the message has are those of the event"""
    fields = event["fields"]
    for field, values in message.items():
        want = fields.get(field)
        if name in ("sys_enter", "sys_exit") and event["event"].startswith("syscalls:"):
            if field == "id":
                want = fields["__syscall_nr"]
            elif field == "args":
                want = [v for k, v in fields.items() if k != "__syscall_nr" and number_like(v)]
        if name == "task_rename" and field == "pid" and want is None:
            want = event["pid"]
        assert want is not None, "%s is not a field of %s" % (field, event["event"])
        if (name, field) in SYMBOLS:
            assert symbols.match(values[0], number(want)), (values, want)
        elif isinstance(want, list):
            assert len(want) == len(values) and all(map(same_number, values, want)), (values, want)
        elif isinstance(values[0], bytes):
            assert values[0] == string(text(want)), (values[0], want)
        else:
            assert same_number(values[0], want), (field, values[0], want)


def number_like(value):
    return isinstance(value, int) or bool(re.fullmatch("0x[0-9a-f]+|-?[0-9]+", value))


def check_generic(descriptor, message, event, symbols):
    """Every field of the event is there, the first 30 by number"""
    assert descriptor.one("group_name").decode() == event["event"].split(":")[0]
    assert descriptor.one("event_descriptor").one("name").decode().split(":")[-1] == \
        event["event"].split(":", 1)[1]
    for f in descriptor.one("event_descriptor").all("field"):
        name, value = f.one("name").decode(), message.one("f%d" % f.one("number"))
        if name == "more_fields":
            assert f.one("number") == 31
            for k, v in list(event["fields"].items())[30:]:
                assert ("%s=" % k).encode() in value
            continue
        want = event["fields"].get(name)
        if want is None:
            assert value is None
        elif not isinstance(value, bytes):
            assert same_number(value, want), (name, value, want)
        elif event["event"] == "ftrace:function" and isinstance(want, str):
            assert symbols.match(value.decode(), number(want)), (value, want)
        elif isinstance(want, int) and b"," in value:
            assert value == b"%d,%d" % (want >> 20, want & 0xfffff), (value, want)
        else:
            assert value == string(text(want)), (name, value, want)


def check_event(decoded, got, event, symbols):
    ts, pid, name, message = got
    assert (ts, pid) == (int(event["ts"]), event["pid"]), (got, event)
    if name[0] == "g" and name[1:].isdigit():
        check_generic(decoded.described[int(name[1:])], message, event, symbols)
        return "described"
    short = event["event"].split(":", 1)[1]
    if event["event"] in PRINTS:
        assert name == "print"
    elif event["event"].startswith("syscalls:"):
        assert name in ("sys_enter", "sys_exit") and short.startswith(name), (name, event)
    elif event["event"] == "sched:sched_wakeup":
        assert name in ("sched_waking", "sched_wakeup")
    else:
        assert name == short, (name, event)
    if event["event"] not in PRINTS:
        check_native(name, message, event, symbols)
    return BEGINS.get(name, "others")


def check_losses(decoded, events):
    last, want = {}, collections.defaultdict(list)
    for e in events:
        place = (e.get("buffer", ""), e["cpu"])
        if "lost" in e:
            name = "CPU %d%s" % (e["cpu"], " of " + e["buffer"] if e.get("buffer") else "")
            want[name].append((last.get(place, int(e["ts"])), int(e["ts"]), e["lost"]))
        else:
            last[place] = int(e["ts"])
    assert decoded.losses == want, (dict(decoded.losses), dict(want))
    n = sum(len(v) for v in want.values())
    assert decoded.lost_bundles == n, "each loss begins a bundle"
    return n


def check_stacks(decoded, events):
    """Each event that is followed by a stack on its CPU has one in the file, unless it is a sample"""
    assert decoded.attributes.get("tracecraft.stacks", 0) == len(decoded.stacks)
    assert decoded.attributes.get("tracecraft.samples", 0) == len(decoded.samples)
    assert decoded.attributes.get("tracecraft.slices", 0) == len(decoded.slices)
    last, want = {}, {}
    for e in events:
        place = (e.get("buffer", ""), e["cpu"])
        if "lost" in e:
            last.pop(place, None)
        elif e.get("event") in STACKS:
            if place in last:
                want[id(last[place])] = last[place]
        else:
            last[place] = e
    if not decoded.samples:
        got = sorted((ts, name) for ts, name, _ in decoded.stacks)
        assert got == sorted((int(e["ts"]), e["event"].split(":", 1)[1]) for e in want.values()
                             if "event" in e), (
            len(got), len(want))


def main():
    decoded = Decoded(*pftrace.read(sys.argv[1]))
    with open(sys.argv[2], encoding="utf-8") as f:
        events = [json.loads(line, parse_float=str) for line in f]
    symbols = Symbols(sys.argv[3])
    losses = check_losses(decoded, events) if len(sys.argv) < 5 else 0
    unknown = sum(1 for e in events if "event" not in e and "lost" not in e)
    assert decoded.attributes.get("tracecraft.events_without_format", 0) == unknown
    kept = [e for e in calls(events) if "event" in e and e["event"] not in STACKS]
    want = collections.defaultdict(list)
    for e in kept:
        want[e["cpu"]].append(e)
    counts = collections.Counter()
    for cpu in set(want) | set(decoded.cpus):
        got = decoded.cpus[cpu]
        assert len(got) == len(want[cpu]), \
            "CPU %d: %d events instead of %d" % (cpu, len(got), len(want[cpu]))
        for g, e in zip(got, want[cpu]):
            counts[check_event(decoded, g, e, symbols)] += 1
    ends = sum(1 for e in events if e.get("event") == RETURN)
    assert decoded.attributes.get("tracecraft.returns_without_call", 0) == \
        ends - sum(1 for e in kept if e["event"] == RETURN)
    assert decoded.attributes.get("tracecraft.calls_cut_by_losses_or_the_end", 0) == decoded.made_up
    check_stacks(decoded, events)
    print("%d events (%s), %d losses, %d stacks, %d samples, %d slices, %d tasks" % (
        sum(counts.values()), ", ".join("%d %s" % (n, k) for k, n in sorted(counts.items())),
        losses, len(decoded.stacks), len(decoded.samples), len(decoded.slices),
        len(decoded.tgids)))


if __name__ == "__main__":
    main()
