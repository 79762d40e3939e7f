#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording over the network: two network namespaces with a veth pair between them, and a load that
# fills the ring buffers at a steady rate. Prints what was lost, and CPU seconds of both ends. Needs root.
#
#   TC_BENCH_SECONDS   30; of load
#   TC_BENCH_CALLS     220000; system calls a second on each CPU, of 92 bytes each in the ring buffer
#   TC_BENCH_PEER      a trace-cmd to listen, besides tc-listen; the installed one

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
seconds=${TC_BENCH_SECONDS:-30}
calls=${TC_BENCH_CALLS:-220000}
peer=${TC_BENCH_PEER:-trace-cmd}
far=""
listener=""

[ "$(id -u)" = 0 ] || { say "bench: tracing needs root"; exit 77; }
# shellcheck disable=SC2086 # "ccache gcc" is two words
${CC:-cc} -O2 -o "$dir/steady" "$source/tests/bench/steady.c"

# shellcheck disable=SC2317 # called by the trap
network_clean() {
	[ -z "$listener" ] || pkill -KILL -P "$listener" || :
	[ -z "$far" ] || kill "$far" 2>/dev/null || :
	ip link del tcbench0 2>/dev/null || :
	rm -rf "$dir"
}
trap network_clean EXIT

unshare --net sleep 100000 &
far=$!
until [ "$(readlink "/proc/$far/ns/net")" != "$(readlink /proc/$$/ns/net)" ]; do
	sleep 0.05
done
if ! ip link add tcbench0 type veth peer name tcbench1 netns "$far"; then
	say "bench: no veth pair"
	exit 77
fi
there() {
	nsenter --net="/proc/$far/ns/net" "$@"
}
ip addr add 198.18.255.1/30 dev tcbench0
ip link set tcbench0 up
there ip addr add 198.18.255.2/30 dev tcbench1
there ip link set tcbench1 up
there ip link set lo up

# trace-cmd listen serves only addresses for which it finds a name.
echo "198.18.255.1 bench" >"$dir/hosts"

# listen NAME PORT COMMAND...: in the other namespace; its CPU seconds go to $dir/NAME.cpu
listen() {
	listen_name=$1
	port=$(printf %04X "$2")
	shift 2
	mkdir "$dir/$listen_name"
	# shellcheck disable=SC2016 # for the shell
	(cd "$dir/$listen_name" && exec nsenter --net="/proc/$far/ns/net" unshare --mount sh -c \
		'mount --bind "$1" /etc/hosts; shift; exec "$@"' - "$dir/hosts" "$dir/measure" "$dir/$listen_name.cpu" "$@") &
	listener=$!
	until there grep -q ":$port .* 0A " /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$listener" || { say "bench: $listen_name does not start"; exit 1; }
		sleep 0.05
	done
}

# run NAME OPTION...: record the load
run() {
	name=$1
	shift
	# shellcheck disable=SC2016 # for the shell
	"$dir/measure" "$dir/$name.sender" sh -c 'err=$1; shift; exec "$@" 2>"$err"' - "$dir/$name.err" \
		"$build/tc-record" -F -c -e raw_syscalls "$@" -- "$dir/steady" "$seconds" "$calls" ||
		say "# $name: tc-record ended with $?"
	if [ -n "$listener" ]; then
		# trace-cmd's takes two seconds to complete a file.
		sleep 3
		pkill -P "$listener"
		wait "$listener" || :
		listener=
	fi
	read -r made cpu <<-END
	$(grep '^[0-9]* [0-9.]*$' "$dir/$name.err")
	END
	say "$name: $((made / seconds)) calls a second, CPU of tc-record" \
		"$(awk -v load="$cpu" '{ printf "%.2f", $2 - load }' "$dir/$name.sender") s," \
		"of the listener $(cut -d ' ' -f 2 "$dir/$name.cpu" 2>/dev/null || say -) s"
	grep tc-record: "$dir/$name.err" | sed 's/^/    /'
	for file in "$dir/$name"*.dat "$dir/$name"/*.dat; do
		[ -e "$file" ] || continue
		say "    $(wc -c <"$file") bytes of file;" \
			"$("$build/tc-report" -i "$file" 2>/dev/null | grep -c 'sys_enter:\|sys_exit:') events for $((2 * made)) ends of calls"
		rm "$file"
	done
}

say_machine
run file -o "$dir/file.dat"
listen tc-listen 9922 "$build/tc-listen" -p 9922 --bind 198.18.255.2 -q
run tc-listen -N 198.18.255.2:9922
if command -v "$peer" >/dev/null; then
	# Another port: it cannot listen where connections have ended a moment ago.
	listen trace-cmd 9923 "$peer" listen -p 9923
	run trace-cmd -N 198.18.255.2:9923
fi
