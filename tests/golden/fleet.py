#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes spools, and is the connection between a spool and tc-fleet.

fleet.py spool STREAM FOLDER   a spool with the records of a stream, by tracecraft-stream(5)
fleet.py connect HOST COMMAND  run COMMAND; the first line of the file "plan" says what happens:
                               "sender N": after N bytes COMMAND is killed, "collector N": tc-fleet
fleet.py stamps STREAM         sequence numbers and types of the records
"""
import os
import signal
import struct
import subprocess
import sys
import zlib

HEADER = struct.Struct("<IIQIIIIQQII")
CONTROL = struct.Struct("=IIIIQQQQQQQQQQ")
HELLO, HEAD = 1, 2


def records(data):
    at = 0
    while at < len(data):
        r = HEADER.unpack_from(data, at)
        assert r[0] == 0x31535354 and zlib.crc32(data[at : at + 52]) == r[10]
        payload = data[at + HEADER.size : at + HEADER.size + r[4]]
        assert len(payload) == r[4] and zlib.crc32(payload) == r[9]
        yield r, data[at : at + HEADER.size + r[4]]
        at += HEADER.size + r[4]


def make_spool(stream, folder):
    os.mkdir(folder, 0o700)
    log, head_end, last = b"", 0, 0
    with open(stream, "rb") as f:
        for r, packet in records(f.read()):
            if r[1] == HELLO:
                continue
            log += packet
            last = r[2]
            if r[1] == HEAD:
                head_end = len(log)
    control = CONTROL.pack(0x74737063, 1, 3, 0, len(log), head_end, last, 0, 0, 0, 0, 0, 0, 1 << 28)
    for name, data in (("log", log), ("control", control), ("lock", b"")):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        os.chmod(os.path.join(folder, name), 0o600)


def connect(command):
    with open("plan", "r+") as f:
        what, n = (f.readline().split() + ["none", "0"])[:2]
        f.seek(0)
        f.truncate()
    left = int(n) if what != "none" else 1 << 60
    sender = subprocess.Popen(["sh", "-c", "exec " + command], stdout=subprocess.PIPE)
    while left:
        data = os.read(sender.stdout.fileno(), min(left, 65536))
        if not data:
            sys.exit(sender.wait())
        os.write(1, data)
        left -= len(data)
    if what == "collector":
        os.kill(os.getppid(), signal.SIGKILL)
    sender.kill()
    sys.exit(255)


def main():
    if sys.argv[1] == "spool":
        make_spool(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "connect":
        connect(sys.argv[3])
    else:
        with open(sys.argv[2], "rb") as f:
            for r, _ in records(f.read()):
                print(r[2], r[1])


main()
