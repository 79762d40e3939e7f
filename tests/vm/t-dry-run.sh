# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What --dry-run prints is what a person could type.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

cat >look <<'LOOK'
inst=$(echo /sys/kernel/tracing/instances/*)
cat "$inst/buffer_size_kb" "$inst/tracing_on" "$inst/events/sched/sched_switch/filter"
sed 's/^.*\[\(.*\)\].*$/\1/' "$inst/trace_clock"
sort "$inst/set_event"
LOOK
tc-record --dry-run -e sched:sched_switch -f 'prev_comm ~ "ls*" && prev_pid > 1' \
	-e sched:sched_process_exec -C mono -b 128K -o d.dat -- sh look >plan 2>err
is "--dry-run prints a plan" $? 0
is "and does nothing" "$(ls $T/instances)" ""
runs "and writes no file" test ! -e d.dat

sh -e plan >seen 2>err
is "sh runs the plan" "$?$(cat err)" 0
# The kernel rounds to whole sub-buffers: what it makes of 128 here is asked of itself.
mkdir $T/instances/size
echo 128 >$T/instances/size/buffer_size_kb
size=$(cat $T/instances/size/buffer_size_kb)
rmdir $T/instances/size
cat >wanted <<WANTED
$size
1
prev_comm ~ "ls*" && prev_pid > 1
mono
sched:sched_process_exec
sched:sched_switch
WANTED
same "settings are in place while COMMAND runs" seen wanted
is "and nothing is left afterwards" "$(ls $T/instances)" ""
finish
