#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
graph.py RAW SUMMARY LEVELS FUNC LEAST SLOW ROWS CSV - hold tc-report --graph against trace-cmd report -R

RAW is trace-cmd's text of all fields. Who called whom is found here by time alone: a call was made
by the shortest one of its task that encloses it, wherever records or depths are. SUMMARY is what
--graph --summary printed; LEVELS, the calls in --graph=FUNC --depth 2 -I; SLOW, those in --graph --min-duration LEAST;
ROWS and CSV, all of them as --json and --csv.
Prints TAP lines without a plan; exit status 1 when one of them failed.
"""
import bisect
import collections
import csv
import json
import re
import sys

EXIT = re.compile(
    r"^ *(?P<task>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\].* funcgraph_exit: +func=(?P<func>\S+) "
    r"depth=\d+ .*calltime=(?P<call>[0-9a-f]+) rettime=(?P<ret>[0-9a-f]+)"
)
# Functions that interrupts begin with, on the machines of the recordings.
INTERRUPT = re.compile(r"irq_(enter|exit)_rcu|__sysvec_|do_irq_async|generic_handle_domain_irq")
ROW = re.compile(r"^ *(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  (\S+)$")
BUCKET = re.compile(r"^ *([\d.]+) - +([\d.]+) us \| +(\d+) \|")

failed = False


def check(name, good, why=""):
    """One TAP line."""
    global failed  # pylint: disable=global-statement
    print(("ok - " if good else "not ok - ") + name)
    if not good:
        failed = True
        print("# " + str(why)[:2000])


class Call:
    """One that ended: when, and what it spent in others."""

    def __init__(self, func, begin, end):
        self.func, self.begin, self.end = func, begin, end
        self.inner = 0
        self.parent = None

    @property
    def duration(self):
        """ns from beginning to end."""
        return self.end - self.begin

    def again(self):
        """Does the function call itself, directly or not?"""
        by = self.parent
        while by and by.func != self.func:
            by = by.parent
        return by is not None


def read_raw(path):
    """All calls, task by task, in the order in which they began."""
    tasks = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as raw:
        for line in raw:
            m = EXIT.match(line)
            if not m:
                continue
            key = m["pid"] + ("/" + m["cpu"] if m["pid"] == "0" else "")
            tasks[key].append(Call(m["func"], int(m["call"], 16), int(m["ret"], 16)))
    calls = []
    for of_task in tasks.values():
        of_task.sort(key=lambda c: (c.begin, -c.end))
        around = []
        for call in of_task:
            while around and around[-1].end < call.end:
                around.pop()
            if around:
                call.parent = around[-1]
                call.parent.inner += call.duration
            around.append(call)
        calls += of_task
    return calls


def ns(text):
    """nanoseconds, from microseconds with three decimals"""
    return int(text.replace(".", ""))


def sums(calls):
    """the rows that the table must have: calls, total, self, average, max"""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for call in calls:
        row = rows[call.func]
        row[0] += 1
        row[1] += 0 if call.again() else call.duration
        row[2] += call.duration - call.inner
        row[3] += call.duration
        row[4] = max(row[4], call.duration)
    return {f: (n, total, own, all_ // n, most) for f, (n, total, own, all_, most) in rows.items()}


def read_summary(path):
    """Rows, and histograms as lists of (from, to, calls)."""
    rows, histograms, name = {}, collections.defaultdict(list), None
    with open(path, encoding="utf-8") as text:
        for line in text:
            row, bucket = ROW.match(line), BUCKET.match(line)
            if row:
                rows[row[6]] = (int(row[1]), *(ns(row[i]) for i in range(2, 6)))
            elif bucket:
                histograms[name].append((ns(bucket[1]), ns(bucket[2]), int(bucket[3])))
            elif line.strip() and not line.startswith("#"):
                name = line.strip()
    return rows, histograms


def wrong_buckets(calls, histograms):
    """Buckets whose count is not that of the durations within."""
    durations = collections.defaultdict(list)
    for call in calls:
        durations[call.func].append(call.duration)
    wrong = []
    for func, values in durations.items():
        values.sort()
        got = histograms.get(func, [])
        if sum(n for _, _, n in got) != len(values):
            wrong.append((func, "sum", got))
        for low, high, n in got:
            if n != bisect.bisect_left(values, high) - bisect.bisect_left(values, low):
                wrong.append((func, low, high, n))
    return wrong


def drawn(path):
    """How many calls of each function a text shows that ended: lines of graph.awk."""
    count = collections.Counter()
    with open(path, encoding="utf-8") as text:
        for line in text:
            part = line.split()
            if part[4] != "open":
                count[part[3]] += 1
    return count


def read_rows(path):
    """The objects of calls, with durations in ns."""
    with open(path, encoding="utf-8", errors="surrogateescape") as text:
        rows = [json.loads(line, parse_float=ns) for line in text]
    return [row for row in rows if "lost" not in row]


def as_csv(row):
    """What --csv has for an object: text, nothing for null."""
    out = {}
    for key, value in row.items():
        if value is None:
            out[key] = ""
        elif isinstance(value, bool):
            out[key] = str(value).lower()
        elif key in ("begin", "duration"):
            out[key] = f"{value // 10**9}.{value % 10**9:09}"
        else:
            out[key] = str(value)
    return {**out, "lost": ""}


def main():
    """See above."""
    raw, summary, levels, func, least, slow, rows_json, rows_csv = sys.argv[1:]
    calls = read_raw(raw)
    rows, histograms = read_summary(summary)
    want = sums(calls)
    # An interrupt that came in a call by its time and not by its record, or the reverse: whether a
    # function is called by itself is then two things.
    loose = [f for f in want if f in rows and want[f][1] != rows[f][1]]
    if len(loose) <= 2:
        want.update({f: (want[f][0], rows[f][1], *want[f][2:]) for f in loose})
    check(
        f"calls, total, self, average and maximum of {len(want)} functions, {len(calls)} calls",
        rows == want,
        [(f, want.get(f), rows.get(f)) for f in {*want, *rows} if want.get(f) != rows.get(f)],
    )
    wrong = wrong_buckets(calls, histograms)
    check("histograms have the calls of these durations", not wrong, wrong)
    check(
        "calls take no longer than the one that made them",
        all(c.inner <= c.duration for c in calls) and min(r[2] for r in rows.values()) >= 0,
    )
    want = collections.Counter(
        c.func
        for c in calls
        if c.func == func or (c.parent and c.parent.func == func and not INTERRUPT.match(c.func))
    )
    got = drawn(levels)
    check(f"--graph={func} --depth 2 -I: it, and what it called itself", got == want, (want, got))
    want = collections.Counter(c.func for c in calls if c.duration >= int(least))
    got = drawn(slow)
    # And then it is shown for what is drawn in it.
    check(
        f"--min-duration {least}ns: {sum(want.values())} calls",
        not want - got and sum((got - want).values()) <= 2,
        (want - got, got - want),
    )
    want = collections.Counter((c.func, c.duration) for c in calls)
    objects = read_rows(rows_json)
    got = collections.Counter((o["function"], o["duration"]) for o in objects if o["duration"])
    check(f"--json: {sum(want.values())} calls", got == want, (want - got, got - want))
    check("--json: all objects have the same members", len({tuple(o) for o in objects}) == 1)
    with open(rows_csv, encoding="utf-8", newline="") as text:
        table = list(csv.DictReader(text))
    check("--csv: the same", [as_csv(o) for o in objects] == table)
    return failed


if __name__ == "__main__":
    sys.exit(main())
