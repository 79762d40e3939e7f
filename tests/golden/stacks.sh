#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stacks.sh - --folded and --perf-script beside what stacks.py folds of trace-cmd's texts, and of perf script's form
#
# area: gate report profile

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin stacks xz python3
recordings=$TC_SRCDIR/tests/data/recordings
made=$TC_SRCDIR/tests/data/made

model() {
	python3 "$TC_SRCDIR/tests/golden/stacks.py" "$@"
}

# report OPTION...: of $dat
report() {
	"$TC_BUILDDIR/tc-report" --no-pager -q -i "$dat" "$@"
}

# check NAME WANT GOT: equal, and not empty
check() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" | head -n 10)"
	fi
}

# folds NAME EVENT: beside the text of trace-cmd in $tmp/want, in each form
folds() {
	model text --event "$2" <"$tmp/want" >"$tmp/model"
	report --folded -F "$2" >"$tmp/folded"
	check "$1, $2: as trace-cmd's text folded" "$tmp/model" "$tmp/folded"
	report --perf-script -F "$2" >"$tmp/script"
	model perf <"$tmp/script" >"$tmp/model"
	check "$1, $2: --perf-script folds to the same" "$tmp/folded" "$tmp/model"
	is "$1, $2: a sample begins as perf's default, comm tid" "$(grep -v '^[[:space:]]' "$tmp/script" |
		grep -c '^[^ ].* [0-9]*/[0-9]* *\[')" 0
	for root in pid tid; do
		report --perf-script "--by-$root" -F "$2" >"$tmp/script"
		model perf --plain --root $root <"$tmp/script" >"$tmp/model"
		report --folded "--by-$root" --no-annotate -F "$2" >"$tmp/folded"
		check "$1, $2: --by-$root, without annotations" "$tmp/model" "$tmp/folded"
	done
}

# flat UNIT: what functions weigh in the folded stacks
flat() {
	report --folded --no-annotate --countname=ns >"$tmp/folded"
	report --flat --json >"$tmp/flat"
	n=$(python3 "$TC_SRCDIR/tests/golden/flat.py" "$tmp/folded" "$tmp/flat" "$1" 2>"$tmp/err")
	if [ "${n:-0}" -gt 20 ]; then
		pass "--flat is what functions weigh in the stacks of $base"
	else
		fail "--flat is what functions weigh in the stacks of $base" "$n" "$(tail -n 2 "$tmp/err")"
	fi
}

unpacked "$recordings/x86_64/stack.dat.xz"
lacks_codec "$dat" && skip_all "zstd is not built in"
stored "$base" report || fail "stack: has no text"
folds stack sched_switch
flat samples

# The model leaves out tasks whose calls it cannot match in order.
unpacked "$recordings/x86_64/graph.dat.xz"
stored "$base" raw || fail "graph: has no text"
model graph --root tid <"$tmp/want" >"$tmp/model"
report --folded --by-tid --countname=ns >"$tmp/folded"
awk -F ';' 'NR == FNR { seen[$1] = 1; next } $1 in seen' "$tmp/model" "$tmp/folded" >"$tmp/same"
check "function_graph: each call's own time" "$tmp/model" "$tmp/same"
flat ns
is "... of most tasks" "$(cut -d ';' -f 1 "$tmp/model" | sort -u | wc -l)" 9

unpacked "$made/stacks.dat.xz"
stored "$base" report || fail "stacks: has no text"
for event in sched_switch sched_waking sched_stat_runtime; do
	folds stacks $event
done
model text <"$tmp/want" >"$tmp/model"
report --folded >"$tmp/folded"
check "all events with stacks" "$tmp/model" "$tmp/folded"
flat samples
is "says that several events were added up" \
	"$("$TC_BUILDDIR/tc-report" -i "$dat" --folded 2>&1 >/dev/null | grep -c 'several events')" 1
model text --weight runtime --event sched_stat_runtime <"$tmp/want" >"$tmp/model"
report --folded --weight runtime >"$tmp/folded"
check "--weight: a field's value; events without it are left out" "$tmp/model" "$tmp/folded"
report --folded --weight sched_stat_runtime.runtime >"$tmp/folded"
check "--weight EVENT.FIELD" "$tmp/model" "$tmp/folded"
report --perf-script --weight runtime | model perf >"$tmp/model"
check "--perf-script: the weight is the period" "$tmp/folded" "$tmp/model"
report --folded="$tmp/file" >"$tmp/out"
report --folded >"$tmp/folded"
check "--folded=FILE" "$tmp/folded" "$tmp/file"
is "... and nothing else" "$(cat "$tmp/out")" ""
cp "$dat" "$tmp/other.dat"
"$TC_BUILDDIR/tc-report" --no-pager -q -i "$dat" -i "$tmp/other.dat" --folded >"$tmp/both"
{
	sed "s/^/${dat##*/};/" "$tmp/folded"
	sed "s/^/other.dat;/" "$tmp/folded"
} | sort >"$tmp/want"
check "several recordings: their names come first" "$tmp/want" "$tmp/both"
stored "$base" report
for part in blocked runnable; do
	model off --part $part <"$tmp/want" >"$tmp/model"
	report --folded --off-cpu=$part --countname=ns >"$tmp/$part"
	check "--off-cpu=$part: as the times in trace-cmd's text add up" "$tmp/model" "$tmp/$part"
