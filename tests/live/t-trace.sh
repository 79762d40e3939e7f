#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace prints the calls that a program made, with strace's options, and leaves tracefs as it was,
# however it or the program ends.
#
# needs: root tracefs
# area: gate tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
helper traced-calls calls
mkfifo go || exit 1
# The arguments that the program passed, and the results that the kernel must return
cat >wanted <<'END'
close(12345)                            = -1 EBADF (Bad file descriptor)
lseek(23456, 1234567, SEEK_END)         = -1 EBADF (Bad file descriptor)
fcntl(34567, F_GETFD)                   = -1 EBADF (Bad file descriptor)
ftruncate(45678, 98765)                 = -1 EBADF (Bad file descriptor)
mprotect(NULL, 0, PROT_READ|PROT_WRITE) = 0
exit_group(7)                           = ?
+++ exited with 7 +++
END

# after_number TID: lines of calls as they are with a thread's number in front, which counts for the
# column of the result
after_number() {
	awk -v tid="$1" '{
		call = $0
		sub(/ *= .*/, "", call)
		printf "%-39s %s\n", sprintf("%-5d %s", tid, call), substr($0, index($0, " = ") + 1)
	}'
}

"$trace" ./calls 2>err
is "the exit status is COMMAND's" $? 7
tail -n 7 err >lines
same "calls are printed as strace prints them" wanted lines
has "the first one is execve" err "execve("
is "and nothing comes before it but notices" "$(notices err | grep -v "^tc-trace: no event of this kernel has paths" | head -n 1 | cut -d'(' -f1)" execve

"$trace" -qq -e close,ftruncate -o lines ./calls
is "-e: exit status" $? 7
is "-e: only these, and -o has the thread's number in front" \
	"$(grep -v ' close([0-9])\| +++' lines)" \
	"$(grep '^close\|^ftruncate' wanted | after_number "$(awk '{ print $1; exit }' lines)")"
"$trace" -qq -e '!%memory,%file,read,close,fstat,pread64,newfstatat' -Z ./calls 2>lines
is "-Z and classes: the calls that failed" "$(grep -v '^[a-z_0-9]*(0x' lines | grep '234\|345\|456')" \
	"$(sed -n 2,4p wanted)"
"$trace" -qq -e '/^l?seek$' -e fd=23456 ./calls 2>lines
is "-e fd=: calls with this descriptor" "$(cat lines)" "$(sed -n 2p wanted)"
"$trace" -qq -e trace=close -tt -T ./calls 2>lines
is "-tt, -T: time before, duration after" "$(grep -c \
	'^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]\{6\} close(12345) *= -1 EBADF (.*) <[0-9]*\.[0-9]\{6\}>$' lines)" 1
"$trace" -qq -e trace=lseek -e raw=lseek -e fd=23456 ./calls 2>lines
is "-e raw=: numbers" "$(sed 's/ *= / = /' lines)" "$(printf 'lseek(0x%x, 0x%x, 0x2) = -1 (errno 9)' 23456 1234567)"
"$trace" -qq -e trace=lseek -e 'sched:sched_process_w*' sh -c './calls & wait' 2>lines
is "-e SYSTEM:EVENT: the event's name and text" "$(grep -c \
	'sched:sched_process_wait: comm=sh pid=[0-9-]* prio=[0-9]*$' lines | awk '{ print ($1 > 0) }')" 1
is "-e SYSTEM:EVENT: besides the calls" "$(grep -c 'lseek(23456, 1234567, SEEK_END)' lines)" 1
"$trace" -qq -e trace=lseek,fcntl,ftruncate --max-events 2 ./calls 2>lines
is "--max-events: so many" "$(cat lines)" "$(sed -n 2,3p wanted)"

# The kernel has no number for the call by the time it returns.
signals='trap : USR1; for i in 1 2 3 4 5; do kill -USR1 $$; done; exit 3'
"$trace" -qq -e rt_sigreturn -e signal=none sh -c "$signals" 2>lines
is "-e rt_sigreturn: returns from signal handlers" "$(grep -c '^rt_sigreturn() *= 0$' lines)" 5
"$trace" -c -U calls,name -e rt_sigreturn sh -c "$signals" 2>lines
is "-c -e rt_sigreturn: they are counted" "$(awk '$2 == "rt_sigreturn" { print $1 }' lines)" 5
"$trace" -qq -e '!rt_sigreturn,getpid' sh -c "$signals" 2>lines
is "-e '!rt_sigreturn': without them" "$(grep -c 'sigreturn\|syscall_' lines)" 0

