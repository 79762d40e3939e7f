#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flat.py FOLDED FLAT - is the flat profile (--flat --json) that of the folded stacks?

FOLDED has weights in the unit of the recording (--no-annotate --countname=ns). A function counts once in each
stack; "[…]" is not one. Symbols of one name in several files are one name in FOLDED, and are compared by their sums alone. Prints
the number of functions.
"""
import json
import sys
from collections import Counter, defaultdict


def main():
    own, total, every = Counter(), Counter(), 0
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            frames, weight = stack.split(";"), int(weight)
            every += weight
            own[frames[-1]] += weight
            for name in set(frames[1:]) - {"[…]"}:
                total[name] += weight
    rows = defaultdict(list)
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            row = json.loads(line, parse_float=str)
            if "symbol" in row:
                rows[row["symbol"]].append(row)
    number = (lambda v: int(v.replace(".", ""))) if sys.argv[3:] == ["ns"] else int
    for name, weight in total.items():
        got = rows.pop(name)
        assert sum(number(r["self"]) for r in got) == own[name], (name, got, own[name])
        if len(got) == 1:
            assert number(got[0]["total"]) == weight, (name, got, weight)
        share = round(10000 * sum(number(r["self"]) for r in got) / every)
        assert len(got) > 1 or abs(share - int(got[0]["self_share"].replace(".", ""))) <= 1, got
    assert not rows, list(rows)[:3]
    print(len(total))


main()
