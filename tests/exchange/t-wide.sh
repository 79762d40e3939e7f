#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-wide.sh - the table of events, as JSON, CSV and Arrow, is what --json prints of the recording: every row,
# the losses, names that are not UTF-8
#
# area: gate report

set -u
# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/lib.sh"

begin wide xz python3
export PYTHONDONTWRITEBYTECODE=1
report=$TC_BUILDDIR/tc-report
some="x86_64/ev-v6 x86_64/stack x86_64/graph x86_64/kprobe x86_64/lost x86_64/marker x86_64/inst x86_64/func
	x86_64/clock-x86-tsc x86_64-6.12/ev-v7zstd x86_64-6.12/graph i386/ev-plain arm64/graph s390x/ev-v7zstd
	s390x/inst ppc64el/ev-v7zstd switch-be32 switch-le32 foreign-be user-stack hostile-terminal unknown-event"

# host FILE: as the recording's own text names it
host() {
	"$report" --uname "$1" | sed -n 's/^[^[]*\[*\(Linux [^]]*\).*/\1/p' | cut -d ' ' -f 2
}

# written OPTION...: without a fault, or with one of a damaged recording
damaged=
written() {
	if [ -z "$damaged" ]; then
		"$report" "$@"
	else
		! "$report" "$@" 2>"$tmp/said" && grep -q damaged "$tmp/said"
	fi
}

# check WHAT NAME HOST FILE...: all formats beside --json
check() {
	check_what=$1 check_name=$2 check_host=$3
	shift 3
	if ! written --json -q "$@" >"$tmp/events.json"; then
		fail "$check_what: is read as JSON"
	elif ! written --wide --json -q "$@" >"$tmp/wide.json" ||
		! written --wide --csv -q "$@" >"$tmp/wide.csv" ||
		! written --arrow --compression=none -q "$@" >"$tmp/wide.arrows"; then
		fail "$check_what: is written"
	elif python3 "$TC_SRCDIR/tests/exchange/check_wide.py" "$tmp/events.json" "$check_host" \
		"$check_name" "$tmp/wide.json" "$tmp/wide.csv" "$tmp/wide.arrows" \
		>"$tmp/wrong" 2>&1; then
		pass "$check_what: $(tail -n 1 "$tmp/wrong")"
	else
		fail "$check_what: differs from --json" "$(tail -n 20 "$tmp/wrong")"
	fi
}

for name in $some; do
	stored_recording "$name" || continue
	check "$name" "$(basename "$dat")" "$(host "$dat")" "$dat"
done

if stored_recording x86_64/ev-v6; then
	# A name as another recording might have it, of as many bytes
	python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
assert b"trace-cmd" in data
open(sys.argv[2], "wb").write(data.replace(b"trace-cmd", b"tr\xe9ce-\\x4"))' "$dat" "$tmp/bytes.dat"
	check "a name that is not UTF-8" bytes.dat "$(host "$dat")" "$tmp/bytes.dat"
	"$report" --arrow --compression=none -q "$tmp/bytes.dat" >"$tmp/wide.arrows"
	if grep -qaF 'tr\xe9ce-\x5cx4' "$tmp/wide.arrows"; then
		pass "a byte that is not UTF-8 is escaped"
	else
		fail "a byte that is not UTF-8 is escaped"
	fi
fi

