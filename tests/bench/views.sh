#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Speed and memory of the views of tc-report, each beside the usual way to the same answer, in one run.
#
# Recorded here (needs root), under the same load and for the same time: system calls, scheduling,
# interrupts and timers; the same system calls with stacks; and with perf, if there is one, scheduling
# and stacks. A view that this tc-report does not have is left out.
#
#   TC_BENCH_RUNS     5; alternating runs of each program, of which medians are printed
#   TC_BENCH_EVENTS   3000000; events that the first recording is to have; the second has a tenth
#
# A row has the seconds and peak memory of the view, its records per second, the seconds of the other
# way, and the ratio of the times per record: other / view, the median over the rounds. "text" as the
# other way is only trace-cmd report: where one would have to begin.

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
wanted=${TC_BENCH_EVENTS:-3000000}

command -v trace-cmd >/dev/null || { say "bench: trace-cmd is not installed"; exit 77; }
[ "$(id -u)" = 0 ] || { say "bench: recording needs root"; exit 77; }

# record FILE EVENTS OPTION...: sets $seconds
record() {
	record_file=$1
	record_events=$2
	shift 2
	under_load "$build/tc-record" -b 64M -o "$record_file" --max-events "$record_events" \
		--duration 320 "$@" 2>"$dir/said" || cat "$dir/said"
	seconds=$(sed -n 's/^tc-record: .* events in \([0-9.]*\) s, .*/\1/p' "$dir/said")
}

calls=$dir/calls.dat
stacks=$dir/stacks.dat
perf=
record "$calls" "$wanted" -e sched -e raw_syscalls -e irq -e timer
if command -v perf >/dev/null &&
	under_load perf sched record -o "$dir/sched.data" -- sleep "$seconds" >/dev/null 2>&1; then
	perf=yes
fi
record "$stacks" $((wanted / 10)) -e raw_syscalls:sys_enter -T -O userstacktrace
[ -z "$perf" ] || under_load perf record -q -a -g -e raw_syscalls:sys_enter -o "$dir/stacks.data" -- \
	sleep "$seconds" >/dev/null 2>&1 || perf=

# perf_count FILE: samples in it
perf_count() {
	perf script -i "$1" -F event 2>/dev/null | grep -c .
}

# Scripts as people write them
cat >"$dir/count.awk" <<'EOS'
{ sub(/-[0-9]+$/, "", $1); n[$1 " " $5]++ }
END { for (k in n) print n[k], k }
EOS
cat >"$dir/syscalls.awk" <<'EOS'
{ t = $4; sub(/:$/, "", t) }
/ sys_enter: / { begin[$1] = t; id[$1] = $7 }
/ sys_exit: / && ($1 in begin) {
	n[id[$1]]++; sum[id[$1]] += t - begin[$1]; if ($0 ~ / = -/) bad[id[$1]]++; delete begin[$1] }
END { for (k in n) print sum[k], n[k], bad[k] + 0, k }
EOS
cat >"$dir/wakeups.awk" <<'EOS'
/ sched_waking: / { n[$1 " " $6]++ }
END { for (k in n) print n[k], k }
EOS
cat >"$dir/latency.awk" <<'EOS'
{ t = $4; sub(/:$/, "", t) }
/ sys_enter: / { begin[$1] = t }
/ sys_exit: / && ($1 in begin) { print int((t - begin[$1]) * 1e6) | "sort -n >/dev/null"; delete begin[$1] }
EOS
# stackcollapse-perf's job, without its options
cat >"$dir/fold.awk" <<'EOS'
/^[^ \t]/ { comm = $1; stack = ""; next }
/^[ \t]/ { f = $2; sub(/\+0x.*/, "", f); stack = ";" f stack; next }
!NF && comm != "" { n[comm stack]++; comm = "" }
END { for (k in n) print k, n[k] }
EOS

