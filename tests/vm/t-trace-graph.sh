# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-trace --graph: calls of a function, as they happen. busybox's dd makes a
# read and a write for each block and is static, so that it reads nothing else.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

dd="dd if=/dev/zero of=/dev/null bs=1 count=30"
tc-trace --graph ksys_read -o calls.txt -- $dd 2>err
is "COMMAND: status" $? 0
is "every read of COMMAND is shown, and no other" "$(grep -c '[| ] *ksys_read()' calls.txt)" 30
runs "... with what it called" grep -q 'vfs_read()' calls.txt
is "... with one end each" "$(grep -c '^.*| *}' calls.txt)" "$(grep -c '{$' calls.txt)"

tc-trace --graph ksys_read --graph ksys_write -j -o calls.json -- $dd 2>err
is "-j, two functions: status" $? 0
is "... of so many reads, and writes, one with what dd has to say" \
	"$(grep -c '"ksys_read"' calls.json) $(grep -c '"ksys_write"' calls.json)" "30 31"

# A process that runs: shown before it ends
sh -c 'while :; do read -r _ </proc/self/stat; sleep 0.1; done' &
pid=$!
tc-trace --graph ksys_read -p $pid -o live.txt 2>err &
tracer=$!
wait_for $tracer grep -q 'ksys_read()' live.txt
is "-p: calls are shown while it runs" $? 0
kill -INT $tracer
wait $tracer
is "... until Ctrl-C: status" $? 0
kill $pid
wait $pid 2>/dev/null

tc-trace --graph ksys_sync --record=calls.dat -o calls.txt -- $dd 2>err
is "a function that is not called: status" $? 0
has "... and that is said" err "no calls were recorded"
tc-trace --graph ksys_read --record=calls.dat -o calls.txt -- $dd 2>err
tc-report --graph ksys_read -i calls.dat | sed '/^ *[0-9]*) .*-[0-9]*$/d' >again.txt
sed -i '/^ *[0-9]*) .*-[0-9]*$/d' calls.txt
same "--record: tc-report --graph prints the same" calls.txt again.txt
tc-trace --graph no_such_function_at_all -- $dd 2>err
is "a function that the kernel does not have: status" "$(($? != 0))" 1
is "nothing is left" "$(cat $T/set_graph_function)" "#### all functions enabled ####"
finish
