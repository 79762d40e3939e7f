#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cut.py TC-REPORT RECORDING DIRECTORY - truncated copies of a recording: does every view say what is missing?

Lost events are computed from those of the whole recording, by CPU; the rest has to be what comes first. Slices with a known beginning and end have to be among those of the whole recording: nothing is
paired across what is missing. Prints "ok - ..." or "not ok - ..." for each comparison.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict

REPORT, INTACT, TMP = sys.argv[1:4]
CUT = os.path.join(TMP, "cut.dat")
OUT = os.path.join(TMP, "view")
# Half of the cuts
GATE = bool(os.environ.get("TC_GATE"))


def same(what, got, want):
    if got == want:
        print(f"ok - {what}")
    else:
        print(f"not ok - {what}: {str(got)[:300]} instead of {str(want)[:300]}")


def report(path, *options):
    done = subprocess.run([REPORT, "--no-pager", "-i", path, *options], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def events(path):
    """The events of each CPU of each buffer, and the CPUs whose rest is missing; the exit status"""
    status, text, _ = report(path, "--json")
    found, missing = defaultdict(list), []
    for line in text.splitlines():
        event = json.loads(line)
        cpu = (event.get("buffer", ""), event["cpu"])
        if event.get("missing"):
            assert event["lost"] is None
            missing.append((cpu, event["ts"]))
        elif "lost" not in event:
            found[cpu].append((event["ts"], event["pid"], event["event"]))
    return found, missing, status


def slices(path):
    """Slices of --chrome: those with a beginning and an end, and the marks of what is missing, by CPU"""
    status, _, err = report(path, "--chrome", OUT)
    if not os.path.exists(OUT):
        return status, None, err
    known, marks = set(), []
    with open(OUT, encoding="utf-8", errors="surrogateescape") as f:
        for e in json.load(f, parse_float=str)["traceEvents"]:
            if e["ph"] != "X":
                continue
            if e["name"] == "last events missing":
                marks.append((e["ts"], e["dur"]))
            elif e["cat"] != "loss" and not {"cut", "no_begin", "no_end"} & set(e["args"]):
                tid = e["args"]["tid"] if "tid" in e["args"] else e["tid"]
                known.add((e["cat"], tid, e["ts"], e["dur"]))
    return status, known, marks


def fields(data):
    """Numbers and contents of a protobuf message's fields with a length"""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 0:
            varint()
        else:
            at += 8 if key & 7 == 1 else 4


def perfetto_marks(data):
    """Names of slices in the packets, which may be compressed (field 50)"""
    found = 0
    for number, packet in fields(data):
        if number != 1:
            continue
        for field, content in fields(packet):
            if field == 50:
                found += perfetto_marks(zlib.decompress(content))
            elif field == 11:
                found += (23, b"last events missing") in list(fields(content))
    return found


def said(view, n):
    """How many CPUs lack their last events according to a view; None if it has nothing to show"""
    if os.path.exists(OUT):
        os.unlink(OUT)
    options = [OUT if o == "FILE" else OUT + o[4:] if o.startswith("FILE.") else o for o in view.split()]
    path = next((o for o in options if o.startswith(OUT)), None)
    status, text, err = report(CUT, *options)
    if path and not os.path.exists(path):
        return None if "damaged" in err or status else -1
    data = ""
    if path:
        with open(path, "rb") as f:
            raw = f.read()
        os.unlink(path)
        if "--perfetto" in view:
            return perfetto_marks(raw)
        data = raw.decode(errors="replace")
    if view == "--stat":
        return len(re.findall(r"^\S+ +\d+ +\d+ +\d+\? ", text, re.M))
    if view.startswith("--html"):
        return int(re.search(r'"missing":"(\d+)"', data).group(1))
    if view.startswith("--heatmap FILE.html"):
        return data.count('"missing":1}')
    if view.startswith("--heatmap"):
        return len(re.findall(r"lacks its last events</title>", data))
    if view.startswith("--graph"):
        return len(re.findall(r"^CPU:\d+ \[LAST EVENTS MISSING\]$", text, re.M))
    hit = re.search(r"(\d+) CPUs? lacks? (?:its|their) last events; how many is not known", text + err + data)
    return int(hit.group(1)) if hit else 0 if n else None


VIEWS = ["--stat", "--latency", "--profile", "--syscalls", "--syscalls --by-task", "--wakeups", "--count-by cpu",
         "--html FILE", "--perfetto FILE", "--heatmap FILE.html", "--heatmap FILE.svg", "--graph",
         "--folded", "--perf-script", "--flat", "--flame FILE.html", "--flame FILE.svg"]


def trace(path, *options):
    """The calls that tc-trace shows of a recording, and its messages"""
    done = subprocess.run([os.path.join(os.path.dirname(REPORT), "tc-trace"), "-i", path, *options],
                          capture_output=True, check=False)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def durations(path):
    """Calls of tc-trace: task and time. Without the options, tc-trace guesses which names they have"""
    lines = os.path.join(TMP, "calls")
    trace(path, "-f", "--syscall-times=ns", "-o", lines)
    with open(lines, encoding="utf-8", errors="surrogateescape") as f:
        return set(re.findall(r"^(\d+) .* <(\d+\.\d{9})>$", f.read(), re.M))


def check_trace(path, name, short):
    """A table of tc-trace has a line for all CPUs, and calls have one for each; a file for a thread has none"""
    note = r"(\d+) CPUs? lacks? (?:its|their) last events; how many is not known$"
    for options in ("-c", "-c -e trace=all", "-c --by-task"):
        same(f"{name}: tc-trace {options}", [int(n) for n in re.findall("^# " + note, trace(path, *options.split())[0], re.M)],
             [len(short)] if short else [])
    cpus = sorted(int(n) for n in re.findall(r"^\[\.\.\. last events of CPU (\d+) missing \.\.\.\]$", trace(path)[0], re.M))
    same(f"{name}: tc-trace", cpus, sorted(cpu for _, cpu in short))
    threads = tempfile.mkdtemp(dir=TMP)
    err = trace(path, "-ff", "-o", os.path.join(threads, "thread"))[1]
    same(f"{name}: tc-trace -ff", [int(n) for n in re.findall("^tc-trace: " + note, err, re.M)], [len(short)] if short else [])
    same(f"{name}: tc-trace -ff: threads have files", "thread.0" in os.listdir(threads), False)


def first_note(view):
    """The first note of a view: "missing" if that is it"""
    return re.sub(r"^tc-report: \d+ CPUs? lacks? (its|their) last events; how many is not known\n(.*\n)*", "missing",
                  report(CUT, *view.split())[2])


def check_cut(whole, all_slices, all_calls, size, name):
    with open(INTACT, "rb") as f:
        data = f.read(size)
    with open(CUT, "wb") as f:
        f.write(data)
    left, missing, status = events(CUT)
    short = sorted(cpu for cpu, there in whole.items() if len(left[cpu]) < len(there))
    same(f"{name}: what is left is what comes first",
         [cpu for cpu in left if left[cpu] != whole[cpu][:len(left[cpu])]], [])
    same(f"{name}: --json names the CPUs that lack events", sorted(cpu for cpu, _ in missing), short)
    first = min(there[0][0] for there in left.values() if there)
    same(f"{name}: and since when", sorted((cpu, ts) for cpu, ts in missing),
         [(cpu, left[cpu][-1][0] if left[cpu] else first) for cpu in short])
    same(f"{name}: the recording is damaged", status, 1)
    status, known, marks = slices(CUT)
    same(f"{name}: --chrome has no other durations than those of the whole", sorted(known - all_slices)[:3], [])
    end = max(int(there[-1][0]) for there in left.values() if there)
    same(f"{name}: --chrome has gaps from the last event of a CPU to that of all",
         sorted(int(ts.replace(".", "")) + int(dur.replace(".", "")) for ts, dur in marks), [end] * len(short))
    shown = 0
    for view in VIEWS:
        got = said(view, len(short))
        if got is None:
            continue
        shown += 1
        same(f"{name}: {view}", got, len(short))
    same(f"{name}: there are such views", shown >= 9, True)
    check_trace(CUT, name, short)
    same(f"{name}: tc-trace has no other durations than those of the whole", sorted(durations(CUT) - all_calls)[:3], [])
    # Programs that read it take each line for a sample or a frame of one.
    same(f"{name}: --perf-script has samples only", re.findall("^#.*", report(CUT, "--perf-script")[1], re.M), [])
    # Nobody knows that the stacks and switches were not recorded.
    for view in ("--flat", "--perf-script", "--folded", "--folded --off-cpu"):
        if short:
            same(f"{name}: {view} names this cause first", first_note(view), "missing")
        same(f"{name}: {view} does not advise to record more", "record " in report(CUT, *view.split())[2], False)


class Numbers:
    """Numbers of a file of version 7 in its byte order"""
    def __init__(self, data):
        self.data = data
        self.order = "big" if data[data.index(b"\0", 10) + 1] else "little"

    def at(self, at, size):
        return int.from_bytes(self.data[at:at + size], self.order)


def options_at(data):
    """Where the options of a file of version 7 begin; None for version 6, which has them before the data"""
    version, at = data[10:].split(b"\0", 1)[0], data.index(b"\0", 10) + 1
    if version != b"7":
        return None
    at = data.index(b"\0", data.index(b"\0", at + 6) + 1) + 1
    return Numbers(data).at(at, 8)


def chunks(data):
    """The chunks of each CPU of the only buffer, (where its head is, where it ends), by trace-cmd.dat.v7(5)"""
    number, at = Numbers(data), data.index(b"\0", data.index(b"\0", data.index(b"\0", 10) + 7) + 1) + 9
    while number.at(at, 2) != 3:
        at += 16 + number.at(at + 8, 8)
    at, end, cpus = at + 16, at + 16 + number.at(at + 8, 8), []
    while at < end:
        left, at = number.at(at, 4), at + 4
        cpus.append([])
        for _ in range(left):
            cpus[-1].append((at, at + 8 + number.at(at, 4)))
            at = cpus[-1][-1][1]
    assert at == end == options_at(data)
    return cpus


def cuts_of_chunks(data):
    """Sizes with which the CPUs that lack events are known, though their description is at the end of the file"""
    first, second = chunks(data)
    table = first[-1][1]
    # Without an event there is nothing to compare.
    cuts = [(sum(chunk) // 2, "in the last chunk of CPU 0, with the end of which CPU 1 begins") for chunk in first[1:][-1:]]
    cuts += [(table + 2, "in the number of chunks of CPU 1"),
             (table + 4 + 6, "in the head of its first chunk"),
             (sum(second[0]) // 2, "in its first chunk")]
    return cuts + [(sum(chunk) // 2, "in its second chunk") for chunk in second[1:2]]


def waits(path):
    """By task: sleep and the longest delay, in ns"""
    rows = map(json.loads, report(path, "--profile", "--json")[1].splitlines())
    return {(row["pid"], column): row[column] or 0 for row in rows if "pid" in row for column in ("sleep", "delay_max")}


def check_early_cut(all_slices, all_calls, data, size):
    """Nothing is left that counts the CPUs after the first"""
    name = "cut in an early chunk of CPU 0"
    with open(CUT, "wb") as f:
        f.write(data[:size])
    note = r"(?:1|the) recording may have had more CPUs, of which nothing is left$"
    for view in ("--latency", "--profile", "--syscalls", "--wakeups", "--count-by cpu", "--folded", "--flat"):
        _, out, err = report(CUT, *view.split())
        same(f"{name}: {view} does not know how many CPUs there were", len(re.findall("^(?:# |tc-report: )" + note, out + err, re.M)), 1)
        json_notes = [n["more_cpus"] for n in map(json.loads, report(CUT, *view.split(), "--json")[1].splitlines()) if "more_cpus" in n] \
            if view not in ("--folded", "--flat") else [1]
        same(f"{name}: {view} --json", json_notes, [1])
    longest, most = waits(INTACT), waits(CUT)
    same(f"{name}: no task waits longer, or sleeps more, than in the whole",
         sorted((pid, column) for pid, column in most if most[pid, column] > longest.get((pid, column), 0)), [])
    same(f"{name}: tc-trace -c", len(re.findall("^# " + note, trace(CUT, "-c")[0], re.M)), 1)
    same(f"{name}: --chrome has no other durations than those of the whole", sorted(slices(CUT)[1] - all_slices)[:3], [])
    same(f"{name}: tc-trace has no other durations than those of the whole", sorted(durations(CUT) - all_calls)[:3], [])


def check_lost_options(whole, data, end):
    """The options describe the buffers, and say how many CPUs there are; the data are all there"""
    with open(CUT, "wb") as f:
        f.write(data[:end])
    left, missing, status = events(CUT)
    same("without the options: all events are there", left == whole, True)
    same("without the options: no CPU lacks events", missing, [])
    same("without the options: the recording is damaged", status, 1)


def main():
    whole, missing, status = events(INTACT)
    same("the whole recording lacks nothing", (missing, status), ([], 0))
    check_trace(INTACT, "the whole recording", [])
    all_slices, all_calls = slices(INTACT)[1], durations(INTACT)
    calls = any("sys_exit" in event for there in whole.values() for _, _, event in there)
    same("calls have durations, if there are any", len(all_calls) > 100, calls)
    with open(INTACT, "rb") as f:
        data = f.read()
    if options_at(data):
        check_lost_options(whole, data, options_at(data))
        early = chunks(data)[0][1:-1]
        if early:
            check_early_cut(all_slices, all_calls, data, sum(early[0]) // 2)
        for size, where in cuts_of_chunks(data)[::2 if GATE else 1]:
            check_cut(whole, all_slices, all_calls, size, f"cut {where}")
        return
    # The shortest prefix with an event
    low, high = 0, len(data)
    while high - low > 64:
        middle = (low + high) // 2
        with open(CUT, "wb") as f:
            f.write(data[:middle])
        if any(events(CUT)[0].values()):
            high = middle
        else:
            low = middle
    for percent in (1, 55) if GATE else (1, 30, 55, 80):
        check_cut(whole, all_slices, all_calls, high + (len(data) - high) * percent // 100, f"{percent} % of the data")


main()
