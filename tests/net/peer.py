#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""peer.py send FILE PORT [OPTION...] - play trace-cmd record -N: send a recording to a listener
peer.py listen FILE PORT-FILE [OPTION...] - play trace-cmd listen: write what a sender sends as it came
peer.py old PORT PORT-FILE - play a listener of version 1 until a client asks for nothing newer, and
    connect it with the listener on PORT then

FILE of "send" is a recording of version 6 or 7, of any byte order, uncompressed or zstd (libzstd is
loaded); its first buffer is sent. With --captured it is what "listen" has written: FILE.init, FILE.meta
and FILE.cpuN. "listen" and "old" write their port to PORT-FILE.

This knows trace-cmd's protocol from its description, and shares no code with libtfs/net.
"""
import argparse
import ctypes
import os
import signal
import socket
import struct
import sys
import threading
import time

MAGIC = b"\x17\x08\x44tracing"
CLOSE, TINIT, RINIT, SEND_DATA, FIN_DATA, NOT_SUPP, CLOSE_RESP = 0, 1, 2, 3, 4, 5, 8
MAX_DATA = 8192 - 12
BUFFER, CPUCOUNT, TRACECLOCK = 3, 8, 4


def zstd_expand(data, size):
    """one frame, of which the expanded size is known"""
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    got = lib.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, "zstd: %d bytes instead of %d" % (got, size)
    return out.raw


class Recording:
    """metadata, and pages by CPU, of a recording"""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data.startswith(MAGIC), path
        end = self.data.index(b"\0", 10)
        self.version = int(self.data[10:end])
        self.order = ">" if self.data[end + 1] else "<"
        self.page_size = self.get("I", end + 3)
        self.at = end + 7
        self.pages = {}
        self.cpus = 0
        if self.version == 6:
            self.read_v6()
        else:
            self.read_v7()

    def get(self, kind, at):
        return struct.unpack_from(self.order + kind, self.data, at)[0]

    def put(self, kind, *values):
        return struct.pack(self.order + kind, *values)

    def strz(self, at):
        end = self.data.index(b"\0", at)
        return self.data[at:end], end + 1

    # version 7

    def options(self, at):
        """(id, payload offset, size) of all OPTIONS sections"""
        while at:
            size, pos = self.get("Q", at + 8), at + 16
            end, at = pos + size, 0
            while pos < end:
                ident, length = self.get("H", pos), self.get("I", pos + 2)
                if ident == 0:
                    at = self.get("Q", pos + 6)
                    break
                yield ident, pos + 6, length
                pos += 6 + length

    def read_v7(self):
        self.codec, at = self.strz(self.at)
        _, at = self.strz(at)
        first = self.get("Q", at)
        head = self.data[:at]
        body, options, buffers = b"", b"", []
        seen = {}
        for ident, pos, length in self.options(first):
            if 16 <= ident <= 21:
                seen[ident] = self.get("Q", pos)
            elif ident == BUFFER:
                buffers.append(pos)
            elif ident != 0x7c02:  # where a recorder's temporary files are
                if ident == CPUCOUNT:
                    self.cpus = self.get("I", pos)
                options += self.put("HI", ident, length) + self.data[pos:pos + length]
        for ident, section in sorted(seen.items()):
            size = 16 + self.get("Q", section + 8)
            options += self.put("HIQ", ident, 8, len(head) + 8 + len(body))
            body += self.data[section:section + size]
        options += self.put("HIQ", 0, 8, 0)
        self.metadata = (head + self.put("Q", len(head) + 8 + len(body)) + body +
                         self.put("HHiQ", 0, 0, -1, len(options)) + options)
        self.read_buffer(buffers[0])

    def read_buffer(self, pos):
        section = self.get("Q", pos)
        packed = self.get("H", section + 2) & 1
        _, pos = self.strz(pos + 8)
        _, pos = self.strz(pos)
        self.page_size, count = self.get("I", pos), self.get("I", pos + 4)
        for index in range(count):
            cpu, off, size = struct.unpack_from(self.order + "IQQ", self.data, pos + 8 + 20 * index)
            if not packed:
                self.pages[cpu] = self.data[off:off + size]
                continue
            out, chunks, off = [], self.get("I", off), off + 4
            for _ in range(chunks):
                zsize, usize = self.get("I", off), self.get("I", off + 4)
                assert self.codec == b"zstd", self.codec
                out.append(zstd_expand(self.data[off + 8:off + 8 + zsize], usize))
                off += 8 + zsize
            self.pages[cpu] = b"".join(out)
        self.cpus = max([self.cpus] + [cpu + 1 for cpu in self.pages])

    # version 6

    def skip_sized(self, at, kind):
        return at + struct.calcsize("<" + kind) + self.get(kind, at)

    def read_v6(self):
        at = self.skip_sized(self.at + 12, "Q")
        at = self.skip_sized(at + 13, "Q")
        count, at = self.get("I", at), at + 4
        for _ in range(count):
            at = self.skip_sized(at, "Q")
        systems, at = self.get("I", at), at + 4
        for _ in range(systems):
            _, at = self.strz(at)
            count, at = self.get("I", at), at + 4
            for _ in range(count):
                at = self.skip_sized(at, "Q")
        at = self.skip_sized(at, "I")
        at = self.skip_sized(at, "I")
        self.metadata_v1_nameless = self.data[:at]
        at = self.skip_sized(at, "Q")
        self.metadata_v1 = self.data[:at]
        self.cpus, at = self.get("I", at), at + 4
        if self.data[at:at + 10] == b"options  \0":
            at += 10
            while self.get("H", at):
                at += 6 + self.get("I", at + 2)
            at += 2
        self.metadata = self.data[:at]
        assert self.data[at:at + 10] == b"flyrecord\0"
        for cpu in range(self.cpus):
            off, size = struct.unpack_from(self.order + "QQ", self.data, at + 10 + 16 * cpu)
            if size:
                self.pages[cpu] = self.data[off:off + size]


class Captured:
    """what "listen" has written"""

    def __init__(self, path):
        with open(path + ".init") as file:
            self.cpus, self.page_size = (int(n) for n in file.read().split())
        with open(path + ".meta", "rb") as file:
            self.metadata = self.metadata_v1 = file.read()
        self.pages = {}
        for cpu in range(self.cpus):
            with open("%s.cpu%d" % (path, cpu), "rb") as file:
                self.pages[cpu] = file.read()


class Wire:
    """a connection, with exact reads"""

    def __init__(self, sock):
        self.sock = sock
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, size):
        out = b""
        while len(out) < size:
            part = self.sock.recv(size - len(out))
            if not part:
                raise EOFError("the other side closed after %d of %d bytes" % (len(out), size))
            out += part
        return out

    def strz(self):
        out = b""
        while not out.endswith(b"\0"):
            out += self.read(1)
        return out[:-1]

    def message(self):
        size, command, fixed = struct.unpack(">III", self.read(12))
        rest = self.read(size - 12)
        return command, rest[:fixed], rest[fixed:]

    def say(self, command, fixed=b"", rest=b""):
        self.sock.sendall(struct.pack(">III", 12 + len(fixed) + len(rest), command, len(fixed)) +
                          fixed + rest)


class Stop(Exception):
    """the sender was to end here"""


def connect(port):
    wire = Wire(socket.create_connection((os.environ.get("PEER_HOST", "127.0.0.1"), port), timeout=30))
    assert wire.read(8) == b"tracecmd", "no greeting"
    return wire


def send_torn(rec, ports, args):
    """the beginning of the first sub-buffer, without the metadata that it needs"""
    if args.torn:
        with socket.create_connection(("127.0.0.1", ports[0]), timeout=30) as sock:
            sock.sendall(rec.pages[0][:args.torn])


def begin_v3(wire, rec, args):
    if args.old_first:
        wire.sock.sendall(b"-1V2\0")
        assert wire.strz() == b"V3"
    wire.sock.sendall(b"-1V3\0")
    assert wire.strz() == b"V3"
    wire.sock.sendall(b"766679\0\0")
    assert wire.read(2) == b"OK"
    names = [] if args.udp else [b"tcp\0"]
    wire.say(TINIT, struct.pack(">III", rec.cpus, rec.page_size, len(names)), b"".join(names))
    command, fixed, rest = wire.message()
    assert command == RINIT, command
    assert struct.unpack(">I", fixed)[0] == rec.cpus
    names = rest.split(b"\0")
    args.confirmed = b"confirms" in names[rec.cpus:]
    ports = [int(p) for p in names[:rec.cpus]]
    cut = len(rec.metadata) if args.cut is None else args.cut
    for at in range(0, cut, args.piece):
        wire.say(SEND_DATA, b"", rec.metadata[at:min(at + args.piece, cut)])
    if args.cut is not None:
        send_torn(rec, ports, args)
        raise Stop()
    wire.say(FIN_DATA)
    return ports


def begin_v1(wire, rec, args):
    wire.sock.sendall(b"%d\0%d\0" % (rec.cpus, rec.page_size))
    wire.sock.sendall(b"0\0" if args.udp else b"1\0004\0TCP\0")
    ports = [int(p) for p in wire.strz().split(b",")]
    assert len(ports) == rec.cpus
    metadata = rec.metadata_v1_nameless if args.nameless else rec.metadata_v1
    print("metadata %d" % len(metadata), flush=True)
    wire.sock.sendall(metadata if args.cut is None else metadata[:args.cut])
    if args.cut is not None:
        raise Stop()
    return ports


def connect_reader(host, port, kind):
    """readers of trace-cmd listen are processes, which may begin to listen after the port was named"""
    for attempt in range(500):
        sock = socket.socket(socket.AF_INET, kind)
        try:
            sock.connect((host, port))
            return sock
        except ConnectionRefusedError:
            sock.close()
            if attempt == 499:
                raise
            time.sleep(0.02)
    return None


def send_pages(rec, ports, args):
    """each CPU's pages over its own socket; interleaved as CPUs are"""
    host = os.environ.get("PEER_HOST", "127.0.0.1")
    kind = socket.SOCK_DGRAM if args.udp else socket.SOCK_STREAM
    socks = []
    for port in ports:
        socks.append(connect_reader(host, port, kind))
    step = rec.page_size
    if args.repeat > 1:
        rec.pages = {cpu: pages * args.repeat for cpu, pages in rec.pages.items()}
    most = max((len(p) for p in rec.pages.values()), default=0)
    for at in range(0, most, step):
        for cpu, sock in enumerate(socks):
            page = rec.pages.get(cpu, b"")[at:at + step]
            if not page:
                continue
            sock.sendall(page[:args.torn] if args.torn and at + step >= most else page)
        if args.pause:
            time.sleep(args.pause)
        if args.pages is not None and at // step + 1 >= args.pages:
            break
    return socks


