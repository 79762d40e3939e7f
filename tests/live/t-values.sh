#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recorded arguments and results are those of the calls that were made.
#
# needs: root tracefs
# area: truth
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

helper known-calls

# reader COMMAND...: prints FILE's events
if [ -x "$report" ]; then
	reader="$report -i"
elif command -v trace-cmd >/dev/null; then
	reader="trace-cmd report -i"
else
	skip_all "nothing to read a recording with"
fi

# shellcheck disable=SC2016 # the inner shell's
"$record" -q -e raw_syscalls -F -o calls.dat -- sh -c 'echo $$ >pid; exec ./known-calls' >said
is "the program that makes the calls is recorded" $? 0

# sys_enter: "NR 1 (3db, 55d0c0de, 1f, 11, 22, 33)"; sys_exit: "NR 1 = -9"
$reader calls.dat >text
while read -r nr a b c d e f _ result; do
	if grep -q "sys_enter: *NR $nr ($a, $b, $c, $d, $e, $f)" text; then
		pass "the arguments of call $nr"
	else
		fail "the arguments of call $nr" "no ($a, $b, $c, $d, $e, $f) among" \
			"$(grep "sys_enter: *NR $nr (" text)"
	fi
	after=$(grep -A 1 "sys_enter: *NR $nr ($a, $b, $c, $d, $e, $f)" text | tail -n 1 |
		sed -n 's/.*sys_exit: *//p')
	is "the result of call $nr" "$after" "NR $nr = $result"
done <said
nothing "only the program is recorded" "$(lines_of text | grep -v -e "-$(cat pid) " | head -n 5)"

# The same through syscalls:, whose fields have names
"$record" -q -e syscalls:sys_enter_write -e syscalls:sys_exit_write -F -o write.dat -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=7 2>/dev/null
$reader write.dat >text
is "seven writes of 4321 bytes" "$(grep -c 'sys_enter_write:.*count: 0x000010e1' text)" 7
is "and their results" "$(grep -c 'sys_exit_write:.*0x10e1' text)" 7
nothing_of_mine "recordings of known calls"
finish
