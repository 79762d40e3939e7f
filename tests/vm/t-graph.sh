# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-report --graph draws the trees that the kernel draws of the same buffer.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# calls FORM FILE: a line a call, see tests/lib/graph.awk
calls()
{
	awk -v form="$1" -f /tests/graph.awk "$2" | sort
}

# In the top level: 6.1 has graphs nowhere else. Only a few paths, by few patterns: the
# emulator is slow, and the kernel looks up the names of all its functions for each of them.
functions='vfs_* rw_verify_area *file_perm* *_zero irq_e*_rcu *netif_receive_skb* ip_rcv'
paths='vfs_read vfs_write __netif_receive_skb_one_core'

graphs_on()
{
	size=$(sed 's/ .*//' $T/buffer_size_kb)
	echo 0 >$T/tracing_on
	echo >$T/trace
	echo 4096 >$T/buffer_size_kb
	set -f
	for f in $functions; do
		echo "$f" >>$T/set_ftrace_filter
	done
	set +f
	echo "$paths" >$T/set_graph_function
	echo function_graph >$T/current_tracer
	echo 1 >$T/options/funcgraph-proc
	echo 1 >$T/tracing_on
}

graphs_off()
{
	echo 0 >$T/options/funcgraph-proc
	echo nop >$T/current_tracer
	echo >$T/set_graph_function
	echo >$T/set_ftrace_filter
	echo >$T/trace
	echo "$size" >$T/buffer_size_kb
	echo 1 >$T/tracing_on
}

if ! command -v trace-cmd >/dev/null; then
	skip "trees of the same buffer" "no trace-cmd to extract it"
	finish
fi

ifconfig lo up
graphs_on
dd if=/dev/zero of=/dev/null bs=512 count=300 2>/dev/null
ping -c 2 127.0.0.1 >/dev/null
echo 0 >$T/tracing_on
cat $T/trace >kernel.txt
trace-cmd extract -o g.dat >/dev/null 2>err
graphs_off
ifconfig lo down
calls kernel kernel.txt >theirs
tc-report --graph -i g.dat >g.txt
calls tc-report g.txt >ours
echo "# $(wc -l <theirs) calls, $(grep -c ' irq_enter_rcu ' theirs) in interrupts"
runs "there are 3000 calls or more" test "$(wc -l <theirs)" -ge 3000
is "the kernel lost none of them" "$(grep -c LOST kernel.txt)" 0
same "nesting and durations are those of the kernel's text" ours theirs

# A name as people type it.
tc-report --graph _netif_receive_skb_core -i g.dat >n.txt 2>n.err
is "_netif_receive_skb_core matches the function that was called" $? 0
runs "two echo requests and their answers" test \
	"$(grep -c '|  __netif_receive_skb_core[.a-z0-9]*(' n.txt)" -ge 4
has "with a notice" n.err "'_netif_receive_skb_core' was not called: showing '__netif_receive_skb_core"
finish
