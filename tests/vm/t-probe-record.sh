# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-record -p on a kernel with kprobes: probes that are there for one recording.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# all that is defined, enabled and there
state()
{
	cat $T/dynamic_events
	ls $T/instances
	cat $T/events/enable $T/kprobe_events $T/uprobe_events
}

printf '%s' 0123456789abcdef >some_name
state >before
tc-record -e 'sched:*' -p 'kprobe:do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring' \
	-p 'kretprobe:do_sys_openat2 fd=$retval:s32' -o a.dat -- cat some_name /no/such/file >/dev/null 2>err
is "sched:* and two probes: COMMAND's status" $? 1
state >after
is "dynamic events, instances and events are as before" "$(cat after)" "$(cat before)"
tc-report --no-flags -i a.dat >a.txt
is "the name of the opened file" "$(grep -c ' do_sys_openat2: .* dfd=-100 name="some_name"' a.txt)" 1
# the call's return follows it in its task
is "return values: a descriptor, and ENOENT" "$(awk '
	/ do_sys_openat2: .*"some_name"/ || / do_sys_openat2: .*"\/no\/such\/file"/ { task = $1 }
	/ do_sys_openat2__return: / && $1 == task { printf "%s ", $NF; task = "" }' a.txt)" "fd=3 fd=-2 "
has "events of the scheduler are there too" a.txt ' sched_process_exec: '
keep a.dat a.txt --no-flags

tc-record -e 'sched:*' -p kprobe:do_sys_open -o b.dat -- cat some_name >/dev/null 2>err
is "-e 'sched:*' -p kprobe:do_sys_open works as typed" $? 0
tc-report -i b.dat >b.txt
has "and its file can be read" b.txt ' sched_process_exec: '

tc-record -p 'kprobe:vfs_read n=%dx:u64' -f 'n == 7' -p 'kprobe:again=vfs_read' -o c.dat -- \
	sh -c 'for n in 7 3; do dd if=some_name of=/dev/null bs=$n count=2; done' 2>/dev/null
tc-report -i c.dat >c.txt
is "a filter of a probe: two reads of 7 bytes" "$(grep -c ' vfs_read: .* n=7$' c.txt)" 2
is "none of another size" "$(grep -c ' vfs_read: ' c.txt)" 2
is "the other probe has no filter" "$(($(grep -c ' again: ' c.txt) > 2))" 1

# names: underscores and __x64_ need not be typed, unknown names are reported
tc-record -p 'kprobe:sys_openat' -o d.dat -- cat some_name >/dev/null 2>err
is "a system call by its name" $? 0
has "a notice names the function" err "'__x64_sys_openat' is taken"
is "it is hit, and has its name" \
	"$(($(tc-report -i d.dat --select __x64_sys_openat | grep -c __x64_sys_openat:) > 0))" 1
tc-record -p kprobe:do_sys_openn -o e.dat 2>err
is "a function that does not exist" $? 2
has "similar names are suggested" err "do_sys_open"
tc-record -p kprobe:vfs_read -p 'kprobe:vfs_read+1' -o e.dat -- true 2>err
is "a place that the kernel refuses" $? 1
state >after
is "the probe before it is deleted again" "$(cat after)" "$(cat before)"

tc-record -p kprobe:vfs_read -p 'kretprobe:vfs_read n=$retval' -o f.dat 2>/dev/null &
pid=$!
wait_for $pid grep -q . $T/instances/tc-record.$pid/set_event
is "a running recorder's probes" "$(grep -c "tc_record_$pid/" $T/kprobe_events)" 2
kill -KILL $pid
wait $pid 2>/dev/null
is "killed, it leaves them" "$(grep -c "tc_record_$pid/" $T/kprobe_events)" 2
tc-record -q -e sched_switch -o g.dat -- true
state >after
is "the next one deletes them" "$(cat after)" "$(cat before)"
finish
