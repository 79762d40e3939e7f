# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Lost events are counted, and the count is the kernel's.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# Recording is switched off by COMMAND, so that the kernel's counters stand still when it copies
# them: nothing can be lost after that.
tc-record -b 8K -e syscalls -e raw_syscalls -o l.dat -- sh -c '
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
	echo 0 >/sys/kernel/tracing/instances/tc-record.*/tracing_on
	cat /sys/kernel/tracing/instances/tc-record.*/per_cpu/cpu0/stats >stats0
	cat /sys/kernel/tracing/instances/tc-record.*/per_cpu/cpu1/stats >stats1' 2>err
is "a recording that loses events succeeds" $? 0
lost=$(cat stats0 stats1 | awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n }')
if [ "$lost" -gt 1000 ]; then
	pass "an 8 KB buffer is too small"
else
	fail "an 8 KB buffer is too small" "$(cat stats0 stats1)"
fi
is "tc-record prints the kernel's number of lost events" "$(lost_in err)" "$lost"
tc-report --no-flags -i l.dat >l.txt
dropped=$(sed -n 's/^CPU:[0-9]* \[\([0-9]*\) EVENTS DROPPED\]$/\1/p' l.txt |
	awk '{ n += $1 } END { print n + 0 }')
if grep -q '\[EVENTS DROPPED\]' l.txt; then
	skip "the report shows where, and the counts add up" "the kernel gave a gap without a count"
else
	is "the report shows where, and the counts add up" "$dropped" "$lost"
fi
tc-report --stat -i l.dat >stat.txt
for cpu in 0 1; do
	n=$(awk '/^overrun:/ { print $2 }' stats$cpu)
	has "--stat shows that CPU $cpu lost $n" stat.txt "$n"
done
keep l.dat l.txt --no-flags
finish
