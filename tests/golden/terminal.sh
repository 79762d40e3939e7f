#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# terminal.sh - text of strangers on a terminal: the programs under script(1)
#
# The recording is made by tests/tools/make_terminal.py. ECMA-48 lists what must not reach a terminal:
# control characters C0 (but tabs, and line ends at the ends of lines), DEL and C1.
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/lib.sh"

begin terminal xz script iconv
xz -dc "$TC_SRCDIR/tests/data/made/hostile-terminal.dat.xz" >"$tmp/t.dat" || exit 1
report=$TC_BUILDDIR/tc-report
script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip_all "script cannot make a terminal"

# on_terminal NAME=VALUE... COMMAND: what it writes there, without the line discipline's returns
on_terminal() {
	TERM=dumb script -qec "$*" /dev/null </dev/null | tr -d '\r'
}

# acts FILE: says what in it would act on a terminal
acts() {
	if tr -d '\t\n' <"$1" | grep -q "$(printf '[\001-\037\177]')"; then
		echo "control characters: $(cat -v "$1")"
	elif grep -q "$(printf '\302[\200-\237]')" "$1"; then
		echo "U+0080 to U+009F: $(cat -v "$1")"
	elif iconv -f UTF-8 -t UTF-32 <"$1" 2>&1 >/dev/null | grep -q . &&
		grep -q "$(printf '[\200-\237]')" "$1"; then
		echo "bytes of ISO 8859 control characters: $(cat -v "$1")"
	fi
}

# inert WHAT ARG...: nothing that acts, and no line of the string's own
inert() {
	what=$1
	shift
	on_terminal "$report --no-pager $* -i $tmp/t.dat" >"$tmp/out"
	wrong=$(acts "$tmp/out")
	if [ ! -s "$tmp/out" ]; then
		fail "$what" "nothing was shown"
	elif [ "$wrong" ]; then
		fail "$what" "$wrong"
	elif grep -q '^ *bash-9' "$tmp/out"; then
		fail "$what" "a string forged a line: $(cat -v "$tmp/out")"
	else
		pass "$what"
	fi
}

inert "a report on a terminal"
inert "the latency format" -l
inert "raw fields" -R
inert "the kernel's lines" --kernel
inert "JSON" --json=text
inert "CSV" --csv=text
inert "columns" --fields=comm,s,text
inert "all formats" --events
inert "statistics" --stat

want='s=a\n            bash-9     [000] .....     0.001000: said: s=forged\x1b[2J\xc2\x9b2J\x9b2J\x7f'
on_terminal "$report --no-pager -i $tmp/t.dat" >"$tmp/out"
if grep -qF "$want" "$tmp/out" && grep -qF '\x1b]0;title\x07x-1' "$tmp/out"; then
	pass "bytes are escaped as in C"
else
	fail "bytes are escaped as in C" "$(cat -v "$tmp/out")"
fi

# Colours are ours, and stay.
on_terminal "$report --no-pager --color=always -i $tmp/t.dat" >"$tmp/out"
if grep -qF "$(printf '\033[36msaid\033[m:')" "$tmp/out" && grep -qF "$want" "$tmp/out"; then
	pass "colours stay"
else
	fail "colours stay" "$(cat -v "$tmp/out")"
fi

# The pager stands between: what it is given is for the terminal all the same.
cat >"$tmp/pager" <<END
#!/bin/sh
echo "secure: \$LESSSECURE" >"$tmp/env"
cat >"$tmp/paged"
END
chmod +x "$tmp/pager"
on_terminal "env TC_PAGER=$tmp/pager $report -i $tmp/t.dat" >/dev/null
if grep -qF "$want" "$tmp/paged"; then
	pass "a pager gets the same"
else
	fail "a pager gets the same" "$(cat -v "$tmp/paged")"
fi
if [ "$(id -u)" != 0 ]; then
	skip "root's pager runs in secure mode" "not root"
elif [ "$(cat "$tmp/env")" = "secure: 1" ]; then
	pass "root's pager runs in secure mode"
else
	fail "root's pager runs in secure mode" "$(cat "$tmp/env")"
fi

# Elsewhere, and when asked for, the bytes of the file
raw=$(printf 's=forged\033[2J\302\2332J\2332J\177')
"$report" -i "$tmp/t.dat" >"$tmp/out"
if grep -qaF "$raw" "$tmp/out"; then
	pass "a file gets the raw bytes"
