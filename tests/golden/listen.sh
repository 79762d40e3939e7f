#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-listen makes of what a client sends the recording that it was. tests/net/peer.py plays
# trace-cmd record -N with stored recordings; reports of what arrives must be those of the recordings.
#
# area: gate network

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin listen xz python3
peer=$TC_SRCDIR/tests/net/peer.py
data=$TC_SRCDIR/tests/data
listener=

# shellcheck disable=SC2317 # called by the trap
stop_all() {
	[ -z "$listener" ] || kill "$listener" 2>/dev/null
	rm -rf "$tmp"
}
trap stop_all EXIT

# up OPTION...: a listener with its files in a new directory; sets $port
up() {
	rm -rf "$tmp/out" "$tmp/log"
	mkdir "$tmp/out"
	: >"$tmp/log"
	"$TC_BUILDDIR/tc-listen" -p 0 -d "$tmp/out" "$@" 2>"$tmp/log" &
	listener=$!
	wait_for 'listening on'
	port=$(sed -n 's/^.*listening on .* port //p' "$tmp/log")
	[ -n "$port" ] || {
		fail "tc-listen starts" "$(cat "$tmp/log")"
		finish
	}
}

down() {
	kill "$listener"
	wait "$listener"
	down_status=$?
	listener=
}

# wait_for TEXT [N]: until N lines of the log have it
wait_for() {
	i=0
	while [ "$(grep -c -e "$1" "$tmp/log")" -lt "${2:-1}" ] && [ $i -lt 600 ]; do
		kill -0 "$listener" 2>/dev/null || break
		sleep 0.05
		i=$((i + 1))
	done
}

# arrives DESCRIPTION FILE OPTION...: what the peer sends of FILE gives the same report
arrives() {
	arrives_what=$1
	arrives_file=$2
	shift 2
	rm -f "$tmp"/out/*
	if ! python3 "$peer" send "$arrives_file" "$port" "$@" >"$tmp/peer" 2>&1; then
		fail "$arrives_what" "$(cat "$tmp/peer")" "$(tail -n 3 "$tmp/log")"
		return
	fi
	# Its own file: other clients may end at the same time.
	got=$tmp/out/trace.127.0.0.1:$(sed -n 's/^port //p' "$tmp/peer").dat
	wait_for "wrote '$got'"
	# Version 1 has no options, so the kernel's counters do not arrive.
	for view in '' --events; do
		# shellcheck disable=SC2086 # no word or one
		"$TC_BUILDDIR/tc-report" $view -i "$arrives_file" >"$tmp/want.txt" 2>&1
		# shellcheck disable=SC2086
		"$TC_BUILDDIR/tc-report" $view -i "$got" >"$tmp/got.txt" 2>&1
		if ! [ -s "$tmp/want.txt" ] || ! cmp -s "$tmp/want.txt" "$tmp/got.txt"; then
			fail "$arrives_what ($view)" "$(diff "$tmp/want.txt" "$tmp/got.txt" | head -n 5)"
			return
		fi
	done
	if [ -n "$theirs" ]; then
		trace-cmd report -i "$arrives_file" >"$tmp/want.txt" 2>/dev/null
		trace-cmd report -i "$got" >"$tmp/got.txt" 2>/dev/null
		if ! [ -s "$tmp/want.txt" ] || ! cmp -s "$tmp/want.txt" "$tmp/got.txt"; then
			fail "$arrives_what (trace-cmd)" "$(diff "$tmp/want.txt" "$tmp/got.txt" | head -n 5)"
			return
		fi
	fi
	pass "$arrives_what"
}

# lines FILE: lines of its report
lines() {
	"$TC_BUILDDIR/tc-report" -i "$1" 2>/dev/null | grep -vc '^cpus='
}

theirs=
! command -v trace-cmd >/dev/null || theirs=1
for name in made/switch-be32 made/switch-be64 made/switch-le32 recordings/x86_64/ev-v6 \
	recordings/x86_64/lost recordings/s390x/ev-v7zstd recordings/x86_64-6.12/subbuf16-v6; do
	xz -dc "$data/$name.dat.xz" >"$tmp/${name##*/}.dat"
done
cp "$data/sched.dat" "$tmp/sched.dat"

up --udp
for name in sched ev-v7zstd lost switch-be32 switch-be64 switch-le32 ev-v6 subbuf16-v6; do
	if lacks_codec "$tmp/$name.dat"; then
		skip "version 3 over TCP: $name" "tc-listen is built without zstd"
		continue
	fi
	arrives "version 3 over TCP: $name" "$tmp/$name.dat"
	arrives "version 3 over UDP: $name" "$tmp/$name.dat" --udp
