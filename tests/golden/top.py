#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""top.py page|table count|syscalls - rows of tc-top's last page, or of tc-report's JSON, in one form

A line for each row, sorted: the name and the total; of system calls also time, mean, longest and errors, with
four significant digits.
"""
import json
import sys
from decimal import Decimal

# Columns of a page without limits: right-justified, a blank after each, the name last
WIDTHS = {
    "count": [("rate", 9), ("rate10", 9), ("total", 10), ("share", 6)],
    "syscalls": [("rate", 9), ("rate10", 9), ("total", 10), ("share", 6), ("time", 7), ("mean", 7),
                 ("p99", 7), ("max", 7), ("errors", 7)],
}
# Rows by task have times, which tc-report's --count-by does not.
TASK_WIDTHS = WIDTHS["syscalls"][:-1]


def duration(seconds):
    """Nanoseconds as they are, else four digits and a unit"""
    ns = int(Decimal(str(seconds)) * 10**9)
    if ns < 1000:
        return f"{ns}ns"
    for unit, size in (("us", 10**3), ("ms", 10**6), ("s", 10**9)):
        value = Decimal(ns) / size
        for digits in (3, 2, 1):
            text = f"{float(value):.{digits}f}"
            if len(text) <= 5:
                return text + unit
        if unit == "s":
            return f"{float(value):.0f}s"
    return ""


def page_rows(kind):
    """Rows of the last page"""
    pages = sys.stdin.read().rstrip("\n").split("\n\n")
    lines = pages[-1].split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("   RATE/S"))
    widths = WIDTHS[kind]
    if kind == "count" and lines[at].endswith(" TASK"):
        widths = TASK_WIDTHS
    if " COMM " in lines[at]:
        widths = widths + [("comm", 16)]
    for line in lines[at + 1:]:
        cells = {}
        for name, width in widths:
            cells[name], line = line[:width].strip(), line[width + 1:]
        cells["name"] = line
        # A task that ran, but did nothing that was recorded
        if kind != "count" or cells["total"] != "0":
            yield cells


def table_rows(kind):
    """Rows of tc-report --json"""
    for line in sys.stdin:
        row = json.loads(line)
        if kind == "count":
            name = row.get("event", row.get("task"))
            if name is not None:
                yield {"name": name, "total": row["count"]}
        elif row.get("calls"):
            timed = row.get("mean") is not None
            yield {"name": row["syscall"], "total": row["calls"],
                   "time": duration(row["total"]) if timed else "",
                   "mean": duration(row["mean"]) if timed else "",
                   "max": duration(row["max"]) if timed else "", "errors": row["errors"] or ""}


def main():
    source, kind = sys.argv[1:]
    columns = ["name", "total"] + (["time", "mean", "max", "errors"] if kind == "syscalls" else [])
    rows = page_rows(kind) if source == "page" else table_rows(kind)
    for row in sorted(" ".join(str(row[c]) for c in columns) for row in rows):
        print(row)


main()
