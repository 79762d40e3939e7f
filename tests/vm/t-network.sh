# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# trace-cmd record -N and tc-record -N send to the tc-listen that run has started on the host, which is 10.0.2.2 here.
# A tc-record beside them records the same events into a file: run compares them outside.
#
# worlds: 6.12

# shellcheck source=guest/lib.sh
. /tests/lib.sh
# shellcheck source=guest/disk.sh
. /tests/disk.sh

[ -n "${VM_LISTEN:-}" ] || skip_all "no listener on the host"
load_disk
ip link set eth0 up 2>/dev/null || skip_all "no network in this guest"
ip addr add 10.0.2.15/24 dev eth0

# both NAME COMMAND...: COMMAND sends the events of 20 programs, and so does the file NAME.dat
both() {
	name=$1
	shift
	# A sender that fails makes nothing wait for it.
	{
		rc=0
		"$@" >"$name.log" 2>&1 || rc=$?
		touch started
		exit $rc
	} &
	sender=$!
	# Until it records: it has been heard of when a program starts its COMMAND.
	tc-record -q -C mono -e sched:sched_process_exec -o "/out/net-$name.local" -- sh -c '
		while [ ! -e started ]; do usleep 100000; done
		i=0
		while [ $i -lt 20 ]; do
			/bin/true
			i=$((i + 1))
		done
		touch ended'
	wait $sender
	rc=$?
	is "$name ends well" $rc 0
	[ $rc -eq 0 ] || sed 's/^/# /' "$name.log"
	rm -f started ended
}
wait_here='touch started; while [ ! -e ended ]; do usleep 100000; done'

mkdir -p /out
mounted=$(wc -l </proc/mounts)
if command -v trace-cmd >/dev/null; then
	both tcp trace-cmd record -N "10.0.2.2:$VM_LISTEN" -t -C mono -e sched:sched_process_exec sh -c "$wait_here"
	both udp trace-cmd record -N "10.0.2.2:$VM_LISTEN" -C mono -e sched:sched_process_exec sh -c "$wait_here"
	both v6 trace-cmd record -N "10.0.2.2:$VM_LISTEN" -t --file-version 6 -C mono \
		-e sched:sched_process_exec sh -c "$wait_here"
	both none trace-cmd record -N "10.0.2.2:$VM_LISTEN" -t --compression none -C mono \
		-e sched:sched_process_exec sh -c "$wait_here"
fi
both ours tc-record -N "10.0.2.2:$VM_LISTEN" -C mono -e sched:sched_process_exec -- sh -c "$wait_here"
if [ -n "${VM_THEIRS:-}" ]; then
	both theirs tc-record -N "10.0.2.2:$VM_THEIRS" -C mono -e sched:sched_process_exec -- sh -c "$wait_here"
fi
# trace-cmd mounts what it finds missing (debugfs, which brings another tracefs) and leaves it.
while [ "$(wc -l </proc/mounts)" -gt "$mounted" ]; do
	umount "$(tail -n 1 /proc/mounts | cut -d ' ' -f 2)" || break
done
finish
