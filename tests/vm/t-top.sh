# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-top where there are kernel probes, symbols, stacks and CPUs that go away. busybox's dd makes a read
# and a write for each block and is static, so that it reads nothing else.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online
trap '[ ! -w $cpu1 ] || echo 1 >$cpu1' EXIT

# page OPTION...: one page of all that happens until the end
page()
{
	tc-top --batch -q -d 24h -s total "$@"
}

# total FILE NAME: of the row of this name
total()
{
	awk -v name="$2" '$NF == name { print $3 }' "$1"
}

dd="dd if=/dev/zero of=/dev/null bs=1 count=500"

page -- $dd >calls.txt 2>err
is "COMMAND's calls: status" $? 0
is "reads" "$(total calls.txt read)" 500
is "writes, and one with what dd has to say" "$(total calls.txt write)" 501

page --probe kprobe:ksys_read -- $dd >probe.txt 2>/dev/null
is "a probe: status" $? 0
is "a probe: hits" "$(total probe.txt ksys_read)" 500
is "no probe is left" "$(cat $T/kprobe_events)" ""

# by_text PATTERN FILE: names that the kernel's text has after PATTERN, each with its count
by_text()
{
	sed -n "s/^.*$1\([^+ ]*\).*/\1/p" "$2" | sort | uniq -c | awk '{ print $1, $2 }'
}

# by_top FILE: the same from a page
by_top()
{
	awk '$3 ~ /^[0-9]+$/ && $4 ~ /%$/ { print $3, $NF }' "$1" | sort -k2
}

# The same events as the kernel prints them, and as they were moved to a file
tc-session start -q -B mem -e kmem:kmalloc -O stacktrace -b 4M
/bin/ls -lR /proc/self >/dev/null 2>&1
tc-session stop -B mem
cat $T/instances/mem/trace >kernel.txt
tc-session extract -B mem -o mem.dat 2>err
is "the ring buffer is moved to a file" $? 0
tc-session reset -B mem >/dev/null 2>&1
by_text 'call_site=' kernel.txt | sort -k2 >wanted
page -i mem.dat -k symbol >symbols.txt
by_top symbols.txt >shown
same "rows by symbol are the call sites of the kernel's text" shown wanted

# The first function of each stack that is not the tracer's
sed -n '/<stack trace>$/ { n; /trace_event_raw/n; s/^ *=> \([^+ ]*\).*/\1/p; }' kernel.txt | sort | uniq -c |
	awk '{ print $1, $2 }' | sort -k2 >wanted
page -i mem.dat -k stack >stacks.txt
by_top stacks.txt >shown
same "rows by stack are the first lines of the kernel's stacks" shown wanted

if [ -w $cpu1 ]; then
	mkfifo go
	page -- sh -c 'taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=300; : >there; read x <go
		dd if=/dev/zero of=/dev/null bs=1 count=200; echo "$x" >/dev/null' >plug.txt 2>/dev/null &
	top=$!
	wait_for $top test -e there
	echo 0 >$cpu1
	echo x >go
	wait $top
	is "a CPU goes offline meanwhile: status" $? 0
	is "events of both CPUs are counted" "$(($(total plug.txt read) >= 500))" 1
	echo 1 >$cpu1
else
	skip "a CPU goes offline meanwhile" "CPU 1 cannot be taken offline"
fi
finish
