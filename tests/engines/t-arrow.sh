#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-arrow.sh - streams of --arrow, compressed and not, read by apache-arrow and by ClickHouse: every row is that
# of --wide --json
#
# needs: net
# cost: 60
# area: engines

set -u
# shellcheck source=tests/engines/lib.sh
. "$(dirname "$0")/lib.sh"

begin arrow xz python3
engines
report=$TC_BUILDDIR/tc-report
some="x86_64/ev-v6 x86_64/stack x86_64/graph x86_64/kprobe x86_64/lost x86_64/inst x86_64-6.12/ev-v7zstd
	i386/ev-plain arm64/graph s390x/ev-v7zstd ppc64el/ev-v7zstd switch-be32 foreign-be user-stack
	hostile-terminal unknown-event"

# check WHAT OPTION...: all rows, in both readers
check() {
	check_what=$1
	shift
	"$report" --wide --json -q "$@" >"$tmp/rows.json"
	"$report" --arrow -q -o "$tmp/zstd.arrows" "$@"
	"$report" --arrow --compression=none -q -o "$tmp/none.arrows" "$@"
	for kind in zstd none; do
		if node "$engines_dir/arrow.mjs" "$tmp/$kind.arrows" "$tmp/rows.json" >"$tmp/said" 2>&1; then
			pass "$check_what, $kind: apache-arrow: $(cat "$tmp/said")"
		else
			fail "$check_what, $kind: apache-arrow" "$(grep -v '^ *at ' "$tmp/said")"
		fi
	done
	{
		echo "SET output_format_json_quote_64bit_integers = 1;"
		echo "SELECT * FROM file('$tmp/zstd.arrows', ArrowStream);"
	} >"$tmp/all.sql"
	if ! sql clickhouse "$tmp/all.sql" >"$tmp/out" 2>"$tmp/said"; then
		fail "$check_what: ClickHouse" "$(cat "$tmp/said")"
	elif python3 "$TC_SRCDIR/tests/engines/check_rows.py" "$tmp/out" "$tmp/rows.json" \
		>"$tmp/said" 2>&1; then
		pass "$check_what: ClickHouse: $(cat "$tmp/said")"
	else
		fail "$check_what: ClickHouse" "$(tail -n 5 "$tmp/said")"
	fi
}

for name in $some; do
	stored_recording "$name" || continue
	check "$name" "$dat"
done

if stored_recording x86_64/ev-v6; then
	cp "$dat" "$tmp/a.dat"
	# A name as another recording might have it
	python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data.replace(b"trace-cmd", b"tr\xe9ce-\\x4"))' "$dat" "$tmp/bytes.dat"
	check "a name that is not UTF-8" "$tmp/bytes.dat"
	# ... in rows of JSON, of which an engine might read none, or other ones
	"$report" --wide --json -q "$tmp/bytes.dat" >"$tmp/rows.json"
	named=$(grep -cF '"comm":"tr\\xe9ce-\\x5cx4","flags"' "$tmp/rows.json")
	printf '%s\n' "SELECT count(*)::INT AS n FROM '$tmp/rows.json' WHERE comm = 'tr\xe9ce-\x5cx4';" >"$tmp/named.sql"
	is "DuckDB reads it in --wide --json" "$(sql duckdb "$tmp/named.sql" 2>&1 | tail -n 1)" "{\"n\":$named}"
	printf '%s\n' "SELECT toInt32(count()) AS n FROM file('$tmp/rows.json', JSONEachRow)" \
		"WHERE comm = 'tr\\\\xe9ce-\\\\x5cx4';" >"$tmp/named.sql"
	is "ClickHouse reads it in --wide --json" "$(sql clickhouse "$tmp/named.sql" 2>&1 | tail -n 1)" "{\"n\":$named}"
	# More rows than a batch has, so that dictionaries grow
	many=
	for i in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n; do
		cp "$dat" "$tmp/$i.dat"
		many="$many $tmp/$i.dat --ts-offset $((0x$(printf %x "'$i") * 1000000000))"
	done
	# shellcheck disable=SC2086
	check "several batches" $many
fi

# Tables for each event
for name in arm64/ev-v7zstd x86_64/stack; do
	stored_recording "$name" || continue
	rm -rf "$tmp/tables"
	"$report" --arrow="$tmp/tables" -q "$dat"
	want=$("$report" --json -q "$dat" | wc -l)
	if node "$engines_dir/tables.mjs" "$tmp"/tables/*.arrows >"$tmp/out" 2>"$tmp/said" &&
		[ "$(head -n 1 "$tmp/out")" = "$want" ]; then
		pass "$name: apache-arrow reads all tables: $want rows, $(tail -n 1 "$tmp/out")"
	else
		fail "$name: apache-arrow reads all tables" "$want rows" "$(cat "$tmp/out" "$tmp/said")"
	fi
done
if stored_recording arm64/ev-v7zstd; then
	rm -rf "$tmp/tables"
	"$report" --arrow="$tmp/tables" -q "$dat"
	echo "SELECT next_comm || ' ' || toString(count()) AS row FROM
		file('$tmp/tables/sched.sched_switch.arrows', ArrowStream)
		WHERE prev_state = 1 GROUP BY next_comm;" >"$tmp/switches.sql"
	got=$(sql clickhouse "$tmp/switches.sql" 2>&1 | sed -n 's/^{"row":"\(.*\)"}$/\1/p' | sort)
	want=$("$report" --count-by=next_comm --csv -q -F 'sched_switch: prev_state == 1' "$dat" |
		awk -F , 'NR > 1 { print $1, $2 }' | sort)
	is "ClickHouse counts switches in their table" "${got:-nothing}" "$want"
fi

finish
