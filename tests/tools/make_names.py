#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_names.py OUT - a library whose names would act on a terminal, end a line, or be formats."""
import os
import subprocess
import sys
import tempfile

SOURCE = """int x;
__attribute__((noinline)) int evilxxx1xx(int argument_one) { return x += argument_one; }
__attribute__((noinline)) int newxline(int a) { return x += 2 * a; }
__attribute__((noinline)) int fmtxpercent(int a) { return x += 3 * a; }
"""
# No compiler takes them: each is put in place of one as long.
NAMES = {
    b"evilxxx1xx": b"ev\x1b[31mxxx",
    b"newxline": b"new\nline",
    b"fmtxpercent": b"%n%s%d%1$sx",
    b"argument_one": b"arg\x1b]0;own\x07x",
    b"file-to-be.c": b"file\x1b[2J--.c",
}


def main():
    with tempfile.TemporaryDirectory() as top:
        with open(os.path.join(top, "file-to-be.c"), "w", encoding="ascii") as f:
            f.write(SOURCE)
        subprocess.run(
            "gcc -g -O2 -shared -fPIC -nostdlib -Wl,--build-id=none -Wl,-z,noseparate-code"
            f" -Wl,-z,max-page-size=64 -fdebug-prefix-map={top}=. -o lib file-to-be.c",
            shell=True, cwd=top, check=True)
        with open(os.path.join(top, "lib"), "rb") as f:
            data = f.read()
    for old, new in NAMES.items():
        assert len(old) == len(new) and old in data
        data = data.replace(old, new)
    with open(sys.argv[1], "wb") as f:
        f.write(data)


main()
