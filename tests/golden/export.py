#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""export.py TC-REPORT RECORDING RAW REPORT - are the rows of a recording what trace-cmd printed of it?

RAW and REPORT are what "trace-cmd report -R" and "trace-cmd report" of 3.1 printed where the recording
was made; "-" for none. From the objects of --json their lines are put together again: task, CPU, time,
event, text and the value of each field are compared with what stands there. What --csv and --fields
print is then compared with the objects. Exit status 1, and a line on stdout, when something differs.
"""

import bisect
import csv
import functools
import io
import json
import re
import subprocess
import sys

ARRAY = rb"ARRAY\[[^]]*\]"
HEX = re.compile("([0-9a-f]{2})*")
NUMBER = re.compile(r"0x[0-9a-f]+|-?[0-9]+")


class Differs(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Differs(" ".join(str(w) for w in what))


def to_bytes(text):
    return text.encode("utf-8", "surrogateescape")


class Recording:
    def __init__(self, tool, path):
        self.tool, self.path = tool, path
        with open(path, "rb") as f:
            head = f.read(64)
        after = head.index(b"\0", 10)
        self.order = "big" if head[after + 1] else "little"
        self.long_size = head[after + 2]
        self.symbols = None

    def run(self, *args):
        return subprocess.run([self.tool, *args, "--compat", "--no-pager", "-i", self.path], check=True,
                              stdout=subprocess.PIPE).stdout

    def objects(self, *args):
        # Only line feeds end lines; str.splitlines() knows others.
        lines = self.run(*args).decode("utf-8").split("\n")
        expect(lines.pop() == "", "the last line has no end")
        return [json.loads(line) for line in lines]

    def is_symbol(self, address, name):
        """is it among the names next below the address, in the recording's own symbols?"""
        if self.symbols is None:
            pairs = [line.split()[:2] for line in self.run("-f").splitlines()]
            self.symbols = sorted((int(p[0], 16), p[1]) for p in pairs if len(p) == 2)
        at = bisect.bisect_right(self.symbols, (address, b"\xff"))
        near = self.symbols[max(at - 16, 0):at]
        name, _, offset = name.partition(b"+0x")
        return any(n == name and a == near[-1][0] and (not offset or a + int(offset, 16) == address)
                   for a, n in near)


@functools.lru_cache(maxsize=1000)
def compiled(rest):
    return re.compile(rest + rb"\n", re.DOTALL)


