#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings that no kernel writes, in every view: each ends soon and in bounded memory, and no name of the
# recording becomes markup, script, a terminal's command or another row of what is written.
#
# area: gate report
# cost: 12

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
report=$TC_BUILDDIR/tc-report
make=$TC_SRCDIR/tests/tools/make_hostile_events.py
check=$TC_SRCDIR/tests/tools/check_inert.py

# Views that write a table or text, and views that write a file
tables='--latency;--profile;--syscalls;--syscalls --by-task;--wakeups;--flat;--count-by comm,event'
texts='--folded=out.lines;--folded=out.lines --off-cpu=all;--perf-script=out.lines;--stat'
files='--flame out.html;--flame out.svg;--heatmap out.html;--heatmap out.svg;--html out.html;--perfetto out.pftrace;--chrome out.json'
# Views whose memory grows with the tasks
memory='--latency;--latency --by-task;--syscalls;--heatmap out.html;--chrome out.json;--wakeups;--syscalls --by-task;--profile'

# A view ends by itself: 0, or 1 with a message that says why.
ended() {
	case $2 in
	0) pass "$1" ;;
	1) if [ -s err ]; then pass "$1"; else fail "$1" "failed without a message"; fi ;;
	*) fail "$1" "exit status $2" "$(head -n 5 err)" ;;
	esac
}

run_view() {
	rm -f out.*
	# shellcheck disable=SC2086 # options
	bounded "$report" --no-pager $2 "$1.dat"
}

# keep N: what the view wrote, or else what it printed, as N.SUFFIX
keep() {
	for written in out.*; do
		if [ -f "$written" ]; then
			mv "$written" "$1.${written##*.}"
		elif [ -s out ]; then
			mv out "$1.lines"
		fi
	done
}

# inert N DESCRIPTION: what check_inert.py said of N.SUFFIX, if the view could write or print anything
inert() {
	said=$(sed -n "s/^$1\.[a-z]*: //p" checked)
	set -- "$1" "$2" "$1".*
	if [ -e "$3" ]; then
		is "$2" "$said" ok
	else
		pass "$2"
	fi
}

# each CASE VIEWS: all of them, then one look at what they wrote
each() {
	IFS=';'
	# shellcheck disable=SC2086
	set -- "$1" $2
	unset IFS
	case=$1
	shift
	n=100
	for view; do
		n=$((n + 1))
		run_view "$case" "$view"
		ended "$case: $view ends" $?
		keep $n
	done
	python3 "$check" 1[0-9][0-9].* >checked 2>&1
	n=100
	for view; do
		n=$((n + 1))
		inert $n "$case: $view is inert"
	done
	rm -f 1[0-9][0-9].*
}

tasks=100000
# The gate has fewer, and looks at the memory of two views
[ -z "${TC_GATE:-}" ] || tasks=20000 memory='--syscalls --by-task'
[ -z "${hostile_shadow:-}" ] || tasks=10000

set -- names:1 tasks:$tasks backwards:10000 nesting:50000 ends:20000 stacks:2000 losses:10000 overflow:1
runs "recordings that no kernel writes are made" python3 "$make" "$@"
for size; do
	each "${size%:*}" "$tables;$texts;$files"
done

# A call that ends before it began takes no time: half of 10,000 calls, the others 200 ns each
"$TC_BUILDDIR/tc-trace" -c -i backwards.dat >lines 2>&1
is "backwards: tc-trace -c" "$(awk '$NF == "syscall_0" { print $2, $4 }' lines)" "0.001000 10000"
"$TC_BUILDDIR/tc-trace" -T -i backwards.dat >lines 2>&1
is "backwards: tc-trace -T" "$(grep -c '<0.000000>$' lines)" 10000
"$TC_BUILDDIR/tc-top" --batch -d 24h -k syscall -i backwards.dat >lines 2>&1
is "backwards: tc-top" "$(awk '$4 == "100.0%" { print $3, $5, $8 }' lines)" "10000 1.000ms 200ns"

# within NAME LIMIT COMMAND...: it ends, in so many MiB
within() {
	name=$1
	limit=$2
	shift 2
	rm -f out.* peak
	bounded python3 "$TC_SRCDIR/tests/tools/peak_memory.py" peak "$@"
	ended "$name ends" $?
	used=$(($(cat peak) / 1024))
	if [ "$used" -lt "$limit" ]; then
		pass "$name needs less than $limit MiB"
	else
		fail "$name needs less than $limit MiB" "it takes $used"
	fi
}

made=
# small MANY LIMIT VIEWS: as many tasks, each with a row of its own, in so many MiB
small() {
	[ "$made" = "$1" ] || python3 "$make" "tasks:$1"
	made=$1
	in=$2
	IFS=';'
	# shellcheck disable=SC2086
	set -- $3
	unset IFS
	for view; do
		# shellcheck disable=SC2086 # options
		within "many tasks: $view" "$in" "$report" --no-pager $view tasks.dat
	done
}

# A quarter of a million in a quarter of 256 MiB, and what any report needs. A sanitizer has memory of its own for each byte.
[ -n "${hostile_shadow:-}" ] || small 250000 68 "$memory"
# Each task has a frame with its name
[ -n "${hostile_shadow:-}" ] || small 250000 150 '--folded=out.lines --off-cpu=all'
# A page has a million slices and a part of each of its columns in memory, however few the tasks are
[ -n "${hostile_shadow:-}" ] || small 250000 88 '--html out.html'

# 3 MB of options that are 1,000 MiB when they are unpacked, and rows that are longer still: all options of a file have
# 192 MiB together. Then 0.7 MB of functions alone, whose names are made readable besides.
if [ -z "${hostile_shadow:-}" ]; then
	python3 "$make" options:250 functions:250
	within "options: --folded" 256 "$report" --folded=out.lines options.dat
	within "options: tc-trace" 256 "$TC_BUILDDIR/tc-trace" -o out.lines -i options.dat
	within "functions: --folded" 288 "$report" --folded=out.lines functions.dat
fi

# JSON of a hostile recording is JSON.
set -- --latency --profile --syscalls --wakeups --flat
for view; do
	run_view names "$view --json"
	mv out "out$view.jsonl"
done
python3 "$check" out--*.jsonl >checked 2>&1
for view; do
	is "names: $view --json is JSON" "$(sed -n "s/^out$view\.jsonl: //p" checked)" ok
done

finish
