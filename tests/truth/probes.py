# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by check_values.py and beside_gdb.py: running tc-probe, defining, recording, reading"""

import collections
import concurrent.futures
import contextlib
import fcntl
import json
import os
import re
import subprocess
import sys

TRACEFS = os.environ.get("TRACECRAFT_TRACEFS", "/sys/kernel/tracing")

# Why an expression is refused: the first that its message contains. A message with none is a failure.
REASONS = [
    ("optimised out", r"optimised out"),
    (
        "not alive there",
        r"not alive|not known to be alive|is not known at this address|known only on entry",
    ),
    ("floating point", r"floating-point"),
    ("computed value", r"arithmetic|its value is|a read of 8 bytes|the address of a register"),
    ("in parts", r"in parts|parts of|parts are in different places"),
    ("not written yet", r"written only|not stored yet|nothing is written|not seen to be written"),
    (
        "constant object",
        r"is a constant|the pointer is the constant|has no address|pointed at is not in memory",
    ),
    ("32-bit pointer", r"has 32 bits, and the kernel here follows 64"),
    ("size of the type", r"a struct: select a member|a union: select a member|is larger than"),
    ("variant", r"which it holds is known only"),
    ("bits across bytes", r"bitfield .*(straddle|across)|no container"),
    ("no return value", r"returns nothing|does not return|no return"),
    ("thread-local", r"thread-local"),
    ("ambiguous", r"several|choose one|more than one"),
    ("libdw reads none of it", r"a bad location list, or one with an operation"),
    ("no code for the line", r"no code for line"),
    ("which one is not known", r"which one is meant is not known"),
    ("no calling convention", r"in which registers this function returns is not known"),
]
# Notices that say that a value is not the variable's as it stands, or that hits may be missing
UNSIGNED = re.compile(r"without its sign")
MISSES = re.compile(r"hits are missed|hits may be missed|is left out|are left out|left out there")
UNSURE = re.compile(r"may then be anything")

HERE = os.path.dirname(os.path.abspath(__file__))

Asked = collections.namedtuple("Asked", "point expr places fetch error notice")


def reason_of(error):
    return next((name for name, words in REASONS if re.search(words, error)), None)


DEFINITION = re.compile(r"^(?:echo|printf .%s.n.) '([pr]):\S+ (\S+)(.*)' >>")


def ask(tc_probe, program, point, expr):
    """The definitions of one expression: places, and what is fetched at each"""
    run = subprocess.run(
        [tc_probe, "-n", "-x", program, "-a", f"grp:e={point} v={expr}"],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    error = " / ".join(run.stderr.splitlines())
    if run.returncode:
        return Asked(point, expr, (), (), error, "")
    lines = [m for m in map(DEFINITION.match, run.stdout.splitlines()) if m]
    places = tuple(m[1] + " " + m[2] for m in lines)
    return Asked(point, expr, places, tuple(m[3].strip() for m in lines), "", error)


def ask_all(tc_probe, program, specs, jobs=2):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda s: ask(tc_probe, program, *s), specs))


def merged(asked, group, most=24):
    """Few events: expressions of the same places are arguments of one. -> lines, {event: numbers}

    A place that has no value of an expression is left out for it, and the expression's number is
    in "partly"."""
    by_places = collections.defaultdict(list)
    partly = set()
    for number, one in enumerate(asked):
        if one.error:
            continue
        have = [(p, f) for p, f in zip(one.places, one.fetch) if re.match(r"v=", f)]
        if len(have) < len(one.places):
            partly.add(number)
        shapes = collections.defaultdict(list)
        for place, fetch in have:
            # the kernel wants the same names and types at all places of an event
            shape = tuple(re.sub(r"=.*:", "=:", word) for word in fetch.split())
            shapes[shape].append((place, fetch))
        for some in shapes.values():
            key = tuple(p for p, _ in some)
            by_places[key].append((number, [f for _, f in some]))
    lines = []
    for places, args in by_places.items():
        while args:
            some, size = [], 100 + max(len(p) for p in places)
            while args and len(some) < most:
                size += max(len(f) for f in args[0][1]) + 8
                if some and size > 3500:
                    break
                some.append(args.pop(0))
            event = f"e{len(lines)}"
            for i, place in enumerate(places):
                kind, where = place.split(" ", 1)
                words = [re.sub(r"(^| )v(_\w+)?=", rf"\1v{n}\2=", f[i]) for n, f in some]
                numbers = [n for n, _ in some]
                lines.append((f"{kind}:{group}/{event}", where, " ".join(words), numbers))
    return lines, partly


