# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-record --profile-cpu on other kernels: samples with both stacks, run times, CPUs that come and go.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# at_least NAME NUMBER LEAST
at_least()
{
	if [ "$2" -ge "$3" ]; then
		pass "$1"
	else
		fail "$1" "got $2, wanted $3 or more" "$(cat err)"
	fi
}

tc-record --profile-cpu=199 -o p.dat -- dd if=/dev/zero of=/dev/null bs=1 count=300000 2>err
is "a profile of a command: status" $? 0
tc-report -i p.dat >p.txt
samples=$(grep -c '^samples:.* dd-[0-9].*sched_waking:' p.txt)
runtime=$(sed -n 's/.*sched_stat_runtime: .*comm=dd pid=[0-9]* runtime=\([0-9]*\) .*/\1/p' p.txt |
	awk '{ n += $1 } END { printf "%d", n / 1000000 }')
echo "# $samples samples at 199 Hz, $runtime ms of run time"
at_least "there are samples" "$samples" 20
estimate=$((samples * 1000 / 199))
# Not too few: live/t-profile.sh. Where the emulator has to wait for a CPU, its run time goes on without samples.
at_least "samples and run time agree, roughly: not too many" $((runtime * 2)) "$estimate"
is "each sample has a stack of the kernel" "$(grep -c '^samples:.*kernel_stack:' p.txt)" \
	"$(grep -c '^samples:.*sched_waking:' p.txt)"
at_least "and some have one of the program" "$(grep -c '^samples:.* dd-.*user_stack:' p.txt)" 1
is "only the command was sampled" \
	"$(sed -n 's/^samples: *\([^ ]*\)-[0-9]* .*sched_waking:.*/\1/p' p.txt | sort -u | grep -v '^dd$\|^tc-record$')" ""

# The tick
if [ -e $T/events/irq_vectors/local_timer_entry ]; then
	tc-record --profile-cpu=tick -o t.dat -- dd if=/dev/zero of=/dev/null bs=1 count=100000 2>err
	is "the tick: status" $? 0
	at_least "the tick: there are samples" \
		"$(tc-report -i t.dat | grep -c '^samples:.* dd-.*local_timer_entry:')" 1
else
	skip "the tick" "this kernel has no irq_vectors:local_timer_entry"
fi

# A CPU that is offline at first, comes online, and goes again
cpu1=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu1 ]; then
	echo 0 >$cpu1
	tc-record --profile-cpu=199 -o h.dat -- sh -c '
		echo 1 >/sys/devices/system/cpu/cpu1/online
		# a thread that samples goes to its CPU when the recorder has seen that
		until cat $(grep -l "^Name:.tc-samp" /proc/$PPID/task/*/status) | grep -q "^Cpus_allowed_list:.1$"; do
			usleep 20000
		done
		taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
		echo 0 >/sys/devices/system/cpu/cpu1/online
		taskset 1 dd if=/dev/zero of=/dev/null bs=2 count=100000 2>/dev/null' 2>err
	is "a CPU that comes and goes: status" $? 0
	echo 1 >$cpu1
	tc-report -i h.dat >h.txt
	at_least "it is sampled while it is online" \
		"$(grep -c '^samples:.* dd-[0-9]* *\[001\].*sched_waking:' h.txt)" 1
	is "each sample is of the CPU that it is on" "$(sed -n \
		's/^samples:.*\[\([0-9]*\)\].*sched_waking:.*target_cpu=\([0-9]*\)/\1 \2/p' h.txt |
		awk '$1 != $2' | wc -l)" 0
else
	skip "a CPU that comes and goes" "CPU 1 cannot be taken offline"
fi
finish
