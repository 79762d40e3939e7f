#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of the manual pages run on this kernel, as they are typed. tests/live/t-probe-examples.sh
# has those of tc-probe(1), t-examples-top.sh those that use names which anybody may have. In a guest, which is
# slow, only those that need kprobes, tracers or snapshots.
#
# needs: root tracefs uprobes
# area: tools
# also: vm

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
if guest; then
	# vm/t-function.sh has "tc-record -p function_graph -g vfs_read", which takes half a minute there
	page_examples "$TC_SRCDIR/Documentation/tc-record.1.adoc" 'kprobe:|funcgraph-retval|-R '
	page_examples "$TC_SRCDIR/Documentation/tc-session.1.adoc" 'snapshot|^tc-session reset$'
	page_examples "$TC_SRCDIR/Documentation/tc-list.1.adoc" 'proto|=kprobes,hist'
	nothing_of_mine "after the examples"
	finish
fi
page_process
for page in tc-record.1 tc-fleet.1 tc-stat.1 tc-trace.1 tc-top.1 tc-list.1 tc-listen.1 trace.dat.5 tracecraft-plugins.7; do
	page_examples "$TC_SRCDIR/Documentation/$page.adoc" . ' -B disk '
done
tc-record -q -e raw_syscalls -F -c -- ls >/dev/null
page_tables "$TC_SRCDIR/Documentation/tc-trace.1.adoc"
page_end_process
nothing_of_mine "after the examples"
finish
