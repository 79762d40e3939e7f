#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile.py PORT FILE - clients of a listener that mean no good, one after the other and at once

FILE: a recording of version 7, uncompressed. Prints a line for each group of clients. Their only effect may be
on themselves: the caller checks the listener and its files afterwards. A line says, too, where clients of a
group came no further than the listener's earlier answers, since their attack met nothing then.
"""
import random
import socket
import struct
import sys

import peer

HELLO = b"-1V3\0" b"766679\0\0"
# Answers to a client of version 3, one after the other; after them come messages, the first of them is RINIT
ANSWERS = (b"tracecmd", b"V3\0", b"OK")
V1 = b"2\x004096\x001\x004\x00TCP\x00"


reached = []  # by each client of a group


def tinit(cpus=2, page=4096, options=1, rest=b"tcp\0"):
    return struct.pack(">IIIIII", 24 + len(rest), 1, 12, cpus, page, options) + rest


def message(command, rest=b"", size=None, fixed=0):
    return struct.pack(">III", 12 + len(rest) if size is None else size, command, fixed) + rest


def how_far(answer):
    """how many of ANSWERS are there, and whether RINIT is"""
    for number, part in enumerate(ANSWERS):
        if not answer.startswith(part):
            return number
        answer = answer[len(part):]
    return len(ANSWERS) + (len(answer) >= 8 and struct.unpack_from(">I", answer, 4)[0] == peer.RINIT)


def attack(port, data, linger=False):
    """send these bytes, and look at what comes until the other side closes or a short time is over"""
    answer = b""
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    try:
        sock.sendall(data)
        if linger:
            return sock
        sock.shutdown(socket.SHUT_WR)
        while part := sock.recv(65536):
            answer += part
    except OSError:
        pass
    sock.close()
    reached.append(how_far(answer))
    return None


def sizes(port):
    for size in (0, 1, 11, 13, 8193, 1 << 31, (1 << 32) - 1):
        for command in (1, 3, 4, 0, 99):
            attack(port, HELLO + message(command, size=size))
            attack(port, HELLO + tinit() + message(command, size=size))
    for fixed in (1, 13, 1 << 31, (1 << 32) - 1):
        attack(port, HELLO + message(1, b"x" * 12, fixed=fixed))
        attack(port, HELLO + tinit() + message(3, b"x" * 12, fixed=fixed))


def counts(port):
    for cpus in (0, 4097, 65536, 1 << 31, (1 << 32) - 1):
        attack(port, HELLO + tinit(cpus=cpus))
        attack(port, b"%d\x004096\x000\x00" % cpus)
    for page in (0, 1, 1023, 3000, 4097, 131072, 1 << 31, (1 << 32) - 1):
        attack(port, HELLO + tinit(page=page))
        attack(port, b"2\x00%d\x000\x00" % page)
    for options in (2, 100, (1 << 32) - 1):
        attack(port, HELLO + tinit(options=options))
        attack(port, b"2\x004096\x00%d\x00" % options)
    for size in (-1, 0, 4097, 1 << 31, 1 << 64):
        attack(port, b"2\x004096\x001\x00%d\x00" % size)


def every_byte(port, rec):
    """a client that ends after each byte of a good beginning"""
    whole = HELLO + tinit() + message(3, rec.metadata[:64]) + message(4) + message(0)
    for end in range(len(whole) + 1):
        attack(port, whole[:end])
    for end in range(len(V1) + 8):
        attack(port, (V1 + rec.metadata)[:end])


def garbage(port, count):
    random.seed(1)
    whole = HELLO + tinit() + message(3, b"\x17\x08\x44tracing7\0" + bytes(100)) + message(4)
    for index in range(count):
        if index % 2:
            data = random.randbytes(random.randrange(1, 300))
        else:
            data = bytearray(whole)
            for _ in range(random.randrange(1, 6)):
                data[random.randrange(len(data))] = random.randrange(256)
        attack(port, bytes(data))


def wrong_files(port, rec):
    """metadata that are not a trace file, or describe it wrongly"""
    for data in (b"x" * 200, b"\x17\x08\x44tracing", b"\x17\x08\x44tracing8\0" + bytes(99),
                 b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lz4\0\0" + bytes(99),
                 rec.metadata[:18] + bytes(200),
                 rec.metadata[:30] + b"\xff" * 2000):
        attack(port, HELLO + tinit() + message(3, data) + message(4) + message(0))
    # The chain of options leads back to its beginning.
    first = len(rec.data) and rec.metadata.index(b"none\0\0") + 6
    at = struct.unpack_from("<Q", rec.metadata, first)[0]
    loop = rec.metadata[:-8] + struct.pack("<Q", at)
    parts = [message(3, loop[i:i + 8000]) for i in range(0, len(loop), 8000)]
    attack(port, HELLO + tinit() + b"".join(parts) + message(4) + message(0))


def chains(port, rec):
    """sections of options by the hundred thousand, each of which names the next; several clients at once"""
    first, count = rec.metadata.index(b"none\0\0") + 6 + 8, 200000
    sections = b"".join(struct.pack("<HHiQHIQ", 0, 0, 0, 14, 0, 8, first + 30 * (number + 1))
                        for number in range(count))
    whole = rec.metadata[:first - 8] + struct.pack("<Q", first) + sections
    parts = b"".join(message(3, whole[at:at + 8000]) for at in range(0, len(whole), 8000))
    socks = [attack(port, HELLO + tinit() + parts + message(4) + message(0), linger=True) for _ in range(4)]
    attack(port, HELLO + tinit())
    for sock in socks:
        while sock.recv(65536):
            pass
        sock.close()


def unasked(port):
    """messages that are not for a listener, and answers that nobody reads"""
    attack(port, HELLO + tinit() + message(6, b"x" * 100) * 5000)
    attack(port, HELLO + tinit() + message(2) + message(5) + message(8) + message(0))
    attack(port, b"-1V2\0" * 1000)


def main():
    port = int(sys.argv[1])
    rec = peer.Recording(sys.argv[2])
    silent = [attack(port, HELLO[:n], linger=True) for n in (0, 3, len(HELLO))]
    silent.append(attack(port, HELLO + tinit(), linger=True))
    silent.append(attack(port, HELLO + tinit() + message(3, rec.metadata[:40]), linger=True))
    messages, rinit = len(ANSWERS), len(ANSWERS) + 1
    for name, far, run in (("sizes", rinit, lambda: sizes(port)),
                           ("counts", messages, lambda: counts(port)),
                           ("every byte", rinit, lambda: every_byte(port, rec)),
                           ("garbage", messages, lambda: garbage(port, 1000)),
                           ("wrong files", rinit, lambda: wrong_files(port, rec)),
                           ("chains", rinit, lambda: chains(port, rec)),
                           ("unasked", rinit, lambda: unasked(port))):
        reached.clear()
        run()
        print(name if max(reached) >= far else "%s: only %d of %d answers" % (name, max(reached), far))
    for sock in silent:
        sock.close()


if __name__ == "__main__":
    main()
