#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of the manual pages run on this kernel, as they are typed. tests/live/t-probe-examples.sh
# has those of tc-probe(1), t-examples-top.sh those that use names which anybody may have;
# tests/vm/t-examples.sh runs what this kernel lacks.
#
# needs: root tracefs uprobes
# area: tools

# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/page_examples.sh
. "$TC_SRCDIR/tests/lib/page_examples.sh"

page_until() {
	wait_for "$@"
}

PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
# shellcheck disable=SC2317 # the trap calls it
examples_clean() {
	page_end_process
	tap_clean
}
trap examples_clean EXIT

page_stand_ins
page_process
for page in tc-record.1 tc-fleet.1 tc-stat.1 tc-trace.1 tc-top.1 tc-list.1 tc-listen.1 trace.dat.5 tracecraft-plugins.7; do
	page_examples "$TC_SRCDIR/Documentation/$page.adoc" . ' -B disk '
done
tc-record -q -e raw_syscalls -F -c -- ls >/dev/null
page_tables "$TC_SRCDIR/Documentation/tc-trace.1.adoc"
page_end_process
nothing_of_mine "after the examples"
finish
