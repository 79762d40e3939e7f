#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings that no kernel writes, in every view: each ends soon and in bounded memory, and no name of the
# recording becomes markup, script, a terminal's command or another row of what is written.
#
# area: gate report

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
memory='--latency;--latency --by-task;--syscalls;--heatmap out.html;--folded=out.lines --off-cpu=all;--chrome out.json;--wakeups;--syscalls --by-task;--profile'

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

each() {
	IFS=';'
	# shellcheck disable=SC2086
	set -- "$1" $2
	unset IFS
	case=$1
	shift
	for view; do
		run_view "$case" "$view"
		ended "$case: $view ends" $?
		python3 "$check" "$case" out.* >checked 2>&1
		is "$case: $view is inert" "$?-$(head -n 3 checked)" 0-
	done
}

tasks=100000
[ -z "${hostile_shadow:-}" ] || tasks=10000

for size in names:1 tasks:$tasks backwards:10000 nesting:50000 ends:20000 stacks:2000 losses:10000 overflow:1; do
	case=${size%:*}
	python3 "$make" "$case" "$case.dat" "${size#*:}"
	each "$case" "$tables;$texts;$files"
done

# A call that ends before it began takes no time: half of 10,000 calls, the others 200 ns each
"$TC_BUILDDIR/tc-trace" -c -i backwards.dat >lines 2>&1
is "backwards: tc-trace -c" "$(awk '$NF == "syscall_0" { print $2, $4 }' lines)" "0.001000 10000"
"$TC_BUILDDIR/tc-trace" -T -i backwards.dat >lines 2>&1
is "backwards: tc-trace -T" "$(grep -c '<0.000000>$' lines)" 10000
"$TC_BUILDDIR/tc-top" --batch -d 24h -k syscall -i backwards.dat >lines 2>&1
is "backwards: tc-top" "$(awk '$4 == "100.0%" { print $3, $5, $8 }' lines)" "10000 1.000ms 200ns"

# small MANY LIMIT VIEWS: as many tasks, each with a row of its own, in so many MiB
small() {
	python3 "$make" tasks many.dat "$1"
	limit=$2
	IFS=';'
	# shellcheck disable=SC2086
	set -- $3
	unset IFS
	for view; do
		rm -f out.* peak
		# shellcheck disable=SC2086 # options
		bounded python3 "$TC_SRCDIR/tests/tools/peak_memory.py" peak "$report" --no-pager $view many.dat
		ended "many tasks: $view ends" $?
		used=$(($(cat peak) / 1024))
		if [ "$used" -lt "$limit" ]; then
			pass "many tasks: $view needs less than $limit MiB"
		else
			fail "many tasks: $view needs less than $limit MiB" "it takes $used"
		fi
	done
	rm -f many.dat out.*
}

# A quarter of a million in a quarter of 256 MiB, and what any report needs. A sanitizer has memory of its own for each byte.
[ -n "${hostile_shadow:-}" ] || small 250000 68 "$memory"
# A page has a million slices and a part of each of its columns in memory, however few the tasks are
[ -n "${hostile_shadow:-}" ] || small 250000 88 '--html out.html'

# JSON of a hostile recording is JSON.
for view in '--latency' '--profile' '--syscalls' '--wakeups' '--flat'; do
	run_view names "$view --json"
	python3 -c 'import json, sys
for line in open("out", "rb"): json.loads(line)' 2>checked
	is "names: $view --json is JSON" "$?-$(tail -n 1 checked)" 0-
done

finish
