#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace --record: the file shows what was shown while it was made, line by line, with the same options,
# files of descriptors and losses included, and is one that tc-report and trace-cmd read.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
helper traced-calls calls
helper open-files
echo text >file
mkdir churn
mkfifo go || exit 1

# again NAME OPTION...: the recording prints the lines of the run before
again() {
	again_name=$1
	shift
	"$trace" -i calls.dat "$@" -o again 2>err
	same "$again_name: the file prints the same" live again
}

# both OPTIONS COMMAND...: a run of the command, and its recording
# shellcheck disable=SC2086 # words
both() {
	options=$1
	shift
	$on_one "$trace" -q $options --record=calls.dat -o live "$@" >/dev/null 2>&1
	"$trace" -q $options -i calls.dat -o again
}

for options in "" "-y" "-yy -Y -f" "-tt -T -r -N" "-ttt -T -Z" "-j -y" "-j -yy -z -e trace=%desc" "-c" "-c -j" \
	"-C -e trace=openat,close" "-q -e trace=close -e signal=CHLD -e sched:sched_process_w*"; do
	both "$options" sh -c './calls; ls | cat; ./open-files steps file; ./calls kill'
	same "${options:-no option}: the file prints the same" live again
done
is "... among them a summary" "$("$trace" -q -c -i calls.dat | tail -n 1 | awk '{ print $NF }')" total

$on_one "$trace" --record=calls.dat -o live sh -c './calls; exit 5' 2>messages
is "the exit status is COMMAND's" $? 5
notices messages | grep -v "no event of this kernel has paths" >err
is "the number of events is printed" "$(sed 's/[0-9][0-9]*/N/' err)" "tc-trace: N events in calls.dat"
is "... and is that of the file" "$(sed 's/[^0-9]//g' err)" \
	"$("$report" --count-by=event --json calls.dat | sed 's/.*"count":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n }')"
is "tc-file dump names what it has" "$("$TC_BUILDDIR/tc-file" dump --options calls.dat |
	grep -c '(tracecraft) SYSTEM CALLS')" 1
is "no temporary files are left" "$(find . -name 'calls.dat.*')" ""
# Calls before COMMAND's exec are in the file, but not shown, as while it was made.
again "COMMAND"
has "... from its exec" again "execve("

# Other programs read it: the lseek(23456, 1234567, SEEK_END)
lseek='(5ba0, 12d687, 2, '
"$report" calls.dat >events
is "tc-report reads it" "$(grep -cF "$lseek" events)" 1
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i calls.dat >theirs 2>err
	is "trace-cmd reads it" $? 0
	is "... and finds the call" "$(grep -cF "$lseek" theirs)" 1
	is "... with all the others, and the names of tasks" \
		"$(awk '/sys_enter:|sys_exit:/ { print $1 }' theirs | sort | uniq -c)" \
		"$(awk '/sys_enter:|sys_exit:/ { print $1 }' events | sort | uniq -c)"
fi

# Processes that run, with threads that were there before
mkfifo churn/go
$on_one ./open-files churn "$PWD/churn" &
pid=$!
$on_one "$trace" -q -j -yy -p "$pid" --record=calls.dat -o live &
tracer=$!
wait_for $tracer traces "tc-trace.$tracer"
exec 4<>churn/go
wait "$pid" "$tracer"
exec 4>&-
"$trace" -q -j -yy -i calls.dat -o again
same "-p of a process with threads: the file prints the same" live again
is "... of which there are several" "$(sed -n 's/.*"pid":\([0-9]*\),"tgid":'"$pid"',.*/\1/p' live | sort -u | wc -l | awk '{ print ($1 > 1) }')" 1

"$trace" -q -j -yy -i calls.dat -p "$pid" -o again
is "... and -p selects them" "$(grep -c '"tgid":'"$pid", again)" "$(grep -c '"tgid":'"$pid", live)"

# Losses are the same losses.
$on_one "$trace" -q --buffer-size 64 -e close --record=calls.dat -o '|read -r now <go; cat >live' \
	sh -c './calls flood; echo now >go' 2>err
has "a slow reader: there is a loss" live "lost ...]"
again "a slow reader" -q -e close

# It ends by a signal, and is killed.
$on_one ./calls loop >ready &
pid=$!
wait_for $pid grep -q ready ready
rm -f live
"$trace" -q -p $pid -e close --record=calls.dat -o live &
tracer=$!
wait_for $tracer grep -q 54321 live
kill -INT $tracer
wait $tracer
is "SIGINT: status" $? 0
again "SIGINT" -q -p $pid -e close
rm -f live calls.dat*
"$trace" -q -p $pid -e close --record=calls.dat -o live &
tracer=$!
wait_for $tracer grep -q 54321 live
# written: what it does once a second
written() {
	[ -n "$(find . -name "calls.dat.cpu*" -size +0)" ]
}
wait_for $tracer written
kill -KILL $tracer
wait $tracer 2>/dev/null
"$record" --recover calls.dat >recovered 2>&1
is "killed: tc-record --recover completes the file" $? 0
"$trace" -q -i calls.dat -p $pid -e close -o again
has "... with calls of all but the last second" again "close(54321)"
kill $pid
wait $pid 2>/dev/null
"$record" -q -e sched_switch -o first.dat -- true 2>/dev/null # cleans up

# Mistakes
"$trace" --record=no/such/dir/calls.dat true 2>err
is "a file that cannot be made: status" $? 1
has "... is named" err "no/such/dir/calls.dat"
"$trace" -i calls.dat --record=other.dat 2>err
is "with -i: status" $? 2
"$trace" -o same.dat --record=same.dat true 2>err
is "the same file as -o: status" $? 2
"$trace" --record=/dev/null true 2>err
is "not a regular file: status" $? 1
nothing_of_mine "afterwards"
finish
