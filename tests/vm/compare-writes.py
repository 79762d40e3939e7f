#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare-writes.py DIR... - trace-cmd record's writes to tracefs beside those of tc-record

DIR holds what guest/writes left: for each set of options N what trace-cmd record and tc-record wrote (by
strace), and what tc-record --dry-run printed. Each comes to the settings that are there when tracing is
switched on, a line each: an event that is on, a function of a filter, a file and its value. Compared are
trace-cmd with --dry-run, and --dry-run with what tc-record then wrote. A line that only one has is put under
the rule that explains it; what no rule explains is printed, and makes the exit status 1.
"""
import collections
import fnmatch
import os
import re
import sys

# A call that another thread's call interrupts (strace: "<unfinished ...>") took place all the same.
WRITE = re.compile(r'(\d+) +write\(\d+<[^>]*?/tracing/([^>]*)>, "(.*)", \d+(?:\) +=| <unfinished)')
MKDIR = re.compile(r'\d+ +mkdir(?:at)?\(.*?/tracing(?:>, "|/)(instances/[^"/]+)".*(?: = 0| <unfinished \.\.\.>)$')
ECHO = re.compile(r"(?:(:)|echo (.*?)|printf '%s\\n' (.*?)) (>>?) '?/sys/kernel/tracing/([^ ']*)'?$")
SHELL = re.compile(r"sh -c 'echo \$\$ >> \"\$0\" && exec \"\$@\"' /sys/kernel/tracing/(\S+) ")
# Files to which a write adds; an empty one takes all away.
LISTS = ("set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_event_pid", "set_ftrace_pid",
         "set_event_notrace_pid", "set_ftrace_notrace_pid")
FUNCTIONS = LISTS[:3]
# trace-cmd excludes its recorders with this, appended to the requested filter.
OWN_PIDS = re.compile(r"^\((.*)\)&&\(\(common_pid<\d+\|\|common_pid>\d+\).*\)$")

# trace-cmd writes these first, because it records where others may have left settings.
RESETS = {"current_tracer": "nop", "trace": "0", "options/function-trace": "1",
          "options/func_stack_trace": "0"}

# (who has the line, buffer, file, value) of a line, the options -> does the rule explain it?
RULES = [
    ("reset: trace-cmd first takes back what others may have left; tc-record's instance is new",
     lambda w, b, f, v, o: w == "trace-cmd" and RESETS.get(f) == v),
    ("reset: where tc-record uses the top level, it empties the ring buffer, too",
     lambda w, b, f, v, o: w != "trace-cmd" and b == "" and f == "trace" and v == ""),
    ("size: without -b, trace-cmd leaves the ring buffer as it is; tc-record's has 4 MiB for each CPU",
     lambda w, b, f, v, o: w != "trace-cmd" and f == "buffer_size_kb" and v == "4096"),
    ("wakeup: a quarter of a ring buffer, or a MiB, wakes tc-record; trace-cmd looks a thousand times a second",
     lambda w, b, f, v, o: w != "trace-cmd" and f == "buffer_percent" and v == "25"),
    ("functions: what restricts functions to a task does nothing without a tracer of them: tc-record leaves it",
     lambda w, b, f, v, o: w == "trace-cmd" and f in ("set_ftrace_pid", "options/function-fork")
     and " -p function" not in " " + o),
    ("own pids: trace-cmd adds its recorders' to a filter that is there, and leaves events without one",
     lambda w, b, f, v, o: w == "trace-cmd" and f == "recorders left out by the filter"),
    ("own pids: tc-record leaves its threads out of all events and functions; --dry-run has no threads yet",
     lambda w, b, f, v, o: w == "tc-record" and f in LISTS[5:]),
    ("look: an instance is made to see whether the tracer can be used in one; --dry-run makes none",
     lambda w, b, f, v, o: w == "tc-record" and b == "tc-look"),
]


def unquote(word):
    """A word as the shell reads it"""
    out, quoted = "", False
    for part in re.split(r"(')", word):
        if part == "'":
            quoted = not quoted
        else:
            out += part if quoted else part.replace("\\'", "'")
    return out


def split_path(path):
    """(buffer, file); the buffer of a process is called as any other's"""
    m = re.match(r"instances/([^/]+)/?(.*)", path)
    if not m:
        return "", path
    name = re.sub(r"\.\d+$", "", m.group(1))
    return name, m.group(2)


class Settings:
    """the net effect of writes"""

    def __init__(self, kernel, pids):
        self.kernel = kernel
        self.pids = pids
        self.values = {}
        self.on = collections.defaultdict(set)
        self.writes = 0

    def write(self, path, text, command=""):
        buffer, name = split_path(path)
        text = text.replace("\\n", " ").replace('\\"', '"').strip()
        self.writes += 1
        if name == "trace_options":
            name, text = "options/" + re.sub("^no", "", text), "0" if text.startswith("no") else "1"
        m = re.match(r"events/(?:([^/]+)/)?(?:([^/]+)/)?(enable|filter|trigger)$", name)
        if m and m.group(3) == "enable":
            change = self.on[buffer].update if text == "1" else self.on[buffer].difference_update
            change(e for e in self.kernel.events
                   if m.group(1) in (None, e.split(":")[0]) and m.group(2) in (None, e.split(":")[1]))
        elif m and m.group(3) == "filter" and text == "0":
            for key in list(self.values):
                if key[0] == buffer and fnmatch.fnmatch(key[1], f"events/{m.group(1)}/*/filter"):
                    del self.values[key]
        elif name in LISTS or name.endswith("/trigger"):
            words = [text] if name.endswith("/trigger") else text.split()
            if name.endswith("_pid") and "notrace" not in name:
                words = [w if w in self.pids else "COMMAND" for w in words]
            self.values.setdefault((buffer, name), []).extend(words)
        else:
            self.values[(buffer, name)] = [text]

    def lines(self):
        """{(buffer, file, value)}"""
        out = set()
        for buffer, events in self.on.items():
            out.update((buffer, "event", e) for e in events)
        for (buffer, name), values in self.values.items():
            for value in values:
                if name in FUNCTIONS:
                    out.update((buffer, name, f) for f in self.kernel.functions_of(value))
                    continue
                m = OWN_PIDS.match(value) if name.endswith("/filter") else None
                if m:
                    out.add((buffer, "recorders left out by the filter", name))
                    value = m.group(1)
                if name.endswith("/filter"):
                    value = plain_filter(value)
                out.add((buffer, name, value))
        return out


