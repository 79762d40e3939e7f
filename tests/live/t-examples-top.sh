#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples of manual pages that use the default session, or instances named disk and net, as they are
# typed. t-examples.sh runs the others.
#
# needs: root tracefs exclusive
# area: session

# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/lib/page_examples.sh
. "$TC_SRCDIR/tests/lib/page_examples.sh"

page_until() {
	wait_for "$@"
}

for name in tc-session disk net; do
	[ ! -e "$tracefs/instances/$name" ] || skip_all "somebody has an instance '$name'"
done
PATH=$(cd "$TC_BUILDDIR" && pwd):$PATH
# shellcheck disable=SC2317 # the trap calls it
examples_clean() {
	page_end_process
	tc-session reset -q 2>/dev/null
	tap_clean
}
trap examples_clean EXIT

page_stand_ins
page_process
page_examples "$TC_SRCDIR/Documentation/tc-session.1.adoc"
page_examples "$TC_SRCDIR/Documentation/tc-record.1.adoc" ' -B disk |^tc-record .*-- sleep 1$'
page_end_process
nothing_of_mine "after the examples"
finish
