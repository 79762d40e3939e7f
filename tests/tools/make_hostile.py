#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_hostile.py CASE N OUT - a library with debug information that no compiler writes

Assembled from a list of entries; N is how many of what the case has many of. The cases:
  cycle-types, cycle-origins, odd-locations, unnamed-members   seeds of tests/fuzz/corpus/elf
  blocks, inlines, members, params, lines, lines-compressed    tests/data/made/hostile-*.xz
"""
import os
import subprocess
import sys
import tempfile

TAGS = {"cu": 0x11, "function": 0x2E, "param": 5, "base": 0x24, "pointer": 0x0F, "typedef": 0x16,
        "struct": 0x13, "member": 0x0D, "block": 0x0B, "inlined": 0x1D, "const": 0x26, "array": 1,
        "subrange": 0x21, "enum": 4, "reference": 0x10, "inheritance": 0x1C, "variable": 0x34}
ATTRS = {"name": 3, "byte_size": 0x0B, "encoding": 0x3E, "type": 0x49, "low_pc": 0x11,
         "high_pc": 0x12, "location": 2, "frame_base": 0x40, "origin": 0x31, "spec": 0x47,
         "inline": 0x20, "at": 0x38, "language": 0x13, "lines": 0x10, "upper": 0x2F, "dir": 0x1B}
FORMS = {"string": 8, "data1": 0x0B, "data4": 6, "addr": 1, "data8": 7, "ref": 0x13,
         "expr": 0x18, "offset": 0x17}
FIRST, CFA = [0x55], [0x9C]


class Info:
    """.debug_info as lines of assembler, and the abbreviations it needs"""

    def __init__(self):
        self.abbrevs = {}
        self.lines = []

    def die(self, tag, children=False, label=None, **attrs):
        """an entry; attrs are NAME=(FORM, VALUE)"""
        key = (TAGS[tag], children, tuple((ATTRS[k], FORMS[f]) for k, (f, _) in attrs.items()))
        if label:
            self.lines.append(label + ":")
        self.lines.append(f".uleb128 {self.abbrevs.setdefault(key, len(self.abbrevs) + 1)}")
        for form, value in attrs.values():
            self.lines += {
                "string": lambda v: [f'.asciz "{v}"'],
                "data1": lambda v: [f".byte {v}"],
                "data4": lambda v: [f".4byte {v}"],
                "offset": lambda v: [f".4byte {v}"],
                "data8": lambda v: [f".8byte {v}"],
                "addr": lambda v: [f".8byte {v}"],
                "ref": lambda v: [f".4byte {v}-info"],
                "expr": lambda v: [f".uleb128 {len(v)}", ".byte " + ",".join(map(str, v))],
            }[form](value)

    def end(self):
        """the children"""
        self.lines.append(".byte 0")

    def function(self, frame=None, **attrs):
        """f, whose code is 8 bytes; its children follow"""
        self.die("function", True, name=("string", "f"), low_pc=("addr", "f"),
                 high_pc=("data8", 8), frame_base=("expr", frame or CFA), **attrs)

    def param(self, name, kind, where=None):
        """a parameter"""
        self.die("param", name=("string", name), type=("ref", kind),
                 location=("expr", where or FIRST))


def cycle_types(d, _):
    d.die("typedef", label="a_t", name=("string", "a_t"), type=("ref", "b_t"))
    d.die("const", label="b_t", type=("ref", "a_t"))
    d.die("pointer", label="p_t", type=("ref", "p_t"))
    d.die("struct", True, label="s_t", name=("string", "s"), byte_size=("data1", 8))
    d.die("member", type=("ref", "s_t"), at=("data1", 0))
    d.die("member", name=("string", "m"), type=("ref", "s_t"), at=("data1", 0))
    d.end()
    d.die("array", True, label="r_t", type=("ref", "r_t"))
    d.die("subrange", type=("ref", "r_t"), upper=("data1", 3))
    d.end()
    d.die("enum", label="e_t", name=("string", "e"), type=("ref", "e_t"))
    d.die("reference", label="f_t", type=("ref", "f_t"))
    d.die("struct", True, label="u_t", name=("string", "u"), byte_size=("data1", 8))
    d.die("inheritance", type=("ref", "u_t"), at=("data1", 0))
    d.die("member", type=("ref", "f_t"), at=("data1", 0))
    d.end()
    d.function()
    for name in "apsrefu":
        d.param(name, name + "_t")
    d.end()


def cycle_origins(d, _):
    d.function(origin=("ref", "o1"))
    d.die("param", origin=("ref", "o2"), location=("expr", [0x91, 0]))
    d.end()
    d.die("function", label="o1", origin=("ref", "o2"))
    d.die("function", label="o2", spec=("ref", "o1"))
    d.die("function", label="o3", origin=("ref", "o3"), low_pc=("addr", "f+8"),
          high_pc=("data8", 8))


def odd_locations(d, n):
    d.function(frame=[0x91, 0])
    for name, where in {
            "skip": [0x2F, 0xFD, 0xFF], "bra": [0x31, 0x28, 0xFC, 0xFF, 0x9F],
            "frame": [0x91, 0], "call": [0x99, 0, 0, 0, 0], "dup": [0x75, 0] + [0x12] * n + [0x9F],
            "deref": [0x75, 0] + [0x06] * n, "pieces": [0x55, 0x93, 4] * n,
            "entry": [0xA3, 1, 0xA3], "pick": [0x15, 255], "rot": [0x17], "drop": [0x13],
            "index": [0xA1, 0xFF, 0xFF, 0x7F], "convert": [0x30, 0xA8, 0xFF, 0x7F, 0x9F],
            "pointer": [0xA0, 0xFF, 0xFF, 0xFF, 0x7F, 0],
            "value": [0x9E, 0xFF, 0xFF, 0xFF, 0x7F]}.items():
        d.param(name, "int_t", where)
    d.end()


def unnamed_members(d, n):
    for i in range(n):
        inner = f"s{i + 1}_t" if i < n - 1 else "int_t"
        d.die("struct", True, label=f"s{i}_t", byte_size=("data1", 8))
        d.die("member", type=("ref", inner), at=("data1", 0))
        d.die("member", type=("ref", inner), at=("data1", 0))
        d.end()
    d.die("pointer", label="p_t", type=("ref", "s0_t"))
    d.function()
    d.param("p", "p_t")
    d.end()


def nested(d, n, tag, **attrs):
    d.die("function", label="g_f", name=("string", "g"), inline=("data1", 1))
    d.function()
    for _ in range(n):
        d.die(tag, True, low_pc=("addr", "f"), high_pc=("data8", 8), **attrs)
    d.die("variable", name=("string", "v"), type=("ref", "int_t"), location=("expr", FIRST))
    for _ in range(n):
        d.end()
    d.end()


def members(d, n):
    d.die("struct", True, label="s_t", name=("string", "s"), byte_size=("data4", 4 * n))
    for i in range(n):
        d.die("member", name=("string", f"m{i}"), type=("ref", "int_t"), at=("data4", 4 * i))
    d.end()
    d.die("pointer", label="p_t", type=("ref", "s_t"))
    d.function()
    d.param("p", "p_t")
    d.end()


def params(d, n):
    d.function()
    for i in range(n):
        d.param(f"p{i}", "int_t")
    d.end()


def plain(d, _):
    d.function()
    d.end()


CASES = {
    "cycle-types": cycle_types, "cycle-origins": cycle_origins, "odd-locations": odd_locations,
    "unnamed-members": unnamed_members, "members": members, "params": params,
    "blocks": lambda d, n: nested(d, n, "block"),
    "inlines": lambda d, n: nested(d, n, "inlined", origin=("ref", "g_f")),
    "lines": plain, "lines-compressed": plain,
}


def assembler(d, rows):
    """the whole file: 64 bytes of code, units, abbreviations, a table of so many rows"""
    text = [".text", ".globl f", ".type f,@function", "f: .fill 64,1,0x90", ".size f,64",
            "text_end:", '.section .debug_info,"",@progbits', "info:", ".4byte 2f-1f",
            "1: .2byte 4", ".4byte abbrev", ".byte 8", *d.lines, "2:",
            '.section .debug_abbrev,"",@progbits', "abbrev:"]
    for (tag, children, attrs), number in d.abbrevs.items():
        text += [f".uleb128 {number},{tag}", f".byte {int(children)}"]
        text += [f".uleb128 {name},{form}" for name, form in attrs] + [".byte 0,0"]
    text += [".byte 0", '.section .debug_line,"",@progbits', ".4byte 4f-3f", "3: .2byte 4",
             ".4byte 6f-5f", "5: .byte 1,1,1,-5,14,13,0,1,1,1,1,0,0,0,1,0,0,1", ".byte 0",
             '.asciz "h.c"', ".byte 0,0,0,0", "6: .byte 0,9,2", ".8byte f",
             f".fill {rows},1,1", ".byte 1,0x4b,0x4b,2,60,0,1,1", "4:"]
    return "\n".join(text) + "\n"


def main():
    case, n, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    d = Info()
    d.die("cu", True, name=("string", "h.c"), language=("data1", 12), low_pc=("addr", "f"),
          high_pc=("data8", "text_end-f"), lines=("offset", 0), dir=("string", "."))
    d.die("base", label="int_t", name=("string", "int"), byte_size=("data1", 4),
          encoding=("data1", 5))
    CASES[case](d, n)
    d.end()
    flags = ["-Wl,--compress-debug-sections=zlib"] if case.endswith("-compressed") else []
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "x.s")
        with open(path, "w", encoding="ascii") as f:
            f.write(assembler(d, n if case.startswith("lines") else 0))
        subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,-z,noseparate-code",
                        "-Wl,--build-id=none", "-o", out, path, *flags], check=True)


main()