# The table counts the calls that there would be lines of.
"$trace" -c -U calls,name -e fd=23456 ./calls 2>lines
is "-c -e fd=: calls with this descriptor" "$(awk '$1 ~ /[0-9]/ { print $1, $2 }' lines | paste -s -d ' ')" \
	"1 lseek 1 total"
echo 0123456789 >file
count='exec <file; read -r a; exec 3<file; exec 3<&-'
"$trace" -qq -P "$PWD/file" --record p.dat -o lines sh -c "$count"
for option in -c -C; do
	"$trace" -i p.dat $option -U calls,name -P "$PWD/file" -o table
	is "$option -P: calls with this file" "$(awk '$1 ~ /^[0-9]+$/ && NF == 2 && $2 != "total"' table | sort -k 2 | awk '{ print $1, $2 }')" \
		"$(sed 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/' lines | grep -v '+++' | sort | uniq -c | awk '{ print $1, $2 }')"
done
"$trace" -c -e status=failed true 2>err
is "-c -e status=: status" $? 2
has "-c -e status=: excluded" err "it excludes -e status="

"$trace" -qq --immediate ./calls 2>lines
is "--immediate: exit status" $? 7
is "--immediate: the same lines" "$(tail -n 6 lines)" "$(head -n 6 wanted)"
"$trace" --immediate -p $$ -o /dev/null &
tracer=$!
wait_for $tracer traces "tc-trace.$tracer"
is "--immediate: the kernel wakes it at each event" \
	"$(cat "$tracefs/instances/tc-trace.$tracer/buffer_percent")" 0
kill -INT $tracer
wait $tracer

# Exit statuses
"$trace" -o lines ./calls kill
is "killed by a signal: 128 and its number" $? 137
has "and a line says so" lines "+++ killed by SIGKILL +++"
"$trace" ./missing 2>err
is "COMMAND does not exist: status" $? 127
: >plain
"$trace" ./plain 2>err
is "COMMAND cannot be executed: status" $? 126
"$trace" -e opne true 2>err
is "a call that does not exist: status" $? 2
has "and it is named" err "'opne' is not a system call"
"$trace" -e no:such_event true 2>err
is "an event that does not exist: status" $? 2
"$trace" -e inject=read:error=EIO true 2>err
is "-e inject: status" $? 2
has "-e inject: strace is named" err "strace can do it"
for expr in abbrev=none verbose=all; do
	"$trace" -e $expr true 2>err
	is "-e $expr: status" $? 2
	has "-e $expr: it is named" err "no ${expr%%=*}="
done
if ! grep -qw function_graph "$tracefs/available_tracers"; then
	"$trace" --graph vfs_read true 2>err
	is "--graph where there is no such tracer: status" "$(($? != 0))" 1
	has "... is refused by its name" err "this kernel has no tracer 'function_graph'"
fi
"$trace" 2>err
is "nothing to trace: status" $? 2
"$trace" -o no/such/dir/file true 2>err
is "a file that cannot be written: status" $? 1
nothing_of_mine "errors"

# Where lines go
"$trace" -e lseek -o '|cat >piped' ./calls
is "-o '|CMD': exit status" $? 7
is "-o '|CMD' gets the lines" "$(grep lseek piped)" \
	"$(sed -n 2p wanted | after_number "$(awk '{ print $1; exit }' piped)")"
"$trace" -o '|exit 3' ./calls 2>err
is "a CMD that fails: status" $? 1
has "and it is named" err "'exit 3' ended with exit status 3"
"$trace" -ff -o split sh -c './calls; ./calls; exit 5'
is "-ff: exit status" $? 5
is "-ff: a file for each thread" "$(find . -name 'split.*' | wc -l)" 3
is "-ff: each has the calls of its own" "$(grep -l '^lseek(23456' split.* | wc -l)" 2
is "-ff: no numbers in front" "$(cat split.* | grep -c '^[0-9\[]')" 0
"$trace" -A -e lseek -o lines ./calls
is "-A appends" "$(grep -c 'killed by SIGKILL\|lseek(23456' lines)" 2

