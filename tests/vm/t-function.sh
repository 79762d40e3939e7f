# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The function tracers: what -l, -n and -g let through is what is recorded, and the numbers are right.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# The functions that "function: NAME" lines of FILE name, each once.
functions_in()
{
	sed -n 's/^.*: *function: *\([A-Za-z0-9_.]*\).*$/\1/p' "$1" | sort -u
}

# State of the top level that a function tracer needs, with what is in none of it.
top()
{
	(cd $T && cat current_tracer tracing_on buffer_size_kb trace_clock set_ftrace_filter \
		set_ftrace_notrace set_graph_function max_graph_depth set_ftrace_pid set_event \
		tracing_cpumask trace_options options/* && ls instances)
}

# One recording first: some files show another size until the first use.
tc-record -q -e sched -o first.dat -- true
echo 0 >$T/tracing_on && echo 1 >$T/tracing_on
cat $T/buffer_size_kb >/dev/null
echo 1408 >$T/buffer_size_kb
top >before

head -c 1234 /dev/zero >bytes

tc-record -p function -l vfs_read -l 'ksys_rea?' -F -o l.dat -- /bin/dd if=bytes of=/dev/null bs=4096 2>err
is "-p function -l records" $? 0
tc-report --no-flags -i l.dat >l.txt
is "only functions of -l are recorded" "$(functions_in l.txt | paste -s -d ' ')" \
	"ksys_read vfs_read"
is "with -F only COMMAND's" "$(grep -c 'function:' l.txt)" "$(grep -c ' dd-.*function:' l.txt)"
keep l.dat l.txt --no-flags
as_trace_cmd "trace-cmd reads the functions" l.dat l.txt

tc-record -p function -l '^vfs_(read|write)$' -n vfs_write -F -o n.dat -- \
	/bin/dd if=bytes of=/dev/null bs=100 2>err
tc-report --no-flags -i n.dat >n.txt
is "a regular expression, and -n takes away from it" \
	"$(functions_in n.txt | paste -s -d ' ')" "vfs_read"
# 1234 bytes by hundreds: twelve and a half reads, and the one that finds the end
runs "as often as it was called" test "$(grep -c 'function:.*vfs_read' n.txt)" -ge 14

tc-record -p function -l vfs_read --func-stack -F -o fs.dat -- /bin/dd if=bytes of=/dev/null bs=4096 2>err
tc-report --no-flags -i fs.dat >fs.txt
is "--func-stack: each has its stack" "$(grep -c 'function:' fs.txt)" \
	"$(grep -c 'kernel_stack:' fs.txt)"
has "that begins where the function was called" fs.txt '=> ksys_read'

tc-record -p function_graph -g vfs_read -o ls.dat -- ls >/dev/null 2>err
is "tc-record -p function_graph -g vfs_read -- ls" $? 0
# All functions are slow here; what vfs_read calls is enough.
few="-l vfs_read -l rw_verify_area -l security_file_permission -l fsnotify*"
# shellcheck disable=SC2086 # options
tc-record -p function_graph -g vfs_read $few -F -o g.dat -- /bin/dd if=bytes of=/dev/null 2>err
tc-report --no-flags -i g.dat >g.txt
# A call's indentation is its depth: "|  vfs_read() {", "|    rw_verify_area();"
is "each graph begins with vfs_read" \
	"$(sed -n 's/^.*|  \([a-z_0-9.]*\)().*$/\1/p' g.txt | sort -u)" "vfs_read"
runs "and has what that calls" grep -q '|    [a-z_0-9.]*()' g.txt
has "and times" g.txt 'us'
keep g.dat g.txt --no-flags
as_trace_cmd "trace-cmd reads the graph" g.dat g.txt

# shellcheck disable=SC2086 # options
tc-record -p function_graph -g vfs_read $few --max-graph-depth 1 -F -o d.dat -- \
	/bin/dd if=bytes of=/dev/null bs=4096 2>err
tc-report --no-flags -i d.dat >d.txt
is "--max-graph-depth 1: nothing that it calls" \
	"$(sed -n 's/^.*| *\([a-z_0-9.]*\)().*$/\1/p' d.txt | sort -u)" "vfs_read"

if [ -e $T/options/funcgraph-retval ]; then
	tc-record -p function_graph -l vfs_read -O funcgraph-retval -F -o r.dat -- \
		/bin/dd if=bytes of=/dev/null bs=4096 2>err
	is "-O funcgraph-retval" $? 0
	tc-report -i r.dat --json --events funcgraph_exit >r.json 2>/dev/null ||
		tc-report -i r.dat -R >r.json
	runs "the value is what was read: 1234 bytes" grep -Eq '"retval": *1234|retval=1234|4d2' r.json
else
	tc-record -p function_graph -O funcgraph-retval -o r.dat -- true 2>err
	is "an option that this kernel does not have is an error" $? 2
	has "which names it" err "'funcgraph-retval'"
fi

tc-record -p functoin -o no.dat -- true 2>err
is "an unknown tracer" $? 2
has "similar names are suggested" err "'function'"
tc-record -p function -l vfs_raed -o no.dat -- true 2>err
is "an unknown function" $? 2
has "similar names are suggested" err "'vfs_read'"
runs "no file is written" test ! -e no.dat

# The top level is for all: while somebody traces there, it is left alone.
echo 1 >$T/events/sched/sched_process_wait/enable
tc-record --dry-run -p function -o x.dat -- true >plan 2>err
has "functions are traced in an instance" plan 'mkdir '
tc-record --dry-run -p function_graph -o x.dat -- true >plan 2>err
if ! grep -q '^mkdir' plan; then
	has "a file that only the top level has is refused while somebody traces there" err \
		"the event 'sched:sched_process_wait' is enabled"
	tc-record -p function_graph -g vfs_read -o x.dat -- true 2>err
	is "and nothing is recorded" $? 1
	is "and that tracing goes on" "$(cat $T/set_event)" sched:sched_process_wait
fi
echo 0 >$T/events/sched/sched_process_wait/enable

top >after
same "the top level is as it was" before after
finish
