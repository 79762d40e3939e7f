# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a file of tc-report --perfetto: protoc decodes it, by the field numbers of perfetto.proto."""
import os
import re
import subprocess
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PACKET, COMPRESSED = 1, 50
BLOCK_MAX = 512 << 10


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, bytes of a message or string, where the field begins and ends)"""
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        if tag & 7 == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "a field ends beyond its message"
            yield tag >> 3, data[at:at + size], start, at + size
            at += size
        else:
            assert tag & 7 in (0, 1), "a wire type that is not written"
            value, at = varint(data, at) if tag & 7 == 0 else (None, at + 8)
            yield tag >> 3, value, start, at


def expand(data):
    """The packets of a file, those that are compressed as they were"""
    out = []
    for number, packet, start, end in fields(data):
        assert number == PACKET, "a file has only packets"
        inner = next((v for n, v, _, _ in fields(packet) if n == COMPRESSED), None)
        if inner is None:
            out.append(data[start:end])
            continue
        block = zlib.decompress(inner)
        assert len(block) < BLOCK_MAX, "a compressed block is too large"
        assert all(n == PACKET for n, _, _, _ in fields(block))
        out.append(block)
    return b"".join(out)


def protoc(proto, data):
    """Text of the expanded file, by the file proto"""
    return subprocess.run(
        ["protoc", "--decode=tracecraft.Trace", "--proto_path=" + os.path.dirname(proto),
         os.path.basename(proto)],
        input=data, stdout=subprocess.PIPE, check=True).stdout.decode("ascii")


SCALAR = re.compile(r"(\w+): (.*)")
ESCAPE = re.compile(rb'\\([0-7]{3}|.)')
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unescape(text):
    """A string as protoc prints it, as bytes"""
    def one(m):
        c = m.group(1)
        return bytes([int(c, 8)]) if len(c) == 3 else LETTERS.get(c, c)
    return ESCAPE.sub(one, text[1:-1].encode("ascii"))


class Message(dict):
    """Lists of values by the name of the field"""

    def one(self, name, default=None):
        return self[name][0] if name in self else default

    def all(self, name):
        return self.get(name, [])


def parse(text):
    """The outermost message"""
    top = Message()
    stack = [top]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            inner = Message()
            stack[-1].setdefault(line[:-1].strip(), []).append(inner)
            stack.append(inner)
        else:
            name, value = SCALAR.fullmatch(line).groups()
            if value[0] == '"':
                value = unescape(value)
            elif value in ("true", "false"):
                value = value == "true"
            else:
                value = int(value, 0)
            stack[-1].setdefault(name, []).append(value)
    assert len(stack) == 1
    return top


# Types of a descriptor's fields
TYPES = {3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "bytes", 13: "uint32"}


def described(packets):
    """Events that the file describes: name and fields by number of the event"""
    out = {}
    for packet in packets:
        for bundle in packet.all("ftrace_events"):
            for d in bundle.all("generic_event_descriptors"):
                out.setdefault(d.one("field_id"), d)
    return out


def extend(proto, events):
    """The schema with the events that the file describes, whose names and fields are numbers there"""
    lines = []
    for number, d in events.items():
        fields = d.one("event_descriptor").all("field")
        assert all(1 <= f.one("number") <= 31 and f.one("label") == 1 for f in fields)
        lines.append("  optional Generic%d g%d = %d;" % (number, number, number))
        proto += "message Generic%d {\n%s}\n" % (number, "".join(
            "  optional %s f%d = %d;\n" % (TYPES[f.one("type")], f.one("number"), f.one("number"))
            for f in fields))
    return proto.replace("message FtraceEvent {\n",
                         "message FtraceEvent {\n%s\n" % "\n".join(lines), 1)


def read(path):
    """The packets, and the descriptions of events"""
    with open(path, "rb") as f:
        data = expand(f.read())
    proto = os.path.join(HERE, "perfetto.proto")
    events = described(parse(protoc(proto, data)).all("packet"))
    with open(proto, encoding="ascii") as f:
        schema = extend(f.read(), events)
    with tempfile.TemporaryDirectory() as tmp:
        proto = os.path.join(tmp, "extended.proto")
        with open(proto, "w", encoding="ascii") as f:
            f.write(schema)
        packets = parse(protoc(proto, data)).all("packet")
    for packet in packets:
        check_known(packet)
    return packets, events


def check_known(message):
    """Every field is one of the schema: others are printed as numbers"""
    for key, values in message.items():
        assert not key.isdigit(), "field %s is not in the schema" % key
        for value in values:
            if isinstance(value, Message):
                check_known(value)
