#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_tables.py EVENTS.json HOST NAME DIR - do tables of --arrow=DIR have what --json prints?

Each object of --json is the next row of the table of its event. The last line that is printed counts what was compared.
"""
import collections
import json
import os
import re
import sys

import arrow

COMMON = ["common_host", "common_file", "common_ts", "common_ts_bound", "common_cpu", "common_tid", "common_comm",
          "common_flags", "common_buffer"]
SURROGATE = re.compile("[\udc80-\udcff]")


def escaped(text):
    if text is None:
        return None
    return SURROGATE.sub(lambda m: "\\x%02x" % (ord(m[0]) - 0xdc00), text.replace("\\x", "\\x5cx"))


def integer(value):
    """Numbers of --json: large ones and addresses are strings"""
    return int(value, 0) if isinstance(value, str) else value


def typed(field, value):
    """A value of --json as the column has it"""
    if value is None:
        return None
    if field.type == "int":
        return integer(value)
    if field.type == "float":
        return float(value)
    if field.type == "list":
        return [integer(v) for v in value]
    if field.type == "binary":
        return bytes.fromhex(value)
    return escaped(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))


class Tables:
    def __init__(self, folder):
        self.rows, self.fields, self.kinds = {}, {}, collections.Counter()
        for file in os.listdir(folder):
            assert file.endswith(".arrows") and re.fullmatch(r"[A-Za-z0-9_.-]+", file)
            with open(os.path.join(folder, file), "rb") as f:
                stream = arrow.Stream(f.read())
            name = file[:-len(".arrows")]
            assert [f.name for f in stream.fields[:len(COMMON)]] == COMMON
            self.fields[name] = stream.fields[len(COMMON):]
            self.rows[name] = stream.rows()
            self.kinds.update(f.describe().split(":")[0].split()[0] for f in self.fields[name])

    def next(self, name):
        return next(self.rows[name], None)

    def check_over(self):
        for name, rows in self.rows.items():
            assert next(rows, None) is None, "%s has more rows" % name


def values(row, fields):
    if "event" in row:
        assert [f.name for f in fields] == list(map(escaped, row["fields"]))
        return tuple(typed(f, v) for f, v in zip(fields, row["fields"].values()))
    if "raw" in row:
        return row["id"], bytes.fromhex(row["raw"])
    return row["lost"], int("missing" in row)


def main(events, host, name, folder):
    tables, count = Tables(folder), 0
    with open(events, "rb") as f:
        for line in f:
            row = json.loads(line)
            table = re.sub("[^A-Za-z0-9_.-]", "_", row["event"].replace(".", "_").replace(":", ".")) \
                if "event" in row else "unknown" if "raw" in row else "lost"
            common = (escaped(host or None), escaped(row.get("file", name)), int(row["ts"]), None, row["cpu"],
                      row.get("pid"), escaped(row.get("comm")), row.get("flags"), row.get("buffer") or "")
            found, want = tables.next(table), common + values(row, tables.fields[table])
            assert found == want, "%s:\n%r\n--json has\n%r" % (table, found, want)
            count += 1
    tables.check_over()
    print("%d rows, %d tables, columns: %s" %
          (count, len(tables.rows), ", ".join("%s %d" % k for k in sorted(tables.kinds.items()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
