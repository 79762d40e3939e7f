#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Links that another user has put where root records: no program follows one, what they lead to keeps its text and
# mode, and no file appears in the folder that they lead to. hostile/t-outputs.sh has the programs that need no tracing.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
name=tc-live-outputs-$$
# shellcheck disable=SC2317 # by the trap
cleanup() {
	"$session" reset -q -B "$name" -d 2>/dev/null
	tap_clean
}
trap cleanup EXIT
event=sched:sched_process_exec

# refuses NAME COMMAND...: writes to common/out, a link to a file, and then to common/dir/out
refuses() {
	what=$1
	shift
	rm -rf common target
	mkdir -m 1777 common
	mkdir target
	echo precious >precious
	chmod 600 precious
	ln -s ../precious common/out
	ln -s ../target common/dir
	chown nobody common
	chown -h nobody common/out common/dir
	"$@" >out 2>err </dev/null
	status=$?
	if [ $status = 0 ] || ! grep -q 'there is a symbolic link' err; then
		fail "$what: refused" "status $status" "$(head -n 5 err)"
	else
		is "$what: refused, and nothing has changed" \
			"$(cat precious) $(stat -c %a precious) $(readlink common/out) $(ls target)" \
			"precious 600 ../precious "
	fi
}

for file in common/out common/dir/out; do
	refuses "tc-record --output $file" "$record" -q -e $event -o $file -- true
	refuses "tc-record --switch-output $file" "$record" -q --switch-output=1M -e $event -o $file -- true
	refuses "tc-trace --record $file" "$TC_BUILDDIR/tc-trace" -q --record $file true
	refuses "tc-trace --output $file" "$TC_BUILDDIR/tc-trace" -o $file true
	refuses "tc-top --record $file" "$TC_BUILDDIR/tc-top" --batch -n 1 -d 1 --record $file
	refuses "tc-stat --output $file" "$TC_BUILDDIR/tc-stat" -e $event -o $file true
	refuses "tc-stat --append $file" "$TC_BUILDDIR/tc-stat" -e $event --append -o $file true
	refuses "tc-fleet receive --output $file" "$TC_BUILDDIR/tc-fleet" receive -o $file
done
"$session" start -q -B "$name" -e $event
for file in common/out common/dir/out; do
	refuses "tc-session extract --output $file" "$session" extract -q -B "$name" -o $file
done
refuses "tc-session dump --directory" "$session" dump -q -o common/dir "$name"
"$session" reset -q -B "$name"
nothing_of_mine "outputs"

finish
