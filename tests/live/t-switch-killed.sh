#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 while it switches files, before each call that changes one: what has a final name is whole, and everything
# that was written is in exactly one file after --recover.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v strace >/dev/null || skip_all "strace is not installed"
file=$TC_BUILDDIR/tc-file
changes=linkat,rename,renameat,renameat2,unlink,unlinkat,ftruncate,fallocate,pwrite64,copy_file_range
mark=$PWD/mark-$$
cp /bin/true "$mark"

# mark_each_cpu: an event on each CPU that can be had; *marks: how many
mark_each_cpu() {
	marks=0
	for dir in "$tracefs/per_cpu/"cpu*; do
		if taskset -c "${dir##*cpu}" "$mark" 2>/dev/null; then
			marks=$((marks + 1))
		fi
	done
}

# written DIR: the data of so many CPUs are in the temporary files as there are marks
# shellcheck disable=SC2317 # wait_for calls it
written() {
	[ "$(find "$1" -name 't.dat.cpu*' -size +0 | wc -l)" -ge "$marks" ]
}

# switched DIR: a file has a final name
# shellcheck disable=SC2317 # wait_for calls it
switched() {
	final_names "$1" | grep -q .
}

# final_names DIR: files that look complete
final_names() {
	find "$1" -name 't.dat.2*' ! -name '*.cpu*'
}

marks_in() {
	"$report" -i "$1" 2>/dev/null | grep -c "filename=$mark "
}

# switch_and_kill DIR NTH: 0 when it was killed before the change, 1 when it made fewer
switch_and_kill() {
	mkdir "$1"
	"$record" -q -e sched_process_exec -f "filename == \"$mark\"" --switch-output -o "$1/t.dat" 2>"$1/err" &
	pid=$!
	wait_for $pid recording $pid || fail "$1: recording begins" "$(cat "$1/err")"
	mark_each_cpu
	wait_for $pid written "$1" || fail "$1: data are written" "$(ls -l "$1")"
	strace -p $pid -o "$1/calls" -e "trace=$changes" -e "inject=$changes:signal=KILL:when=$2" 2>"$1/strace" &
	tracer=$!
	wait_for $tracer grep -q attached "$1/strace" || fail "$1: strace attaches" "$(cat "$1/strace")"
	kill -USR2 $pid
	# or is killed
	wait_for $pid switched "$1"
	kill -INT $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	wait $tracer 2>/dev/null
	[ $status -eq 137 ]
}

# check_files DIR: print what is wrong
check_files() {
	sum=0
	for f in $(final_names "$1"); do
		[ -z "$(find "$1" -name "${f##*/}.cpu*")" ] || echo "$f has temporary files"
		"$file" check -q "$f" >"$1/checked" 2>&1 || echo "$f is not whole: $(cat "$1/checked")"
		sum=$((sum + $(marks_in "$f")))
	done
	for f in "$1/t.dat" "$1/t.dat.part"; do
		# A file that is just being begun may have neither head nor data.
		[ -e "$f" ] || continue
		"$record" -q --recover "$f" 2>"$1/recovered"
		sum=$((sum + $(marks_in "$f")))
	done
	[ $sum -eq "$marks" ] || echo "$sum of $marks events are left: $(find "$1" -name 't.dat*' | tr '\n' ' ')"
}

nth=1
bad=0
while switch_and_kill "n$nth" $nth; do
	complaint=$(check_files "n$nth")
	if [ -n "$complaint" ]; then
		bad=$((bad + 1))
		fail "killed before change $nth" "$complaint" "$(tail -n 2 "n$nth/calls")"
	fi
	nth=$((nth + 1))
done
is "killed before each of $((nth - 1)) changes" $bad 0
# Links, a name and the old ones, the data, and the final name
between "there are as many as a switch needs" $((nth - 1)) $((2 * marks + 3)) 1000
is "one that is not killed: status" "$status" 0
nothing "one that is not killed: what it writes is whole" "$(check_files "n$nth")"
is "one that is not killed: files" "$(final_names "n$nth" | wc -l)" 2
is "one that is not killed: nothing else is left" "$(find "n$nth" -name 't.dat*' | wc -l)" 2

# A file that a killed recorder has left stays where it is
mkdir kept
cp n1/t.dat kept/t.dat.part
cp n1/t.dat kept/was
"$record" -q -e sched_process_exec -f "filename == \"$mark\"" --switch-output -o kept/t.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
kill -USR2 $pid
wait_for $pid switched kept || fail "it switches" "$(cat err)"
kill -INT $pid
wait $pid
is "beside an unfinished file: status" $? 0
same "beside an unfinished file: it stays" kept/t.dat.part kept/was
is "beside an unfinished file: the new ones have their names" "$(final_names kept | wc -l)" 2
finish
