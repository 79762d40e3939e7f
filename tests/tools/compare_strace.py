#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_strace.py [OPTION...] STRACE OURS - compare two traces of the same run of the same tasks

STRACE is the file of "strace -f -o", OURS the text of tc-trace in the same layout, or with --events the
lines that "tc-report --json" prints of raw_syscalls, sched and signal events. Compared task by task:
the sequence of calls, signals and exits, and of each call its name, arguments, result and error. What
differs is put into a class: CLASSES has the reasons. Prints the classes with counts, and the lines that
have no class.

  --events          OURS is JSON; arguments are not compared
  --numbers FILE    with --events: numbers and names of the calls (plugins/syscalls/*.tbl)
  --least-same N    fail unless N percent of the calls are identical whose arguments are registers
  --least-calls N   fail if fewer calls than that were compared
  --paths           the paths that calls pass have to be identical
  --only NAME       compare arguments of this call only (again for more)
  --samples N       lines to show of each class (default 0), and that have no class (default 20)

Exit status: 0 every line is identical or in a class, 1 some are not, 2 usage.
"""

import argparse
import collections
import errno
import json
import re
import signal
import sys

POINTER = re.compile(r"0x[0-9a-f]+$")
HEAD = re.compile(r"(\d+) +(.*)$")
CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\(")
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)$")
UNFINISHED = " <unfinished ...>"
RESULT = re.compile(r" += (\?|0x[0-9a-f]+|-?\d+)(<.*>)?(?: (E[A-Z0-9_]+|\(errno \d+\)))?(.*)$")
COUNT = re.compile(r" /\* \d+ (vars|entries)(, unterminated)? \*/$")
# Brackets that open a group, and those that close it. "<" is one only after a descriptor.
GROUPS = {"(": ")", "[": "]", "{": "}"}
DESCRIPTOR = re.compile(r"(?:^|[ =\[({,])(?:\d+|AT_FDCWD)$")

Call = collections.namedtuple("Call", "name args ret fd error detail text")
Note = collections.namedtuple("Note", "kind name text")


class Odd(Exception):
    """A line that is not understood"""


def skip_string(text, i):
    """The index after the string literal at i"""
    i += 1
    while i < len(text) and text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


def skip_file(text, i):
    """The index after <what a descriptor means>, which may have brackets, and "->" in them"""
    depth = 0
    while i < len(text):
        depth += (text[i] == "[") - (text[i] == "]")
        if text[i] == ">" and depth <= 0:
            return i + 1
        i += 1
    raise Odd("a descriptor's file has no end")


def split_args(text, start):
    """The arguments of a call, and the index after the parenthesis that ends them"""
    args, begin, i, open_groups = [], start, start, []
    while i < len(text):
        c = text[i]
        if c == '"':
            i = skip_string(text, i)
            continue
        if text.startswith("/* ", i):
            i = text.find("*/", i)
            if i < 0:
                raise Odd("a comment has no end")
            i += 2
            continue
        if c == "<" and DESCRIPTOR.search(text[begin:i]) and text[i + 1 : i + 2] != "<":
            i = skip_file(text, i)
            continue
        if c in GROUPS:
            open_groups.append(GROUPS[c])
        elif open_groups and c == open_groups[-1]:
            open_groups.pop()
        elif c == ")":
            if i > begin or args:
                args.append(text[begin:i])
            return args, i + 1
        elif not open_groups and text.startswith(", ", i):
            args.append(text[begin:i])
            begin = i + 2
        i += 1
    raise Odd("arguments have no end")


def parse_call(text):
    head = CALL.match(text)
    if not head:
        raise Odd("not a call")
    # A task that was killed in a call: strace closes the line that it had begun
    died = text.endswith(UNFINISHED + ") = ?")
    if died:
        text = text[: -len(UNFINISHED + ") = ?")].rstrip(" ,") + ") = ?"
    args, end = split_args(text, head.end())
    result = RESULT.match(text, end)
    if not result:
        raise Odd("no result")
    return Call(head[1], args, result[1], result[2], result[3], result[4].strip(), text)


def parse_note(text):
    if text.startswith("--- ") and text.endswith(" ---"):
        words = text[4:-4].split(" ", 1)
        return Note("signal", "stopped" if words[0] == "stopped" else words[0], text)
    if text.startswith("+++ ") and text.endswith(" +++"):
        return Note("exit", text[4:-4], text)
    return None


def read_strace(path, problems):
    """The calls and notes of each task, in order"""
    tasks, begun = collections.defaultdict(list), {}
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if re.match(r"(\d+ +)?(\[ Process PID=|strace: )", line):
                continue
            head = HEAD.match(line)
            if not head:
                problems.append("%s:%d: no task: %s" % (path, number, line))
                continue
            pid, text = int(head[1]), head[2]
            resumed = RESUMED.match(text)
            if resumed:
                # a call that began before it was recorded has a name and a result
                text = begun.pop(pid, resumed[1] + "(") + resumed[2]
            if text.endswith(UNFINISHED):
                begun[pid] = text[: -len(UNFINISHED)]
                continue
            note = parse_note(text)
            if note and note.kind == "exit" and pid in begun:
                # no "resumed" line: the call never returned
                tasks[pid].append(unreturned(begun.pop(pid)))
            try:
                tasks[pid].append(note or parse_call(text))
            except Odd as odd:
                problems.append("%s:%d: %s: %s" % (path, number, odd, line))
    for pid, text in begun.items():
        tasks[pid].append(unreturned(text))
    return tasks


def unreturned(text):
    """A call of which there is only the beginning"""
    try:
        return parse_call(text.rstrip(" ,") + ") = ?")
    except Odd:
        return Call(text.split("(")[0], None, "?", None, None, "", text)


def read_numbers(path):
    with open(path, encoding="ascii") as lines:
        rows = [line.split() for line in lines if line.strip() and line[0] != "#"]
    return {int(row[0]): row[1] for row in rows}


def signal_name(number):
    if number >= 34:
        return "SIGRTMIN" if number == 34 else "SIGRT_%d" % (number - 32)
    return signal.Signals(number).name


def errno_name(number):
    restarts = {512: "ERESTARTSYS", 513: "ERESTARTNOINTR", 514: "ERESTARTNOHAND"}
    restarts[516] = "ERESTART_RESTARTBLOCK"
    return restarts.get(number) or errno.errorcode.get(number) or "(errno %d)" % number


def read_events(path, names):
    """The same from the events themselves: neither arguments nor the text of signals"""
    tasks, open_calls = collections.defaultdict(list), {}

    def end(pid, ret):
        name = names.get(open_calls.get(pid), "syscall_%s" % open_calls.pop(pid))
        error = None
        if ret is not None and -4096 < ret < 0:
            error = errno_name(-ret)
            ret = None if ret <= -512 else -1
        ret = "?" if ret is None else str(ret)
        tasks[pid].append(Call(name, None, ret, None, error, "", "%s() = %s" % (name, ret)))

    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            event = json.loads(line)
            if "event" not in event:
                continue
            kind, pid, fields = event["event"], event["pid"], event.get("fields", {})
            if kind == "raw_syscalls:sys_enter":
                if pid in open_calls:
                    end(pid, None)
                open_calls[pid] = fields["id"]
            elif kind == "raw_syscalls:sys_exit":
                if pid in open_calls:
                    end(pid, fields["ret"])
            elif kind == "sched:sched_process_exec" and fields["old_pid"] != pid:
                # the thread that called execve has the number of the process from here on
                if pid in open_calls:
                    end(pid, None)
                if fields["old_pid"] in open_calls:
                    open_calls[pid] = open_calls.pop(fields["old_pid"])
            elif kind == "signal:signal_deliver" and fields["sig"] != 9:
                name = signal_name(fields["sig"])
                tasks[pid].append(Note("signal", name, "--- %s ---" % name))
            elif kind == "sched:sched_process_exit":
                if pid in open_calls:
                    end(pid, None)
                tasks[pid].append(Note("exit", None, "+++ ended +++"))
    return tasks


def is_pointer(text):
    return bool(POINTER.match(text))


def is_string(text):
    return text.startswith(('"', '@"')) or bool(re.match(r"NULL$", text))


def cut_of(theirs, ours):
    """ours is a string that was cut where theirs goes on"""
    if not (theirs.startswith('"') and ours.startswith('"') and ours.endswith('"...')):
        return False
    return theirs.startswith(ours[:-4])


def count_of(theirs, ours):
    """strace counts what is at the address: 0x7ffe /* 41 vars */"""
    return is_pointer(ours) and bool(COUNT.fullmatch(theirs[len(ours) :])) and theirs.startswith(ours)


def file_of(text):
    """A descriptor and its file"""
    part = re.match(r"(\d+|AT_FDCWD)<(.*)>(\(deleted\))?$", text)
    return (part[1], part[2]) if part else (text, None)


def file_unknown(theirs, ours):
    number, name = file_of(theirs)
    return name is not None and ours == number


# Paths of calls whose strings are read by the kernel; other strings are contents of buffers
PATHS = set(
    "access acct chdir chmod chown chroot creat execve faccessat faccessat2 fanotify_mark fchmodat"
    " fchmodat2 fchownat fsopen fspick futimesat getxattr inotify_add_watch lchown lgetxattr link"
    " linkat listxattr llistxattr lremovexattr lsetxattr lstat memfd_create mkdir mkdirat mknod"
    " mknodat mount move_mount name_to_handle_at newfstatat oldstat open openat openat2 open_tree"
    " pivot_root quotactl readlink readlinkat removexattr rename renameat renameat2 rmdir setxattr"
    " stat stat64 statfs statfs64 statx swapoff swapon symlink symlinkat truncate truncate64 umount2"
    " unlink unlinkat uselib utime utimensat utimes execveat fstatat64 lstat64 utimensat_time64".split()
)

# Where the paths are, of calls that have other strings as well; of the others every string is one
PATHS_AT = {
    "readlink": (0,), "readlinkat": (1,), "mount": (1,), "fsopen": (), "memfd_create": (),
    "getxattr": (0,), "lgetxattr": (0,), "setxattr": (0,), "lsetxattr": (0,),
    "removexattr": (0,), "lremovexattr": (0,), "listxattr": (0,), "llistxattr": (0,),
}

# Classes of arguments that may differ, and how they are recognised. All are things in the memory of the
# task, which tracefs does not show, and of which ours prints the address: never a register.
CLASSES = (
    ("string not known", lambda c, t, o: c.name in PATHS and is_string(t) and is_pointer(o)),
    ("pointer for buffer", lambda c, t, o: is_string(t) and is_pointer(o)),
    ("cut string", lambda c, t, o: cut_of(t, o)),
    ("pointer for struct", lambda c, t, o: t.startswith("{") and is_pointer(o)),
    ("pointer for array", lambda c, t, o: t.startswith(("[", "~[")) and is_pointer(o)),
    ("count not known", lambda c, t, o: count_of(t, o)),
    ("file not known", lambda c, t, o: file_unknown(t, o)),
)


def is_path(call, i):
    return call.name in PATHS and i in PATHS_AT.get(call.name, range(6))


def class_of(call, theirs, ours, must_be_same=False):
    if theirs == ours:
        return "identical"
    if must_be_same and is_string(theirs):
        return None
    for name, holds in CLASSES:
        if holds(call, theirs, ours):
            return name
    return None


def in_memory(arg):
    """strace had to read the task's memory for this"""
    return arg.startswith(('"', "{", "[", "~[", '@"')) or bool(COUNT.search(arg))


def compare_args(theirs, ours, found, paths=False):
    """Classes of the arguments; None: a difference without a class"""
    if theirs.name in ("rt_sigreturn", "sigreturn") and theirs.args and len(ours.args) < 2:
        # the arguments are in the frame of the handler
        found.add("frame of the signal")
        return True
    if theirs.ret == "?" and 0 < len(theirs.args) < len(ours.args):
        # strace prints the others when the call returns, which it does not see of a killed task
        found.add("rest of a killed task's call")
    elif len(theirs.args) != len(ours.args):
        return False
    for i, (their_arg, our_arg) in enumerate(zip(theirs.args, ours.args)):
        kind = class_of(theirs, their_arg, our_arg, paths and is_path(theirs, i))
        if kind is None:
            return False
        found.add(kind)
    return True


def compare_results(theirs, ours, found, args_too):
    """The same of what came back; strace's text in parentheses comes from memory"""
    if (theirs.ret, theirs.error) == ("?", None) and ours.ret + (ours.error or "") != "?":
        # it did return, but to a task that has been killed, which strace cannot stop
        found.add("return of a killed task")
        return True
    if value_of(theirs.ret) != value_of(ours.ret) or theirs.error != ours.error:
        return False
    if not args_too:
        return True
    if theirs.ret != ours.ret:
        return False
    if theirs.fd != ours.fd:
        if ours.fd is not None:
            return False
        found.add("file not known")
    if theirs.detail != ours.detail:
        if ours.detail or not re.match(r"\((\[|\{|left |in \[|out \[)", theirs.detail):
            return False
        found.add("result in memory")
    return True


# A task that is killed while strace holds it before a call never makes the call.
NOT_MADE = "call that a killed task did not make"


def not_made(line, after):
    return isinstance(line, Call) and (line.ret, line.error) == ("?", None) and is_death(after)


def is_death(lines):
    return bool(lines) and lines[0].kind == "exit" and lines[0].name.startswith("killed by ")


def value_of(text):
    if text == "?":
        return None
    if text.startswith("0") and text[1:].isdigit():
        return int(text, 8)
    return int(text, 0)


def same_kind(theirs, ours):
    if isinstance(theirs, Note) != isinstance(ours, Note):
        return False
    if isinstance(theirs, Call):
        return theirs.name == ours.name
    if theirs.kind != ours.kind:
        return False
    return ours.name is None or theirs.name == ours.name


class Comparison:
    def __init__(self, options):
        self.options = options
        self.classes = collections.Counter()
        self.samples = collections.defaultdict(list)
        self.unclassed = []
        self.calls = self.registers = self.registers_same = self.paths = 0

    def add(self, kind, pid, theirs, ours):
        self.classes[kind] += 1
        if len(self.samples[kind]) < self.options.samples:
            self.samples[kind].append((pid, theirs.text, ours.text if ours else "-"))

    def wrong(self, pid, theirs, ours):
        self.unclassed.append((pid, theirs.text if theirs else "-", ours.text if ours else "-"))

    def compare_call(self, pid, theirs, ours, after):
        found = set()
        args_too = theirs.args is not None and ours.args is not None
        if self.options.only and theirs.name not in self.options.only:
            args_too = False
        self.calls += 1
        if not_made(theirs, after) and "ENOSYS" in (ours.error or ""):
            self.add(NOT_MADE, pid, theirs, ours)
            return
        # strace may not have got all arguments of a call that a signal ended.
        whole = args_too and len(theirs.args) == len(ours.args)
        for i, arg in enumerate(theirs.args or ()):
            self.paths += is_path(theirs, i) and arg.startswith('"')
        plain = whole and not any(in_memory(arg) for arg in theirs.args)
        self.registers += plain
        if not compare_results(theirs, ours, found, args_too) or (
            args_too and not compare_args(theirs, ours, found, self.options.paths)
        ):
            self.wrong(pid, theirs, ours)
            return
        if "return of a killed task" in found and not is_death(after):
            self.wrong(pid, theirs, ours)
            return
        found.discard("identical")
        self.registers_same += plain and not found
        self.add(", ".join(sorted(found)) or "identical", pid, theirs, ours)

    def compare_note(self, pid, theirs, ours):
        if theirs.text == ours.text or ours.name is None:
            self.add("identical " + theirs.kind, pid, theirs, ours)
        elif theirs.kind == "signal":
            self.add("signal's details", pid, theirs, ours)
        else:
            self.wrong(pid, theirs, ours)

    def compare_task(self, pid, theirs, ours):
        for i, (their_line, our_line) in enumerate(zip(theirs, ours)):
            if not same_kind(their_line, our_line):
                if not_made(their_line, theirs[i + 1 : i + 2]):
                    self.add(NOT_MADE, pid, their_line, our_line)
                    return
                # what follows is out of step: say so once
                self.wrong(pid, their_line, our_line)
                return
            if isinstance(their_line, Call):
                self.compare_call(pid, their_line, our_line, theirs[i + 1 : i + 2])
            else:
                self.compare_note(pid, their_line, our_line)
        n = min(len(theirs), len(ours))
        if len(theirs) > n and not_made(theirs[n], theirs[n + 1 : n + 2]):
            self.add(NOT_MADE, pid, theirs[n], None)
        elif len(theirs) != len(ours):
            self.wrong(
                pid,
                theirs[n] if len(theirs) > n else None,
                ours[n] if len(ours) > n else None,
            )

    def compare(self, theirs, ours):
        first = next(iter(theirs))
        order = {pid: i for i, pid in enumerate(ours)}
        order.setdefault(first, -1)
        # strace's child makes calls of its own, and stops itself, before the command's execve
        lines = ours.get(first, [])
        begin = (i for i, line in enumerate(lines) if isinstance(line, Call) and line.name == "execve")
        ours[first] = lines[next(begin, len(lines)) :]
        for pid, lines in theirs.items():
            self.compare_task(pid, lines, ours.get(pid, []))
        for pid, lines in ours.items():
            # strace itself, and children with which it tries ptrace, begin before the command
            if pid not in theirs and lines and order[pid] > order[first]:
                self.wrong(pid, None, lines[0])

    def print_samples(self, rows):
        for pid, theirs, ours in rows:
            print("    %d strace  %s" % (pid, theirs))
            print("    %s ours    %s" % (" " * len(str(pid)), ours))

    def report(self):
        total = sum(self.classes.values()) + len(self.unclassed)
        for kind, n in self.classes.most_common():
            print("%8d %6.2f %%  %s" % (n, 100.0 * n / max(total, 1), kind))
            self.print_samples(self.samples[kind])
        share = 100.0 * len(self.unclassed) / max(total, 1)
        print("%8d %6.2f %%  without a class" % (len(self.unclassed), share))
        self.print_samples(self.unclassed[: self.options.samples or 20])
        share = 100.0 * self.registers_same / self.registers if self.registers else 0
        print(
            "calls: %d; arguments in registers: %d, identical: %d (%.2f %%); paths: %d"
            % (self.calls, self.registers, self.registers_same, share, self.paths)
        )
        return share


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("strace")
    parser.add_argument("ours")
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--numbers")
    parser.add_argument("--least-same", type=float, default=0)
    parser.add_argument("--least-calls", type=int, default=1)
    parser.add_argument("--paths", action="store_true")
    parser.add_argument("--only", action="append")
    parser.add_argument("--samples", type=int, default=0)
    options = parser.parse_args()
    problems = []
    theirs = read_strace(options.strace, problems)
    if options.events:
        ours = read_events(options.ours, read_numbers(options.numbers))
    else:
        ours = read_strace(options.ours, problems)
    if not theirs:
        print("strace traced nothing")
        return 1
    comparison = Comparison(options)
    comparison.compare(theirs, ours)
    share = comparison.report()
    for problem in problems[:20]:
        print(problem)
    if comparison.calls < options.least_calls:
        print("fewer calls than %d" % options.least_calls)
        return 1
    if share < options.least_same and not options.events:
        print("fewer identical lines than %.2f %%" % options.least_same)
        return 1
    return 1 if comparison.unclassed or problems else 0


if __name__ == "__main__":
    sys.exit(main())
