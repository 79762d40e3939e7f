#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/run and tests/lib/one: their words about test programs that pass, fail, are skipped, never end or leave
# something running or in tracefs; a test that declares nothing has nothing.
#
# wants: root tracefs
# cost: 30
# area: gate build

set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

one=$TC_BUILDDIR/tests/lib/one
run=$TC_SRCDIR/tests/run
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
mkdir -p tests/lib
ln -s "$one" tests/lib/one
unset TC_GATE TC_JOBS TC_UNTIL TC_EXCLUSIVE TC_WRAPPER TC_TIME_LIMIT

# program NAME [LINE...]: a test program of these lines
program() {
	program_name=$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$program_name"
	chmod +x "$program_name"
}

# try [VARIABLE=VALUE...] PROGRAM...: its output in out
try() {
	set -- "$@"
	vars=
	while case $1 in *=*) true ;; *) false ;; esac; do
		vars="$vars $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	env -u TC_ONE TC_BUILDDIR="$tmp" $vars "$run" "$@" >out 2>&1
	status=$?
}

# says NAME STATUS LAST-LINE [TEXT...]: the run ended with STATUS and this line, and each TEXT is in a line
says() {
	says_name=$1
	is "$1: exit status" "$status" "$2"
	is "$1: the last line" "$(tail -n 1 out)" "$3"
	shift 3
	for text in "$@"; do
		if grep -qF -e "$text" out; then
			pass "$says_name: '$text'"
		else
			fail "$says_name: '$text'" "$(cat out)"
		fi
	done
}

program good 'echo "ok 1 - one"; echo "ok 2 - two # SKIP no reason"; echo 1..2'
try ./good
says "a good program" 0 "1 passed, 0 failed, 1 skipped" "ok    good (1)" "skip  good: two # no reason"

program bad 'echo "ok 1 - one"; echo "not ok 2 - the second"; echo "# because"; echo 1..2; exit 1'
try ./good ./bad
says "a failed test" 1 "2 passed, 1 failed, 1 skipped" "FAIL  bad: the second" "# because"
is "a failed test is named in the last ten lines, with its log" \
	"$(tail -n 10 out | grep -c -e '^  bad: the second$' -e "^      log: $tmp/tests/logs/")" 2
try TC_JOBS=1 ./good ./bad
is "a test that failed last time comes first" "$(grep -nE '^(ok|FAIL)' out | sed -n '1s/^.*FAIL *\(.*\):.*/\1/p')" bad

program few 'echo "ok 1 - one"; echo 1..2'
try ./few
says "fewer results than planned" 1 "1 passed, 1 failed, 0 skipped" "planned 2 tests, ran 1"
program none 'echo hello'
try ./none
says "no TAP" 1 "0 passed, 1 failed, 0 skipped" "FAIL  none: no TAP plan"
program status 'echo "ok 1 - one"; echo 1..1; exit 3'
try ./status
says "an exit status without a failed test" 1 "1 passed, 1 failed, 0 skipped" "exit status 3"
program killed 'echo "ok 1 - one"; echo 1..1; kill -SEGV $$'
try ./killed
says "a signal" 1 "1 passed, 1 failed, 0 skipped" "ended by signal 11"
program skips 'echo "1..0 # SKIP there is no moon"; exit 77'
try ./skips
says "a program that cannot run here" 0 "0 passed, 0 failed, 1 skipped" "skip  skips: there is no moon"
program todo '# needs: exclusive' 'echo "ok 1"; echo 1..1'
try ./todo
says "tracing for itself is not taken without being given" 0 "0 passed, 0 failed, 1 skipped" "TC_EXCLUSIVE=1"
program costly '# cost: 100' 'echo "ok 1"; echo 1..1'
try TC_UNTIL=$(($(date +%s) + 50)) ./costly ./good
says "a test that would end too late is named" 0 "1 passed, 0 failed, 2 skipped" \
	"skip  costly: the time for tests was over"

