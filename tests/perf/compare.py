#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py [OPTION]... -x FILE|-k FILE PROBE... - tc-probe's definitions beside perf probe's

Asks both for the definition of each PROBE ("malloc $params"; "-" reads them from standard input, a line
each), and puts every difference under the rule that explains it. A rule looks at what perf and tc-probe
printed, at the symbol table (nm), and at gdb's answer about the variable: never at the reason
that tc-probe gives. Differences that no rule explains are printed, and make the exit status 1.

  --tc-probe FILE   the program (tc-probe)
  --cache FILE      keeps perf's answers there, which take long; they are of one FILE and one perf
  --suffix TEXT     is put after each PROBE
  --show N          examples of each rule (0)
  --ours FILE, --perf FILE   definitions are added to these, an empty line after each PROBE's
Run it under tests/perf/pin, with gdb and nm (binutils). x86_64 only: a register has the kernel's name here
and gdb's there.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DEFINITION = re.compile(r"([pr]):([^/ ]+)/(\S+) (\S+)(?: (.*))?$")

# Messages of perf when it gives nothing, and the rule. They are few; an unknown one is a finding.
PERF_ERRORS = [
    (r"compiled without optimization", "perf fails: a function without parameters, or without code"),
    (r"Failed to find the location of the '\$(params|vars)' variable", "perf fails: no parameters"),
    (r"Mapping for the register number", "perf fails: a parameter in a floating-point register"),
    (r"Sorry, we don't support this variable location", "perf fails: a location it cannot read"),
    (r"Failed to find debug information for address", "perf fails: code without debug information"),
    (r"is optimized out|Failed to find the location", "perf fails: a parameter is nowhere"),
    (r"is an invalid event name", "perf fails: it makes an event name the kernel refuses"),
    (r"Structure on a register is not supported", "perf fails: a structure in a register"),
    (r"Failed to find symbol at", "perf fails: no symbol at an inlined copy"),
    (r"Failed to get .* size|Failed to get the type|no type info", "perf fails: a type it cannot read"),
    (r"^\s*Error: Failed to add events", "perf fails: a symbol that is not called so in the source"),
]


def run(command, program):
    """(status, output lines that are definitions, first line of what it said)"""
    r = subprocess.run(program + command, capture_output=True, text=True, errors="replace")
    lines = [l for l in r.stdout.splitlines() if DEFINITION.match(l)]
    said = [l.strip() for l in r.stderr.splitlines() if l.strip()]
    return [r.returncode, lines, said]


def split_args(text):
    """[(name, expression, type)] of the arguments of a definition"""
    out = []
    for arg in (text or "").split():
        name, _, rest = arg.partition("=")
        expr, _, kind = rest.partition(":")
        out.append((name, expr.replace("%sp", "$stack"), kind))
    return out


class Symbols:
    """The symbol tables of the file and of its debug information, as nm prints them."""

    def __init__(self, paths, bias):
        self.at = collections.defaultdict(set)
        self.of = collections.defaultdict(set)
        self.bias = bias
        for path in paths:
            for flag in ([], ["-D"]):
                r = subprocess.run(["nm"] + flag + [path], capture_output=True, text=True)
                for line in r.stdout.splitlines():
                    part = line.split()
                    if len(part) == 3 and re.match(r"__(start|stop|init)_", part[2]):
                        self.of[part[2]].add(int(part[0], 16))
                    elif len(part) == 3 and part[1] in "tTwWiIvV":
                        name = part[2].split("@")[0]
                        self.at[int(part[0], 16)].add(name)
                        self.of[name].add(int(part[0], 16))
        self.sorted = sorted(self.at)

    def addresses(self, place):
        """of PATH:0xOFFSET or SYMBOL+OFFSET; a kernel's name may be of several"""
        m = re.match(r".*:0x([0-9a-f]+)", place)
        if m:
            off = int(m[1], 16)
            for low, size, addr in self.bias:
                if low <= off < low + size:
                    return {off - low + addr}
            return {off}
        name, _, off = place.rpartition("+")
        found = {a + int(off, 0) for a in self.of.get(name, ())}
        # Beyond the next symbol it is another section's distance (perf, code of .init.text).
        return {a for a in found if name in ("_text", "_stext") or
                self.function(a) == a - int(off, 0)}

    def function(self, addr):
        """address of the symbol that addr is in"""
        import bisect
        i = bisect.bisect_right(self.sorted, addr)
        return self.sorted[i - 1] if i else None


