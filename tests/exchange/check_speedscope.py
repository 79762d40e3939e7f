#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_speedscope.py FILE.json FOLDED - are the profiles the stacks that --folded prints?

FOLDED is what --folded --no-annotate prints of the recording, in ns where weights are times. The last line
that is printed counts what was compared.
"""
import collections
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        data = json.load(f)
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [f["name"] for f in data["shared"]["frames"]]
    got, names, totals = collections.Counter(), set(), []
    for p in data["profiles"]:
        assert p["type"] == "sampled" and p["unit"] in ("nanoseconds", "none")
        assert len(p["samples"]) == len(p["weights"]) and p["startValue"] == 0
        assert p["endValue"] == sum(p["weights"]) > 0, "the weights are all of the profile"
        assert p["name"] not in names, "a task has two profiles"
        names.add(p["name"])
        totals.append(p["endValue"])
        for sample, weight in zip(p["samples"], p["weights"]):
            assert sample and all(0 <= i < len(frames) for i in sample)
            stack = [frames[i] for i in sample]
            task = p["name"].replace(" ", "_")
            got[";".join([task] if stack == [p["name"]] else [task] + stack)] += weight
    assert totals[data["activeProfileIndex"]] == max(totals)
    want = collections.Counter()
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            want[stack] += int(weight)
    assert got == want, (list((got - want).items())[:5], list((want - got).items())[:5])
    print("%d profiles, %d stacks, weight %d" % (len(totals), len(got), sum(totals)))


if __name__ == "__main__":
    main()