else
	fail "a file gets the raw bytes" "$(cat -v "$tmp/out")"
fi
on_terminal "$report --no-pager --raw-output -i $tmp/t.dat" >"$tmp/out"
if grep -qaF "$raw" "$tmp/out"; then
	pass "--raw-output prints the bytes"
else
	fail "--raw-output prints the bytes" "$(cat -v "$tmp/out")"
fi

# A mark that turns the direction of text (U+202E, U+2066), a byte that is not UTF-8, and what a spreadsheet takes for a
# formula: on a terminal, and with --escape
xz -dc "$TC_SRCDIR/tests/data/made/terminal-marks.dat.xz" >"$tmp/m.dat" || exit 1
text='s==cmd\xe2\x81\xa6 x\xffy\nz,"q"'
comm='@\xe2\x80\xaevil\xff'
on_terminal "$report --no-pager -i $tmp/m.dat" | sed -n 2p >"$tmp/out"
"$report" --escape -i "$tmp/m.dat" | sed -n 2p >"$tmp/escaped"
if grep -qF "$text" "$tmp/out" && grep -qF "$comm-1 " "$tmp/out" && same "$tmp/out" "$tmp/escaped"; then
	pass "marks are escaped, and an event is a line"
else
	fail "marks are escaped, and an event is a line" "$(cat -v "$tmp/out" "$tmp/escaped")"
fi
on_terminal "$report --no-pager --count-by comm,said.s -i $tmp/m.dat" >"$tmp/out"
if grep -qF "100.00%  $comm  =cmd\\xe2\\x81\\xa6 x\\xffy\\nz,\"q\"" "$tmp/out"; then
	pass "so they are in tables"
else
	fail "so they are in tables" "$(cat -v "$tmp/out")"
fi
"$report" --escape --csv --fields=comm,said.s -i "$tmp/m.dat" | sed -n 2p >"$tmp/out"
printf '%s\n' "'$comm,\"'=cmd\\xe2\\x81\\xa6 x\\xffy\\nz,\"\"q\"\"\"," >"$tmp/want"
if same "$tmp/want" "$tmp/out"; then
	pass "--escape: a cell of CSV does not begin as a formula"
else
	fail "--escape: a cell of CSV does not begin as a formula" "$(cat -v "$tmp/want" "$tmp/out")"
fi
"$report" --json -i "$tmp/m.dat" >"$tmp/out"
if grep -qF '"comm":"@\u202evil\udcff"' "$tmp/out" && grep -qF '"s":"=cmd\u2066 x\udcffy\nz,\"q\""' "$tmp/out"; then
	pass "JSON has marks as escapes everywhere"
else
	fail "JSON has marks as escapes everywhere" "$(cat -v "$tmp/out")"
fi
"$report" --csv=text -i "$tmp/m.dat" >"$tmp/out"
if grep -qaF "$(printf '@\342\200\256vil\377')" "$tmp/out"; then
	pass "a file of CSV has the bytes"
else
	fail "a file of CSV has the bytes" "$(cat -v "$tmp/out")"
fi
"$report" --escape --raw-output -i "$tmp/m.dat" >"$tmp/out" 2>&1
if [ $? = 2 ] && grep -q 'cannot be combined' "$tmp/out"; then
	pass "--escape and --raw-output exclude each other"
else
	fail "--escape and --raw-output exclude each other" "$(cat -v "$tmp/out")"
fi

# tracefs: any program chooses its name and what it writes to trace_marker, and who may define probes
# chooses their paths. Names of events and instances need root, which may be that of a container.
fs=$tmp/tracefs
mkdir "$fs"
tar -C "$fs" -xzf "$TC_SRCDIR/tests/fake/x86_64-6.18.tar.gz"
esc=$(printf '\033[2J')
evil=$(printf '\033[2J\302\2332J\2332J')
printf ' <...>-1 [000] ..... 1.0: tracing_mark_write: a%s\303\244\n' "$evil" >"$fs/trace"
printf '  x-2 [000] ..... 2.0: tracing_mark_write: b' >>"$fs/trace"
mkdir "$fs/instances/in$evil" "$fs/events/sys$esc" "$fs/events/sys$esc/ev$evil"
cp "$fs/trace" "$fs/instances/in$evil/trace"
printf 'p:mine/ev /tmp/x%s:0x10\n' "$evil" >"$fs/uprobe_events"
cp "$fs/uprobe_events" "$fs/dynamic_events"
echo 0 >"$fs/events/sys$esc/ev$evil/enable"
sed "s/^name: .*/name: ev$evil/; s/prev_comm/prev$evil/" "$fs/events/sched/sched_switch/format" \
	>"$fs/events/sys$esc/ev$evil/format"
