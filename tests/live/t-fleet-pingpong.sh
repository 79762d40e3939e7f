#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two processes send each other messages, recorded with tc-fleet as if each were on a host of its own. One host's
# clock is 1000 s ahead (a time namespace; the stamps of its events are changed afterwards). Its connection takes as long as the
# messages, there and back: no receive is before its send once the clocks are corrected by what tc-fleet found.
#
# needs: root tracefs uprobes
# area: network
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
command -v python3 >/dev/null || skip_all "no python3"
[ "$(uname -m)" = x86_64 ] || skip_all "the probes name a register of x86_64"
unshare --time --monotonic 1 --boottime 1 true 2>/dev/null || skip_all "no time namespaces"
mkdir -m 700 spool || exit 1
helper pingpong

# The transport: each host records its own process.
cat >connect <<'END'
#!/bin/sh
read -r pid_here pid_ahead <pids
pid=$pid_here in='' way='0 0 0'
[ "$1" != ahead ] || pid=$pid_ahead in='unshare --time --monotonic 1000 --boottime 1000' way=$WAY
COMMAND=$(printf '%s\n' "$2" | sed "s/@PID@/$pid/")
export COMMAND
# shellcheck disable=SC2086 # several words
exec python3 "$TC_SRCDIR/tests/live/delay.py" $way "exec $in sh -c \"\$COMMAND\""
END
chmod +x connect

# pingpong THERE BACK: milliseconds of the ways between "here" and "ahead"
pingpong() {
	WAY="$1 $2 0"
	export WAY
	rm -rf run go pids
	mkfifo go
	./pingpong 200 $(($1 * 1000)) $(($2 * 1000)) <go >pids &
	program=$!
	exec 3>go
	wait_for $program test -s pids
	"$fleet" record -q --ssh ./connect --program "$record" --spool "$PWD/spool" -o run --on here,ahead -C mono -- \
		-P @PID@ -p 'uprobe:./pingpong:sent n=%di:u64' -p 'uprobe:./pingpong:received n=%di:u64' \
		--compression none 2>err &
	collector=$!
	wait_for $collector begun || fail "$1 $2: recording begins" "$(cat err)"
	echo >&3
	exec 3>&-
	wait $program
	kill -INT $collector
	wait $collector
	is "$1 and $2 ms: both are recorded" $? 0
	cp run/here/*.dat here.dat
	python3 "$TC_SRCDIR/tests/live/clocks.py" ahead run/ahead/*.dat ahead.dat 1000000000000 b
}

# begun: all hosts record
begun() {
	[ "$("$fleet" status -o run --ssh ./connect 2>/dev/null | grep -c recording)" = 2 ]
}

# early OPTION...: receives that come before their sends, of how many
early() {
	"$report" --json --messages sent,received,n "$@" here.dat ahead.dat >merged 2>err
	sed -n 's/.* \([0-9]*\) of \([0-9]*\) receives are shown before their sends; 0 have none$/\1 of \2/p' err
}

for way in "2 2" "3 1" "1 4"; do
	# shellcheck disable=SC2086 # there and back
	pingpong $way
	is "$way: half of the receives are early without correction" "$(early --no-clocks)" "200 of 400"
	is "$way: none is, with it" "$(early)" "0 of 400"
	has "$way: it was by the round trips" err ", clock mono of boot "
	# Half of both ways, and the true offset is found within it.
	is "$way: bound and offset" "$(sed -n 's/.*clock mono \([-+][0-9.]*\) s, .* +-\([0-9.]*\) us (.*/\1 \2/p' err | awk -v way="$way" '
		{
			split(way, w, " ")
			off = $1 + 1000
			if (off < 0) off = -off
			print ($2 >= (w[1] + w[2]) * 500), (off * 1e6 <= $2)
		}')" "1 1"
done
nothing "nothing is left in the spools" "$(ls spool)"
nothing_of_mine "tracefs"
finish
