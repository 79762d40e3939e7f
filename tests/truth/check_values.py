#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_values.py [OPTION...] PROGRAM... - are a program's variables recorded as it says that they are?

Each PROGRAM is one of make_program.py's, built somehow. A line is printed for each, and what is
wrong; the exit status is 1 if a value is wrong (and gdb does not read the same), a definition is
refused by the kernel, a hit is missing without a word, or an expression is refused for a reason that
is not in the table of probes.py.

  --tools DIR    where tc-probe, tc-record and tc-report are (default: .)
  --lock FILE    taken while tracefs is changed
  --refused      list what is refused, by reason
  --show N       so many of each kind of failure are shown (default 5)
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import probes

FAILURES = ("WRONG", "refused by the kernel", "missed", "more", "refused without a reason")


def read(text):
    """-> {(point, expression): [value, ...]}"""
    said = collections.defaultdict(list)
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        point, *values = line.split("\t")
        for value in values:
            expr, kind, word = re.match(r"(.*?)=([isa]):(.*)$", value).groups()
            if kind == "i":
                word = int(word)
            elif kind == "a":
                word = [int(w) for w in word.split(",") if w]
            said[point, expr].append(word)
    return said


def as_said(value, length, wanted):
    """the recorded value in the form that the program prints"""
    if isinstance(wanted, str):
        if isinstance(value, list):
            value = "".join(chr(c % 256) if isinstance(c, int) else c for c in value)
        if length is not None and isinstance(value, str):
            value, wanted = value[: int(length)], wanted[:64]
        return value, wanted
    if isinstance(wanted, list):
        if length is not None and isinstance(value, list):
            value = value[: int(length)]
        return value, wanted
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            pass
    return (int(value) if isinstance(value, bool) else value), wanted


def same(got, wanted, unsigned):
    value, wanted = as_said(got[1], got[2], wanted)
    if value == wanted:
        return True
    # a notice says which number stands for -1
    return unsigned and isinstance(value, int) and isinstance(wanted, int) and wanted < 0 and any(
        value == wanted % (1 << bits) for bits in range(1, 64)
    )


def within(got, wanted, unsigned):
    """got is wanted, or wanted with some hits left out"""
    rest = iter(wanted)
    return all(any(same(g, w, unsigned) for w in rest) for g in got)


def judge(one, got, wanted, partly):
    """-> what became of an expression that is recorded"""
    unsigned = bool(probes.UNSIGNED.search(one.notice))
    warned = partly or probes.MISSES.search(one.notice) or probes.UNSURE.search(one.notice)
    if len(got) == len(wanted):
        if all(same(g, w, unsigned) for g, w in zip(got, wanted)):
            return "ok"
        return "not sure, said" if probes.UNSURE.search(one.notice) else "WRONG"
    if len(got) < len(wanted) and within(got, wanted, unsigned):
        return "ok where it can be read, said" if warned else "missed"
    if len(got) < len(wanted):
        return "WRONG"
    return "more"


def voted(program, wrong, folder):
    """Of {number: (asked, got)} those that gdb reads the same: the debug information is wrong"""
    loads, pie = probes.segments(program)
    places = collections.defaultdict(list)
    for number, (one, _) in wrong.items():
        for place in one.places:
            places[hex(probes.address(loads, place))].append((number, one.point, one.expr))
    seen = probes.gdb(program, {"places": places, "args": [], "hits": 1000, "pie": pie}, folder)
    out = set()
    for number, (one, got) in wrong.items():
        for place in one.places:
            at = probes.address(loads, place)
            ours = [as_said(g[1], None, 0)[0] for g in got if (g[0] - at) % 4096 == 0]
            theirs = [h[str(number)] for h in seen[hex(at)]]
            if not theirs or ours != theirs:
                break
        else:
            out.add(number)
    return out


class Run:
    """One program: what is asked, what is recorded, what it says"""

    def __init__(self, args, program, folder):
        self.args, self.folder = args, folder
        self.program = os.path.abspath(program)
        text = subprocess.run([self.program], stdout=subprocess.PIPE, check=True).stdout
        self.asked = probes.ask_all(args.tools + "/tc-probe", self.program, list(read(text)))
        self.group = f"truth{os.getpid()}"
        self.lines, self.partly = probes.merged(self.asked, self.group)

    def record(self):
        data = self.folder + "/t.dat"
        self.refused, text = probes.record(
            self.args.tools, self.group, self.lines, [self.program], data
        )
        self.said = read(text)

    def judged(self, number):
        one = self.asked[number]
        return judge(one, self.got[number], self.said[one.point, one.expr], number in self.partly)

    def compared(self):
        """-> counts, what is to be shown of each kind"""
        self.got = probes.rows(self.args.tools, self.folder + "/t.dat")
        kinds, shown = collections.Counter(), collections.defaultdict(list)
        recorded = [
            n for n, one in enumerate(self.asked) if not one.error and n not in self.refused
        ]
        kind_of = {n: self.judged(n) for n in recorded}
        wrong = {
            n: (self.asked[n], self.got[n])
            for n in recorded
            if kind_of[n] == "WRONG" and self.asked[n].places[0][0] == "p"
        }
        if wrong and shutil.which("gdb"):
            for n in voted(self.program, wrong, self.folder):
                kind_of[n] = "wrong in the debug information, gdb says"
        for number, one in enumerate(self.asked):
            wanted, got = self.said[one.point, one.expr], self.got[number]
            if one.error:
                reason = probes.reason_of(one.error)
                kind = f"refused: {reason}" if reason else "refused without a reason"
                what = one.error
            elif number in self.refused:
                kind, what = "refused by the kernel", self.refused[number]
            else:
                kind = kind_of[number]
                what = f"wanted {wanted[:6]}, got {[g[1] for g in got[:6]]} ({len(wanted)}, "
                what += f"{len(got)}) {list(zip(one.places, one.fetch))[:4]} {one.notice}"
            kinds[kind] += 1
            shown[kind].append(f"{one.point} {one.expr}: {what}")
        return kinds, shown


def report(args, program, kinds, shown):
    """-> whether anything failed"""
    refused = sum(n for kind, n in kinds.items() if kind.startswith("refused: "))
    counts = ", ".join(
        f"{n} {kind}" for kind, n in kinds.most_common() if not kind.startswith("refused: ")
    )
    name = os.path.basename(program)
    print(f"{name}: {sum(kinds.values())} expressions: {counts}, {refused} refused", flush=True)
    for kind in FAILURES:
        for text in shown[kind][: args.show]:
            print(f"  {kind}: {text}")
    if args.refused:
        for kind, n in kinds.most_common():
            if kind.startswith("refused: "):
                print(f"  {kind}: {n}; {shown[kind][0]}")
    return any(shown[kind] for kind in FAILURES)


def options(words=None):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--tools", default=".")
    parser.add_argument("--lock")
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args(words)
    args.tools = os.path.abspath(args.tools)
    return args


def main():
    args = options()
    failed = False
    for program in args.programs:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(args, program, folder)
            with probes.locked(args.lock):
                run.record()
            failed = report(args, program, *run.compared()) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
