#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_rows.py ROWS WANTED.json - are rows that ClickHouse prints those of tc-report --wide --json?"""
import json
import sys


def wanted(line):
    row = json.loads(line)
    fields = row.pop("fields")
    if row["lost"] is not None:
        row["lost"] = str(row["lost"])
    return row, fields


def found(line):
    row = json.loads(line)
    fields = row.pop("fields")
    return row, None if fields is None else json.loads(fields)


with open(sys.argv[1], encoding="utf-8") as f:
    rows = [line for line in f if not line.startswith("-- ")]
with open(sys.argv[2], encoding="utf-8") as f:
    lines = list(f)
assert len(rows) == len(lines), "%d rows, %d with --json" % (len(rows), len(lines))
for number, pair in enumerate(zip(rows, lines), 1):
    assert found(pair[0]) == wanted(pair[1]), "row %d:\n%s\n--json has\n%s" % (number, *pair)
print("%d rows" % len(rows))
