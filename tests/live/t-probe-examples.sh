#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of tc-probe(1) as they are typed, on this kernel: the names of their groups are fixed.
#
# needs: root tracefs uprobes exclusive
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/lib/examples.sh
. "$TC_SRCDIR/tests/lib/examples.sh"

[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"

# shellcheck disable=SC2317 # the trap calls it
examples_clean() {
	tc-probe -q -d 'probe_program:*' 2>/dev/null
	tc-probe -q -d 'probe_libc:opened' 2>/dev/null
	tap_clean
}
trap examples_clean EXIT

PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
# shellcheck disable=SC2034 # used by examples.sh
examples_live=1
run_examples "$TC_SRCDIR/Documentation/tc-probe.1.adoc"
is "nothing of theirs is left" "$(grep -cE ':probe_(libc|program)/' "$tracefs/uprobe_events")" 0
finish