class Refused:
    """Where a kernel takes no kprobe, by what its image says of itself"""

    def __init__(self, path, symbols, loaded):
        self.symbols, self.loaded = symbols, loaded
        self.file = open(path, "rb")
        one = lambda name: min(symbols.of.get(name, {0}))
        self.init = one("__init_begin"), one("__init_end")
        self.fentry = one("__fentry__")
        self.replaced = self.table("jump_table", 16) | self.table("static_call_sites", 8)
        self.traps = self.table("bug_table", 12)

    def read(self, addr, size):
        for off, length, low in self.loaded:
            if low <= addr < low + length:
                self.file.seek(addr - low + off)
                return self.file.read(size)
        return b""

    def table(self, name, size):
        """Addresses that the entries of a table begin with, counted from the entry"""
        start, stop = (min(self.symbols.of.get(p + name, {0}))
                       for p in ("__start_" + "__" * (name[0] != "s"),
                                 "__stop_" + "__" * (name[0] != "s")))
        data = self.read(start, stop - start)
        return {start + i + int.from_bytes(data[i:i + 4], "little", signed=True)
                for i in range(0, len(data), size)}

    def why(self, addr):
        if self.init[0] <= addr < self.init[1]:
            return "place: code that is gone when the kernel has started"
        if addr in self.replaced:
            return "place: an instruction that the kernel replaces"
        if addr in self.traps:
            return "place: an instruction that is a BUG or WARN"
        begin = self.symbols.function(addr)
        code = self.read(begin, 9) if begin else b""
        skip = 4 if code[:4] == b"\xf3\x0f\x1e\xfa" else 0
        to = begin + skip + 5 + int.from_bytes(code[skip + 1:skip + 5], "little", signed=True)
        if code and (code[skip] != 0xe8 or to != self.fentry):
            return "place: a function that is not traced"
        return None


def segments(path):
    """[(offset, size, address)] of what is loaded"""
    out = []
    r = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True)
    for line in r.stdout.splitlines():
        part = line.split()
        if part and part[0] == "LOAD":
            out.append((int(part[1], 16), int(part[4], 16), int(part[2], 16)))
    return out


def debug_file(path):
    r = subprocess.run(["readelf", "-n", path], capture_output=True, text=True)
    m = re.search(r"Build ID: ([0-9a-f]+)", r.stdout)
    if m:
        name = "/usr/lib/debug/.build-id/%s/%s.debug" % (m[1][:2], m[1][2:])
        if os.path.exists(name):
            return name
    return None


