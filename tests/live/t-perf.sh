#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A sample of tests/perf: tc-probe's definitions beside perf probe's, and the kernel's verdict on both.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec "$TC_SRCDIR/tests/perf/run.sh" sample
