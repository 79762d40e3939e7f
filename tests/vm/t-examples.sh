# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The examples of the manual pages that need kprobes, tracers or snapshots run as they are typed.
# tests/live/t-examples.sh runs the others.

# shellcheck source=guest/lib.sh
. /tests/lib.sh
# shellcheck source=../lib/page_examples.sh
. /tests/page_examples.sh

page_until()
{
	shift
	wait_for 30 "$@"
}

page_stand_ins
# t-function.sh has "tc-record -p function_graph -g vfs_read", which takes half a minute here
page_examples /tests/tc-record.1.adoc 'kprobe:|funcgraph-retval|-R '
page_examples /tests/tc-session.1.adoc 'snapshot|^tc-session reset$'
page_examples /tests/tc-list.1.adoc 'proto|=kprobes,hist'
finish