class Copies:
    """How many copies of one function begin at an address, by readelf

    In a huge file only the unit that has the address is read, which takes seconds each time: "at" returns
    0 for it unless "whatever" is true, for differences that no other rule explains.
    """

    HUGE = 100 << 20
    UNIT_HEADER = 11  # at least; readelf reads up to the first DIE after it

    def __init__(self, path):
        self.path = path
        self.huge = os.path.getsize(path) > self.HUGE
        self.read_units = set()
        self.count = collections.Counter()
        self.ranges = None

    def at(self, addr, whatever=False):
        unit = self.unit(addr) if self.huge and whatever else None
        if (unit is not None or not self.huge) and unit not in self.read_units:
            self.read_units.add(unit)
            self.read(unit)
        return self.count[addr]

    def unit(self, addr):
        """offset of the unit's DIEs, from .debug_aranges; None if it is not there"""
        if self.ranges is None:
            self.ranges, offset = [], 0
            r = subprocess.run(["readelf", "--debug-dump=aranges", self.path], capture_output=True,
                               text=True, errors="replace", check=False)
            for line in r.stdout.splitlines():
                m = re.match(r"\s+Offset into .debug_info:\s+(\S+)", line)
                offset = int(m[1], 16) if m else offset
                m = re.match(r"\s+([0-9a-f]{16}) ([0-9a-f]{16})\s*$", line)
                if m:
                    self.ranges.append((int(m[1], 16), int(m[2], 16), offset + self.UNIT_HEADER))
        return next((u for low, size, u in self.ranges if low <= addr < low + size), None)

    def read(self, unit):
        seen = collections.Counter()
        start = ["--dwarf-start=%d" % unit] if unit is not None else []
        p = subprocess.Popen(["readelf", "--debug-dump=info"] + start + [self.path], text=True,
                             errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        origin, begins, units = None, set(), 0
        for line in p.stdout:
            if "Abbrev Number" in line:
                units += "(DW_TAG_compile_unit)" in line
                if units > 1 and unit is not None:
                    break
                for pc in begins:
                    seen[origin, pc] += 1
                    self.count[pc] = max(self.count[pc], seen[origin, pc])
                origin, begins = None, set()
            else:
                # not anywhere in it: a program may have such names itself
                attribute = line.split(None, 2)[1:2]
                if attribute == ["DW_AT_abstract_origin"]:
                    origin = line.rsplit(":", 1)[1].strip()
                elif attribute in (["DW_AT_entry_pc"], ["DW_AT_low_pc"]):
                    begins.add(int(line.rsplit(":", 1)[1], 16))
        p.stdout.close()
        p.wait()


# By the calling convention these are the caller's when a function is entered.
CALLEE_SAVED = ("%bx", "%bp", "%r12", "%r13", "%r14", "%r15")


class Vote:
    """gdb's answers, asked for once for all variables"""

    GDB_REGS = {"rax": "ax", "rbx": "bx", "rcx": "cx", "rdx": "dx", "rsi": "si", "rdi": "di",
                "rbp": "bp", "rsp": "sp", "rip": "ip"}

    def __init__(self, path):
        self.path = path
        self.asked = collections.OrderedDict()

    def want(self, addr, func, entry, name):
        self.asked.setdefault((addr, func, entry), []).append(name)

    def ask(self):
        self.said = {}
        if not self.asked:
            return
        left = list(self.asked)
        with tempfile.TemporaryDirectory() as d:
            while left:
                answers = self.ask_some(os.path.join(d, "asked"), left)
                self.said.update(zip(left, answers))
                # gdb 13 crashes on some functions: go on after them
                left = left[len(answers) + 1:]

    def ask_some(self, name, keys):
        with open(name, "w") as f:
            json.dump([list(k) + self.asked[k] for k in keys], f)
        subprocess.run(["gdb", "-nx", "-batch", "-ex", "file " + self.path,
                        "-x", os.path.join(HERE, "vote.py")], capture_output=True, check=False,
                       env=dict(os.environ, TC_VOTE=name, DEBUGINFOD_URLS=""))
        with open(name + ".out") as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def of(self, addr, func, entry, name):
        """[(kind, what)] of a parameter, one for each copy of the function that begins there"""
        key = (addr, func, entry)
        if key not in self.said:
            return [("crash", "")]
        return [self.kind(text) for text in self.said[key].get(name) or [""]]

    def is_near(self, addr, func, entry, name):
        """Is all that gdb says of copies that have no byte at addr?"""
        texts = self.said.get((addr, func, entry), {}).get(name) or [""]
        return all(t and t.startswith("near: ") for t in texts)

    def kind(self, text):
        """the kind of answer in a text of vote.py, and the part of it that rules look at"""
        if text is None:
            return "none", ""
        if not text:
            return "unknown", ""
        if text.startswith("near: "):
            return self.kind(text[6:])
        if text.startswith("structure: "):
            return "structure", text
        if text.startswith("later: "):
            return "later", text
        if text.startswith("view: "):
            return "view", self.kind(text[6:])
        if "optimized out" in text:
            return "gone", text
        if "piece" in text:
            return "pieces", text
        m = re.match(r"a variable in \$(\w+)$", text)
        if m:
            return "reg", "$stack" if m[1] == "rsp" else "%" + self.GDB_REGS.get(m[1], m[1])
        m = re.match(r"(?:the )?constant (-?\d+)$|a constant with value (-?\d+) ", text)
        if m:
            return "constant", "\\" + (m[1] or m[2])
        ops = re.findall(r"^\s*\d+: DW_OP_(\S+)(?: (.*))?$", text, re.M)
        if ops:
            return ("one" if len(ops) == 1 else "many"), ops
        return "other", text


def expected(kind, what, entry):
    """The expression that gdb's words amount to, None if they are not that simple"""
    if kind in ("reg", "constant"):
        return what
    if kind not in ("one", "many"):
        return None
    (op, arg), rest = what[0], [o for o, _ in what[1:]]
    m = re.match(r"breg\d+$", op) and re.match(r"(-?\d+) \[\$(\w+)\]", arg)
    reg = m and "%" + Vote.GDB_REGS.get(m[2], m[2])
    if m and kind == "one":
        return "%+d(%s)" % (int(m[1]), reg.replace("%sp", "$stack"))
    if m and rest == ["stack_value"] and m[1] == "0":
        return reg.replace("%sp", "$stack")
    if op == "fbreg" and kind == "one" and entry:
        return "%+d($stack)" % (int(arg) + 8)
    if op == "fbreg" and rest == ["stack_value"] and entry and int(arg) == -8:
        return "$stack"
    if rest == ["stack_value"] and re.match(r"lit|const\d", op):
        number = re.match(r"lit(\d+)$", op)
        return "\\" + (number[1] if number else arg.split()[0])
    return None


def equals(ours, want):
    """Is the argument what the expression says? -1 is 0xffffffff in 32 bits."""
    expr = plain(ours)
    if expr == want:
        return True
    bits = re.match(r"[usx](\d+)$", ours[2])
    if expr[0] != "\\" or want[0] != "\\" or not bits:
        return False
    return (int(expr[1:], 0) - int(want[1:], 0)) % (1 << int(bits[1])) == 0


def plain(arg):
    """The expression of a string's pointer: +0(%di):string reads what %di:x64 shows"""
    name, expr, kind = arg
    m = re.match(r"\+0\((.*)\)$", expr)
    return m[1] if kind in ("string", "ustring") and m else expr


class Compare:
    def __init__(self, path, show, uprobes):
        self.uprobes = uprobes
        debug = debug_file(path)
        self.symbols = Symbols([path] + ([debug] if debug else []), segments(path))
        self.refused = None if uprobes else Refused(path, self.symbols, self.symbols.bias)
        self.copies = Copies(debug or path)
        self.vote = Vote(path)
        self.counts = collections.Counter()
        self.examples = collections.defaultdict(list)
        self.later = []
        self.twice = set()
        self.show = show
        self.unexplained = 0

    def note(self, rule, *what):
        self.counts[rule] += 1
        if len(self.examples[rule]) < self.show:
            self.examples[rule].append(what)

    def wrong(self, *what):
        self.unexplained += 1
        print("?", *what)

    def perf_fails(self, probe, answer):
        status, _, said = answer
        text = "\n".join(said[:3])
        if status < 0 or status > 128 + 64 and "Segmentation" in text:
            return self.note("perf fails: it crashes", probe)
        for pattern, rule in PERF_ERRORS:
            if re.search(pattern, text):
                return self.note(rule, probe)
        self.wrong(probe, "perf fails:", text)

    def by_place(self, lines):
        """{(address, function): (group, event, arguments)}; the function is what the event is called"""
        out = {}
        for line in lines:
            m = DEFINITION.match(line)
            addrs = self.symbols.addresses(m[4])
            if len(addrs) != 1:
                self.note("place: a symbol that several have, or that does not reach so far", m[4])
                continue
            key = min(addrs), m[3]
            before = out.get(key)
            out[key] = (m[2], m[3], split_args(m[5]))
            if before:
                # Copies that begin at one place; the kernel refuses the second line.
                self.twice.add((m[3], key[0]))
                out[key] = (m[2], before[1], before[2] + out[key][2])
        return out

    @staticmethod
    def like(mine, theirs):
        """Our places under perf's names: f_1 is f if f has places that take other arguments"""
        funcs = {func for _, func in theirs}
        out = {}
        for (addr, func), value in mine.items():
            base = re.sub(r"_\d+$", "", func)
            known = (addr, func) in theirs or func in funcs
            out[addr, func if known and (addr, base) not in theirs else
                base if (addr, base) in theirs or base in funcs else func] = value
        return out

    def probe(self, probe, perf, ours):
        if not perf[1] and not ours[1]:
            # Neither is asked for more than that there is nothing by that name with code.
            return self.note("both refuse", probe, ours[2][:1])
        if not perf[1]:
            return self.perf_fails(probe, perf)
        theirs = self.by_place(perf[1])
        if not ours[1] and not (self.refused and all(self.refused.why(a) for a, _ in theirs)):
            return self.wrong(probe, "only perf resolves it:", perf[1][0], ours[2][:1])
        twice = [p for p, n in collections.Counter(
            DEFINITION.match(l)[4] for l in ours[1]).items() if n > 1]
        if twice and "*" not in probe:
            self.wrong(probe, "we have a place twice:", twice[0])
        mine = self.like(self.by_place(ours[1]), theirs)
        self.resolved = theirs
        for addr, func in theirs:
            if (addr, func) in mine:
                self.place(func, addr, theirs[addr, func], mine[addr, func])
            else:
                self.perf_only(func, addr, {a for a, f in mine if f == func})
        for addr, func in mine:
            if (addr, func) not in theirs:
                self.ours_only(func, addr, {a for a, f in theirs if f == func})
        return None

    def perf_only(self, func, addr, mine):
        why = self.refused and self.refused.why(addr)
        if why:
            return self.note(why, func, hex(addr))
        names = self.symbols.at.get(addr, set())
        if any(".part." in n or ".cold" in n for n in names):
            return self.note("place: perf takes a compiler's part for the function", func, hex(addr))
        begin = self.symbols.function(addr)
        near = [a for a in mine if self.symbols.function(a) == begin]
        if near and (addr == begin or begin in near):
            return self.note("place: before or after the prologue", func, hex(addr), hex(near[0]))
        if near:
            return self.note("place: another instruction of the inlined copy", func, hex(addr),
                             hex(near[0]))
        return self.wrong(func, "only perf has the place", hex(addr), sorted(names))

    def ours_only(self, func, addr, theirs):
        names = self.symbols.at.get(addr, set())
        if func in names:
            return self.note("place: a symbol that perf does not look up", func, hex(addr))
        if any(n.startswith(func + ".") for n in names):
            return self.note("place: a compiler's clone", func, hex(addr))
        begin = self.symbols.function(addr)
        if begin in theirs:
            return self.note("place: before or after the prologue", func, hex(addr))
        if not any(f == func for _, f in self.resolved):
            return self.note("place: a function that perf does not find", func, hex(addr))
        self.later.append((func, addr))
        self.vote.want(addr, func, False, "")
        return None

    def place(self, func, addr, theirs, mine):
        self.note("place: equal")
        if theirs[:2] == mine[:2]:
            self.note("names: equal")
        elif theirs[0] == mine[0] and re.match(re.escape(theirs[1]) + r"_\d+$", mine[1]):
            self.note("names: a place with other arguments is an event of its own", func, mine[1])
        else:
            self.wrong(func, "names differ:", theirs[:2], mine[:2])
        entry = any(n == func or n.startswith(func + ".") for n in self.symbols.at.get(addr, ()))
        seen = collections.defaultdict(list)
        for arg in theirs[2]:
            seen[arg[0]].append(arg)
        ours = {a[0]: a for a in mine[2]}
        for name in list(seen) + [n for n in ours if n not in seen]:
            their, our = seen.get(name, []), ours.get(name)
            if len(their) == 1 and our == their[0]:
                self.note("argument: equal")
                continue
            self.vote.want(addr, func, entry, name)
            self.later.append((func, addr, entry, name, their, our))

    def finish(self):
        self.vote.ask()
        for item in self.later:
            if len(item) == 2:
                self.ours_only_voted(*item)
            else:
                self.argument(*item)

    def ours_only_voted(self, func, addr):
        # gdb found a copy of the function at the address if it answers at all.
        if self.vote.said.get((addr, func, False), {}).get(""):
            self.note("place: an inlined copy that perf does not find", func, hex(addr))
        else:
            self.note("place: not judged, gdb knows no such copy there", func, hex(addr))

    def argument(self, func, addr, entry, name, their, our):
        votes = self.vote.of(addr, func, entry, name)
        where = (func, hex(addr), name, [":".join(t[1:]) for t in their], our and ":".join(our[1:]))
        for kind, what in votes:
            want = expected(kind, what, entry)
            rule = self.rule(kind, what, want, their, our)
            if not rule and entry and not our and kind == "reg" and what in CALLEE_SAVED:
                rule = "perf reads a register that the function has still to fill"
            if rule:
                return self.note("argument: " + rule, *where, kind, want)
        if our and not entry and ((func, addr) in self.twice or self.copies.at(addr) > 1):
            return self.note("argument: of one of several copies that begin there", *where)
        if all(k == "unknown" for k, _ in votes):
            return self.note("argument: not judged, gdb knows no such copy there", *where)
        near = self.vote.is_near(addr, func, entry, name)
        if our and not entry and (near or all(k in ("unknown", "later", "gone") for k, _ in votes)):
            return self.note("argument: not judged, gdb knows another copy there", *where)
        if our and not entry and self.copies.at(addr, whatever=True) > 1:
            return self.note("argument: of one of several copies that begin there", *where)
        return self.wrong(*where, votes)

    def rule(self, kind, what, want, their, our):
        """The name of the rule that explains an argument that is not the same"""
        if kind == "view":
            kind, what = what
            want = expected(kind, what, False)
            if not their:
                return self.ours_rule(kind, what)
            same = our and want and equals(our, want)
            return "the value at a copy's entry, where perf has a later one's" if same else \
                   self.rule(kind, what, want, their, our)
        if kind == "structure":
            return None if our else "a structure, of which perf shows the first bytes"
        equal = our and [t for t in their if plain(our) == t[1]]
        if our and want and not equals(our, want):
            return None
        if equal and len(their) > 1:
            return "perf has the name twice, once with another copy's value"
        if equal and our[2] in ("string", "ustring"):
            return "text of a char pointer, where perf shows the pointer"
        if equal and our[1] == equal[0][1]:
            return self.type_rule(equal[0], our)
        if kind == "crash":
            return "not judged: gdb crashes over the function"
        if kind == "later":
            return None if our else "perf reads what is alive only later"
        if kind == "gone":
            return None if our else "perf reads what gdb calls optimised out"
        if kind == "none":
            return None if our else "a variable of a function inlined there, not of this one"
        if not their:
            return self.ours_rule(kind, what)
        if self.uprobes and all(t[1].startswith("@") for t in their):
            return "perf asks for @SYMBOL, which a uprobe has not" + ("; ours reads it" if our else "")
        first = all(self.is_first_operation(t, what, kind) for t in their)
        if first:
            return "perf takes a computation's first step for the whole" if not our else \
                   "perf takes a computation's first step for the whole; ours has the value"
        if kind == "one" and not our and what[0][0] in ("fbreg", "breg7"):
            return "in a copy's frame, where it is written only after the entry"
        if kind == "constant" and our and all(t[1].startswith("\\-") for t in their):
            return "perf takes a constant's byte for a signed one"
        if our and want:
            return "perf has a variable of a function inlined there under this name"
        return None

    @staticmethod
    def type_rule(their, our):
        if not their[2]:
            return "perf finds no size"
        if re.match(r"[su]\d+$", our[2]) and re.match(r"[xsu]\d+$", their[2]):
            return "the register's part that is meant"
        return None

    @staticmethod
    def ours_rule(kind, what):
        if kind == "constant":
            return "a constant, which perf leaves out"
        if kind in ("one", "many") and what[0][0] == "fbreg":
            return "in the caller's frame, for which perf has no frame table"
        if kind in ("one", "many") and re.match("lit|const", what[0][0]):
            return "a constant, which perf leaves out"
        if kind == "many":
            return "a computation that perf leaves out"
        if kind in ("reg", "one"):
            return "perf leaves out what gdb reads"
        return None

    @staticmethod
    def is_first_operation(their, what, kind):
        if kind == "pieces":
            return True
        if kind not in ("one", "many"):
            return False
        op, arg = what[0]
        if op == "addr" or op == "addrx":
            return their[1].startswith("@")
        if op == "fbreg" and len(what) > 1:
            return re.match(r"[+-]\d+\((\$stack|%bp)\)$", their[1]) is not None
        m = re.match(r"(-?\d+) \[\$(\w+)\]", arg or "")
        if op.startswith("breg") and m and len(what) > 1:
            reg = "%" + Vote.GDB_REGS.get(m[2], m[2])
            return their[1] == "%+d(%s)" % (int(m[1]), reg.replace("%sp", "$stack"))
        return False

    def report(self):
        for rule in sorted(self.counts):
            print("%7d %s" % (self.counts[rule], rule))
            for what in self.examples[rule]:
                print("            ", *what)
        print("%7d unexplained" % self.unexplained)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-x", "--exec")
    p.add_argument("-k", "--vmlinux")
    p.add_argument("--tc-probe", default="tc-probe")
    p.add_argument("--cache")
    p.add_argument("--suffix", default="")
    p.add_argument("--show", type=int, default=0)
    p.add_argument("--ours")
    p.add_argument("--perf")
    p.add_argument("probe", nargs="+")
    a = p.parse_args()
    path = os.path.realpath(a.exec or a.vmlinux)
    target = ["-x" if a.exec else "-k", path, "--max-probes", "100000"]
    probes = sys.stdin.read().split("\n") if a.probe == ["-"] else a.probe
    probes = [q + a.suffix for q in probes if q]
    cache = {}
    if a.cache and os.path.exists(a.cache):
        with open(a.cache) as f:
            cache = json.load(f)
    compare = Compare(path, a.show, bool(a.exec))
    total = 0
    kept = [open(f or os.devnull, "a") for f in (a.perf, a.ours)]
    for q in probes:
        if q not in cache:
            cache[q] = run(target + ["-D", q], ["perf", "probe"])
        ours = run(target + ["--all", "-D", q], [a.tc_probe])
        for f, answer in zip(kept, (cache[q], ours)):
            f.write("".join(l + "\n" for l in answer[1]) + "\n")
        compare.probe(q, cache[q], ours)
        total += 1
    if a.cache:
        with open(a.cache + ".new", "w") as f:
            json.dump(cache, f)
        os.replace(a.cache + ".new", a.cache)
    compare.finish()
    print("%7d asked of %s" % (total, path))
    compare.report()
    return compare.unexplained > 0 or not total


if __name__ == "__main__":
    sys.exit(main())