done
for name in ev-v6 subbuf16-v6; do
	arrives "version 1 over TCP: $name" "$tmp/$name.dat" --v1
	arrives "version 1 over UDP: $name" "$tmp/$name.dat" --v1 --udp
done
# trace-cmd 3 sends no names of tasks with version 1: an event's text is all that can be the same.
rm -f "$tmp"/out/*
before=$(grep -c "wrote '" "$tmp/log")
python3 "$peer" send "$tmp/ev-v6.dat" "$port" --v1 --nameless >/dev/null
wait_for "wrote '" $((before + 1))
# texts FILE: without the names
texts() {
	"$TC_BUILDDIR/tc-report" -i "$1" 2>&1 | sed -n 's/^.* \(\[[0-9]*\] .*\)$/\1/p'
}
texts "$tmp/ev-v6.dat" >"$tmp/want.txt"
texts "$tmp"/out/*.dat >"$tmp/got.txt"
if [ "$(wc -l <"$tmp/want.txt")" -gt 10 ] && cmp -s "$tmp/want.txt" "$tmp/got.txt"; then
	pass "version 1 without the names of tasks"
else
	fail "version 1 without the names of tasks" "$(diff "$tmp/want.txt" "$tmp/got.txt" | head -n 5)"
fi
arrives "version 3 after version 2 was refused" "$tmp/switch-le32.dat" --old-first
arrives "metadata in pieces of one byte" "$tmp/switch-le32.dat" --piece 1
is "files are for their owner alone" "$(stat -c %a "$tmp"/out/*.dat)" 600
is "temporary files are gone" "$(find "$tmp/out" -name '*.cpu*')" ''

# The option TRACEID, by which other files refer to this one
if [ -n "$theirs" ]; then
	for name in ev-v6 switch-le32; do
		option=
		[ $name = switch-le32 ] || option=--v1
		arrives "$name again" "$tmp/$name.dat" $option
		trace-cmd dump --options -i "$tmp"/out/*.dat >"$tmp/options" 2>&1
		is "it has an id ($name)" "$(grep -c TRACEID "$tmp/options")" 1
	done
else
	skip "it has an id" "trace-cmd is not installed"
fi

# Datagrams that come while the listener cannot take them: each is in the file or counted, and the gap is marked.
rm -f "$tmp"/out/*
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --udp --repeat 4000 --stop "$listener" >/dev/null
wait_for 'sub-buffers were lost'
lost=$(sed -n 's/^.*; at least \([0-9]*\) sub-buffers were lost$/\1/p' "$tmp/log")
got=$(sed -n "s/^.*wrote '.*: \([0-9]*\) sub-buffers of .* were lost\$/\1/p" "$tmp/log")
is "each lost datagram is counted (${lost:-?})" $((lost + got)) 32008
"$TC_BUILDDIR/tc-report" -i "$tmp"/out/*.dat >"$tmp/got.txt" 2>"$tmp/err"
is "and the gap is marked" "$(grep -c 'EVENTS DROPPED' "$tmp/got.txt" | sed 's/^[1-9][0-9]*$/some/')" some

# A client that ends in the middle of its recording: three of the sub-buffers of each CPU
rm -f "$tmp"/out/*
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --pages 3 >/dev/null
wait_for "wrote '.*: 6 sub-buffers of 2 CPUs\$"
want=$(lines "$tmp"/out/*.dat)
rm -f "$tmp"/out/*
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --pages 3 --die >/dev/null
wait_for "wrote '.*did not end its recording"
is "the data of a killed client are a file" "$(lines "$tmp"/out/*.dat)" "$want"
if [ "$want" -lt 10 ] || [ "$want" -ge "$(lines "$tmp/switch-le32.dat")" ]; then
	fail "it is a part of the recording" "$want lines"
fi
is "which says so" "$(grep -c "6 sub-buffers of 2 CPUs; the client did not end its recording" "$tmp/log")" 1

rm -f "$tmp"/out/*
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --torn 100 >/dev/null
wait_for 'incomplete sub-buffers'
is "bytes of an incomplete sub-buffer are counted" \
	"$(sed -n 's/^.*; \([0-9]*\) bytes of incomplete sub-buffers$/\1/p' "$tmp/log")" 200

# Metadata that end anywhere: no file without a use, and the listener goes on.
rm -f "$tmp"/out/*
size=$(stat -c %s "$tmp/switch-le32.dat")
before=$(grep -c 'there is no file\|wrote ' "$tmp/log")
n=0
for cut in 0 1 9 10 12 18 30 31 32 40 100 500 3000 10000 20000; do
	[ $cut -lt "$size" ] || continue
	python3 "$peer" send "$tmp/switch-le32.dat" "$port" --cut $cut >/dev/null
	n=$((n + 1))
done
wait_for 'there is no file\|wrote ' $((before + n))
bad=
for file in "$tmp"/out/*.dat; do
	[ -e "$file" ] || continue
	"$TC_BUILDDIR/tc-report" --events -i "$file" >/dev/null 2>"$tmp/err" ||
		bad="$bad ${file##*/}: $(head -n 1 "$tmp/err")"
