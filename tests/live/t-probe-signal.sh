#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-probe is interrupted while it defines or deletes: all of it is done, or nothing.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"
command -v strace >/dev/null || skip_all "there is no strace"
events=100

# One event for each function
i=0
while [ $i -lt $events ]; do
	echo "__attribute__((noinline)) int place$i(int a) { return a + $i; }"
	echo "-a" >>args
	echo "$group:e$i=place$i" >>args
	i=$((i + 1))
done >many.c
echo 'int main(void) { return 0; }' >>many.c
"$cc" -g -O0 -o many many.c 2>/dev/null || skip_all "$cc does not compile"

# at_call SIGNAL CALL NUMBER ARG...: tc-probe gets SIGNAL as it enters the NUMBER-th CALL
at_call() {
	at_inject=$2:signal=$1:when=$3
	shift 3
	strace -o /dev/null -e trace=write,rt_sigprocmask -e inject="$at_inject" "$probe" -q "$@" \
		2>err
}

# interrupted SIGNAL STATUS BEFORE AFTER WHAT ARG...: there are BEFORE events, and AFTER if all is done
interrupted() {
	signal=$1 status=$2 before=$3 after=$4 what=$5
	shift 5
	for number in 1 2 $((events / 2)) $events; do
		at_call "$signal" write "$number" "$@"
		is "$what, $signal at write $number: nothing is done" "$?-$(defined)" "$status-$before"
	done
	# the first call only asks for the mask; the third lets through what came meanwhile
	at_call "$signal" rt_sigprocmask 1 "$@"
	is "$what, $signal at the beginning: nothing is done" "$?-$(defined)" "$status-$before"
	at_call "$signal" rt_sigprocmask 3 "$@"
	is "$what, $signal when all is done: all is" "$?-$(defined)" "$status-$after"
}

# shellcheck disable=SC2046 # words
interrupted TERM 143 0 $events "-a" -x ./many $(cat args)
forget "-a, TERM"
# shellcheck disable=SC2046
interrupted HUP 129 0 $events "-a" -x ./many $(cat args)
forget "-a, HUP"
# shellcheck disable=SC2046
"$probe" -q -x ./many --plan=many.plan $(cat args) || fail "a plan is written"
interrupted TERM 143 0 $events "--apply" --apply many.plan
forget "--apply"
# shellcheck disable=SC2046
"$probe" -q -x ./many $(cat args) || fail "all are defined"
interrupted TERM 143 $events 0 "-d" -d "$group:*"
nothing_of_mine "interrupted programs"
finish