done
report --folded --off-cpu=all --countname=ns >"$tmp/folded"
sort "$tmp/blocked" "$tmp/runnable" >"$tmp/both"
check "--off-cpu=all is both" "$tmp/both" "$tmp/folded"
# Rounded by less than one unit, and the sum by half of one at most
for unit in us ms; do
	report --folded --off-cpu=all --countname=$unit >"$tmp/rounded"
	[ $unit = ms ] || report --folded --off-cpu=all >"$tmp/rounded"
	ns=1000
	[ $unit = us ] || ns=1000000
	is "--countname=$unit: adds up to the sum, and lines are right" "$(awk -v u=$ns '
		{ n = $NF; sub(/ [0-9]+$/, "") }
		NR == FNR { ns[$0] = n; sum += n; next }
		{ got += n; rounded[$0] = n * u }
		END {
			for (s in rounded) if (!(s in ns)) bad++
			for (s in ns) if (ns[s] - rounded[s] >= u || rounded[s] - ns[s] >= u) bad++
			print bad + 0, int((sum + u / 2) / u) - got
		}' "$tmp/folded" "$tmp/rounded")" "0 0"
done
is "an unknown weight is refused" \
	"$(report --folded --weight nothing 2>&1)" "tc-report: no event has a number 'nothing'"

# The functions that each selection shows
unpacked "$made/nested-stack.dat.xz"
while IFS='|' read -r options want; do
	# shellcheck disable=SC2086 # several
	is "an interrupt before an event's stack: $options" "$(report $options |
		awk '$1 == "=>" { s = s $2 " " } $5 ~ /^ev_/ { s = s $5 " " } END { sub(/ $/, "", s); print s }')" "$want"
done <<-'EOF'
	-F ev_task|ev_task: task_fn
	-F ev_irq|ev_irq: irq_fn
	--select ev_task|ev_task: task_fn
	--until ev_task|ev_task: task_fn
	-I|ev_task: task_fn
	-S|ev_task: ev_irq: irq_fn task_fn
EOF
printf 'prog;irq_fn_[k] 1\nprog;task_fn_[k] 1\n' >"$tmp/want"
report --folded >"$tmp/folded"
check "... --folded" "$tmp/want" "$tmp/folded"
report --perf-script | model perf >"$tmp/folded"
check "... --perf-script" "$tmp/want" "$tmp/folded"

unpacked "$made/user-stack.dat.xz"
"$TC_BUILDDIR/tc-report" --no-pager "$dat" --folded 2>"$tmp/notes" >"$tmp/folded"
is "says why user stacks have no names: as many as the text has" "$(grep 'without names' "$tmp/notes")" \
	"$(report | awk '/user_stack:/ { n++ }
		END { printf "tc-report: %d of %d user stacks have frames without names (no maps of the process: %d)", n, n, n }')"
is "... and how to record them" "$(tail -n 1 "$tmp/notes")" \
	"tc-report: the recording has no maps of programs: tc-record stores them and the names, unless it is killed"
"$TC_BUILDDIR/tc-report" --no-pager "$dat" --flat 2>&1 >/dev/null | grep 'names' >"$tmp/flat"
grep names "$tmp/notes" >"$tmp/want"
check "--flat says the same" "$tmp/want" "$tmp/flat"
"$TC_BUILDDIR/tc-report" --no-pager "$dat" --flame "$tmp/flame.svg" >"$tmp/out" 2>"$tmp/said"
is "--flame as well, and in the picture" "$(grep -c 'without names' "$tmp/said")-$(grep -c 'without names' "$tmp/flame.svg")" 1-1
head -c $(($(wc -c <"$dat") - 4096)) "$dat" >"$tmp/cut.dat"
is "gives no advice if the file is cut" "$("$TC_BUILDDIR/tc-report" --no-pager "$tmp/cut.dat" --folded 2>&1 |
	grep -c 'tc-record stores')" 0
finish