# Processes that run
./calls loop >ready &
pid=$!
wait_for $pid grep -q ready ready
"$trace" -p $pid -e close --max-events 3 2>lines
is "-p: ends after --max-events" $? 0
is "-p: the calls of the process" "$(sort -u lines)" \
	"close(54321)                            = -1 EBADF (Bad file descriptor)"
is "-p: the process goes on" "$(kill -0 $pid && echo alive)" alive
"$trace" --tid $pid -e close --max-events 2 2>lines
is "--tid: its calls" "$(sort -u lines | cut -c1-12)" "close(54321)"
rm -f lines
"$trace" -p $pid -o lines &
tracer=$!
wait_for $tracer traces "tc-trace.$tracer"
wait_for $tracer grep -q 54321 lines
kill -INT $tracer
wait $tracer
is "SIGINT ends it with status" $? 0
nothing_of_mine "SIGINT"
rm -f lines
"$trace" -p $pid -o lines &
tracer=$!
wait_for $tracer traces "tc-trace.$tracer"
kill -TERM $tracer
wait $tracer
is "SIGTERM ends it with status" $? 0
nothing_of_mine "SIGTERM"
"$trace" -p $pid -e close 2>&1 | head -n 2 >lines
is "a closed pipe ends it" "$(grep -c 54321 lines)" 2
nothing_of_mine "a closed pipe"
rm -f lines
"$trace" -p $pid -o lines &
tracer=$!
wait_for $tracer traces "tc-trace.$tracer"
wait_for $tracer grep -q 54321 lines
kill -KILL $pid
wait $pid 2>/dev/null
wait $tracer
is "when all of -p have ended, it ends: status" $? 0
nothing_of_mine "after the process was killed"

# The tool is killed: the program goes on, and the next program of tracecraft cleans up.
rm -f lines
"$trace" -o lines ./calls loop >ready &
tracer=$!
wait_for $tracer grep -q 54321 lines
pid=$(awk '{ print $1; exit }' lines)
kill -KILL $tracer
wait $tracer 2>/dev/null
is "the tool is killed: COMMAND goes on" "$(kill -0 "$pid" && echo alive)" alive
kill -KILL "$pid"
"$trace" -q -o lines true
is "the next one works" $? 0
nothing_of_mine "after a tool that was killed"

# The reader is stopped while the command calls.
# shellcheck disable=SC2016 # the shell that is traced expands it
"$trace" -c --buffer-size 4 sh -c 'kill -STOP $PPID; ./calls flood; kill -CONT $PPID' >out 2>err
has "-c with losses: what loses fewer" err "tc-stat --syscalls loses fewer"
"$trace" -qq -o /dev/full true >out 2>err
is "a full disk: status" $? 1
has "a full disk: the file is named" err "cannot write to /dev/full: No space left on device"

# Nobody reads, the program does not wait: what is lost is counted
# shellcheck disable=SC2016 # the inner shell's
"$trace" --buffer-size 64 -e close -o '|read -r now <go; cat >slow' \
	sh -c './calls flood; status=$?; echo now >go; exit $status' 2>err
is "a slow reader: exit status" $? 7
has "a slow reader: the loss is said" err "events were lost"
is "a slow reader: and where" "$(grep -c 'events lost' slow | awk '{ print ($1 > 0) }')" 1
nothing_of_mine "a slow reader"

# A recording shows the same
"$record" -q -e raw_syscalls -e sched -e task -e signal -F -c -o calls.dat -- ./calls
"$trace" -i calls.dat >lines
is "-i: status" $? 0
tail -n 7 lines >end
same "-i: the same lines" wanted end
"$trace" -i calls.dat -e trace=riscv_hwprobe >lines 2>err
is "-i: a call that its machine does not have: status" $? \
	"$([ "$(uname -m)" = riscv64 ] && echo 0 || echo 2)"
"$trace" -i calls.dat -e irq:irq_handler_entry >lines 2>err
is "-i: an event that it does not have: status" $? 2
has "-i: an event that it does not have is named, with the file" err \
	"'calls.dat': 'irq:irq_handler_entry': the recording has no such event"
"$trace" -i missing.dat 2>err
is "-i: no such file: status" $? 1
finish
