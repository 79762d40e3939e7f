#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_wide.py EVENTS.json UNAME HOSTS WIDE.json WIDE.csv TABLE.arrows - is the table of events what --json prints?

EVENTS.json is what tc-report --json prints of the same recordings, from which each row is made here once more;
UNAME what --uname prints. The last line that is printed counts what was compared.
"""
import csv
import itertools
import json
import re
import sys

import arrow

SCHEMA = [("host", "utf8 dictionary null"), ("file", "utf8 dictionary"), ("ts", "int:Q"),
          ("ts_bound", "int:I null"), ("cpu", "int:H"), ("tid", "int:i null"),
          ("comm", "utf8 dictionary null"), ("flags", "utf8 dictionary null"),
          ("event", "utf8 dictionary null"), ("fields", "utf8 null"), ("lost", "int:Q null"),
          ("buffer", "utf8 dictionary")]
NAMES = [name for name, _ in SCHEMA]
ESCAPE = re.compile(r"\\udc([89a-f].)|\\\\x?|\\.")
SURROGATE = re.compile("[\udc80-\udcff]")
FIELDS = re.compile(rb'^.*?,"event":"(?:[^"\\]|\\.)*","fields":(\{.*?\})(?:,"cut":true)?\}$')


def escaped(text):
    """Text as it is in columns of UTF-8: bytes that are not, as \\xHH"""
    if text is None:
        return None
    text = text.replace("\\x", "\\x5cx")
    return SURROGATE.sub(lambda m: "\\x%02x" % (ord(m[0]) - 0xdc00), text)


def escaped_json(text):
    """The same of text within JSON, where a backslash is two characters, and such a byte is \\udcHH"""
    return ESCAPE.sub(lambda m: "\\\\x" + m[1] if m[1] else "\\\\x5cx" if m[0] == "\\\\x" else m[0], text)


def wanted(path, host, name):
    """Rows by --json: text of "fields" as it is printed"""
    with open(path, "rb") as f:
        for line in f:
            line = line.rstrip(b"\n")
            row = json.loads(line)
            fields = None
            if "event" in row:
                fields = escaped_json(FIELDS.match(line)[1].decode("utf-8"))
            elif "raw" in row:
                fields = '{"id":%s,"raw":"%s"}' % ("null" if row["id"] is None else row["id"],
                                                   row["raw"])
            elif "missing" in row:
                fields = '{"missing":true}'
            yield (escaped(host), escaped(row.get("file", name)), int(row["ts"]), None, row["cpu"],
                   row.get("pid"), escaped(row.get("comm")), row.get("flags"),
                   escaped(row.get("event")), fields, row.get("lost"), escaped(row.get("buffer") or ""))


def from_json(path):
    with open(path, "rb") as f:
        for line in f:
            row = json.loads(line)
            assert list(row) == NAMES, "columns %s" % list(row)
            start = line.index(b',"fields":') + 10
            if row["fields"] is not None:
                _, end = json.JSONDecoder().raw_decode(line[start:].decode("utf-8"))
                row["fields"] = line[start:].decode("utf-8")[:end]
            row["ts"] = int(row["ts"])
            yield tuple(row.values())


def from_csv(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        rows = csv.reader(f)
        assert next(rows) == NAMES
        for row in rows:
            yield tuple(row)


def as_csv(row):
    return tuple("" if v is None else str(v) for v in row)


def compare(what, rows, expected):
    count = 0
    for count, (row, want) in enumerate(itertools.zip_longest(rows, expected), 1):
        assert row == want, "%s, row %d:\n%r\n--json has\n%r" % (what, count, row, want)
    return count


def main(events, host, name, wide, table, stream):
    host = host or None
    count = compare("--wide --json", from_json(wide), wanted(events, host, name))
    compare("--wide --csv", from_csv(table), map(as_csv, wanted(events, host, name)))
    with open(stream, "rb") as f:
        reader = arrow.Stream(f.read())
    assert [(f.name, f.describe()) for f in reader.fields] == SCHEMA
    assert compare("--arrow", reader.rows(), wanted(events, host, name)) == count
    lost = sum(r[8] is None for r in wanted(events, host, name))
    print("%d rows, %d that are not events, %d batches, %d deltas" %
          (count, lost, reader.batches, reader.deltas))


if __name__ == "__main__":
    main(*sys.argv[1:])
