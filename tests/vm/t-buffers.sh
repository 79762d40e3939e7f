# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Tracers in buffers of -B, each of its own, beside events in the main one.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

head -c 100 /dev/zero >bytes
ls $T/instances >before
cat $T/current_tracer $T/set_graph_function $T/set_ftrace_filter >>before

# By a pattern that needs no look-up: that takes an emulated machine seconds.
tc-record -e sched_process_exec -B fun -p function -l 'vfs_ope*' -e sched_process_exit -F -o f.dat -- \
	/bin/dd if=bytes of=/dev/null bs=10 2>err
is "-B with the tracer function" $? 0
tc-report --no-flags -i f.dat >f.txt
is "it has its functions" \
	"$(sed -n 's/^ *\([a-z]*\): .* function: *vfs_open$/\1/p' f.txt | sort -u)" fun
is "it has its events" "$(sed -n 's/^ *\([a-z]*\): .* sched_process_exit: .*$/\1/p' f.txt | sort -u)" fun
is "the main buffer has its own events" "$(grep -c '^ *fun: .* sched_process_exec:' f.txt) \
$(grep -c ' sched_process_exec: .*filename=/bin/dd' f.txt)" "0 1"
as_trace_cmd "trace-cmd reads the same" f.dat f.txt

tc-record -e sched_process_exec -B graph -p function_graph -g vfs_read -l 'vfs_rea*' -l 'rw_verify_a*' -F \
	-o g.dat -- /bin/dd if=bytes of=/dev/null bs=10 2>err
rc=$?
if grep -q 'at the top level only' err; then
	is "a kernel with function_graph only at the top level refuses it" $rc 1
	has "and says what to do" err 'hint: put -p function_graph before the first -B'
	runs "no file is written" test ! -e g.dat
else
	is "-B records with function_graph" $rc 0
	tc-report --no-flags -i g.dat >g.txt
	# 100 bytes by tens, and the read that finds the end
	n=$(grep -c '^ *graph: .*|  vfs_read() {' g.txt)
	runs "each read is a graph of its buffer ($n)" test "$n" -ge 11
	is "and each has what it calls" "$(grep -c '^ *graph: .*|    rw_verify_area();' g.txt)" "$n"
	as_trace_cmd "trace-cmd reads the same" g.dat g.txt
	keep g.dat g.txt --no-flags
	tc-report --graph -i g.dat >t.txt
	is "--graph draws as many trees" "$(grep -c '|  vfs_read() {' t.txt) \
$(grep -c '|    rw_verify_area();' t.txt)" "$n $n"
fi
ls $T/instances >after
cat $T/current_tracer $T/set_graph_function $T/set_ftrace_filter >>after
same "tracefs is as it was" after before

# --- probes of functions and of their returns, drawn as function_graph draws

for f in ksys_read vfs_read rw_verify_area; do
	printf ' -p kprobe:%s -p kretprobe:%s' $f $f
done >probes
# shellcheck disable=SC2046 # words
tc-record $(cat probes) -F -o k.dat -- /bin/dd if=bytes of=/dev/null bs=10 2>err
is "probes of entries and returns: records" $? 0
tc-report --no-flags -t -i k.dat >k.txt
tc-report --graph -i k.dat >k.graph
# From the records alone, in the form of graph.awk: a call lasts from its record to that of its return, in
# nanoseconds, and is within those that have begun and not returned.
awk 'function us(from, to,    a, b, t) {
		split(from, a, ".")
		split(to, b, ".")
		# A fraction alone may begin with 0, which busybox takes for the sign of an octal number.
		t = sprintf("%.3f", ((b[1] - a[1]) * 1000000000 + ("1" b[2]) - ("1" a[2])) / 1000)
		# The column has room for so many digits (trace_print_graph_duration()).
		t = substr(t, 1, 8)
		sub(/\.$/, "", t)
		return t
	}
	BEGIN { depth = 0; name[-1] = "-" }
	/\(ffff/ { f = $4; time = $3; pid = $1; sub(/:/, "", f); sub(/:/, "", time); sub(/.*-/, "", pid) }
	/__return: / { depth--; print pid, depth, name[depth - 1], name[depth], us(at[depth], time)
		sub(/__return$/, "", f); if (f != name[depth]) print "not nested:", $0; next }
	/\(ffff/ { at[depth] = time; name[depth++] = f }' k.txt | sort >want
awk -v form=tc-report -f /tests/graph.awk k.graph | sort >have
runs "ten reads and the one at the end of the file, each in its system call" test \
	"$(grep -c ' 1 ksys_read vfs_read ' have)" -ge 11
same "trees and durations are those of the records" want have
finish
