#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording has the kernel's symbols when something in it is printed with them. Without them it
# is the same to every reader.
#
# needs: root tracefs
# area: record report
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v trace-cmd >/dev/null || skip_all "no trace-cmd to ask what is in a file"
# How many functions trace-cmd finds in FILE
functions() {
	trace-cmd report -f -i "$1" 2>/dev/null | grep -c .
}
# has_symbols NAME FILE
has_symbols() {
	n=$(functions "$2")
	if [ "$n" -ge "$least" ]; then
		pass "$1"
	else
		fail "$1" "$n functions, wanted $least or more"
	fi
}
least=$(($(grep -ci ' t ' /proc/kallsyms) / 2))

# quiet NAME FILE: every reader takes it without a word, and prints the same
quiet() {
	"$report" --compat --no-flags -i "$2" >ours 2>ours.err
	trace-cmd report -i "$2" >theirs 2>theirs.err
	is "$1: tc-report prints no message" "$(cat ours.err)" ""
	is "$1: nor does trace-cmd" "$(cat theirs.err)" ""
	same "$1: their text is the same" ours theirs
}

for codec in zstd none; do
	"$record" -q -F -e raw_syscalls -e sched --compression $codec -o no.dat -- ls / >/dev/null
	is "$codec: nothing is printed with symbols: there are none" "$(functions no.dat)" 0
	quiet "$codec: without symbols" no.dat
	# One type among hundreds is: they are added when it occurs. Fields of functions are names then
	"$record" -q -F -e syscalls -e kmem:kfree --compression $codec -o late.dat -- ls / >/dev/null
	has_symbols "$codec: an event with one occurred: there are symbols" late.dat
	quiet "$codec: symbols at the end" late.dat
	has "$codec: they are names" ours "call_site=load_elf_binary+0x"
done
"$record" -q -e syscalls -e kmem:kfree -f 'call_site == 1' -o none.dat -- true
is "an event with one did not occur: there are none" "$(functions none.dat)" 0
"$record" -q -e kmem -o first.dat -- true
has_symbols "where most types have functions there are symbols" first.dat
"$record" -q -e sched_switch --kallsyms -o asked.dat -- true
has_symbols "with --kallsyms, too" asked.dat
"$record" -q -e sched_switch -T -o stack.dat -- true
has_symbols "and with stacks" stack.dat
"$report" -i stack.dat >text
has "which are names" text "=> schedule"

# A killed recorder had no time to add them: the kernel has them as long as it runs
"$record" -q -b 64K -e syscalls -e kmem:kfree -P $$ -c -o k.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
"$report" --follow -i k.dat >followed 2>/dev/null &
follower=$!
# The follower has printed this into the file.
# shellcheck disable=SC2317 # wait_for runs it
followed() {
	/bin/true
	grep -q 'call_site=load_elf_binary+0x' followed
}
wait_for $pid followed
kill -KILL $pid
wait $pid 2>/dev/null
wait $follower
has "tc-report --follow names functions" followed "call_site=load_elf_binary+0x"
is "a killed recorder's file has no symbols" "$(functions k.dat)" 0
"$report" -i k.dat >text 2>/dev/null
has "tc-report still names functions" text "call_site=load_elf_binary+0x"
"$record" -q --recover k.dat
has_symbols "--recover adds them" k.dat
quiet "recovered" k.dat
has "they are names" ours "call_site=load_elf_binary+0x"

# The types of this kernel, each with and without symbols
types=$TC_BUILDDIR/tests/unit/record/test_symbols
if [ -x "$types" ]; then
	TC_BUILDDIR=$TC_BUILDDIR "$types" "$tracefs/events" >said 2>&1
	is "reports which types are printed with symbols" $? 0
	sed 's/^/# /' said
fi
# The next recorder takes back what the killed one has changed.
"$record" -q -e sched_switch -o last.dat -- true
nothing_of_mine "after recordings with and without symbols"
finish