@contextlib.contextmanager
def locked(path):
    """tracefs is for one at a time"""
    if not path:
        yield
        return
    with open(path, "a", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write(line):
    try:
        fd = os.open(TRACEFS + "/uprobe_events", os.O_WRONLY | os.O_APPEND)
    except OSError as err:
        return err
    try:
        os.write(fd, line.encode() + b"\n")
        return None
    except OSError as err:
        return err
    finally:
        os.close(fd)


def forget(heads):
    """Deletes what these began the definitions of: a list of all probes is not a snapshot"""
    for name in {head.split(":", 1)[1] for head in heads}:
        write("-:" + name)


def record(tools, group, lines, command, *files):
    """Defines, runs for each file, deletes. -> (what the kernel refused, the program's output)"""
    refused = {}
    try:
        for head, where, words, numbers in lines:
            err = write(f"{head} {where} {words}")
            if err:
                for n in numbers:
                    refused[n] = f"{err}: {head} {where} {words}"
        if len(refused) == sum(len(l[3]) for l in lines):
            return refused, b""
        for data in files:
            run = subprocess.run(
                [tools + "/tc-record", "-q", "-b16384", "-e", group, "-o", data, "--", *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        return refused, run.stdout
    finally:
        forget(head for head, *_ in lines)


def rows(tools, data):
    """the values of each number in order: (address, value, its length or None)"""
    out = collections.defaultdict(list)
    run = subprocess.Popen([tools + "/tc-report", "-i", data, "--json"], stdout=subprocess.PIPE)
    for line in run.stdout:
        fields = json.loads(line.decode("utf-8", "surrogateescape"), strict=False).get("fields", {})
        at = fields.get("__probe_ip") or fields.get("__probe_func") or "0"
        at = int(at, 0) if isinstance(at, str) else at
        for name, value in fields.items():
            if re.fullmatch(r"v\d+", name):
                out[int(name[1:])].append((at, value, fields.get(name + "_len")))
    run.wait()
    return out


def segments(program):
    """[(offset, address, size)], whether it is position-independent"""
    text = subprocess.check_output(["readelf", "-hlW", program], text=True)
    loads = re.findall(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)
    return [tuple(int(w, 16) for w in m) for m in loads], bool(re.search(r"Type:\s+DYN", text))


def address(loads, place):
    """Where in the program a definition's place is"""
    offset = int(re.search(r":0x([0-9a-f]+)", place)[1], 16)
    return next(va + offset - off for off, va, size in loads if off <= offset < off + size)


def gdb(program, task, folder):
    """the answer of in_gdb.py"""
    path = folder + "/task"
    with open(path, "w", encoding="ascii") as file:
        json.dump(task, file)
    run = subprocess.run(
        ["gdb", "-nx", "-batch", "-x", HERE + "/in_gdb.py", program],
        env=dict(os.environ, TRUTH_TASK=path, DEBUGINFOD_URLS="", LC_ALL="C"),
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if not os.path.exists(path + ".out"):
        sys.exit("gdb fails: " + (run.stdout + run.stderr)[-2000:])
    with open(path + ".out", encoding="ascii") as file:
        out = json.load(file)
    os.unlink(path + ".out")
    return out