def plain_filter(text):
    """Without parentheses around the whole of it, which trace-cmd always puts"""
    text = text.replace(" ", "")
    while re.match(r"^\([^()]*\)$", text) or (text[:2] == "((" and text[-2:] == "))"):
        text = text[1:-1]
    return text


class Kernel:
    def __init__(self, where):
        with open(os.path.join(where, "available_events"), encoding="ascii") as f:
            self.events = f.read().split()
        with open(os.path.join(where, "available_filter_functions"), encoding="ascii") as f:
            self.functions = [line.split()[0] for line in f]

    def functions_of(self, word):
        """trace-cmd writes a function's number, tc-record the glob that was typed"""
        if word.isdigit():
            return [self.functions[int(word) - 1]]
        return fnmatch.filter(self.functions, word) or [word]


def merge_main(lines):
    """The main buffer has no name: trace-cmd's is the top level, tc-record's an instance of its own"""
    return {("" if b == "tc-record" else b, f, v) for b, f, v in lines}


def read_strace(path, settings):
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = MKDIR.match(line)
            if m:
                settings.write(m.group(1) + "/", "made")
            m = WRITE.match(line)
            if not m:
                continue
            if m.group(2).endswith("tracing_on") and m.group(3).startswith("1"):
                break
            if not m.group(2).endswith(("tracing_on", "trace_marker")):
                settings.write(m.group(2), m.group(3))


def read_dry_run(path, settings):
    """Up to COMMAND: what follows takes it back"""
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.endswith("ls /"):
                for name in SHELL.findall(line):
                    settings.write(name, "COMMAND")
                return
            if line.startswith("mkdir "):
                settings.write(line.split("/tracing/")[1] + "/", "made")
            m = ECHO.match(line)
            if m and not m.group(5).endswith("tracing_on"):
                settings.write(m.group(5), unquote(m.group(2) or m.group(3) or ""))
            elif not m and not line.startswith(("#", "mkdir ")):
                sys.exit(f"{path}: what is this line? {line}")
    sys.exit(f"{path}: no COMMAND")


def compare(names, both, options, rules):
    """(equal lines, unexplained ones); @rules counts the others"""
    ours, theirs = both
    unexplained = []
    for who, only in ((names[0], ours - theirs), (names[1], theirs - ours)):
        for buffer, name, value in sorted(only):
            for rule, explains in RULES:
                if explains(who, buffer, name, value, options):
                    rules[rule] += 1
                    break
            else:
                unexplained.append(f"{who}: {buffer or 'main'}: {name} {value}")
    return len(ours & theirs), unexplained


def one_set(where, n, kernel, rules):
    with open(os.path.join(where, f"{n}.options"), encoding="utf-8") as f:
        options = f.read().strip()
    pids = re.findall(r"-P (\d+)", options)
    settings = {}
    for who, read in (("trace-cmd", read_strace), ("tc-record", read_strace), ("dry-run", read_dry_run)):
        settings[who] = Settings(kernel, pids)
        read(os.path.join(where, f"{n}.{who}"), settings[who])
        if not settings[who].writes:
            sys.exit(f"{where}: {n}: {who} wrote nothing")
    # An instance of its own is how tc-record leaves the top level alone: no line of either.
    lines = {who: {line for line in merge_main(s.lines()) if line != ("", "", "made")}
             for who, s in settings.items()}
    same, bad = compare(("trace-cmd", "dry-run"), (lines["trace-cmd"], lines["dry-run"]), options, rules)
    exact, more = compare(("dry-run", "tc-record"), (lines["dry-run"], lines["tc-record"]), options, rules)
    print(f"{n:2} {settings['trace-cmd'].writes:4} {settings['dry-run'].writes:3} {same:5} {exact:5}"
          f" {len(bad + more):3}  {options}")
    for line in bad + more:
        print(f"   no rule for  {line}")
    return same, exact, len(bad + more)


def main():
    failed = False
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n")[0])
    for where in sys.argv[1:]:
        rules = collections.Counter()
        kernel = Kernel(where)
        sets = sorted(int(f.split(".")[0]) for f in os.listdir(where) if f.endswith(".options"))
        print(f"{os.path.basename(os.path.normpath(where))}: writes of trace-cmd and of --dry-run, settings "
              "that both make, that --dry-run and tc-record make, without a rule; options")
        sums = [sum(column) for column in zip(*(one_set(where, n, kernel, rules) for n in sets))]
        print(f"{len(sets)} sets: {sums[0]} settings as trace-cmd's, {sums[1]} as --dry-run says, "
              f"{sum(rules.values())} differences by rule, {sums[2]} without")
        for rule, n in rules.most_common():
            print(f"{n:6}  {rule}")
        failed = failed or sums[2] or not sets
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
