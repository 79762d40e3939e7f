# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for tests in python3."""
import sys

count = failed = 0


def ok(holds, what, *lines):
    global count, failed
    count += 1
    print('ok' if holds else 'not ok', count, '-', what)
    if not holds:
        failed += 1
        for line in lines:
            print('#', line)


def same(got, wanted, what):
    ok(got == wanted, what, f'got:    {got!r}'[:600], f'wanted: {wanted!r}'[:600])


def finish():
    print(f'1..{count}')
    sys.exit(1 if failed else 0)