if stored_recording x86_64/ev-v6; then
	cp "$dat" "$tmp/a.dat"
	host=$(host "$dat")
	head -c $(($(wc -c <"$dat") - 5000)) "$dat" >"$tmp/cut.dat"
	damaged=yes
	check "a truncated recording" cut.dat "$host" "$tmp/cut.dat"
	damaged=
	if grep -q '"fields":{"missing":true}' "$tmp/wide.json"; then
		pass "missing events have a row"
	else
		fail "missing events have a row"
	fi
	stored_recording x86_64/lost && check "two recordings" - "$host" "$dat" "$tmp/a.dat"
	check "a selection" a.dat "$host" --select sched --cpu 1 "$tmp/a.dat"
	check "no event" a.dat "$host" --select sched:sched_process_hang "$tmp/a.dat"
	for jobs in 1 3 8; do
		"$report" --arrow -q -j $jobs "$tmp/a.dat" >"$tmp/jobs-$jobs"
	done
	if cmp "$tmp/jobs-1" "$tmp/jobs-3" && cmp "$tmp/jobs-1" "$tmp/jobs-8"; then
		pass "the stream does not depend on the number of threads"
	else
		fail "the stream does not depend on the number of threads"
	fi
	echo old >"$tmp/kept.arrows"
	if "$report" --arrow -o "$tmp/kept.arrows" -q "$tmp/no-such.dat" 2>/dev/null; then
		fail "a recording that does not exist is an error"
	elif [ "$(cat "$tmp/kept.arrows")" = old ]; then
		pass "an older file stays if there is no new one"
	else
		fail "an older file stays if there is no new one"
	fi
	"$report" --arrow -o "$tmp/file.arrows" -q "$tmp/a.dat"
	if cmp "$tmp/file.arrows" "$tmp/jobs-1"; then
		pass "-o writes the same"
	else
		fail "-o writes the same"
	fi
	if "$report" --arrow -q "$tmp/a.dat" >/dev/full 2>"$tmp/said"; then
		fail "a full disk is an error"
	else
		pass "a full disk is an error"
	fi
fi

# refused TEXT OPTION...: with status 2, and a message that has TEXT
refused() {
	refused_text=$1
	shift
	"$report" "$@" "$dat" >"$tmp/out" 2>"$tmp/said"
	if [ $? -eq 2 ] && ! [ -s "$tmp/out" ] && grep -q -e "$refused_text" "$tmp/said"; then
		pass "refused: $*"
	else
		fail "refused: $*" "$(cat "$tmp/said")"
	fi
}

# Statements name the columns of the table.
columns=$("$report" --wide --csv -q "$tmp/a.dat" | head -n 1)
for engine in duckdb clickhouse; do
	"$report" --schema=$engine >"$tmp/sql"
	names=$(sed -n '/^CREATE/,/^)/s/^\t\([a-z_]*\) .*/\1/p' "$tmp/sql" | paste -sd ,)
	if [ "$names" = "$columns" ] && grep -q "^INSERT INTO events.*'events\.[a-z]*'" "$tmp/sql"; then
		pass "the statements for $engine have the columns"
	else
		fail "the statements for $engine have the columns" "$(cat "$tmp/sql")"
	fi
done
if "$report" --schema=clickhouse "a'b\\c.json" | grep -qF "'a''b\\\\c.json' FORMAT JSONEachRow" &&
	"$report" --schema=duckdb "a'b\\c.csv" | grep -qF "'a''b\\c.csv'"; then
	pass "the name of the file is a literal"
else
	fail "the name of the file is a literal"
fi

dat=$tmp/a.dat
refused "is a layout of --json and --csv" --wide
refused "has no meaning with --wide" --wide --json=text
refused "has no meaning with --wide" --wide --csv --fields=comm
refused "has no meaning with --arrow" --arrow --json
refused "cannot be combined" --arrow --wide --json
refused "has a meaning only with --arrow" -o "$tmp/x" --json
refused "is zstd or none" --arrow --compression=zlib
dat=x.dat
refused "is not an engine" --schema=sqlite
refused "is not a name of a file to load" --schema=duckdb
dat=x.arrows
refused "has no reader of Arrow" --schema=duckdb
dat=$tmp/a.dat
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	if script -qec "$report --arrow $dat" /dev/null </dev/null >"$tmp/said" 2>&1; then
		fail "binary data is not written to a terminal"
	elif grep -q "not for a terminal" "$tmp/said"; then
		pass "binary data is not written to a terminal"
	else
		fail "binary data is not written to a terminal" "$(head -c 1000 "$tmp/said")"
	fi
else
	skip "binary data is not written to a terminal" "script cannot make a terminal"
fi

finish
