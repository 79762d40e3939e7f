#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kill -9 before chosen calls of a recorder, as a first recording made them: while it sets up, records, joins its
# data, removes temporary files and takes back its changes. Everything written is recovered, nothing is left behind.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v strace >/dev/null || skip_all "there is no strace"
strace -f -o /dev/null true 2>/dev/null || skip_all "strace is not allowed"
mkfifo go

# begun: there is a recorder, and it records
# shellcheck disable=SC2317 # wait_for runs it
begun() {
	[ -s recorder ] && recording "$(cat recorder)"
}

# record_traced CODEC OPTION...: record 30,000 reads and writes as k.dat; the ring buffer has room for all of them.
# The options are for strace.
calls=mkdirat,clone3,write,pwrite64,fallocate,copy_file_range,ftruncate,unlinkat
record_traced() {
	codec=$1
	shift
	rm -f recorder
	sh -c 'read -r _ <go; exec dd if=/dev/zero of=/dev/null bs=1 count=30000' 2>/dev/null &
	reads=$!
	# shellcheck disable=SC2016 # the inner shell's
	strace -f "$@" sh -c 'echo $$ >recorder; exec "$@"' sh "$record" -q -e raw_syscalls -P $reads -b 8M \
		--compression "$codec" -o k.dat >/dev/null 2>&1 &
	strace=$!
	wait_for $strace begun
	echo >go
	wait $reads
	[ ! -e /proc/$strace/exe ] || kill -TERM "$(cat recorder)"
	wait $strace 2>/dev/null
}

# places: of the calls of the recorder's first thread in "order", those to be killed at, as WHEN CALL N. A reader
# makes N calls or fewer of write(): then it is the call that ends the recording.
places() {
	awk -v main="$(cat recorder)" '
	function place(when) {
		print when, call, n[call]
	}
	{ call = $2; sub(/\(.*/, "", call) }
	call !~ /^[a-z_0-9]+$/ { next }
	$1 != main {
		reads = reads || call == "write" && n["clone3"]
		next
	}
	{ n[call]++ }
	call == "mkdirat" && /instances/ { place("setup"); made = 1 }
	call == "write" && made && settings++ % 2 == 0 && !n["clone3"] { place("setup") }
	call == "clone3" { place("setup") }
	call == "pwrite64" && made && !reads && heads++ % 4 == 0 { place("setup") }
	call == "fallocate" && !/PUNCH_HOLE/ { place("setup") }
	call == "write" && reads && ends++ < 2 { place("recording") }
	call == "pwrite64" && ends && !joins && rest++ % 3 == 0 { place("joining") }
	call == "copy_file_range" && !joins++ { place("joining") }
	call == "fallocate" && /PUNCH_HOLE/ && !holes++ { place("joining") }
	call == "ftruncate" { place("joining") }
	call == "unlinkat" && /k\.dat\.cpu/ { place("removing") }
	call == "unlinkat" && /instances/ { gone = 1 }
	call == "unlinkat" && gone { place("undoing") }' order
}

# problems: what is wrong with k.dat once it is recovered
problems() {
	# Data that was joined already is a hole in its temporary file, and in k.dat: it counts once
	parts=$(cat k.dat.cpu* 2>/dev/null | wc -c)
	"$record" --recover k.dat 2>err
	status=$?
	# Killed before it had written data: there is nothing to recover, or all is complete
	[ "$parts" -gt 0 ] || return 0
	recovered=$((recovered + 1))
	[ $status -eq 0 ] || cat err
	[ "$(ls k.dat*)" = k.dat ] || ls k.dat*
	size=$(stat -c %s k.dat)
	# A chunk of each CPU may be cut
	[ "$size" -ge $((parts - $(nproc) * 46000)) ] || echo "$parts bytes were written, $size recovered"
	"$report" --no-flags -i k.dat 2>text.err >ours
	cat text.err
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i k.dat 2>/dev/null | grep -vc '^cpus=' >theirs
		[ "$(grep -vc '^cpus=' ours)" = "$(cat theirs)" ] || echo "trace-cmd reads $(cat theirs) events"
	fi
}

# killed_at CODEC WHEN CALL N
killed_at() {
	record_traced "$1" -o /dev/null -e "trace=$3" -e "inject=$3:signal=KILL:when=$4"
	is "$1, $2: before call $4 of $3() it is killed" $? 137
	if [ -e k.dat ]; then
		problems >wrong
		nothing "$1, $2: what was written before call $4 of $3() is recovered" "$(cat wrong)"
	fi
	rm -f k.dat*
	# Else the next one begins with more calls.
	"$TC_BUILDDIR/tc-session" reset -q --orphans
}

for codec in zstd none; do
	record_traced $codec -o order -e "trace=$calls"
	is "$codec: a recording that is not killed" $? 0
	rm -f k.dat*
	places >list
	for when in setup recording joining removing undoing; do
		recovered=0
		number=$(grep -c "^$when " list)
		is "$codec: there are calls of $when" "$([ "$number" -ge 2 ] && echo yes)" yes
		while read -r at call n <&3; do
			[ "$at" != $when ] || killed_at "$codec" "$at" "$call" "$n"
		done 3<list
		case $when in
		setup | undoing) is "$codec, $when: all data are in the file" $recovered 0 ;;
		joining) is "$codec, $when: data were recovered" $recovered "$number" ;;
		esac
	done
done
"$record" -q -e sched_switch -o k.dat -- true
nothing_of_mine "after all of them"
is "no temporary file is left" "$(find . -name '*.cpu*')" ""
finish
