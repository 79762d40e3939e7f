#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_queries.py REPORT RESULTS DIR FILE... - are rows of the queries of tracecraft-sql(7) what tc-report's views say?

RESULTS is the output of sql.mjs, DIR where the recordings are. Each query has a function below, which asks a
view of tc-report for the same numbers of each recording. Prints a line of TAP for each query.
"""
import collections
import json
import os
import subprocess
import sys

PAIRS = "sched_switch:sched_switch,key=prev_pid/next_pid"


class Views:
    """Where events were lost (lossy), queries pair across the loss, which views do not."""

    def __init__(self, report, folder, files):
        self.report, self.folder, self.files = report, folder, files
        self.lossy = {f for f in files if any("event" not in r for r in self.rows(f))}
        self.whole = [f for f in files if f not in self.lossy]
        assert self.lossy and len(self.whole) >= 3

    def rows(self, file, *options):
        out = subprocess.run([self.report, "-q", "--json", *options, os.path.join(self.folder, file)],
                             check=True, stdout=subprocess.PIPE)
        return [json.loads(line) for line in out.stdout.splitlines()]


def ns(seconds):
    return round(seconds * 10 ** 9)


def number(value):
    return None if value is None else int(value)


def same(found, wanted):
    assert wanted, "the view has nothing to compare with"
    for key in sorted(set(found) | set(wanted), key=str):
        assert found.get(key) == wanted.get(key), \
            "%s: %s, the view has %s" % (key, found.get(key), wanted.get(key))
    return len(wanted)


def losses(views, rows):
    wanted = collections.Counter()
    for file in views.files:
        for row in views.rows(file):
            if "lost" in row:
                wanted[file, row["cpu"]] += 1
    return same({(r["file"], r["cpu"]): number(r["losses"]) for r in rows}, dict(wanted))


def count_by_event(views, rows):
    wanted = {(f, r["event"]): r["count"] for f in views.files
              for r in views.rows(f, "--count-by=event") if "event" in r}
    return same({(r["file"], r["event"]): number(r["n"]) for r in rows}, wanted)


def top_talkers(views, rows):
    found, compared = collections.defaultdict(list), 0
    for r in rows:
        found[r["file"]].append(("%s-%d" % (r["comm"] or "<...>", r["tid"]), number(r["n"]),
                                 round(float(r["share"]), 2)))
    for file in views.files:
        table = [r for r in views.rows(file, "--count-by=task") if "task" in r]
        counts = {r["task"]: r["count"] for r in table}
        assert [n for _, n, _ in found[file]] == sorted(counts.values(), reverse=True)[:10]
        for task, n, share in found[file]:
            assert counts[task] == n and abs(share - 100 * n / sum(counts.values())) < 0.006
            compared += 1
    return compared


def interrupts(views, rows):
    wanted = {}
    for file in views.files:
        for r in views.rows(file, "--count-by=cpu,name,event"):
            if r.get("event") == "irq:irq_handler_entry":
                wanted[file, r["cpu"], r["name"]] = r["count"]
    return same({(r["file"], r["cpu"], r["name"]): number(r["n"]) for r in rows}, wanted)


def latencies(views, file, kind, *options):
    return [r for r in views.rows(file, "--latency", *options) if r.get("kind") == kind and r["count"]]


def percentiles(row):
    return tuple(number(row[key]) for key in ("n", "p50", "p99", "max"))


def wanted_percentiles(row):
    return (row["count"], ns(row["p50"]), ns(row["p99"]), ns(row["max"]))


def syscall_latency(views, rows):
    wanted = {(f, r["name"]): wanted_percentiles(r) for f in views.whole
              for r in latencies(views, f, "syscall")}
    return same({(r["file"], r["syscall"]): percentiles(r) for r in rows
                 if r["file"] in views.whole}, wanted)


def errors(views, rows):
    found = collections.Counter()
    for r in rows:
        found[r["file"], r["syscall"]] += number(r["n"])
    return same(dict(found), {(f, r["syscall"]): r["errors"] for f in views.files
                              for r in views.rows(f, "--syscalls") if r.get("errors")})


def syscall_time(views, rows):
    wanted = {}
    for file in views.whole:
        for r in views.rows(file, "--syscalls", "--by-task"):
            if r.get("calls", 0) > r.get("unbegun", 0):
                wanted[file, r["pid"], r["syscall"]] = (r["calls"] - r["unbegun"], ns(r["total"]))
    return same({(r["file"], r["tid"], r["syscall"]): (number(r["n"]), number(r["total"]))
                 for r in rows if r["file"] in views.whole}, wanted)


def run_queue(views, rows):
    wanted = {f: wanted_percentiles(r) for f in views.whole for r in latencies(views, f, "sched")
              if r["name"] == "wakeup"}
    return same({r["file"]: percentiles(r) for r in rows if r["file"] in views.whole}, wanted)


def off_cpu(views, rows):
    wanted = {(f, r["pid"]): (r["count"], ns(r["total"]), ns(r["max"])) for f in views.whole
              for r in latencies(views, f, "pair", "--by-task", "--pair=" + PAIRS) if r["pid"]}
    return same({(r["file"], number(r["task"])):
                 (number(r["n"]), number(r["total"]), number(r["longest"]))
                 for r in rows if r["file"] in views.whole}, wanted)


def blocked(views, rows):
    wanted = []
    for file in views.files:
        for r in views.rows(file, "--graph", "--pair=" + PAIRS, "-F",
                            "sched_switch: prev_state != 0 && prev_state != 256"):
            if r.get("pid") and r["begin"] is not None and r["duration"] is not None:
                wanted.append((ns(r["duration"]), file, r["pid"], ns(r["begin"])))
    wanted.sort(reverse=True)
    found = [(number(r["ns"]), r["file"], number(r["task"]), number(r["since"])) for r in rows]
    assert len(found) == 20 and found == wanted[:20], "%s\n%s" % (found, wanted[:20])
    return 20


def regression(views, rows):
    found = {r["syscall"]: (number(r["n_before"]), number(r["n_after"]), int(float(r["before"])),
                                  int(float(r["after"]))) for r in rows}
    sides = [{r["name"]: r for r in latencies(views, f, "syscall")} for f in ("before.dat", "after.dat")]
    return same(found, {name: (r["count"], sides[1][name]["count"], ns(r["mean"]),
                               ns(sides[1][name]["mean"]))
                        for name, r in sides[0].items() if name in sides[1]})


QUERIES = (losses, count_by_event, top_talkers, interrupts, syscall_latency, errors, syscall_time, run_queue,
           off_cpu, blocked, regression)


def results(path):
    """The rows of each query by its number"""
    queries = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("-- "):
                rows = queries[os.path.basename(line[3:].strip())] = []
            else:
                rows.append(json.loads(line))
    return queries


def main(report, path, folder, *files):
    views, queries = Views(report, folder, files), results(path)
    for number_, check in enumerate(QUERIES, 1):
        try:
            print("ok - %s: %d rows" % (check.__name__, check(views, queries["%d.sql" % number_])))
        except (AssertionError, KeyError) as e:
            print("not ok - %s" % check.__name__)
            print("# %s" % str(e)[:2000].replace("\n", "\n# "))


if __name__ == "__main__":
    main(*sys.argv[1:])