program busy 'echo "ok 1"; echo 1..1; while :; do :; done'
try TC_TIME_LIMIT=1 ./busy
says "a program that never ends" 1 "1 passed, 1 failed, 0 skipped" "ended after 1 s of CPU time"
program waits 'echo "ok 1"; echo 1..1; mkfifo never; read x <never'
try TC_TIME_LIMIT=1 ./waits
says "a program that waits for ever" 1 "1 passed, 1 failed, 0 skipped" "ended after 10 s"
# shellcheck disable=SC2016 # the program's
program leaves 'sh -c "exec sleep 3600" & echo $! >left; echo "ok 1"; echo 1..1; exit 0'
try ./leaves
says "a program that leaves another running" 1 "1 passed, 1 failed, 0 skipped" "left running: $(cat left) sleep 3600"
runs "which is ended" test ! -e "/proc/$(cat left)/exe"

# A shell ignores these in programs that it starts in the background; a test has them all.
program ignored 'grep "^SigIgn" /proc/self/status'
is "no signal is ignored" "$(env --ignore-signal=INT --ignore-signal=QUIT "$one" ./ignored 2>/dev/null |
	grep -c '^SigIgn:[[:space:]]*0000000000000000$')" 1

# shellcheck disable=SC2016 # the program's
program files 'test ! -e /proc/$$/fd/3 && test ! -e /proc/$$/fd/7 && echo closed'
is "no other file is open" "$("$one" ./files 2>/dev/null 3</dev/null 7</dev/null)" closed

if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	skip "nothing declared: no capability, no tracefs" "it needs root"
else
	# The first process of the namespace ends once the second was waited for, which is not its child.
	# shellcheck disable=SC2016 # the program's
	program spaces '# needs: root' 'mkfifo up; unshare -p -f sh -c "echo >up; sleep 3600" & outer=$!; read x <up
		read inner <"/proc/$outer/task/$outer/children"; nsenter -t "$inner" -p sh -c "echo >up; sleep 3600" &
		read x <up; echo "ok 1"; echo 1..1; exit 0'
	try ./spaces
	says "a program that leaves a pid namespace with more than one process" 1 "1 passed, 1 failed, 0 skipped" \
		"left running: "
	# shellcheck disable=SC2016 # the program's
	program has 'echo "1..0 # SKIP $(sed -n "s/^CapEff:[[:space:]]*//p" /proc/self/status) $(ls /sys/kernel/tracing |
		wc -l) $(ls -A /run/tracecraft | wc -l) $(grep -c : /proc/net/dev)"; exit 77'
	try ./has
	says "nothing declared: no capability, no tracefs, an empty /run, only lo" 0 \
		"0 passed, 0 failed, 1 skipped" "skip  has: 0000000000000000 0 0 "
	is "and only a loopback device" "$(sed -n 's/^skip.* //p' out)" 1
fi
tracefs=/sys/kernel/tracing
if ! mkdir "$tracefs/instances/runner.$$" 2>/dev/null; then
	skip "an instance that is left is named" "no instance can be made here"
else
	rmdir "$tracefs/instances/runner.$$"
	# shellcheck disable=SC2016 # the program's
	program instance '# needs: root tracefs' 'mkdir "/sys/kernel/tracing/instances/left.$$"' \
		'echo $$ >left' ': >/run/tracecraft/tc-none.$$' 'echo "ok 1"; echo 1..1'
	try ./instance
	rmdir "$tracefs/instances/left.$(cat left)"
	says "an instance that is left is named" 1 "1 passed, 1 failed, 0 skipped" \
		"left in tracefs: instance left.$(cat left)" "left: journal tc-none.$(cat left)"
	# shellcheck disable=SC2016 # the program's
	program other '# needs: root tracefs' 'sh -c ": >/run/tracecraft/tc-none.\$\$; echo \$\$ >left"' \
		'mkdir "/sys/kernel/tracing/instances/tc-left.$(cat left).more"' \
		'rm /run/tracecraft/*' 'echo "ok 1"; echo 1..1'
	try ./other
	rmdir "$tracefs/instances/tc-left.$(cat left).more"
	says "and that of a program of the test, known by its journal" 1 "1 passed, 1 failed, 0 skipped" \
		"left in tracefs: instance tc-left.$(cat left).more"
fi
finish
