#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --folded and --perf-script of recordings of this kernel, beside what tests/golden/stacks.py folds of the
# recordings' texts: stacks of tasks with hostile names, time off the CPU.
#
# needs: root tracefs
# area: profile
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all "no python3"
command -v perl >/dev/null || skip_all "no perl"

# fold WHAT OPTION...: the model
fold() {
	python3 "$TC_SRCDIR/tests/golden/stacks.py" "$@"
}

# Names that would end a frame, a line or a field; a recording holds one for each task
cat >names.pl <<'END'
for my $name ("a;b c", "x 12/3 [0]", "</script>", "_[k] 7", "quote\"'") {
	next if fork;
	$0 = $name;
	select(undef, undef, undef, 0.001) for 1..20;
	exit 0;
}
1 while wait > 0;
END
if ! "$record" -q -b 16M -F -c -o names.dat -e sched:sched_switch -e sched:sched_waking -T \
	perl names.pl 2>err; then
	skip_all "cannot record stacks: $(head -n 1 err)"
fi
report() {
	"$TC_BUILDDIR/tc-report" --no-pager -q -i names.dat "$@"
}

# The text learns names of other tasks as it goes on: only these tasks are compared.
named() {
	grep '^\(a:b_c\|x_12/3_\[0\]\|</script>\|_\[k\]_7\|quote"'"'\)[-;]"
}

report -t >lines
fold text --event sched_switch <lines >folded
named <folded >want
report --folded -F sched_switch | named >got
same "kernel stacks of sched_switch are those of the text" want got
is "each of the names is a task's" \
	"$(cut -d ';' -f 1 got | sort -u | grep -cx 'a:b_c\|x_12/3_\[0\]\|</script>\|_\[k\]_7\|quote"'"'")" 5
report --perf-script -F sched_switch >script
fold perf <script | named >again
same "--perf-script folds to the same" got again
report --folded -F sched_switch --by-tid | named >got
report --perf-script -F sched_switch --by-tid >script
fold perf --root tid <script | named >again
same "... for each task" got again
for part in blocked runnable; do
	fold off --part $part <lines | named >want
	report --folded --off-cpu=$part --countname=ns | named >got
	same "time off the CPU, $part" want got
done

# Samples of a CPU profile: the same stacks, without the interrupt that took them, and the same CPU time. Other
# events that have stacks are not CPU time.
cat >busy.pl <<'END'
my $n = 0;
$n += $_ % 7 for 1..3e6;
system("true") for 1..20;
END
if "$record" -q -o names.dat --profile-cpu=997 -e sched:sched_switch -T perl busy.pl 2>err; then
	for root in '' --by-tid; do
		# shellcheck disable=SC2086 # none or one
		{
			report --folded --countname=ns $root | sed '/;\[not sampled\] /d' | sort >want
			report --perf-script $root >script
		}
		fold perf ${root:+--root "${root#--by-}"} <script | sort >got
		same "a CPU profile's samples ${root:-by name}: stacks and ns" want got
	done
	report --json >json
	is "... as many as were taken, and all are cpu-clock" \
		"$(grep -c '^[^[:space:]].*: *[0-9]* cpu-clock:$' script)-$(grep -c '^[^[:space:]]' script)" \
		"$(python3 -c '
import json
samples = 0
for e in map(json.loads, open("json")):
    if e.get("buffer") == "samples":
        samples += e["event"] == "sched:sched_waking" and e["fields"]["comm"].startswith("tc-samp-")
print("%d-%d" % (samples, samples))')"
	"$TC_BUILDDIR/tc-report" --no-pager -i names.dat --perf-script 2>&1 >/dev/null |
		sed -n 's/.*: \([0-9]* stacks\) are not known to be samples.*/\1/p' >got
	"$TC_BUILDDIR/tc-report" --no-pager -i names.dat --folded 2>&1 >/dev/null |
		sed -n 's/.*: \([0-9]* stacks\) are not known to be samples.*/\1/p' >want
	[ -s want ] && same "... and the rest is counted, as --folded counts it" want got
	# shape: what a reader sees in the line that begins a sample
	shape() {
		sed -n -E 's/^[^[:space:]].* +[0-9]+ \[[0-9]{3}\] +[0-9]+\.[0-9]{6}: +[0-9]{4,} (\S+) ?$/\1/p' "$1" | sort -u
	}
	report --perf-script >script
	# perf aborts without a home for build-ids.
	export HOME="$PWD"
	if perf record -q -B --sample-cpu -e cpu-clock -F 997 -g -o perf.data perl busy.pl >perf.out 2>&1 &&
		perf script -i perf.data >perf.text 2>>perf.out && [ -s perf.text ]; then
		shape perf.text >want
		shape script >got
		same "... as perf script prints its cpu-clock" want got
		is "... and nothing else" "$(grep -c '^[^[:space:]]' script)" "$(grep -c ' cpu-clock:$' script)"
	else
		skip "as perf script prints its cpu-clock" "there is no perf, or it cannot record cpu-clock: $(head -n 1 perf.out)"
	fi
else
	skip "stacks of a CPU profile's samples" "cannot sample: $(head -n 1 err)"
fi
# A program without symbols: all user stacks of its calls, whose number it knows, lack names for the same reason.
cat >ask.c <<'END'
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static void ask(int n)
{
	for (; n; n--)
		syscall(SYS_getppid);
}
int main(void)
{
	ask(50);
	return 0;
}
END
cc=${CC:-cc}
ask() {
	# shellcheck disable=SC2086 # compiler and options
	$cc -O0 -fno-omit-frame-pointer -static $1 -o ask ask.c 2>err &&
		"$record" -q -F -o names.dat -e syscalls:sys_enter_getppid -O userstacktrace ./ask 2>err &&
		"$TC_BUILDDIR/tc-report" --no-pager -i names.dat --folded 2>notes >folded
}
if ask -s; then
	is "says how many stacks have no names, and why" "$(grep 'without names' notes)" \
		"tc-report: 50 of 50 user stacks have frames without names (no symbol: 50)"
	is "... and what to do, once" "$(grep -c 'install their debug symbols' notes)" 1
	ask ''
	is "says nothing if all have names" "$(grep -c 'names' notes)-$(grep -c 'main;syscall 50$' folded)" 0-1
else
	skip "names of stacks" "cannot record user stacks: $(head -n 1 err)"
fi
nothing_of_mine "recordings with stacks"
finish
