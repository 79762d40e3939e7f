#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# strace and tracefs trace the same run of the same tasks: strace -f runs the command, and tc-record
# records both. The reference is strace's file: of each task the sequence of its calls, signals and
# exits, and the result and error of each call, have to be the same, in the events and in the text of
# tc-trace -i. tests/tools/compare_strace.py has the classes of differences that are allowed.
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all "there is no python3"
command -v strace >/dev/null || skip_all "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
python=$(python3 -c 'import sys; print(sys.executable)')
trace=$TC_BUILDDIR/tc-trace
compare=$TC_SRCDIR/tests/tools/compare_strace.py
numbers=$TC_SRCDIR/plugins/syscalls/$(uname -m).tbl
[ -r "$numbers" ] || skip_all "there is no table of system calls of $(uname -m)"
cc=${CC:-cc}

# trace NAME COMMAND...: NAME.strace and NAME.dat of one run
trace() {
	trace_name=$1
	shift
	"$record" -q -F -c -b 16384 -e raw_syscalls -e sched:sched_process_fork \
		-e sched:sched_process_exec -e sched:sched_process_exit -e task:task_newtask \
		-e signal:signal_deliver -o "$trace_name.dat" -- \
		strace -f -o "$trace_name.strace" "$@" >"$trace_name.out" 2>&1
}

# beside NAME LEAST COMMAND...: at least LEAST calls
beside() {
	beside_name=$1
	beside_least=$2
	shift 2
	trace run "$@"
	"$report" --no-pager -q --json -i run.dat >run.json
	if python3 "$compare" --events --numbers "$numbers" --least-calls "$beside_least" \
		run.strace run.json >said 2>&1; then
		pass "$beside_name: calls, results, signals and exits of each task are those of strace"
		sed 's/^/# /' said
	else
		fail "$beside_name: calls, results, signals and exits of each task are those of strace" \
			"$(cat said)"
	fi
	lines_beside
}

# lines_beside: of the run that was traced last
lines_beside() {
	"$trace" -f -i run.dat -o run.text
	if python3 "$compare" --least-same 99 --least-calls "$beside_least" run.strace run.text \
		>said 2>&1; then
		pass "$beside_name: each line is that of strace, or differs by what is in memory"
		sed 's/^/# /' said
	else
		fail "$beside_name: each line is that of strace, or differs by what is in memory" \
			"$(cat said)"
	fi
}

# needs NAME PROGRAM: is it there? If not, the workload NAME is skipped
needs() {
	command -v "$2" >/dev/null && return
	skip "$1" "$2 is not installed"
	return 1
}
mkdir -p tree/a/b tree/c
(cd tree && seq 200 | while read -r i; do echo "$i" >"a/b/file$i"; done)
beside "ls -lR" 700 ls -lR tree

cat >loop.sh <<'END'
i=0
while [ $i -lt 8 ]; do
	/bin/ls / | /bin/sort -r | /usr/bin/head -n 2 >out.$i
	(cd / && /bin/cat /nonexistent <"$0" 2>/dev/null) || :
	x=$(/bin/cat out.$i; echo $i)
	i=$((i + 1))
done
cat <<HERE | wc -l
$x
HERE
/bin/sleep 0.1 &
wait
END
beside "a shell with pipes and children" 2000 sh loop.sh

cat >vfork.py <<'END'
import os, subprocess, threading

def work(number):
    for i in range(3):
        # posix_spawn, which makes a child that shares memory
        subprocess.run(["/bin/echo", str(number)], stdout=subprocess.DEVNULL, close_fds=False)
    with open("written.%d" % number, "w") as f:
        f.write("x" * 100)
    os.dup2(f.fileno() if not f.closed else 0, 20 + number)

threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
subprocess.run("exit 3", shell=True)
END
beside "Python with threads and children" 1000 "$python" vfork.py

if needs gcc "${cc%% *}"; then
	printf '#include <stdio.h>\nint main(void) { return puts("x") < 0; }\n' >small.c
	# shellcheck disable=SC2086 # CC may hold options
	beside "a compiler" 1000 $cc -O1 -o small small.c
fi
if needs git git; then
	git init -q repository >/dev/null 2>&1
	cp loop.sh vfork.py repository
	beside "git status" 150 git -C repository status
fi
if needs make make; then
	printf 'all: %s\n%%.made: ; @cat loop.sh | wc -l >$@\n' \
		"$(seq 6 | sed 's/$/.made/' | tr '\n' ' ')" >Makefile
	beside "make -j2" 1000 make -j2
fi
helper strace-signals signals
for kind in interrupt block ignore kill; do
	beside "signals: $kind" 35 ./signals $kind
done
# Events have numbers of calls, and which table they are of is what tc-trace is to find out.
# shellcheck disable=SC2086
if [ "$(uname -m)" = x86_64 ] && $cc -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector \
	-o calls-32 "$TC_SRCDIR/tests/live/calls-32.c" 2>err && ./calls-32 loop.sh; then
	beside_name="a program of 32 bits"
	beside_least=80
	trace run ./calls-32 loop.sh
	lines_beside
	is "a program of 32 bits: its calls are among them" \
		"$(grep -c ' getppid() *= \| getuid32() *= ' run.text)" 8
else
	skip "a program of 32 bits" "cannot compile or run one: $(head -n 1 err)"
fi
if needs setpriv setpriv; then
	beside "other users and groups" 60 setpriv --reuid=65534 --regid=65534 --clear-groups id
fi
nothing_of_mine "after all workloads"
finish
