#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a killed recorder leaves in tracefs, the next one takes away; its file can be opened.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

remember_state

"$record" -e 'sched:*' -e irq -f 'irq > 0' -C mono -o t.dat 2>err &
pid=$!
until_true 10 recording $pid || fail "recording begins" "$(cat err)"
kill -KILL $pid
wait $pid 2>/dev/null
instance=$tracefs/instances/tc-record.$pid
is "a killed recorder leaves its instance" "$(ls -d "$instance")" "$instance"
if [ -x "$report" ]; then
	"$report" -i t.dat >text 2>text.err
	is "its file can be opened" "$(head -n 1 text | cut -c1-5)" "cpus="
else
	skip "its file can be opened" "tc-report is not built"
fi
is "its temporary files are there" "$(find . -name 't.dat.cpu*' | wc -l)" \
	"$(find "$instance/per_cpu" -mindepth 1 -maxdepth 1 | wc -l)"

"$record" -e 'sched:*' -o t.dat -- true 2>err
is "the next recording into the same file goes well" $? 0
has "and says what it did" err "took back"
is "the instance is gone" "$(find "$tracefs/instances" -name "tc-record.$pid")" ""
same_state "after the next recording"
is "no temporary file is left" "$(find . -name '*.cpu*')" ""

# The same when COMMAND was running: it lives on, untraced
"$record" -q -e 'sched:*' -o u.dat -- sh -c 'echo $$ >child; while [ ! -e stop ]; do sleep 0.1; done' &
pid=$!
until_true 10 test -s child || fail "COMMAND runs"
kill -KILL $pid
wait $pid 2>/dev/null
"$record" -q -e sched_switch -o t.dat -- true
same_state "with a COMMAND that lives on"
touch stop
# shellcheck disable=SC2016 # the inner shell's
until_true 10 sh -c '! kill -0 "$(cat child)"'
finish
