#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-probe is interrupted while it defines or deletes: all of it is done, or nothing.

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

probe=$TC_BUILDDIR/tc-probe
group=tcsignal$$
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"
events=1000

# One event for each function, so many that it takes a while.
i=0
while [ $i -lt $events ]; do
	echo "__attribute__((noinline)) int place$i(int a) { return a + $i; }"
	echo "-a" >>args
	echo "$group:e$i=place$i" >>args
	i=$((i + 1))
done >many.c
echo 'int main(void) { return 0; }' >>many.c
"$cc" -g -O0 -o many many.c 2>/dev/null || skip_all "$cc does not compile"

# shellcheck disable=SC2317 # the trap calls it
signal_clean() {
	"$probe" -q -d "$group:*" 2>/dev/null
	tap_clean
}
trap signal_clean EXIT

count() {
	grep -c "^p:$group/" "$tracefs/uprobe_events"
}

# shellcheck disable=SC2317 # until_true calls it
counts() {
	case $(count) in
	"$1" | "$2") ;;
	*) return 1 ;;
	esac
}

# interrupted SIGNAL STATUS BEFORE AFTER WHAT ARG...: tc-probe gets SIGNAL sooner or later
interrupted() {
	signal=$1 status=$2 before=$3 after=$4 what=$5
	shift 5
	for delay in 0 0.005 0.01 0.02 0.04 0.08 0.16; do
		"$probe" -q "$@" 2>err &
		pid=$!
		sleep $delay
		kill -s "$signal" "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		got=$?
		# the list is not a snapshot when others change it meanwhile
		until_true 20 counts "$before" "$after"
		left=$(count)
		wanted=$before
		# a signal that comes when all is done ends it, too
		if [ $got -eq 0 ] || [ "$left" = "$after" ]; then
			wanted=$after
		fi
		is "$what, $signal after $delay s, exit status $got: all or nothing" "$left" "$wanted"
		[ $got -eq 0 ] || is "$what: $signal ends it" "$got" "$status"
		[ "$left" != "$after" ] || break
	done
}

none() {
	"$probe" -q -d "$group:*" 2>/dev/null
}

# shellcheck disable=SC2046 # words
interrupted TERM 143 0 $events "-a" -x ./many $(cat args)
none
# shellcheck disable=SC2046
interrupted HUP 129 0 $events "-a" -x ./many $(cat args)
none
# shellcheck disable=SC2046
"$probe" -q -x ./many --plan=many.plan $(cat args) || fail "a plan is written"
interrupted TERM 143 0 $events "--apply" --apply many.plan
none
# shellcheck disable=SC2046
"$probe" -q -x ./many $(cat args) || fail "all are defined"
interrupted TERM 143 $events 0 "-d" -d "$group:*"
finish
