#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# draw.sh - draw the pictures beside this script (make pictures), from recordings of the tests
#
# TC_BUILDDIR and TC_SRCDIR are the build and the source directory. Look at the pictures before you commit them.

set -eu
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
TC_SRCDIR=$(cd "${TC_SRCDIR:-$(dirname "$0")/../..}" && pwd)
to=${1:-$TC_SRCDIR/Documentation/pictures}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-pictures.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64/stack.dat.xz" >"$tmp/stack.dat"
report() {
	"$TC_BUILDDIR/tc-report" --no-pager -q -i "$tmp/stack.dat" "$@"
}

report --flame="$to/flame.svg" --select sched_switch --title 'tc-report --flame=flame.svg --select sched_switch'
report --flame="$to/off-cpu.svg" --off-cpu --title 'tc-report --flame=off-cpu.svg --off-cpu'
