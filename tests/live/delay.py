#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""delay.py THERE BACK JITTER COMMAND - a connection that takes its time

Runs COMMAND with the shell; its standard input and output are a TCP connection to this program. Standard input
gets there after THERE ms, COMMAND's output comes back after BACK ms, each plus a random part of JITTER ms. Nothing
overtakes.
"""
import os
import queue
import random
import socket
import subprocess
import sys
import threading
import time


def forward(read, write, delay, jitter, end):
    waiting = queue.Queue(256)

    def take():
        while data := read():
            waiting.put((time.monotonic() + delay + random.random() * jitter, data))
        waiting.put((0, b""))

    threading.Thread(target=take, daemon=True).start()
    while True:
        due, data = waiting.get()
        if not data:
            break
        time.sleep(max(0, due - time.monotonic()))
        while data:
            data = data[write(data):]
    end()


def main():
    there, back, jitter = (float(ms) / 1000 for ms in sys.argv[1:4])
    random.seed(1)
    server = socket.create_server(("127.0.0.1", 0))
    here = socket.create_connection(server.getsockname())
    theirs, _ = server.accept()
    for s in (here, theirs):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    command = subprocess.Popen(["sh", "-c", sys.argv[4]], stdin=theirs, stdout=theirs)
    theirs.close()
    threading.Thread(target=forward, daemon=True, args=(
        lambda: os.read(0, 65536), here.send, there, jitter,
        lambda: here.shutdown(socket.SHUT_WR))).start()
    forward(lambda: here.recv(65536), lambda data: os.write(1, data), back, jitter, lambda: None)
    sys.exit(command.wait())


main()
