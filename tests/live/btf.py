#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# btf.py FILE - the functions in BTF as C declares them, one a line. An oracle: written from
# Documentation/bpf/btf.rst, with nothing in common with libtfs/btf.

import struct
import sys

VOID, INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, PROTO, \
    VAR, SECTION, FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = range(20)
WORDS = {STRUCT: "struct ", UNION: "union ", ENUM: "enum ", ENUM64: "enum "}
QUALIFIERS = {CONST: "const", VOLATILE: "volatile", RESTRICT: "restrict"}


class Type:
    def __init__(self, kind, name, ref, flag, items):
        self.kind, self.name, self.ref, self.flag, self.items = kind, name, ref, flag, items


def read(path):
    data = open(path, "rb").read()
    head, type_off, type_len, str_off, str_len = struct.unpack_from("<IIIII", data, 4)
    strings = data[head + str_off:head + str_off + str_len]

    def text(off):
        return strings[off:strings.index(b"\0", off)].decode()

    types, at, end = [Type(VOID, "void", 0, 0, [])], head + type_off, head + type_off + type_len
    while at < end:
        name, info, ref = struct.unpack_from("<III", data, at)
        at += 12
        kind, n, items = info >> 24 & 31, info & 0xffff, []
        if kind == ARRAY:
            items, size = [struct.unpack_from("<III", data, at)], 12
        elif kind == PROTO:
            for i in range(n):
                p, t = struct.unpack_from("<II", data, at + 8 * i)
                items.append((text(p), t))
            size = 8 * n
        else:
            size = {INT: 4, VAR: 4, DECL_TAG: 4, STRUCT: 12 * n, UNION: 12 * n, ENUM: 8 * n,
                    SECTION: 12 * n, ENUM64: 12 * n}.get(kind, 0)
        at += size
        types.append(Type(kind, text(name), ref, info >> 31, items))
    return types


def declare(types, number, what):
    t = types[number]
    if t.kind == PTR:
        what = "*" + what
        if types[t.ref].kind in (PROTO, ARRAY):
            what = "(" + what + ")"
        return declare(types, t.ref, what)
    if t.kind == ARRAY:
        element, _, n = t.items[0]
        return declare(types, element, "%s[%d]" % (what, n))
    if t.kind == PROTO:
        params = [declare(types, p, name) if p or name else "..." for name, p in t.items]
        return declare(types, t.ref, "%s(%s)" % (what, ", ".join(params) or "void"))
    if t.kind in QUALIFIERS:
        word = QUALIFIERS[t.kind]
        if types[t.ref].kind == PTR:
            return declare(types, t.ref, (word + " " + what).rstrip())
        return word + " " + declare(types, t.ref, what)
    if t.kind == TYPE_TAG:
        return declare(types, t.ref, what)
    word = WORDS.get(t.kind, "")
    if t.kind == FWD:
        word = "union " if t.flag else "struct "
    return (word + (t.name or "{...}") + " " + what).rstrip()


def main():
    types = read(sys.argv[1])
    for t in types:
        if t.kind == FUNC:
            print(declare(types, t.ref, t.name))


main()
