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
	wait_for "$@"
}

page_stand_ins
page_examples /tests/tc-record.1.adoc 'kprobe:|function_graph|-R '
page_examples /tests/tc-session.1.adoc 'snapshot|^tc-session reset$'
page_examples /tests/tc-list.1.adoc 'proto|=kprobes,hist'
finish