def drained(ports):
    """the receiver has taken all datagrams from these ports; proc_net(5): the queue of /proc/net/udp"""
    for _ in range(1200):
        rows = []
        for name in "/proc/net/udp", "/proc/net/udp6":
            if os.path.exists(name):
                with open(name) as f:
                    rows += [line.split() for line in f.readlines()[1:]]
        if not any(int(row[1].split(":")[1], 16) in ports and int(row[4].split(":")[1], 16) for row in rows):
            return
        time.sleep(0.05)


def send(args):
    rec = Captured(args.file) if args.captured else Recording(args.file)
    wire = connect(args.port)
    print("port %d" % wire.sock.getsockname()[1], flush=True)
    begun = time.monotonic()
    try:
        ports = begin_v1(wire, rec, args) if args.v1 else begin_v3(wire, rec, args)
        if args.stop:
            os.kill(args.stop, signal.SIGSTOP)
        socks = send_pages(rec, ports, args)
        if args.stop:
            os.kill(args.stop, signal.SIGCONT)
            drained(ports)
            for cpu, sock in enumerate(socks):
                for at in range(0, len(rec.pages[cpu]) // args.repeat, rec.page_size):
                    sock.sendall(rec.pages[cpu][at:at + rec.page_size])
    except Stop:
        return 0
    if args.die:
        os._exit(0)
    for sock in socks:
        sock.close()
    begun = time.monotonic()
    if not args.v1:
        wire.say(CLOSE)
    if not args.v1 and args.confirmed:
        command, _, _ = wire.message()
        assert command == CLOSE_RESP, command
    wire.sock.close()
    print("ended in %.3f s" % (time.monotonic() - begun))
    return 0


def serve(port_file):
    server = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w") as file:
        file.write("%d\n" % server.getsockname()[1])
    os.rename(port_file + ".new", port_file)
    server.settimeout(60)
    return server


def forward(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def old(args):
    """as trace-cmd listen before 2.6: it takes "-1V3" for a number of CPUs, and closes"""
    server = serve(args.port_file)
    wire = Wire(server.accept()[0])
    wire.sock.sendall(b"tracecmd")
    assert wire.strz() == b"-1V3"
    wire.sock.close()
    client = server.accept()[0]
    listener = socket.create_connection(("127.0.0.1", args.port))
    thread = threading.Thread(target=forward, args=(listener, client))
    thread.start()
    forward(client, listener)
    thread.join()
    return 0


def listen(args):
    """as trace-cmd listen, with all that arrives kept apart"""
    server = serve(args.port_file)
    wire = Wire(server.accept()[0])
    wire.sock.settimeout(60)
    wire.sock.sendall(b"no tracecmd" if args.greeting else b"tracecmd")
    assert wire.strz() == b"-1V3"
    wire.sock.sendall(b"V3\0")
    assert wire.read(8) == b"766679\0\0"
    wire.sock.sendall(b"OK")
    command, fixed, rest = wire.message()
    assert command == TINIT
    cpus, page_size, options = struct.unpack(">III", fixed)
    assert rest == b"tcp\0" and options == 1, rest
    with open(args.file + ".init", "w") as out:
        out.write("%d %d\n" % (cpus, page_size))
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(cpus)]
    names = b"".join(b"%d\0" % s.getsockname()[1] for s in servers)
    wire.say(RINIT, struct.pack(">I", cpus), names + (b"confirms\0" if args.confirm else b""))
    return collect(args, wire, servers, page_size)


def collect(args, wire, servers, page_size):
    pids = []
    for cpu, server in enumerate(servers):
        pid = os.fork()
        if not pid:
            total = 0
            conn = server.accept()[0]
            with open("%s.cpu%d" % (args.file, cpu), "wb") as out:
                while data := conn.recv(65536):
                    out.write(data)
                    total += len(data)
                    if args.die_after is not None and total >= args.die_after:
                        os._exit(0)
            os._exit(0 if total % page_size == 0 else 1)
        pids.append(pid)
        server.close()
    with open(args.file + ".meta", "wb") as out:
        while (message := wire.message())[0] == SEND_DATA:
            assert not message[1] and 0 < len(message[2]) <= MAX_DATA
            out.write(message[2])
    assert message[0] == FIN_DATA, message
    if not args.confirm and not args.theirs:  # as trace-cmd, which answers what it does not expect
        assert wire.message()[0] == FIN_DATA
        wire.say(NOT_SUPP)
    assert wire.message()[0] == CLOSE
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0, "a CPU's data are not whole sub-buffers"
    if args.confirm:
        wire.say(CLOSE_RESP)
    assert wire.sock.recv(1) == b""
    return 0


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(required=True)
    sub = verbs.add_parser("send")
    sub.add_argument("file")
    sub.add_argument("port", type=int)
    sub.add_argument("--captured", action="store_true", help="FILE is of listen")
    sub.add_argument("--v1", action="store_true")
    sub.add_argument("--nameless", action="store_true", help="version 1 as of trace-cmd 3: no task names")
    sub.add_argument("--udp", action="store_true")
    sub.add_argument("--old-first", action="store_true", help="ask for version 2 first")
    sub.add_argument("--piece", type=int, default=MAX_DATA, help="bytes of metadata in a message")
    sub.add_argument("--cut", type=int, help="end after so many bytes of metadata")
    sub.add_argument("--pages", type=int, help="send so many of each CPU")
    sub.add_argument("--repeat", type=int, default=1, help="send the data so many times")
    sub.add_argument("--stop", type=int, help="stop this process while data are sent")
    sub.add_argument("--torn", type=int, help="send so many bytes of the last sub-buffer")
    sub.add_argument("--pause", type=float, default=0)
    sub.add_argument("--die", action="store_true", help="end without CLOSE")
    sub.set_defaults(run=send)
    sub = verbs.add_parser("listen")
    sub.add_argument("file")
    sub.add_argument("port_file")
    sub.add_argument("--confirm", action="store_true", help="answer CLOSE, as tc-listen")
    sub.add_argument("--theirs", action="store_true", help="the sender is trace-cmd")
    sub.add_argument("--greeting", action="store_true", help="greet wrongly")
    sub.add_argument("--die-after", type=int, help="a CPU's reader ends after so many bytes")
    sub.set_defaults(run=listen)
    sub = verbs.add_parser("old")
    sub.add_argument("port", type=int)
    sub.add_argument("port_file")
    sub.set_defaults(run=old)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