done
nothing "metadata that are cut leave no file that cannot be opened" "$bad"
rm -f "$tmp"/out/*
before=$(grep -c 'there is no file\|wrote ' "$tmp/log")
n=0
for cut in 40 60 100; do
	python3 "$peer" send "$tmp/switch-le32.dat" "$port" --cut $cut --torn 100 >/dev/null
	n=$((n + 1))
done
wait_for 'there is no file\|wrote ' $((before + n))
nothing "nor, with a piece of a sub-buffer, any other" "$(find "$tmp/out" -name '*.cpu*')"
arrives "and the next client is served" "$tmp/switch-le32.dat"

# The listener is stopped in the middle of a recording.
rm -f "$tmp"/out/*
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --pages 3 --pause 0.5 >/dev/null 2>&1 &
sender=$!
i=0
while ! ls "$tmp"/out/*.cpu1 >/dev/null 2>&1 && [ $i -lt 600 ]; do
	sleep 0.05
	i=$((i + 1))
done
down
is "a signal ends the listener in an orderly way" $down_status 0
wait $sender
runs "and what had arrived is a file" "$TC_BUILDDIR/tc-report" -i "$tmp"/out/trace.*.dat

up
python3 "$peer" send "$tmp/switch-le32.dat" "$port" --udp >/dev/null 2>&1
wait_for 'refused'
is "datagrams are refused unless --udp" "$(grep -c 'refused: .*datagrams, which get lost (record with -t' "$tmp/log")" 1
is "and leave no file" "$(ls "$tmp/out")" ''
down

up --quota 20K --max-clients 1
python3 "$peer" send "$tmp/switch-le32.dat" "$port" >/dev/null 2>&1
wait_for "wrote '"
is "a client that exceeds --quota is stopped" "$(grep -c 'stopped: its file has reached 20 KiB' "$tmp/log")" 1
runs "its data from before that are a file" "$TC_BUILDDIR/tc-report" -i "$tmp"/out/trace.*.dat
down

# A client that is silent: without a word, in the middle of the metadata of version 3, and of version 1, after all metadata,
# with connections for data ("waits"), and after a sub-buffer ("records"). These two end their recording at a SIGUSR1.
# It replaces the shell that runs it.
hold() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TC_SRCDIR/tests/net exec python3 - "$port" "$tmp/switch-le32.dat" "$1" <<-'END'
	import signal
	import struct
	import sys
	import peer
	signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
	port, file, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
	rec = peer.Recording(file)
	wire = peer.connect(port)
	print("port %d" % wire.sock.getsockname()[1], flush=True)
	whole = how in ("whole", "v1-whole", "waits", "records")
	if how.startswith("v1"):
	    wire.sock.sendall(b"2\x004096\x001\x004\x00TCP\x00")
	    wire.strz()
	    wire.sock.sendall(rec.metadata if whole else rec.metadata[:9])
	elif how != "nothing":
	    wire.sock.sendall(b"-1V3\0" b"766679\0\0")
	    wire.strz()
	    wire.read(2)
	    cpus = rec.cpus if whole else int(how)
	    wire.say(peer.TINIT, struct.pack(">III", cpus, 4096, 1), b"tcp\0")
	    ports = [int(name) for name in wire.message()[2].split(b"\0")[:cpus]]
	    data = rec.metadata if whole else rec.metadata[:200]
	    for at in range(0, len(data), peer.MAX_DATA):
	        wire.say(peer.SEND_DATA, b"", data[at:at + peer.MAX_DATA])
	    if whole:
	        wire.say(peer.FIN_DATA)
	if how in ("waits", "records"):
	    socks = [peer.connect_reader("127.0.0.1", number, peer.socket.SOCK_STREAM) for number in ports]
	    sent = 4096 if how == "records" else 0
	    for cpu, sock in enumerate(socks):
	        sock.sendall(rec.pages[cpu][:sent])
	    signal.sigwait([signal.SIGUSR1])
	    for cpu, sock in enumerate(socks):
	        sock.sendall(rec.pages[cpu][sent:])
	        sock.close()
	    wire.say(peer.CLOSE)
	wire.sock.settimeout(60)
	try:
	    while wire.sock.recv(100):
	        pass
	except ConnectionResetError:
	    pass
	END
}

# port_of HOW: of a client that hold() runs
port_of() {
	sed -n 's/^port //p' "$tmp/held.$1"
}
up --timeout 5
hold waits >"$tmp/held.waits" 2>&1 &
waits=$!
wait_for 'connected'
for how in nothing v1 v1-whole 2 whole; do
	hold $how >"$tmp/held.$how" 2>&1 &
done
wait_for 'connected' 6
arrives "another client is served beside silent ones" "$tmp/switch-le32.dat"
wait_for 'silent for too long\|has not connected' 5
is "silent clients are ended" "$(grep -c 'it has been silent for too long: Connection timed out' "$tmp/log")" 3
is "one that had sent metadata leaves a file" "$(grep -c 'stopped: it has been silent' "$tmp/log")" 2
is "those that never connect for their data are ended" \
	"$(grep -c 'stopped: it has not connected for its data within 5 s (a firewall may keep it from' "$tmp/log")" 2
kill -USR1 $waits
wait_for "port $(port_of waits): .*wrote '"
is "one that has connected for its data may wait for events" \
	"$(grep -c "port $(port_of waits): wrote '.*: 8 sub-buffers of 2 CPUs\$" "$tmp/log")" 1
down
wait

# All places are taken by clients that are silent: without a word, and with all that is there before the first data.
up
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TC_SRCDIR/tests/net python3 - "$port" "$tmp/switch-le32.dat" >"$tmp/held" 2>&1 <<-'END' &
import signal
import struct
import sys
import peer
port, rec = int(sys.argv[1]), peer.Recording(sys.argv[2])
silent = []
for number in range(64):
    wire = peer.connect(port)
    print("port %d" % wire.sock.getsockname()[1], flush=True)
    silent.append(wire)
    if number % 3:
        wire.sock.sendall(b"-1V3\0" b"766679\0\0")
        wire.strz()
        wire.read(2)
        wire.say(peer.TINIT, struct.pack(">III", 2, 4096, 1), b"tcp\0")
        ports = [int(name) for name in wire.message()[2].split(b"\0")[:2]]
        wire.say(peer.SEND_DATA, b"", rec.metadata[:64])
        wire.say(peer.FIN_DATA)
    if number % 3 == 2:
        silent += [peer.connect_reader("127.0.0.1", name, peer.socket.SOCK_STREAM) for name in ports]
signal.pause()
END
holder=$!
wait_for 'connected' 64
arrives "64 silent clients do not keep out the 65th" "$tmp/switch-le32.dat"
is "the one that was silent the longest gives its place" \
	"$(sed -n 's/^tc-listen: 127.0.0.1 port \([0-9]*\): refused: it has sent no data and been silent for [0-9]* s, and another client needs its place (--max-clients allows more at a time)$/port \1/p' "$tmp/log")" \
	"$(head -n 1 "$tmp/held")"
kill $holder
down
wait

# has_data: of "records"
# shellcheck disable=SC2317 # until_true calls it
has_data() {
	[ -e "$(echo "$tmp"/out/*:"$(port_of records)".dat.cpu1)" ]
}
up --max-clients 1
hold records >"$tmp/held.records" 2>&1 &
records=$!
until_true 60 has_data
python3 "$peer" send "$tmp/switch-le32.dat" "$port" >/dev/null 2>&1
wait_for 'refused'
is "a client that has sent data keeps its place" "$(grep -c 'refused: there are as many clients as --max-clients$' "$tmp/log")" 1
kill -USR1 $records
wait_for "wrote '"
is "and its recording is complete" "$(grep -c "wrote '.*: 8 sub-buffers of 2 CPUs\$" "$tmp/log")" 1
down
wait

# A limit of open files: one client cannot take those that others need.
real=$TC_BUILDDIR
mkdir "$tmp/bin"
printf '#!/bin/sh\nulimit -n 224 && exec %s/tc-listen "$@"\n' "$real" >"$tmp/bin/tc-listen"
chmod +x "$tmp/bin/tc-listen"
TC_BUILDDIR=$tmp/bin
up --max-clients 4
TC_BUILDDIR=$real
hold 80 >"$tmp/held" 2>&1 &
holder=$!
# shellcheck disable=SC2317 # until_true calls it
holds_files() {
	[ "$(find "/proc/$listener/fd" | wc -l)" -gt 80 ]
}
until_true 60 holds_files
(hold 80) >"$tmp/held.2" 2>&1
is "a client whose CPUs need too many files is refused" \
	"$(grep -c 'refused: its 80 CPUs need 160 open files, and [0-9]* are left (start tc-listen with' "$tmp/log")" 1
arrives "another client is served beside it" "$tmp/switch-le32.dat"
kill "$holder"
wait_for 'there is no file'
arrives "which gives its files back" "$tmp/switch-le32.dat"
down
wait

# has_begun: a sub-buffer has arrived, and all metadata of a client of version 1, which does not wait for an answer
# shellcheck disable=SC2317 # until_true calls it
has_begun() {
	[ "$(cat "$tmp"/out/*.cpu[01] 2>/dev/null | wc -c)" -ge 4096 ] &&
		[ "$(cat "$tmp"/out/*.dat | wc -c)" -ge "$(sed -n 's/^metadata //p' "$tmp/peer" | grep . || echo 1)" ]
}

# The listener is killed: the temporary files have whole sub-buffers, and --recover makes one file of all.
for name in switch-le32 ev-v6 sched; do
	if lacks_codec "$tmp/$name.dat"; then
		skip "tc-record --recover after kill -9: $name" "tc-listen is built without zstd"
		continue
	fi
	option=
	[ $name != ev-v6 ] || option=--v1
	up
	python3 "$peer" send "$tmp/$name.dat" "$port" --repeat 1000 --pause 0.01 $option >"$tmp/peer" 2>&1 &
	sender=$!
	until_true 60 has_begun || fail "the client has sent a sub-buffer ($name)" "$(cat "$tmp/peer")"
	kill -9 "$listener"
	wait "$listener" 2>/dev/null
	listener=
	wait $sender
	beside=$(cat "$tmp"/out/*.cpu[01] | wc -c)
	refuses "after kill -9 tc-file check finds that it is not complete ($name)" \
		"$TC_BUILDDIR/tc-file" check "$tmp"/out/*.dat
	runs "which tc-record --recover mends ($name)" "$TC_BUILDDIR/tc-record" --recover "$tmp"/out/*.dat
	"$TC_BUILDDIR/tc-file" check "$tmp"/out/*.dat >"$tmp/check"
	is "and it is sound then ($name)" "$(tail -n 1 "$tmp/check" | sed 's/^.*: //')" sound
	got=$(sed -n 's/^.* \([0-9]*\) sub-buffers.*$/\1/p' "$tmp/check")
	# That of sched is compressed.
	[ $name = sched ] && want=$got || want=$((beside / 4096))
	is "with all that was beside it ($name: $got sub-buffers)" "$got" "$want"
	is "which is removed ($name)" "$(find "$tmp/out" -name '*.cpu*')" ''
	if [ -n "$theirs" ]; then
		trace-cmd report -i "$tmp"/out/*.dat 2>/dev/null >"$tmp/want.txt"
		is "trace-cmd reads as many events ($name)" "$(grep -c . "$tmp/want.txt")" \
			"$("$TC_BUILDDIR/tc-report" -i "$tmp"/out/*.dat 2>/dev/null | grep -c .)"
	fi
done

for options in '' '-p 70000' '-p 0 -o a/b' '-p 0 -d /nowhere' '-p 0 --bind nowhere' '-p 0 operand' \
	'-p 0 --bind 203.0.113.1'; do
	# shellcheck disable=SC2086 # words
	timeout 10 "$TC_BUILDDIR/tc-listen" $options >"$tmp/said" 2>&1
	status=$?
	[ $status -eq 1 ] || [ $status -eq 2 ] || fail "refused: $options" "status $status"
done
pass "wrong options are refused"
up --bind 127.0.0.2
is "loopback needs no warning" "$(grep -c 'no authentication' "$tmp/log")" 0
down
up --bind ::
wait_for 'no authentication'
is "other addresses do" "$(grep -c 'no authentication and no encryption' "$tmp/log")" 1
down
finish
