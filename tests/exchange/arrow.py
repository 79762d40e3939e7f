# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads streams of Apache Arrow's IPC format, version 5, without compression.

Written from "Arrow Columnar Format" and "FlatBuffers Internals", apart from the writer. Everything that these
documents ask of a stream is asserted: sizes, alignment, what lies inside of what.
"""
import struct

HEADER_SCHEMA, HEADER_DICTIONARY, HEADER_RECORDS = 1, 2, 3
TYPES = {2: "int", 3: "float", 4: "binary", 5: "utf8", 12: "list"}
V5 = 4


class Table:
    """A table of FlatBuffers: at(id) is where a field is, None where it has its default."""

    def __init__(self, data, pos):
        self.data, self.pos = data, pos
        self.vtable = pos - struct.unpack_from("<i", data, pos)[0]
        self.vsize, self.size = struct.unpack_from("<HH", data, self.vtable)
        assert 0 <= self.vtable and self.vtable + self.vsize <= len(data)
        assert pos + self.size <= len(data)

    def at(self, number, align):
        if 4 + 2 * number >= self.vsize:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + 4 + 2 * number)[0]
        assert offset < self.size and (self.pos + offset) % align == 0
        return self.pos + offset if offset else None

    def scalar(self, number, code, default=0):
        at = self.at(number, struct.calcsize(code))
        return default if at is None else struct.unpack_from("<" + code, self.data, at)[0]

    def ref(self, number):
        at = self.at(number, 4)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, number):
        at = self.ref(number)
        return None if at is None else Table(self.data, at)

    def string(self, number):
        at = self.ref(number)
        size = struct.unpack_from("<I", self.data, at)[0]
        assert self.data[at + 4 + size] == 0
        return self.data[at + 4:at + 4 + size].decode("utf-8")

    def tables(self, number):
        at = self.ref(number)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        slots = [at + 4 + 4 * i for i in range(count)]
        return [Table(self.data, s + struct.unpack_from("<I", self.data, s)[0]) for s in slots]

    def pairs(self, number):
        at = self.ref(number)
        count = struct.unpack_from("<I", self.data, at)[0]
        assert (at + 4) % 8 == 0, "structs of longs are aligned"
        return [struct.unpack_from("<qq", self.data, at + 4 + 16 * i) for i in range(count)]


class Field:
    def __init__(self, table):
        self.name = table.string(0)
        self.nullable = bool(table.scalar(1, "B"))
        self.type = TYPES[table.scalar(2, "B")]
        kind = table.table(3)
        self.dictionary = None
        self.children = [Field(t) for t in table.tables(5)]
        assert len(self.children) == (self.type == "list")
        if self.type == "int":
            self.code = {8: "b", 16: "h", 32: "i", 64: "q"}[kind.scalar(0, "i")]
            self.code = self.code if kind.scalar(1, "B") else self.code.upper()
        elif self.type == "float":
            self.code = {1: "f", 2: "d"}[kind.scalar(0, "h")]
        encoding = table.table(4)
        if encoding:
            self.dictionary = encoding.scalar(0, "q")
            index = encoding.table(1)
            assert (index.scalar(0, "i"), index.scalar(1, "B")) == (32, 1)

    def describe(self):
        text = self.children[0].describe() if self.type == "list" else getattr(self, "code", "")
        return "%s%s%s%s" % (self.type, ":" + text if text else "",
                             " dictionary" if self.dictionary is not None else "",
                             " null" if self.nullable else "")


class Batch:
    """The cells of a record batch, or of a dictionary's"""

    def __init__(self, table, body, order):
        assert table.table(3) is None, "it is compressed"
        self.length = table.scalar(0, "q")
        self.nodes, self.buffers = iter(table.pairs(1)), iter(table.pairs(2))
        self.body, self.order, self.end = body, order, 0

    def buffer(self):
        offset, length = next(self.buffers)
        assert offset % 8 == 0 and self.end <= offset <= offset + length <= len(self.body)
        self.end = offset + length
        return self.body[offset:offset + length]

    def array(self, code, count):
        data = self.buffer()
        assert len(data) == count * struct.calcsize(code), (len(data), code, count)
        return struct.unpack("%s%d%s" % (self.order, count, code), data)

    def cells(self, field, dictionaries):
        length, nulls = next(self.nodes)
        valid = self.buffer()
        assert not valid or len(valid) == (length + 7) // 8
        there = [not valid or bool(valid[i // 8] >> i % 8 & 1) for i in range(length)]
        assert there.count(False) == nulls and (not nulls or field.nullable)
        if field.dictionary is not None:
            words = dictionaries[field.dictionary]
            values = [words[i] if t else None for i, t in zip(self.array("i", length), there)]
        elif field.type == "list":
            ends = self.array("i", length + 1)
            below = self.cells(field.children[0], dictionaries)
            assert not ends[0] and ends[-1] == len(below) and list(ends) == sorted(ends)
            values = [below[b:e] for b, e in zip(ends, ends[1:])]
        elif field.type in ("utf8", "binary"):
            ends, data = self.array("i", length + 1), self.buffer()
            assert not ends[0] and ends[-1] == len(data) and list(ends) == sorted(ends)
            values = [data[b:e] for b, e in zip(ends, ends[1:])]
            if field.type == "utf8":
                values = [v.decode("utf-8") for v in values]
        else:
            values = self.array(field.code, length)
        return [v if t else None for v, t in zip(values, there)]

    def over(self):
        assert next(self.nodes, None) is None and next(self.buffers, None) is None
        assert len(self.body) - self.end < 8, "nothing follows the last buffer"


class Stream:
    """fields, and rows() with a tuple each; batches counts what was read"""

    def __init__(self, data):
        self.data, self.batches, self.deltas, self.replaced = data, 0, 0, 0
        messages = self.messages()
        kind, table, body = next(messages)
        assert kind == HEADER_SCHEMA and not body
        self.order = ">" if table.scalar(0, "h") else "<"
        self.fields = [Field(t) for t in table.tables(1)]
        self.rest = messages

    def messages(self):
        at = 0
        while True:
            mark, size = struct.unpack_from("<Ii", self.data, at)
            assert mark == 0xffffffff and (at + size) % 8 == 0
            at += 8
            if not size:
                assert at == len(self.data), "nothing follows the end mark"
                return
            meta = self.data[at:at + size]
            message = Table(meta, struct.unpack_from("<I", meta, 0)[0])
            assert message.scalar(0, "h") == V5
            at += size
            length = message.scalar(3, "q")
            assert length % 8 == 0 and at + length <= len(self.data)
            yield message.scalar(1, "B"), message.table(2), self.data[at:at + length]
            at += length

    def add_dictionary(self, table, body, words):
        number = table.scalar(0, "q")
        field = next(f for f in self.fields if f.dictionary == number)
        batch = Batch(table.table(1), body, self.order)
        plain = Field.__new__(Field)
        plain.__dict__.update(vars(field), dictionary=None, nullable=False)
        new = batch.cells(plain, None)
        batch.over()
        if table.scalar(2, "B"):
            assert number in words and new
            self.deltas += 1
            words[number] = words[number] + new
        else:
            self.replaced += number in words
            words[number] = new
        assert len(set(words[number])) == len(words[number])

    def rows(self):
        words = {}
        for kind, table, body in self.rest:
            if kind == HEADER_DICTIONARY:
                self.add_dictionary(table, body, words)
                continue
            assert kind == HEADER_RECORDS
            batch = Batch(table, body, self.order)
            columns = [batch.cells(f, words) for f in self.fields]
            batch.over()
            assert batch.length and all(len(c) == batch.length for c in columns)
            self.batches += 1
            yield from zip(*columns)
