# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Events shown as they happen, while a CPU goes offline and comes back, and where they are rare.
#
# worlds: all

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online
[ -w $cpu1 ] || skip_all "CPU 1 cannot be taken offline"
trap 'echo 1 >$cpu1' EXIT

# write CPU BYTES COUNT: so many system calls, each known by its number of bytes
write()
{
	taskset "$((1 << $1))" dd if=/dev/zero of=/dev/null bs="$2" count="$3" 2>/dev/null
}

# shown CPU BYTES: the number of lines about them
shown()
{
	grep -c "\[00$1\].*sys_enter_write.*count: 0x0*$(printf %x "$2")\$" l.txt
}

# comes CPU BYTES: wait until there is a line about it
comes()
{
	wait_for $reader is_shown "$1" "$2"
}

is_shown()
{
	[ "$(shown "$1" "$2")" -gt 0 ]
}

tc-session start -q -B live -e syscalls:sys_enter_write -b 4M
tc-session show -B live --events >l.txt 2>err &
reader=$!
write 0 700 1
comes 0 700
is "the first event is shown while tracing is on" $? 0
write 1 771 400
echo 0 >$cpu1
write 0 772 400
comes 0 772
is "events are shown while a CPU is offline" $? 0
echo 1 >$cpu1
write 1 773 400
for n in 1 2 3; do
	sleep 1
	write $((n % 2)) $((780 + n)) 1
	comes $((n % 2)) $((780 + n))
	is "one event a second: event $n is shown before the next" $? 0
done
tc-session stop -B live
wait $reader
is "the reader ends when tracing is off" $? 0
is "every event from before the CPU went offline was shown" "$(shown 1 771)" 400
is "so were those of the other CPU" "$(shown 0 772)" 400
is "and those after it came back" "$(shown 1 773)" 400
is "in order of time" "$(sed -n 's/^.*\] [^ ]* *\([0-9]*\.[0-9]*\): .*/\1/p' l.txt | sort -c -n 2>&1)" ""
is "without a notice" "$(cat err)" ""
tc-session reset -q -B live -d

echo 0 >$cpu1
tc-session start -q -B live -e syscalls:sys_enter_write -b 4M
tc-session show -B live --events >l.txt 2>err &
reader=$!
write 0 700 1
comes 0 700
is "events are shown while a CPU was never online" $? 0
echo 1 >$cpu1
write 1 775 400
tc-session stop -B live
wait $reader
is "the reader ends" "$? $(cat err)" "0 "
is "events of a CPU that was offline at the start are shown" "$(shown 1 775)" 400
tc-session reset -q -B live -d
finish
