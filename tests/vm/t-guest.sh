# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A host and its guest as trace-cmd's agent records them: here the same machine, over vsock's loopback. Both are
# merged as trace-cmd report merges them, by the time shift that trace-cmd has measured, and by one of tc-attach.
#
# worlds: 6.1

# shellcheck source=guest/lib.sh
. /tests/lib.sh

command -v trace-cmd >/dev/null || skip_all "no trace-cmd"
for m in vsock vmw_vsock_virtio_transport_common vsock_loopback; do
	insmod /lib/vsock/$m.ko 2>/dev/null
done
[ -e /dev/vsock ] || skip_all "no vsock in this kernel"

mounted=$(wc -l </proc/mounts)
trace-cmd agent --notimeout >agent.log 2>&1 &
agent=$!
# what it says of that is still in its buffer then
wait_for $agent grep -q accept /proc/$agent/wchan
# An instance for the host, because the agent takes events out of the same ring buffer.
trace-cmd record --notimeout -B own -e irq -e timer -A vm@1:823 -e sched sh -c '
	i=0
	while [ $i -lt 20 ]; do
		/bin/true
		usleep 20000
		i=$((i + 1))
	done' >rec.log 2>&1
is "trace-cmd records a host and its guest" $? 0
cat rec.log >&2
kill $agent
wait $agent 2>/dev/null

# merged NAME: both readers' text
merged() {
	trace-cmd report -i trace.dat -i trace-vm.dat >theirs 2>/dev/null
	# shellcheck disable=SC2086 # words
	tc-report --compat $VM_FLAGS -i trace.dat -i trace-vm.dat >ours
	same "$1" ours theirs
}

merged "merged as trace-cmd report merges them"
is "with events of both" "$([ "$(grep -c '^ *own:' ours)" -ge 100 ] && [ "$(grep -c '^trace-vm.dat:.*sched' ours)" -ge 100 ] && echo yes)" yes
cp ours first
tc-attach -q -s 123456789 trace.dat trace-vm.dat 0=1 1=2
is "tc-attach gives the guest another shift" $? 0
merged "and again as trace-cmd report does"
is "times have changed" "$(cmp -s first ours || echo yes)" yes
echo "# $(wc -l <ours) lines"

# trace-cmd leaves its own behind.
for dir in /sys/kernel/tracing/instances/*/; do
	rmdir "$dir"
done
while [ "$(wc -l </proc/mounts)" -gt "$mounted" ]; do
	umount "$(tail -n 1 /proc/mounts | cut -d ' ' -f 2)" || break
done
finish