printf 'sys%s:ev%s\n' "$esc" "$evil" >>"$fs/available_events"

# inert_fs WHAT COMMAND...: what a program says of it, where a part of the names is
inert_fs() {
	what=$1
	shift
	on_terminal "env TRACECRAFT_TRACEFS=$fs $TC_BUILDDIR/$*" >"$tmp/out" 2>&1
	wrong=$(acts "$tmp/out")
	if [ "$wrong" ]; then
		fail "$what" "$wrong"
	elif ! grep -q '2J' "$tmp/out"; then
		fail "$what" "none of the names is shown: $(cat -v "$tmp/out")"
	else
		pass "$what"
	fi
}
inert_fs "tc-session show" tc-session show -t
if grep -qF 'a\x1b[2J\xc2\x9b2J\x9b2J'"$(printf '\303\244')" "$tmp/out" && grep -q 'write: b$' "$tmp/out"; then
	pass "tc-session show escapes as tc-report does"
else
	fail "tc-session show escapes as tc-report does" "$(cat -v "$tmp/out")"
fi
inert_fs "tc-session show of an instance" tc-session show -a -f
inert_fs "tc-session status" tc-session status
inert_fs "tc-session status --json" tc-session status --json
inert_fs "tc-list of events" tc-list -e
inert_fs "tc-list of fields" "tc-list -F 'ev*'"
inert_fs "tc-list of instances" tc-list -B
inert_fs "tc-list of probes" tc-list --probes
inert_fs "tc-list --json" "tc-list --json -F 'ev*'"
inert_fs "tc-probe -l" tc-probe -l

printf '%s\n' "$evil" >"$tmp/evil"
on_terminal "env TRACECRAFT_TRACEFS=$fs $TC_BUILDDIR/tc-session show -t --raw-output" >"$tmp/out"
if grep -qaFf "$tmp/evil" "$tmp/out"; then
	pass "tc-session show --raw-output prints the bytes"
else
	fail "tc-session show --raw-output prints the bytes" "$(cat -v "$tmp/out")"
fi
TRACECRAFT_TRACEFS=$fs "$TC_BUILDDIR/tc-session" show -t >"$tmp/out"
if cmp -s "$tmp/out" "$fs/trace"; then
	pass "tc-session show writes the raw bytes to a file"
else
	fail "tc-session show writes the raw bytes to a file" "$(cat -v "$tmp/out")"
fi

# After the text on a terminal, a line names the views that the recording has data for.
views='other views of these events:'
xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v6.dat.xz" >"$tmp/ev.dat" || exit 1
on_terminal "$report --no-pager -i $tmp/ev.dat" | tail -n 1 >"$tmp/out"
is "a line names the views of system calls and wakeups" \
	"$(grep -c "^tc-report: $views --syscalls, .*--wakeups, .*VIEWS in tc-report(1)" "$tmp/out")" 1
on_terminal "$report --no-pager --select sched_switch -i $tmp/ev.dat" | tail -n 1 >"$tmp/out"
is "it is about the events that were shown" \
	"$(grep -c "$views .*--count-by" "$tmp/out") $(grep -c -e --syscalls "$tmp/out")" "1 0"
for options in "-q" "--stat" "--count-by event" "--json" "--raw-output"; do
	on_terminal "$report --no-pager $options -i $tmp/ev.dat" >"$tmp/out"
	is "no such line with $options" "$(wc -l <"$tmp/out" | grep -cx 0) $(grep -c "$views" "$tmp/out")" "0 0"
done
"$report" -i "$tmp/ev.dat" >"$tmp/text" 2>"$tmp/out"
is "no such line without a terminal" "$(grep -c "$views" "$tmp/out" "$tmp/text" | tr '\n' ' ')" \
	"$tmp/out:0 $tmp/text:0 "

# Whoever made the link chose the name of the file it leads to.
cp "$TC_BUILDDIR/tc-list" "$tmp/prog$evil"
ln -s "prog$evil" "$tmp/link"
inert_fs "tc-probe -D of a linked program" tc-probe -q -x "$tmp/link" -D main
finish
