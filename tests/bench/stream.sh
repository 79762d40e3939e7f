#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of a recording that is sent while it is made, beside one into a file, of the same load in turn: CPU
# time of the recording host and of the receiver, and bytes, for each event. Needs root.
#
#   TC_BENCH_RUNS      5; rounds, of which medians are printed
#   TC_BENCH_SECONDS   5; of each recording
#   TC_BENCH_CALLS     100000; system calls a second on each CPU

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
seconds=${TC_BENCH_SECONDS:-5}
calls=${TC_BENCH_CALLS:-100000}
record=$build/tc-record
fleet=$build/tc-fleet

[ "$(id -u)" = 0 ] || { say "bench: recording needs root"; exit 77; }
# shellcheck disable=SC2086 # "ccache gcc" is two words
${CC:-cc} -O2 -o "$dir/steady" "$source/tests/bench/steady.c"
mkdir -m 700 "$dir/spool"
# shellcheck disable=SC2317 # by the trap
stream_clean() {
	# with the processes that it has on each CPU
	pkill -f "^$dir/steady " || :
	rm -rf "$dir"
}
trap stream_clean EXIT

# out NAME COMMAND...: measured, with its output
out() {
	out_name=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	measure "$out_name" sh -c 'exec "$@" >&3' - "$@" 3>&1
}

# The transport of tc-fleet: what the host does is measured by itself.
cat >"$dir/connect" <<END
#!/bin/sh
PATH=$build:\$PATH exec "$dir/measure" "$dir/\$TC_BENCH_NAME" sh -c "exec >&3; \$2" 3>&1
END
chmod +x "$dir/connect"

# options SECONDS: what all of them record
options() {
	echo "-q -e raw_syscalls -b 32M --duration $1"
}

# file NAME SECONDS
file() {
	# shellcheck disable=SC2046 # words
	measure "$1" "$record" $(options "$2") -o "$dir/r.dat"
}

# stream NAME SECONDS
stream() {
	# shellcheck disable=SC2046 # words
	out "$1" "$record" --stream --spool "$dir/spool" $(options "$2") | dd bs=64K iflag=fullblock 2>"$dir/said" |
		measure "$1.receiver" "$fleet" receive -q -o "$dir/r.dat"
	sed -n 's/ bytes.*//p' "$dir/said" >>"$dir/$1.wire"
}

# run NAME SECONDS: tc-fleet with one host
run() {
	rm -rf "$dir/run"
	# shellcheck disable=SC2046 # words
	TC_BENCH_NAME=$1 measure "$1.all" "$fleet" record -q --ssh "$dir/connect" --spool "$dir/spool" -o "$dir/run" --on host -- \
		$(options "$2")
	# The transport's processes are children of tc-fleet.
	paste -d ' ' "$dir/$1" "$dir/$1.all" | tail -n 1 |
		awk '{ print $5, $6 - $2, $7 }' >>"$dir/$1.receiver"
	mv "$dir"/run/host/*.dat "$dir/r.dat"
}

# note NAME: events and bytes of the last recording
note() {
	"$build/tc-report" --stat "$dir/r.dat" 2>/dev/null >"$dir/stat"
	awk -v bytes="$(wc -c <"$dir/r.dat")" '
		/^read events:/ { events += $NF }
		/^(overrun|dropped events):/ { lost += $NF }
		END { print events, bytes, lost + 0 }' "$dir/stat" >>"$dir/$1.made"
}

# each NAME HOW: a recording, and one of a moment, whose cost is that of beginning and ending
each() {
	"$2" "$1.start" 0.01
	"$2" "$1" "$seconds"
	note "$1"
}

# shown LABEL NAME
shown() {
	paste -d ' ' "$dir/$2" "$dir/$2.start" "$dir/$2.made" |
		awk '{ print ($2 - $6) / $9 * 1e9, $10 / $9, $9 }' >"$dir/$2.each"
	if [ -e "$dir/$2.receiver" ]; then
		paste -d ' ' "$dir/$2.receiver" "$dir/$2.start.receiver" "$dir/$2.made" |
			awk '{ half = NF - 3; n = half / 2; print ($2 - $(n + 2)) / $(NF - 2) * 1e9 }' >"$dir/$2.their"
	fi
	printf '  %-36s %6.0f ns %8s %10.2f %10.0f\n' "$1" "$(median "$2.each" 1)" \
		"$([ ! -e "$dir/$2.their" ] || printf '%.0f ns' "$(median "$2.their" 1)")" \
		"$(median "$2.each" 2)" "$(median "$2.each" 3)"
}

"$dir/steady" 100000 "$calls" 2>/dev/null &
for _ in $(seq "$runs"); do
	each file file
	each stream stream
	each fleet run
done
say_machine
say "for each event, without begin and end    host  receiver      bytes     events"
shown "tc-record -o FILE" file
shown "tc-record --stream | tc-fleet receive" stream
shown "tc-fleet record, one host" fleet
paste -d ' ' "$dir/stream.wire" "$dir/stream.made" | awk '{ print $1 / $2 }' >"$dir/wire"
say "bytes of an event on the connection: $(median wire 1)"
say "CPU of the host, by that of a file: $(paired stream.each file.each 1) streamed, $(paired fleet.each file.each 1) with tc-fleet"
say "lost events: $(cat "$dir"/*.made | awk '{ n += $3 } END { print n + 0 }')"
