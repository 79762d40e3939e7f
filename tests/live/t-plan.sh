#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Control files, error_log and instances of this kernel behave as libtfs assumes; afterwards nothing is left.
# The cases are in plan.c.
#
# needs: root tracefs
# area: gate record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "there is no C compiler"
# shellcheck disable=SC2086 # CC may hold options
$cc -std=gnu11 -D_GNU_SOURCE= -I"$TC_SRCDIR/libtfs" -o plan.$$ "$TC_SRCDIR/tests/live/plan.c" \
	"$TC_BUILDDIR/libtfs.a" -pthread 2>err || skip_all "cannot compile: $(head -n 1 err)"

"./plan.$$" journal >said 2>err &
pid=$!
wait $pid
is "it runs to its end" $? 0

while IFS= read -r line; do
	case $line in
	'ok '*) pass "${line#ok * - }" ;;
	'not ok '*) fail "${line#not ok * - }" ;;
	'#'*) echo "$line" ;;
	esac
done <said
nothing "no instance is left" "$(find "$tracefs/instances" -maxdepth 1 -name "tc-live.$pid*")"
runs "no probe is left" test ! -e "$tracefs/events/tclive$pid"
nothing_of_mine "afterwards"
is "no journal is left" "$(find journal -type f)" ""
finish
