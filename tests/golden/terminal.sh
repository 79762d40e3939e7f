#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# terminal.sh - text of strangers on a terminal: tc-report under script(1)
#
# The recording is that of tests/tools/make_terminal.py. What a terminal must not get is known from
# ECMA-48: control characters C0 (but tabs, and line ends at the ends of lines), DEL and C1.

set -u
# shellcheck source=tests/golden/lib.sh
. "${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/lib.sh"

begin terminal xz script
xz -dc "$TC_SRCDIR/tests/data/made/hostile-terminal.dat.xz" >"$tmp/t.dat" || exit 1
report=$TC_BUILDDIR/tc-report
script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip_all "script cannot make a terminal"

# on_terminal NAME=VALUE... COMMAND: what it writes there, without the line discipline's returns
on_terminal() {
	TERM=dumb script -qec "$*" /dev/null </dev/null | tr -d '\r'
}

# inert WHAT ARG...: nothing that acts, and no line of the string's own
inert() {
	what=$1
	shift
	on_terminal "$report --no-pager $* -i $tmp/t.dat" >"$tmp/out"
	if [ ! -s "$tmp/out" ]; then
		fail "$what" "nothing was shown"
	elif tr -d '\t\n' <"$tmp/out" | grep -q "$(printf '[\001-\037\177]')"; then
		fail "$what" "control characters: $(cat -v "$tmp/out")"
	elif grep -q "$(printf '\302[\200-\237]')" "$tmp/out"; then
		fail "$what" "U+0080 to U+009F: $(cat -v "$tmp/out")"
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
	pass "bytes are shown as C writes them"
else
	fail "bytes are shown as C writes them" "$(cat -v "$tmp/out")"
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
	skip "root's pager is a secure one" "not root"
elif [ "$(cat "$tmp/env")" = "secure: 1" ]; then
	pass "root's pager is a secure one"
else
	fail "root's pager is a secure one" "$(cat "$tmp/env")"
fi

# Elsewhere, and when asked for, the bytes of the file
raw=$(printf 's=forged\033[2J\302\2332J\2332J\177')
"$report" -i "$tmp/t.dat" >"$tmp/out"
if grep -qaF "$raw" "$tmp/out"; then
	pass "a file gets the bytes"
else
	fail "a file gets the bytes" "$(cat -v "$tmp/out")"
fi
on_terminal "$report --no-pager --raw-output -i $tmp/t.dat" >"$tmp/out"
if grep -qaF "$raw" "$tmp/out"; then
	pass "--raw-output gives the bytes"
else
	fail "--raw-output gives the bytes" "$(cat -v "$tmp/out")"
fi
finish
