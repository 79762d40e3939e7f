#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace -k: the functions that make calls, with the names that the program's symbols have, in the lines of strace -k
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
[ -e "$tracefs/options/userstacktrace" ] || skip_all "the kernel has no user stacks"
helper stacks
# own FILE: the frames of the program, below the calls that it made itself
own() {
	sed 's/^[0-9]* *//' "$1" | awk '/^lseek\(12345/ { print; on = 1; next } !/^ *>/ { on = 0 } on && /\/stacks\(/ && !/_start/' |
		sed 's/^ *> /> /; s/ *= / = /'
}

"$trace" -qq -k -e trace=lseek ./stacks 2>lines
is "exit status" $? 0
own lines >got
is "each call has the functions that made it" "$(sed -n 's/.*stacks(\([a-z]*\)+0x.*/\1/p' got | tr '\n' ' ')" \
	"innermost middle outermost main innermost middle outermost main innermost middle outermost main "
# The offsets are those that nm and the addresses say.
: >wrong
sed -n 's/.*stacks(\([a-z]*\)+0x\([0-9a-f]*\)) \[0x\([0-9a-f]*\)\]$/\1 \2 \3/p' got | while read -r name off at; do
	start=$(nm stacks | awk -v name="$name" '$3 == name { print $1 }')
	[ $((0x$start + 0x$off)) = $((0x$at)) ] || echo "$name+0x$off is at 0x$at, and $name at 0x$start" >>wrong
done
nothing "offsets and addresses agree with nm" "$(cat wrong)"
if command -v strace >/dev/null && strace -k -o theirs -e trace=lseek ./stacks 2>/dev/null && grep -q '> ' theirs; then
	own theirs >want
	same "the lines are those of strace -k" want got
fi

# Objects
"$trace" -qq -j -k -e trace=lseek -o objects ./stacks
is "-j: the frames are members" "$(python3 -c 'import json
for line in open("objects"):
    o = json.loads(line)
    if o["args"]["fd"] == 12345:
        print(*[f["function"] for f in o["stack"] if f["file"].endswith("/stacks") and f["function"] != "_start"])' 2>&1 | sort -u)" \
	"innermost middle outermost main"

# A recording has the names, also when the program is gone.
cp stacks gone
$on_one "$trace" -q -k -e trace=lseek --record=calls.dat -o live sh -c './gone; ./gone & wait'
rm gone
"$trace" -q -k -e trace=lseek -i calls.dat -o again
same "--record: the file prints the same" live again
is "... of programs that lived shortly" "$(grep -c '/gone(innermost+' again)" 6

# A process that was there before
./stacks loop &
pid=$!
"$trace" -qq -k -p $pid -e lseek --max-events 3 2>lines
is "-p: functions of a process that runs" "$(grep -c '/stacks(main+0x' lines)" 3
kill $pid
wait $pid 2>/dev/null
"$trace" -k -c true 2>err
is "with -c: status" $? 2
nothing_of_mine "afterwards"
finish
