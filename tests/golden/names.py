#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""names.py TC-REPORT RECORDING DIRECTORY - does every view give a task the name that trace-cmd gives it?

trace-cmd's text has one name of a task, but for tasks that the recording does not name: these are left
out. Prints "ok - ..." or "not ok - ..." for each view.
"""
import base64
import gzip
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

REPORT, RECORDING, TMP = sys.argv[1:4]
OUT = os.path.join(TMP, "view")
TABLES = (
    ("--profile", (("task", "pid"),)),
    ("--wakeups", (("comm", "pid"), ("waker_comm", "waker_pid"))),
    ("--latency --by-task", (("task", "pid"),)),
    ("--syscalls --by-task", (("comm", "pid"),)),
)


def run(*command):
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(errors="replace")


def report(*options):
    return run(REPORT, "--no-pager", "-i", RECORDING, *options)


def wanted():
    """Names by trace-cmd, of tasks that have one in all lines"""
    names = defaultdict(set)
    for line in run("trace-cmd", "report", "-i", RECORDING).splitlines():
        match = re.match(r" *(.*)-(\d+) +\[\d+\]", line)
        if match:
            names[int(match[2])].add(match[1])
    return {pid: name.pop() for pid, name in names.items() if pid and len(name) == 1 and "<...>" not in name}


def of_table(options, columns):
    for line in report("--json", *options.split()).splitlines():
        row = json.loads(line)
        for name, pid in columns:
            if row.get(pid):
                yield row[pid], row[name]


def of_chrome():
    report("--chrome", OUT)
    with open(OUT, encoding="utf-8", errors="surrogateescape") as f:
        for event in json.load(f)["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "thread_name":
                yield event["tid"], event["args"]["name"]


def of_page():
    report("--html", OUT + ".html")
    with open(OUT + ".html", encoding="utf-8") as f:
        page = f.read()

    def column(name):
        data = re.search(f'id="col-{name}.0"[^>]*>([^<]*)</script>', page)[1]
        return gzip.decompress(base64.b64decode(data))

    tids = column("tasktid")
    n = len(tids) // 4
    names = column("taskname").decode(errors="replace").split("\0")
    for i in range(n):  # the bytes of each significance together
        yield sum(tids[k * n + i] << 8 * k for k in range(4)), names[i]


def compare(view, rows, want):
    wrong, known = [], 0
    for pid, name in rows:
        if pid in want:
            known += 1
            if name != want[pid]:
                wrong.append(f"{pid} is {name} instead of {want[pid]}")
    if wrong:
        print(f"not ok - {view}: {'; '.join(wrong[:4])}")
    else:
        print(f"ok - {view}: {known} names")
    return known


def main():
    want = wanted()
    if not want:
        print("not ok - trace-cmd names no task")
        return
    known = sum(compare(options, of_table(options, columns), want) for options, columns in TABLES)
    known += compare("--chrome", of_chrome(), want)
    known += compare("--html", of_page(), want)
    if not known:
        print("not ok - no view names a task that trace-cmd names")


main()
