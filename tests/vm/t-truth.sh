# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The kernel's own text and the same ring buffer extracted, for tests/tools/truth.py to compare outside:
# /out/truth/NAME.trace and NAME.rec. As tests/live/t-truth.sh, with the tracers of these kernels.
#
# worlds: all

# shellcheck source=guest/lib.sh
. /tests/lib.sh

if [ ! -x /bin/many-events ] || [ ! -x /bin/every-call ]; then
	skip "the kernel's text beside ours" "no static C library on the host"
	finish
fi
out=/out/truth
mkdir -p $out work
names=$(cat $T/saved_cmdlines_size)
echo 4096 >$T/saved_cmdlines_size
size=$(sed 's/ .*//' $T/buffer_size_kb)

# keep_latency DIRECTORY NAME: what the kernel shows in its latency format; before keep_text
keep_latency()
{
	echo 0 >"$1/tracing_on"
	echo 1 >"$1/options/latency-format"
	cat "$1/trace" >"$out/$2-latency.trace"
	echo 0 >"$1/options/latency-format"
}

# keep_text DIRECTORY NAME OPTION...: what the kernel shows, and what tc-session OPTION... takes out
keep_text()
{
	text_dir=$1
	text_name=$2
	shift 2
	echo 0 >"$text_dir/tracing_on"
	cat "$text_dir/trace" >"$out/$text_name.trace"
	tc-session extract -q "$@" -o "$out/$text_name.rec" 2>err
	is "$text_name: the ring buffer is extracted" "$? $(cat err)" "0 "
	runs "$text_name: and was not empty" grep -q '^[^#]' "$out/$text_name.trace"
}

work()
{
	(
		every-call written
		many-events work
	) 2>/dev/null
}

hash_ptr=
case $VM_KERNEL in
6.1 | 6.1-rt) ;;
*) hash_ptr=1 ;;
esac

# Every event. 6.1 cuts texts off where options/hash-ptr is off: the guest has no_hash_pointers.
inst=$T/instances/truth
mkdir $inst
echo 0 >$inst/tracing_on
[ -z "$hash_ptr" ] || echo 0 >$inst/options/hash-ptr
echo 8192 >$inst/buffer_size_kb
mount -t cgroup2 none /sys/fs/cgroup
echo 1 >$inst/events/enable
echo 1 >$inst/tracing_on
dd if=/dev/zero of=work/synced bs=64k count=4 conv=fsync 2>/dev/null
work
echo "a marker" >$inst/trace_marker
printf 'ABCDxyz' >$inst/trace_marker_raw
echo 0 >$inst/tracing_on
echo 0 >$inst/events/enable
keep_text $inst all -B truth

# Probes: signs, bits, arrays, strings, symbols, as every type of argument is printed
echo >$inst/trace
# shellcheck disable=SC2016,SC2028 # the kernel's $arg3 and \-11
{
	echo 'p:truth/entry vfs_write a=\-11:s8 b=\-300:s16 c=\-70000:s32 d=\-5:s64 e=\200:u8 f=\255:x8' \
		'g=$arg3:b4@2/16 h=@vfs_write:symbol i=+0($arg2):u8[4] j=+0($arg2):s8[3] k=+0($arg2):x16[2]' \
		'l=+0($arg2):ustring m=$comm n=$arg2 o=\"text"'
	echo 'r:truth/return vfs_write ret=$retval:s32 raw=$retval:x32'
} >>$T/kprobe_events 2>err
is "probes are defined" "$(cat err)" ""
echo 'wait u64 delta; pid_t pid; char name[16]' >>$T/synthetic_events
echo 'e:truth/each sched.sched_switch pid=$next_pid:s16 prio=$next_prio:u8 name=$next_comm:string' \
	>>$T/dynamic_events 2>/dev/null
for group in truth synthetic; do
	[ ! -e $inst/events/$group/enable ] || echo 1 >$inst/events/$group/enable
done
echo 1 >$inst/tracing_on
printf '\377\200\177\001 some text' >/dev/null
dd if=/dev/urandom of=/dev/null bs=64 count=20 2>/dev/null
ls -l / >/dev/null
keep_latency $inst probes
keep_text $inst probes -B truth
echo 0 >$inst/events/enable
for line in truth/entry truth/return truth/each; do
	echo "-:$line" >>$T/dynamic_events 2>/dev/null
done
echo '!wait u64 delta; pid_t pid; char name[16]' >>$T/synthetic_events

# Functions, with the stacks of both sides
echo >$inst/trace
for f in vfs_read vfs_write do_sys_openat2 vfs_getattr; do
	echo $f >>$inst/set_ftrace_filter
done
echo function >$inst/current_tracer
echo 1 >$inst/events/sched/sched_process_exec/enable
echo 1 >$inst/options/stacktrace
echo 1 >$inst/options/userstacktrace
echo 1 >$inst/tracing_on
ls / >/dev/null
/bin/ls -l / >/dev/null
echo "a marker" >$inst/trace_marker
keep_text $inst function -B truth
echo nop >$inst/current_tracer
echo 0 >$inst/options/stacktrace
echo 0 >$inst/options/userstacktrace
echo 0 >$inst/events/enable

# A function that is called again and again is recorded once, and how often when another is called
echo >$inst/trace
echo vfs_write >$inst/set_ftrace_filter
echo do_exit >>$inst/set_ftrace_filter
echo function >$inst/current_tracer
echo 1 >$inst/options/func-no-repeats
echo 1 >$inst/tracing_on
dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null
echo 0 >$inst/tracing_on
runs "repeated calls are reported" grep -q '(repeats: ' $inst/trace
keep_text $inst repeats -B truth
echo nop >$inst/current_tracer
umount /sys/fs/cgroup
rmdir $inst

# Calls as the kernel draws them, with events, stacks, a marker, several tasks and interrupts
for f in vfs_read vfs_write do_sys_openat2 '*irq_enter*' '*timer_interrupt*'; do
	echo "$f" >>$T/set_graph_function
done
[ -z "$hash_ptr" ] || echo 0 >$T/options/hash-ptr
# the kernel reports overwritten events in other lines
echo 8192 >$T/buffer_size_kb
echo 0 >$T/tracing_on
echo 6 >$T/max_graph_depth
echo function_graph >$T/current_tracer
echo 1 >$T/events/sched/sched_switch/enable
echo 1 >$T/events/sched/sched_process_exec/enable
echo 1 >$T/events/syscalls/sys_enter_openat/enable
echo 1 >$T/tracing_on
ls / >/dev/null
echo "a marker" >$T/trace_marker
printf 'ABCDxyz' >$T/trace_marker_raw
echo 1 >$T/options/stacktrace
/bin/ls -l / >/dev/null
echo 0 >$T/options/stacktrace
keep_latency $T graph
keep_text $T graph -t
echo nop >$T/current_tracer
[ -z "$hash_ptr" ] || echo 1 >$T/options/hash-ptr
echo 0 >$T/events/enable
echo >$T/set_graph_function
echo 0 >$T/max_graph_depth
echo 1 >$T/tracing_on

echo "$size" >$T/buffer_size_kb
echo "$names" >$T/saved_cmdlines_size
finish
