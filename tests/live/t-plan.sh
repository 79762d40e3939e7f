#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Control files, error_log and instances of this kernel behave as libtfs assumes; afterwards tracefs is
# as it was. The cases are in plan.c.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all "there is no C compiler"
# shellcheck disable=SC2086 # CC may hold options
$cc -std=gnu11 -D_GNU_SOURCE= -I"$TC_SRCDIR/libtfs" -o plan "$TC_SRCDIR/tests/live/plan.c" \
	"$TC_BUILDDIR/libtfs.a" -pthread 2>err || skip_all "cannot compile: $(head -n 1 err)"

"$TC_SRCDIR/tests/live/state.sh" >before
./plan journal >said 2>err
is "it runs to its end" $? 0
"$TC_SRCDIR/tests/live/state.sh" >after

while IFS= read -r line; do
	case $line in
	'ok '*) pass "${line#ok * - }" ;;
	'not ok '*) fail "${line#not ok * - }" ;;
	'#'*) echo "$line" ;;
	esac
done <said
same "tracefs is as it was" after before
is "no journal is left" "$(find journal -type f)" ""
finish
