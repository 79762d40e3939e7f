#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace -j: objects with the arguments that the program passed, that agree with the lines and with
# the events (trace-json.py)
#
# needs: root tracefs
# area: gate tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "python3 is not installed"
helper traced-calls calls
# member NAME: of the objects of one call, in order
member() {
	python3 -c 'import json, sys
for line in open("objects"):
    o = json.loads(line)
    if o.get("syscall") == sys.argv[1] and o["ret"] == -9:
        print(o["args"], o["error"], o["comm"])' "$1"
}

"$trace" -j -o objects ./calls
is "the exit status is COMMAND's" $? 7
is "arguments are those passed: lseek" "$(member lseek)" \
	"{'fd': 23456, 'offset': 1234567, 'whence': 2} EBADF calls"
is "arguments are those passed: ftruncate" "$(member ftruncate | sed 's/, .len[a-z]*.: /, LENGTH: /')" \
	"{'fd': 45678, LENGTH: 98765} EBADF calls"
is "the end of the program" "$(tail -n 1 objects | sed 's/.*"comm"/"comm"/')" '"comm":"calls","exit":7}'
"$trace" -j -qq -e trace=lseek -e fd=23456 -e sched:sched_process_wait -o objects sh -c './calls & wait'
has "other events have their name and text" objects '"event":"sched:sched_process_wait","text":"comm=sh pid='

"$record" -q -e raw_syscalls -e sched -e task -e signal -F -c -o calls.dat -- sh -c './calls; ls /; ./calls kill' \
	>/dev/null 2>&1
"$trace" -i calls.dat -j -o objects
"$trace" -i calls.dat -z -Z -o lines
"$report" --json --select raw_syscalls calls.dat >events
nothing "objects agree with lines and events" \
	"$(python3 "$TC_SRCDIR/tests/live/trace-json.py" objects lines events 2>&1)"
"$trace" -j -c -i calls.dat >table
nothing "-c: rows are objects" "$(python3 -c 'import json
for line in open("table"): json.loads(line)["calls"]' 2>&1)"
# The events follow the kernel's symbols and precede the description of the buffers.
for missing in 1000 2000 4000 8000 16000 32000; do
	head -c "$(($(wc -c <calls.dat) - missing))" calls.dat >cut.dat
	"$trace" -i cut.dat -o lines 2>err
	! grep -q 'missing \.\.\.\]' lines || break
done
"$trace" -i cut.dat -j -o objects 2>err
is "a truncated recording: objects say what lines say" \
	"$(sed -n 's/^{"lost":null,"cpu":\([0-9]*\),"missing":true}$/CPU \1/p' objects)" \
	"$(sed -n 's/.*last events of \(CPU [0-9]*\) missing.*/\1/p' lines)"
has "and there is such a line" lines "missing ...]"
nothing_of_mine "afterwards"
finish
