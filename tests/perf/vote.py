# SPDX-License-Identifier: GPL-2.0-or-later
"""Have gdb evaluate variables, for compare.py: run by gdb -batch -x.

TC_VOTE is a file with a JSON list of [address, function, is-entry, variable, ...]; the answer goes to
TC_VOTE.out, a line with {variable: [text or null, ...]} for each: where gdb has the parameter at that
address in each copy of the function that begins there, null where there is none of that name;
"near: " is before what is of a copy whose code begins a few bytes on, which may be another one.
"""
import json
import os
import re

import gdb

# Bytes: the first instructions of a copy may have been moved elsewhere.
NEAR = 32


def frames(pc):
    """Blocks of functions at pc, inlined copies too, the innermost first."""
    out = []
    try:
        block = gdb.block_for_pc(pc)
    except RuntimeError:
        return out
    while block and not block.is_static and not block.is_global:
        if block.function:
            out.append(block)
        block = block.superblock
    return out


def same(a, b):
    return (a.start, a.end, a.function.name) == (b.start, b.end, b.function.name)


def spot(block):
    """An address whose innermost function is the block's: "info scope" looks no further out."""
    lines = block.function.symtab.linetable()
    pcs = sorted({l.pc for l in lines if block.start <= l.pc < block.end})
    for pc in pcs + [block.start, block.end - 1]:
        at = frames(pc)
        if at and same(at[0], block):
            return pc
    return None


def scope(block, cache={}):
    """name -> [(from, to, text)] of what "info scope" says; everywhere is (0, None)"""
    key = (block.start, block.end, block.function.name)
    if key in cache:
        return cache[key]
    out = cache[key] = {}
    pc = spot(block)
    if pc is None:
        return out
    text = gdb.execute("info scope *0x%x" % pc, to_string=True)
    for part in re.split(r"^Symbol (?=\S+ is )", text, flags=re.M)[1:]:
        name, rest = part.split(" is ", 1)
        if not rest.startswith("multi-location:"):
            # gcc gives a clone both a place and a constant for one parameter
            out.setdefault(name, []).append(
                (0, None, re.sub(r",? length \d+\.\s*$", "", rest.strip())))
            continue
        ranges = re.split(r"^\s+(?:Base address \S+\s+)?Range (?=0x)", rest, flags=re.M)[1:]
        out.setdefault(name, [])
        for r in ranges:
            m = re.match(r"(0x[0-9a-f]+)-(0x[0-9a-f]+): (.*)", r, flags=re.S)
            if m:
                what = re.sub(r"\n, length \d+\.\s*$", "", m[3]).strip()
                out[name].append((int(m[1], 16), int(m[2], 16), what))
    return out


def is_called(block, func):
    """glibc calls "f" what the linker knows as "__GI_f"."""
    name = block.function.name
    return name == func or name == "__GI_" + func


def find(addr, func, entry):
    """[(block, distance)] of the function, or of its copies that begin at addr or soon after it"""
    at = frames(addr)
    out = []
    for distance in range(NEAR):
        for block in frames(addr + distance):
            if is_called(block, func) and not any(same(block, o) for o, _ in out):
                out.append((block, distance))
    return out or ([(at[-1], 0)] if at and entry else [])


def size(symbol):
    """prefix for the text of a structure that no register holds"""
    kind = symbol.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and kind.sizeof not in (1, 2, 4, 8):
        return "structure: "
    return ""


def texts(ranges, addr, distance):
    """texts that are valid at addr; an empty range is valid at the entry of a copy (location views)"""
    out = ["view: " + text for low, high, text in ranges if low == addr == high]
    out += [text for low, high, text in ranges if high is None or low <= addr < high]
    if not out and ranges and not distance:
        out.append("later: " + ranges[0][2])
    return out


def vote(addr, func, entry, names):
    out = {n: [] for n in names}
    for block, distance in find(addr, func, entry):
        params = {s.name: size(s) for s in block if s.is_argument}
        places = scope(block)
        for n in names:
            if n not in params:
                out[n].append(None)
            else:
                near = "near: " if distance else ""
                out[n] += [near + params[n] + t
                           for t in texts(places.get(n, []), addr, distance)]
    return out


def main():
    path = os.environ["TC_VOTE"]
    with open(path) as f:
        asked = json.load(f)
    with open(path + ".out", "w") as f:
        for q in asked:
            f.write(json.dumps(vote(q[0], q[1], q[2], q[3:])) + "\n")
            f.flush()


main()
