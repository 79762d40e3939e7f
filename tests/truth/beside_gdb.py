#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""beside_gdb.py [OPTION...] PROGRAM [ARG...] - is of a program recorded what gdb says of it?

The parameters of its functions, what they point at, and variables at some lines: tc-probe is asked
for each; the program runs with probes (twice: what is not the same then is not compared) and with
gdb's breakpoints at the same addresses, without a random layout of memory, and the values of each hit
are compared. It has to do the same each time.
Prints what was counted, and the differences; the exit status is 1 if there are any.

  --tools DIR     where tc-probe, tc-record and tc-report are (default: .)
  --lock FILE     taken while tracefs is changed
  --functions N   at most so many functions, evenly from all (default 400)
  --lines N       so many lines of each function (default 2)
  --hits N        compare so many hits of each place (default 4)
  --show N        so many of each kind of failure are shown (default 5)
  --name NAME     what the program is called in the output
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import probes

LONG = 200
SHOWN = (
    "WRONG",
    "refused by the kernel",
    "missed",
    "refused without a reason",
    "gdb: optimised out",
    "gdb: error",
)
WORST = {"WRONG": 0, "missed": 1, "ok": 2}


def functions_of(program, most):
    text = subprocess.check_output(["nm", "-C", program], text=True)
    name = r"[A-Za-z][\w:]*(?:\([^<>]*\)(?: const)?)?"
    found = re.findall(rf"^([0-9a-f]+) [tTwW] ({name})$", text, re.M)
    names = sorted({n: int(a, 16) for a, n in found if not n.startswith("_")}.items())
    step = max(1, len(names) / most)
    return [names[int(i * step)] for i in range(min(most, len(names)))]


def judge(got, value):
    """the verdict on a recorded value, given gdb's"""
    if isinstance(value, str):
        return "gdb: " + value.split(":")[0]
    if value is None or isinstance(got, list):
        return "gdb: another type"
    if isinstance(value, dict):
        if isinstance(got, str) and not re.fullmatch(r"0x[0-9a-f]+|\d+", got):
            text = value.get("text", "")
            if got == "(fault)":
                return "WRONG" if "text" in value else "fault"
            # the kernel has a page for all that an event records
            if len(text) >= LONG and text.startswith(got[:LONG]):
                return "ok" if len(got) >= LONG else "a long text"
            return "ok" if got == text else "WRONG"
        # a text of digits alone looks like a number
        number = int(got, 0) if isinstance(got, str) else got
        same = number % 2**64 == value["pointer"] or str(got) == value.get("text")
        return "ok" if same else "WRONG"
    if isinstance(got, str):
        try:
            got = int(got, 0)
        except ValueError:
            return "ok" if got == chr(value % 256) else "WRONG"
    return "ok" if int(got) == value else "WRONG"


def in_code(value, code):
    return isinstance(value, dict) and code[0] <= value["pointer"] < code[1]


def compare(run, recorded, seen, shift):
    asked, refused, partly, loads = run.asked, run.refused, run.partly, run.loads
    code = (min(l[1] for l in loads) + shift, max(l[1] + l[2] for l in loads) + shift)
    kinds, shown = collections.Counter(), collections.defaultdict(list)
    for number, one in enumerate(asked):
        if one.error:
            reason = probes.reason_of(one.error)
            if re.search(r"no such variable is visible|no code for line", one.error):
                reason = "not visible there"
            kind = f"refused: {reason}" if reason else "refused without a reason"
            what = one.error
        elif number in refused:
            kind, what = "refused by the kernel", refused[number]
        else:
            kind, what = "not reached", ""
            by_place = collections.defaultdict(list)
            for at, value, _ in recorded[0][number]:
                by_place[at].append(value)
            verdicts = []
            same_again = recorded[0][number] == recorded[1][number]
            for place in one.places:
                at = probes.address(loads, place)
                values = [h[str(number)] for h in seen.get(hex(at), []) if str(number) in h]
                got = by_place[at + shift]
                for g, v in zip(got, values):
                    verdicts.append((judge(g, v), g, v, place))
                if len(got) < len(values) and number not in partly:
                    verdicts.append(("missed", len(got), len(values), place))
            if verdicts:
                worst = min(verdicts, key=lambda v: WORST.get(v[0], len(WORST)))
                kind = worst[0]
                if kind == "WRONG" and in_code(worst[2], code):
                    kind = "text of code, in which the probes are"
                if kind == "WRONG" and not same_again:
                    kind = "not the same twice"
                # what stands for it is said
                if kind == "WRONG" and isinstance(worst[2], int) and worst[2] < 0:
                    kind = "ok" if probes.UNSIGNED.search(one.notice) else kind
                what = f"{worst[1:]} {list(zip(one.places, one.fetch))[:3]} {one.notice}"
        kinds[kind] += 1
        shown[kind].append(f"{one.point} {one.expr}: {what}")
    return kinds, shown


class Run:
    """One program: what is asked, what is recorded, what gdb says"""

    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.program = os.path.realpath(args.program)
        self.loads, self.pie = probes.segments(self.program)
        task = {"list": functions_of(self.program, args.functions), "lines": args.lines}
        specs = list(dict.fromkeys(map(tuple, probes.gdb(self.program, task, folder))))
        self.asked = probes.ask_all(args.tools + "/tc-probe", self.program, specs)
        self.group = f"truth{os.getpid()}"
        self.lines, self.partly = probes.merged(self.asked, self.group, 100)
        self.files = [folder + "/1.dat", folder + "/2.dat"]

    def record(self):
        command = ["setarch", "-R", "env", "-i", self.program, *self.args.args]
        self.refused, _ = probes.record(
            self.args.tools, self.group, self.lines, command, *self.files
        )

    def compared(self):
        recorded = [probes.rows(self.args.tools, file) for file in self.files]
        places = collections.defaultdict(list)
        for number, one in enumerate(self.asked):
            for place in one.places:
                at = probes.address(self.loads, place)
                places[hex(at)].append((number, one.point, one.expr))
        task = {"places": places, "args": self.args.args, "hits": self.args.hits, "pie": self.pie}
        seen = probes.gdb(self.program, task, self.folder)
        return compare(self, recorded, seen, 0x555555554000 if self.pie else 0)


def report(args, kinds, shown):
    name = args.name or os.path.basename(args.program)
    counts = ", ".join(
        f"{n} {kind}" for kind, n in kinds.most_common() if not kind.startswith("refused: ")
    )
    refused = sum(n for kind, n in kinds.items() if kind.startswith("refused: "))
    print(f"{name}: {sum(kinds.values())} expressions: {counts}, {refused} refused")
    failed = False
    for kind in SHOWN:
        for text in shown[kind][: args.show]:
            print(f"  {kind}: {text}")
        failed = failed or (bool(shown[kind]) and not kind.startswith("gdb"))
    for kind, n in kinds.most_common():
        if kind.startswith("refused: "):
            print(f"  {kind}: {n}")
    return 1 if failed else 0


def options(words=None):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--tools", default=".")
    parser.add_argument("--lock")
    parser.add_argument("--functions", type=int, default=400)
    parser.add_argument("--lines", type=int, default=2)
    parser.add_argument("--hits", type=int, default=4)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--name")
    parser.add_argument("program")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    args = parser.parse_args(words)
    args.tools = os.path.abspath(args.tools)
    return args


def main():
    args = options()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(args, folder)
        with probes.locked(args.lock):
            run.record()
        kinds, shown = run.compared()
    return report(args, kinds, shown)


if __name__ == "__main__":
    sys.exit(main())