# has OPTION: tc-report has it, without a letter: -l is another --latency
has() {
	"$build/tc-report" --dump-options | grep -q -e "^-	--$1	"
}

# view NAME FILE "ARGUMENTS" PEER-NAME PEER-RECORDS PEER-COMMAND: a row of the table $dir/rows
view() {
	if has "${1%%=*}"; then
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$dir/rows"
	else
		say "# --$1: not in this tc-report"
	fi
}

n_calls=$(count "$calls")
n_stacks=$(count "$stacks")
text="trace-cmd report -i $calls 2>/dev/null"
: >"$dir/rows"
view count-by "$calls" "--count-by=comm,event" awk "$n_calls" "$text | awk -f $dir/count.awk"
view syscalls "$calls" "--syscalls" awk "$n_calls" "$text | awk -f $dir/syscalls.awk"
view wakeups "$calls" "--wakeups" awk "$n_calls" "$text | awk -f $dir/wakeups.awk"
view latency "$calls" "--latency" awk "$n_calls" "$text | awk -f $dir/latency.awk"
if [ -n "$perf" ]; then
	view profile "$calls" "--profile" "perf timehist" "$(perf_count "$dir/sched.data")" \
		"perf sched timehist -s -i $dir/sched.data"
	n_perf=$(perf_count "$dir/stacks.data")
	fold="perf script -i $dir/stacks.data 2>/dev/null | awk -f $dir/fold.awk"
	fold_name="perf | fold"
else
	view profile "$calls" "--profile" text "$n_calls" "$text"
	n_perf=$n_stacks
	fold="trace-cmd report -i $stacks 2>/dev/null"
	fold_name=text
fi
view folded "$stacks" "--folded=$dir/out" "$fold_name" "$n_perf" "$fold"
view flame=svg "$stacks" "--flame=$dir/out.svg" "$fold_name" "$n_perf" "$fold"
view flame=html "$stacks" "--flame=$dir/out.html" "$fold_name" "$n_perf" "$fold"
view perf-script "$stacks" "--perf-script=$dir/out" "$fold_name" "$n_perf" "$fold"
view speedscope "$stacks" "--speedscope=$dir/out" "$fold_name" "$n_perf" "$fold"
view heatmap "$calls" "--heatmap=$dir/out.svg" text "$n_calls" "$text"
view html "$calls" "--html=$dir/out.html" text "$n_calls" "$text"
view perfetto "$calls" "--perfetto=$dir/out" text "$n_calls" "$text"
view chrome "$calls" "--chrome=$dir/out" text "$n_calls" "$text"

tab=$(printf '\t')
round=0
while [ $round -lt "$runs" ]; do
	round=$((round + 1))
	while IFS=$tab read -r name file args _ _ other; do
		# shellcheck disable=SC2086 # words
		measure "$name" "$build/tc-report" -q -j 1 -i "$file" $args ||
			{ say "# --$name fails: tc-report -i $file $args"; continue; }
		measure "other-$name" sh -c "$other"
	done <"$dir/rows"
done
say_machine
say "recordings: $n_calls records without stacks, $n_stacks with stacks"
say "view            wall      M records/s      peak   other            wall    per record: other / view"
while IFS=$tab read -r name file _ other n_other _; do
	[ -s "$dir/$name" ] || continue
	n=$n_calls
	[ "$file" = "$calls" ] || n=$n_stacks
	awk -v name="$name" -v wall="$(median "$name" 1)" -v peak="$(median "$name" 3)" -v n="$n" \
		-v other="$other" -v owall="$(median "other-$name" 1)" -v no="$n_other" \
		-v ratio="$(paired "other-$name" "$name" 1)" 'BEGIN {
		printf "%-12s %6.2f s  %10.2f  %8.1f MiB   %-13s %6.2f s  %8.1f\n", name, wall, n / wall / 1e6,
			peak / 1024, other, owall, ratio * n / no }'
done <"$dir/rows"
