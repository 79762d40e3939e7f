# SPDX-License-Identifier: GPL-2.0-or-later
"""Have gdb print variables while a program runs, for beside_gdb.py: run by gdb -batch -x.

TRUTH_TASK is a file with JSON: {"list": [[function, address], ...], "lines": N} for the expressions that
can be asked at functions and at N lines of each, or {"places": {address: [[number, function,
expression], ...]}, "args": [...], "hits": N, "pie": BOOL} for their values, with the addresses of the
file. The answer goes to TRUTH_TASK.out.
"""
import json
import os
import random
import re

import gdb

MEMBERS = 5  # of a structure
TEXT = 256  # bytes of a text that are compared
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
STRUCTS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def is_char(type_):
    type_ = type_.strip_typedefs()
    is_int = type_.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR)
    return is_int and str(type_.unqualified()) == "char"


def members(type_, before, depth):
    """Expressions of what is in a structure: plain ones, and some of the structures in it"""
    out, todo = [], []
    fields = [f for f in type_.fields() if f.name and not f.is_base_class and hasattr(f, "bitpos")]
    fields = [f for f in fields if re.fullmatch(r"[A-Za-z]\w*", f.name)]
    if len(fields) > MEMBERS:
        fields = random.sample(fields, MEMBERS)
    for field in fields:
        out += expressions(field.type, before + field.name, depth - 1)
    return out


def expressions(type_, name, depth=2):
    type_ = type_.strip_typedefs()
    if type_.code in NUMBERS:
        return [name]
    if type_.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
        out = [name] if type_.code == gdb.TYPE_CODE_PTR else []
        target = type_.target().strip_typedefs()
        if target.code in STRUCTS and depth > 0:
            try:
                out += members(target, name + "->" if out else name + ".", depth)
            except (TypeError, RuntimeError):
                pass
        elif target.code in NUMBERS and not is_char(target) and out:
            out.append("*" + name if name.isidentifier() else name + "[0]")
        return out
    if type_.code in STRUCTS and depth > 0:
        return members(type_, name + ".", depth)
    if type_.code == gdb.TYPE_CODE_ARRAY:
        if is_char(type_.target()):
            return []
        low, high = type_.range()
        if high >= 1:
            return expressions(type_.target(), f"{name}[{min(high, 2)}]", depth - 1)
    if type_.code == gdb.TYPE_CODE_FLT:
        return [name]
    return []


def blocks(func, block):
    """The innermost block at each line of a function, where a breakpoint on the line would be"""
    out = {}
    file = func.symtab.filename.rsplit("/", 1)[-1]
    lines = {e.line for e in func.symtab.linetable() if block.start < e.pc < block.end and e.line}
    for line in sorted(lines):
        try:
            at = gdb.decode_line(f"{file}:{line}")[1] or ()
        except gdb.error:
            continue
        pcs = [s.pc for s in at if s.line == line and block.start < s.pc < block.end]
        if len(at) == 1 and pcs:
            inner = outer = gdb.block_for_pc(pcs[0])
            while outer and not outer.function:
                outer = outer.superblock
            if outer and outer.start == block.start:
                out[f"{file}:{line}"] = inner
    return out


def listed(names, lines):
    out = []
    for name, pc in names:
        block = gdb.block_for_pc(pc)
        while block and not block.function:
            block = block.superblock
        if not block or block.start != pc:
            continue
        func = block.function
        random.seed(name)
        for symbol in block:
            if symbol.is_argument and symbol.name:
                point = name.replace(") const", ")")
                out += [(point, e) for e in expressions(symbol.type, symbol.name)]
        at = blocks(func, block)
        for line in random.sample(sorted(at), min(lines, len(at))):
            inner, seen = at[line], set()
            while inner and not inner.is_static and not inner.is_global:
                for symbol in inner:
                    is_value = symbol.is_variable or symbol.is_argument
                    if symbol.name and symbol.name not in seen and is_value:
                        seen.add(symbol.name)
                        some = expressions(symbol.type, symbol.name, 1)
                        out += [(line, e) for e in some[:2]]
                if inner.function:
                    break
                inner = inner.superblock
    return out


def plain(value):
    """A value as JSON has it, or None"""
    type_ = value.type.strip_typedefs()
    if type_.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        type_ = value.type.strip_typedefs()
    if value.is_optimized_out:
        return "optimised out"
    if type_.code in NUMBERS:
        return int(value)
    if type_.code == gdb.TYPE_CODE_PTR:
        out = {"pointer": int(value)}
        if is_char(type_.target()):
            try:
                text = b""
                inferior = gdb.selected_inferior()
                while len(text) < TEXT:
                    byte = bytes(inferior.read_memory(int(value) + len(text), 1))
                    if byte == b"\0":
                        break
                    text += byte
                out["text"] = text.decode("utf-8", "surrogateescape")
            except gdb.MemoryError:
                pass
        return out
    if type_.code == gdb.TYPE_CODE_FLT:
        return "real"
    return None


class Place(gdb.Breakpoint):
    def __init__(self, address, asked, most):
        super().__init__(f"*{address}", internal=True)
        self.asked, self.most, self.hits = asked, most, []

    def stop(self):
        self.hits.append({n: self.value(f, e) for n, f, e in self.asked})
        if len(self.hits) >= self.most:
            self.enabled = False
        return False

    def value(self, func, expr):
        try:
            frame = gdb.newest_frame()
            if not re.search(r":\d+$", func):
                func = func.split("(")[0]
                while frame and frame.type() == gdb.INLINE_FRAME:
                    if (frame.name() or "").split("(")[0] == func:
                        break
                    frame = frame.older()
                # "f(int)" in C++
                if not frame or not frame.name() or frame.name().split("(")[0] != func:
                    return "another function"
            frame.select()
            return plain(gdb.parse_and_eval(expr))
        except gdb.MemoryError:
            return "no memory"
        except gdb.error as err:
            return "optimised out" if "optimized out" in str(err) else "error: " + str(err)[:60]


def base_of(program):
    text = gdb.execute("info proc mappings", to_string=True)
    first = re.search(r"0x[0-9a-f]+(?=\s.*" + re.escape(program) + "$)", text, re.M)
    return int(first[0], 16)


def watched(task):
    program = os.path.realpath(gdb.current_progspace().filename)
    gdb.execute("set breakpoint always-inserted on")
    gdb.execute("set startup-with-shell off")
    gdb.execute("unset environment")
    gdb.execute("set args " + " ".join(task["args"]))
    gdb.execute("starti", to_string=True)
    shift = base_of(program) if task["pie"] else 0
    places = {
        a: Place(hex(int(a, 0) + shift), asked, task["hits"]) for a, asked in task["places"].items()
    }
    gdb.execute("continue", to_string=True)
    return {a: p.hits for a, p in places.items()}


def main():
    path = os.environ["TRUTH_TASK"]
    with open(path, encoding="ascii") as file:
        task = json.load(file)
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set width 0")
    out = listed(task["list"], task["lines"]) if "list" in task else watched(task)
    with open(path + ".out", "w", encoding="ascii") as file:
        json.dump(out, file)


main()