class Lines:
    """a text that is read from its start, line by line; values may have line feeds"""

    def __init__(self, path, width, raw=False):
        with open(path, "rb") as f:
            self.text = f.read()
        expect(self.text.startswith(b"cpus="), path, "is not a report")
        self.at = self.text.index(b"\n") + 1
        self.width = width
        self.raw = raw
        self.after_loss = False

    def take(self, o, rest):
        """the next line must be that of an object, with @rest after its columns; returns its groups"""
        prefix, at = self.prefix(o), self.at
        if self.text.startswith(prefix, at):
            m = compiled(rest).match(self.text, at + len(prefix))
        else:
            m = None
        expect(m, repr(self.text[self.at:self.at + 300].split(b"\n", 1)[0]), "is not:", prefix, rest)
        self.at = m.end()
        self.after_loss = "lost" in o
        return m.groups()

    def take_text(self, o, text):
        """the same, with exactly this text"""
        at = self.at
        line = self.prefix(o) + text + b"\n"
        expect(self.text.startswith(line, at), repr(self.text[self.at:self.at + len(line)]),
               "is not:", line)
        self.at = at + len(line)
        self.after_loss = False

    def end(self):
        expect(self.text[self.at:].strip() == b"", "more lines than rows:", self.text[self.at:][:99])

    def prefix(self, o):
        """the columns"""
        out = b""
        # trace-cmd names the buffer once for a loss and the record after it
        if self.width and not self.after_loss:
            name = to_bytes(o["buffer"])
            out = name.rjust(self.width) + (b": " if name else b"  ")
        if "lost" in o:
            lost = b"" if o["lost"] is None else b"%d " % o["lost"]
            return out + b"CPU:%d [%sEVENTS DROPPED]" % (o["cpu"], lost)
        if "event" not in o:
            return out + b"[UNKNOWN EVENT]"
        comm = b"<...>" if o["comm"] is None else to_bytes(o["comm"])
        # Printing raw fields, trace-cmd learns no names from them.
        if self.raw and self.text.startswith(out + b"%16s-" % b"<...>", self.at):
            comm = b"<...>"
        out += b"%16s-" % comm
        if "time" in o:
            usec = (int(o["ts"]) + 500) // 1000
            time = b" %5d.%06d:" % (usec // 1000000, usec % 1000000)
        else:
            time = b"%12d:" % int(o["ts"])
        name = to_bytes(o["event"].split(":", 1)[1])
        return out + b"%-5d [%03d]" % (o["pid"], o["cpu"]) + time + b" " + \
            (name + b":").ljust(21) + b" "


def number_is(rec, n, raw):
    readings = []
    if re.fullmatch(rb"-?[0-9]+", raw):
        readings.append(int(raw, 10))
    if re.fullmatch(rb"(0x)?[0-9a-f]+", raw):
        readings.append(int(raw, 16))
    # -R shows some negative numbers as large ones
    return any(n % (1 << bits) == m % (1 << bits) and abs(n) < 1 << bits and abs(m) < 1 << bits
               for bits in (8, 16, 32, 64) for m in readings) or rec.is_symbol(n, raw)


def split(data, size, order):
    return [int.from_bytes(data[i:i + size], order) for i in range(0, len(data) - size + 1, size)]


def list_is(rec, fields, name, values, data):
    """are these the numbers that the bytes are? Only the stack of a record goes beyond its format's"""
    values = [int(str(v), 0) for v in values]
    for size in (2, 4, 8, 1):
        numbers = split(data, size, rec.order)
        common = min(len(numbers), len(values))
        whole = len(values) == len(numbers) or name == "caller" or name + "_len" in fields
        if whole and [v % (1 << 8 * size) for v in values[:common]] == numbers[:common] and \
                all(-(1 << 8 * size - 1) <= v < 1 << 8 * size for v in values):
            return True
    return False


def mask_is(rec, value, data):
    bits = set()
    for i, n in enumerate(split(data, rec.long_size, rec.order)):
        bits |= {8 * rec.long_size * i + b for b in range(64) if n >> b & 1}
    listed = set()
    for part in value.split(",") if value else []:
        if not re.fullmatch(r"\d+(-\d+)?", part):
            return False
        first, _, last = part.partition("-")
        listed |= set(range(int(first), int(last or first) + 1))
    return bits == listed


def array_is(rec, fields, name, value, data):
    if isinstance(value, list):
        return list_is(rec, fields, name, value, data)
    if data.split(b"\0")[0] == to_bytes(value):
        return True
    if HEX.fullmatch(value):
        shown = bytes.fromhex(value)
        if shown == data or (name + "_len" in fields and data.startswith(shown)):
            return True
    return mask_is(rec, value, data)


def value_is(rec, fields, name, value, raw):
    if re.fullmatch(ARRAY, raw):
        data = bytes(int(b, 16) for b in raw[6:-1].split(b", ") if b)
        return array_is(rec, fields, name, value, data)
    if isinstance(value, list) or value is None:
        return False
    if isinstance(value, int):
        return number_is(rec, value, raw)
    if to_bytes(value) in (raw, raw + b"\n"):
        return True
    if NUMBER.fullmatch(value) and number_is(rec, int(value, 16 if "x" in value else 10), raw):
        return True
    if not value:
        # of a text without any bytes -R shows what follows
        return True
    # Bytes that are all printable -R takes for text, up to a zero that may come later.
    shown = bytes.fromhex(value) if HEX.fullmatch(value) else b"\0"
    return shown.split(b"\0")[0] == raw or (b"\0" not in shown and raw.startswith(shown))


def fields_pattern(fields):
    parts = []
    for name, value in fields.items():
        pattern = ARRAY + rb"|[^\n]*?"
        if isinstance(value, str) and "\n" in value:
            # trace-cmd drops a line feed at the end of a line.
            pattern = re.escape(to_bytes(value)) + b"|" + \
                re.escape(to_bytes(value.removesuffix("\n"))) + b"|" + pattern
        parts.append(re.escape(to_bytes(name.partition("#")[0])) + b"=(" + pattern + b")")
    return b" " + b" ".join(parts)


def check_raw(rec, rows, lines):
    n = 0
    for o in rows:
        if "fields" not in o:
            lines.take(o, b"" if "lost" in o else rb"[^\n]*")
            continue
        fields = o["fields"]
        raw = lines.take(o, fields_pattern(fields) if fields else b"")
        for (name, value), text in zip(fields.items(), raw):
            expect(value_is(rec, fields, name, value, text), o["event"], name, repr(value),
                   "is not", text)
            n += 1
    lines.end()
    return n


def check_report(rows, lines):
    for o in rows:
        if "lost" in o:
            lines.take(o, b"")
        elif "text" in o:
            lines.take_text(o, to_bytes(o["text"]))
        else:
            lines.take(o, rb"[^\n]*")
    lines.end()


def plain(value):
    if value is None:
        return ""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def csv_rows(data):
    text = data.decode("utf-8", "surrogateescape")
    expect("\r\n" not in text or "\r" in text, "ends of lines")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def word(value):
    """the value of name=value: strings other than plain words are quoted"""
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9_\-+./:<>@%#~,]+", value):
        return None
    return plain(value) if value is not None else "null"


def check_csv(rec, rows):
    got = csv_rows(rec.run("--csv"))
    expect(len(got) == len(rows), "--csv has", len(got), "rows for", len(rows))
    for row, o in zip(got, rows):
        for key in ("time", "ts", "cpu", "pid", "comm", "flags", "event", "buffer"):
            if key == "time" and key in row:
                ts = int(o["ts"])
                want = "%d.%09d" % (ts // 1000000000, ts % 1000000000)
                expect(row[key] == want, "--csv time", row, o)
                expect("lost" in o or abs(o["time"] - float(want)) < 1e-5, "time", o)
            elif key in row:
                expect(row[key] == plain(o.get(key)), "--csv", key, row, o)
        lost = "" if "lost" not in o else "?" if o["lost"] is None else str(o["lost"])
        expect(row["lost"] == lost, "--csv lost", row, o)
        rest = row["fields"]
        for name, value in o.get("fields", {}).items():
            expect(rest.startswith(name + "="), "--csv fields", row, name)
            rest = rest[len(name) + 1:]
            want = word(value)
            if want is None:
                decoded, end = json.JSONDecoder().raw_decode(rest)
                expect(decoded == value, "--csv", name, row, o)
                rest = rest[end:]
            else:
                expect(rest.startswith(want), "--csv", name, row, o)
                rest = rest[len(want):]
            rest = rest[1:] if rest.startswith(" ") else rest
        expect(rest == "", "--csv has more:", rest)


def unescape(cell):
    if "\\" not in cell:
        return cell
    names = {"t": "\t", "n": "\n", "\\": "\\"}
    return re.sub(r"\\(x([0-9a-f]{2})|.)",
                  lambda m: chr(int(m[2], 16)) if m[2] else names[m[1]], cell)


def check_columns(rec, rows):
    """two fields of each event, and the common columns, in each of the three styles"""
    names = {}
    for o in rows:
        for name in list(o.get("fields", {}))[:2]:
            names["%s.%s" % (o["event"], name)] = (o["event"], name)
    columns = ["event", "ts", "lost", "comm", *list(names)[:20]]
    as_json = rec.objects("--json", "--fields", ",".join(columns))
    as_csv = csv_rows(rec.run("--csv", "--fields", ",".join(columns)))
    as_tab = rec.run("--fields", ",".join(columns)).decode("utf-8", "surrogateescape").split("\n")
    expect(as_tab.pop() == "", "the last line has no end")
    expect(len(rows) == len(as_json) == len(as_csv) == len(as_tab), "--fields: number of rows",
           len(rows), len(as_json), len(as_csv), len(as_tab))
    for o, j, c, t in zip(rows, as_json, as_csv, as_tab):
        cells = dict(zip(columns, map(unescape, t.split("\t")), strict=True))
        # a loss that was not counted is null in JSON, and would look like none elsewhere
        shown = {**j, "lost": "?"} if "lost" in o and o["lost"] is None else j
        expect(list(j) == columns == list(c), "--fields: columns", j)
        expect(cells == c == {k: plain(v) for k, v in shown.items()}, "--fields", j, c, cells)
        for key, value in j.items():
            event, name = names.get(key, (None, key))
            want = o.get("fields", {}).get(name) if event == o.get("event") else None
            expect(value == (want if event else o.get(key)), "--fields", key, value, o)


def main():
    rec = Recording(sys.argv[1], sys.argv[2])
    rows = rec.objects("--json")
    width = max((len(to_bytes(o.get("buffer", ""))) for o in rows), default=0)
    values = 0
    if all(list(o) == ["text"] for o in rows):
        print("%d lines of a latency tracer" % len(rows))
        return
    if sys.argv[3] != "-":
        values = check_raw(rec, rows, Lines(sys.argv[3], width, True))
    if sys.argv[4] != "-":
        check_report(rec.objects("--json=text"), Lines(sys.argv[4], width))
    check_csv(rec, rows)
    check_columns(rec, rows)
    print("%d rows, %d values" % (len(rows), values))


try:
    main()
except Differs as e:
    print(e)
    sys.exit(1)
