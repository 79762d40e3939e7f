# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A module that is unloaded while its events, its functions and probes in it are recorded. "watchdog"
# has four events; "echo V >/dev/watchdog" is start, start and stop: softdog's device has no ping.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

load()
{
	insmod /lib/modules/watchdog.ko && insmod /lib/modules/softdog.ko
}

unload='rmmod softdog; rmmod watchdog'

cleanup()
{
	rmmod softdog
	rmmod watchdog
} 2>/dev/null
trap cleanup EXIT

state()
{
	(cd $T && ls instances && cat set_event dynamic_events set_ftrace_filter current_tracer \
		tracing_on events/sched/enable)
	ls -A /run/tracecraft
}

load || skip_all "this kernel has no modules watchdog and softdog"
[ -e $T/events/watchdog/watchdog_ping ] || skip_all "the module watchdog has no events here"
tc-record -q -e sched -o first.dat -- true
state >before

# The kernel empties the ring buffer when a module goes whose events were on in it. The recorder is stopped until
# then: it has read none of them, however busy the machine is.
tc-record -e watchdog -e sched:sched_process_exec -o m.dat -- sh -c "kill -STOP \$PPID
	while grep -h '^State:' /proc/\$PPID/task/*/status | grep -qv T; do usleep 10000; done
	echo V >/dev/watchdog; $unload; kill -CONT \$PPID; exec /bin/true" 2>err
is "a module that is unloaded: the recording succeeds" $? 0
has "the loss is reported" err \
	"the module of 'watchdog:watchdog_ping' and 3 more was unloaded, and the kernel emptied the ring buffer"
tc-report --no-flags -i m.dat >m.txt
is "events after that are there" "$(grep -c 'sched_process_exec: *filename=/bin/true ' m.txt)" 1
is "events that had not been read are not" "$(grep -c 'watchdog_' m.txt)" 0
state >after
same "tracefs is as it was" after before
load
tc-record --fail-on-lost -q -e 'watchdog:watchdog_st*' -f 'err == 0' -o f.dat -- sh -c "$unload" 2>err
is "--fail-on-lost: that is a loss" $? 1
has "-q prints it, too" err "the module of 'watchdog:watchdog_start' and 1 more was unloaded"

# Data that was read before stays: sub-buffers, full or not. Uncompressed, they are in the CPU's file at once.
load
tc-record -e watchdog -s 1000 --compression none -o r.dat -- taskset 1 sh -c "
	for i in \$(seq 2000); do
		echo V >/dev/watchdog
		! cat r.dat.cpu0 | grep -q . || break
	done
	$unload" 2>err
is "a module that is unloaded later: the recording succeeds" $? 0
tc-report --no-flags -i r.dat >r.txt
sed -n 's/^.* \(watchdog_[a-z]*\): *\(.*\)$/\1 \2/p' r.txt >events
runs "events that were read before are there ($(wc -l <events))" test -s events
awk -v n="$(wc -l <events)" 'BEGIN { split("start start stop", what)
	for (i = 0; i < n; i++) print "watchdog_" what[i % 3 + 1] " watchdog0 err=0" }' >want
same "with its values" events want
keep r.dat r.txt --no-flags

load
tc-record -e watchdog -e sched:sched_process_exec -o n.dat -- sh -c "$unload
	insmod /lib/modules/watchdog.ko; insmod /lib/modules/softdog.ko" 2>err
has "a module that comes back: a message says that its events are off" err \
	"'watchdog:watchdog_ping' and 3 more was recorded until it was disabled"

# The second file's head is written when the module is away.
tc-record -e watchdog -e sched:sched_process_exec --switch-output -o s.dat -- sh -c "$unload
	kill -USR2 \$PPID
	until ls s.dat.2*; do usleep 10000; done
	exec /bin/true" >/dev/null 2>err
is "--switch-output after a module was unloaded" $? 0
for f in s.dat*; do
	tc-report --no-flags -i "$f" || echo "$f cannot be read"
done >s.txt
is "both files can be read" "$(ls s.dat* | wc -l) $(grep -c '^cpus=' s.txt) $(grep -c 'cannot' s.txt)" "2 2 0"
is "and the last events are there" "$(grep -c 'sched_process_exec: *filename=/bin/true ' s.txt)" 1

load
tc-record -p function -l 'watchdog_*' --module watchdog -p 'kprobe:watchdog_open' -o p.dat -- \
	sh -c "echo V >/dev/watchdog; $unload" 2>err
is "functions and probes of a module that is unloaded: records" $? 0
tc-report --no-flags -i p.dat >p.txt
is "the functions that a write calls" \
	"$(sed -n 's/^.* function: *\(watchdog_\(open\|write\|release\)\)$/\1/p' p.txt | paste -s -d ' ' -)" \
	"watchdog_open watchdog_write watchdog_release"
is "and the probe" "$(grep -c ' watchdog_open: ' p.txt)" 1
state >after
same "and afterwards tracefs is as it was" after before
finish
