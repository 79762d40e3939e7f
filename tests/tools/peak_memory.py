#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""peak_memory.py FILE COMMAND... - run a command, and write the most memory that it had, in KiB, to FILE

That is the resident set (ru_maxrss), so memory that is only reserved does not count. Exits as the command does.
"""
import os
import sys


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
    _, status, usage = os.wait4(pid, 0)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        print(usage.ru_maxrss, file=out)
    raise SystemExit(os.waitstatus_to_exitcode(status) & 255)


if __name__ == "__main__":
    main()
