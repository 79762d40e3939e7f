# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A CPU that goes away while it is recorded, and one that is away from the start.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online
[ -w $cpu1 ] || skip_all "CPU 1 cannot be taken offline"
trap 'echo 1 >$cpu1' EXIT

tc-record -e syscalls:sys_enter_write -o h.dat -- sh -c '
	taskset 2 dd if=/dev/zero of=/dev/null bs=771 count=400 2>/dev/null
	echo 0 >/sys/devices/system/cpu/cpu1/online
	taskset 1 dd if=/dev/zero of=/dev/null bs=772 count=400 2>/dev/null
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset 2 dd if=/dev/zero of=/dev/null bs=773 count=400 2>/dev/null' 2>err
is "a CPU that goes offline and comes back: records" $? 0
tc-report --no-flags -i h.dat >h.txt
is "its events from before it went offline are there" "$(grep -c '\[001\].*count: 0x00000303' h.txt)" 400
is "so are those of the other CPU" "$(grep -c '\[000\].*count: 0x00000304' h.txt)" 400
is "and those after it came back" "$(grep -c '\[001\].*count: 0x00000305' h.txt)" 400
keep h.dat h.txt --no-flags

echo 0 >$cpu1
tc-record -e syscalls:sys_enter_write -o o.dat -- sh -c '
	dd if=/dev/zero of=/dev/null bs=774 count=400 2>/dev/null
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset 2 dd if=/dev/zero of=/dev/null bs=775 count=400 2>/dev/null' 2>err
is "a CPU that is offline at the start: records" $? 0
tc-report --no-flags -i o.dat >o.txt
is "the events of the other CPU are there" "$(grep -c 'count: 0x00000306' o.txt)" 400
later=$(grep -c 'count: 0x00000307' o.txt)
lost=$(lost_in err)
if [ "$later" -eq 400 ]; then
	pass "and those after it came online"
else
	fail "and those after it came online" "$later of 400, lost: $lost" "$(cat err)"
fi
finish
