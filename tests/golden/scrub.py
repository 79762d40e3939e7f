#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scrub.py BUILDDIR ORIGINAL SCRUBBED FLAT - none of the removed words is in SCRUBBED

FLAT: SCRUBBED without compression. The words are those of tc-report --json, of saved_cmdlines and of
the host's name. Words that are in the kernel's own texts (symbols, formats, its release and machine)
are not asked for. Everything else must be as it was, and one word have one pseudonym.
Prints lines "ok - ..." and "not ok - ...".
"""
import json
import re
import subprocess
import sys

build, original, scrubbed, flat = sys.argv[1:5]


def run(*args):
    return subprocess.run(args, capture_output=True, check=False).stdout


def rows(path):
    return [json.loads(line) for line in run(build + "/tc-report", "--json", path).decode("utf-8", "replace").splitlines()]


def dump(what, path):
    return run(build + "/tc-file", "dump", what, path)


def is_removed(field):
    return field in ("oldcomm", "newcomm") or re.search(r"(^|_)(comm|filename)$", field)


def words_of(text):
    return [w for w in re.findall(r"[A-Za-z0-9_]+", text) if len(w) >= 4 and re.search("[A-Za-z]", w)]


def say(good, what, why=""):
    print(("ok - " if good else "not ok - ") + what + (": " + str(why) if why and not good else ""))


before, after = rows(original), rows(scrubbed)
words = set()
for row in before:
    for name, value in (row.get("fields") or {}).items():
        if is_removed(name) and isinstance(value, str) and not value.startswith("0x"):
            words.update(words_of(value))
for line in dump("--cmd-lines", original).decode("utf-8", "replace").splitlines():
    match = re.match(r"\d+ (.*)", line)
    if match:
        words.update(words_of(match.group(1)))
uname = re.search(rb"\nLinux (\S+) ([^\n]*)", dump("--options", original))
kernel = b"".join(dump(what, original) for what in ("--kallsyms", "--printk", "--events", "--ftrace-events"))
if uname:
    words.update(words_of(uname.group(1).decode()))
    kernel += uname.group(2)

asked = [w for w in sorted(words) if w.encode() not in kernel]
with open(scrubbed, "rb") as f:
    data = f.read()
with open(flat, "rb") as f:
    data += f.read()
with open(original, "rb") as f:
    there = f.read()
say(len(asked) > 0, "there are words to look for")
found = [w for w in asked if w.encode() in data]
say(not found, "none of %d removed words is in the file" % len(asked), found[:10])
say(uname is None or uname.group(1) in there, "the host's name was in the original")

pseudonyms, different = {}, []
for a, b in zip(before, after):
    for key in ("ts", "cpu", "event", "pid", "flags"):
        if a.get(key) != b.get(key):
            different.append((key, a, b))
    for name, value in (a.get("fields") or {}).items():
        new = b["fields"][name]
        if is_removed(name) and isinstance(value, str):
            if pseudonyms.setdefault(value, new) != new:
                different.append((name, value, new))
            if len(value) != len(new) and not value.startswith("0x"):
                different.append((name, value, new))
        elif not isinstance(value, str) and value != new:
            different.append((name, value, new))
say(len(before) == len(after), "all records are there", (len(before), len(after)))
say(not different, "all else is as it was", different[:3])
say(len(set(pseudonyms.values())) == len(pseudonyms), "different words have different pseudonyms")
