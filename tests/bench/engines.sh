#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of getting a recording into database engines: CPU seconds and bytes for a million events, of each
# format that tc-report writes, and from there into a table of DuckDB and ClickHouse, and to Parquet.
#
#   TC_BENCH_RUNS     5; runs, of which medians are printed
#   TC_BENCH_EVENTS   3000000; events of the recording, made here (needs root)
#   TC_BENCH_FILE     a recording to use instead
#
# Engines are those of make check-engines, which installs them. CPU seconds are those of all threads of all processes.

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
wanted=${TC_BENCH_EVENTS:-3000000}
report=$build/tc-report
file=${TC_BENCH_FILE:-$dir/events.dat}
out=$dir/out

if [ -z "${TC_BENCH_FILE:-}" ]; then
	[ "$(id -u)" = 0 ] || { say "bench: recording needs root"; exit 77; }
	under_load "$build/tc-record" -b 64M -o "$file" --max-events "$wanted" --duration 320 \
		-e sched -e syscalls -e irq -e timer 2>"$dir/said" || cat "$dir/said"
fi
n=$("$report" --csv --fields=cpu -q "$file" | wc -l)
n=$((n - 1))
say_machine
say "recording: $n events, $(wc -c <"$file") bytes"
say
say "                                     CPU s for     bytes for"
say "                                     a million     a million"

# line LABEL NAME BYTES
line() {
	awk -v label="$1" -v cpu="$(median "$2" 2)" -v bytes="$3" -v n="$n" 'BEGIN {
		printf "  %-33s %9.3f  %12.0f\n", label, cpu / n * 1e6, bytes / n * 1e6 }'
}

# size: bytes of what was written
size() {
	find "$out" -type f -exec cat {} + | wc -c
}

# format LABEL OPTION...: tc-report alone; a directory for --arrow=DIR
format() {
	format_label=$1
	format_name=$(printf %s "$1" | tr -c 'a-z0-9\n' _)
	shift
	for _ in $(seq "$runs"); do
		rm -rf "$out"
		# shellcheck disable=SC2016 # the inner shell's
		measure "$format_name" sh -c 'out=$1; shift; exec "$@" >"$out"' sh "$out" \
			"$report" -q "$@" "$file"
	done
	line "$format_label" "$format_name" "$(size)"
}

awk -v bytes="$(wc -c <"$file")" -v n="$n" 'BEGIN {
	printf "  %-33s %9s  %12.0f\n", "the recording", "-", bytes / n * 1e6 }'
format "--json" --json
format "--csv" --csv
format "--wide --json" --wide --json
format "--wide --csv" --wide --csv
format "--arrow" --arrow
format "--arrow --compression=none" --arrow --compression=none
for _ in $(seq "$runs"); do
	rm -rf "$out"
	measure tables "$report" -q --arrow="$out" "$file"
done
line "--arrow=DIR" tables "$(size)"

if ! why=$("$source/tests/engines/setup.sh" "$build/engines"); then
	say "engines were not measured: $why"
	exit 0
fi
cp "$source/tests/engines/sql.mjs" "$build/engines"

# table LABEL ENGINE "OPTIONS" FILE: a file, then a table, as --schema says; both count
table() {
	"$report" --schema="$2" "$4" >"$dir/table.sql"
	table_name=$(printf %s "$1" | tr -c 'A-Za-z0-9\n' _)
	for _ in $(seq "$runs"); do
		# shellcheck disable=SC2016 # the inner shell's
		measure "$table_name" sh -c '"$1" -q $2 "$3" >"$4" && node "$5" "$6" "$7"' sh \
			"$report" "$3" "$file" "$4" "$build/engines/sql.mjs" "$2" "$dir/table.sql"
	done
	line "$1" "$table_name" "$(wc -c <"$4")"
	rm "$4"
}
table "JSON, DuckDB's table" duckdb "--wide --json" "$dir/events.json"
table "JSON, ClickHouse's table" clickhouse "--wide --json" "$dir/events.json"
table "CSV, ClickHouse's table" clickhouse "--wide --csv" "$dir/events.csv"
table "Arrow, ClickHouse's table" clickhouse --arrow "$dir/events.arrows"

# parquet LABEL ENGINE "OPTIONS" FILE "STATEMENT": a file, then Parquet of it; both count
parquet() {
	echo "$5" >"$dir/parquet.sql"
	parquet_name=$(printf %s "$1" | tr -c 'A-Za-z0-9\n' _)
	for _ in $(seq "$runs"); do
		rm -rf "$out" "$dir/events.parquet"
		# shellcheck disable=SC2016 # the inner shell's
		measure "$parquet_name" sh -c '"$1" -q $2 "$3" >"$4" && node "$5" "$6" "$7" >/dev/null' sh \
			"$report" "$3" "$file" "$4" "$build/engines/sql.mjs" "$2" "$dir/parquet.sql"
	done
	line "$1" "$parquet_name" "$(wc -c <"$dir/events.parquet")"
}

# The columns of the table, as --schema declares them to the reader of JSON
columns=$("$report" --schema=duckdb "$dir/events.json" | sed -n '/^INSERT/,$p' |
	sed '1s/^INSERT INTO events BY NAME SELECT \* //; $s/;$//')
# By default ClickHouse adds filters for each column, which make the file larger.
settings="SETTINGS output_format_parquet_compression_method = 'zstd', output_format_parquet_write_bloom_filter = 0"
parquet "JSON, DuckDB, Parquet" duckdb "--wide --json" "$dir/events.json" \
	"COPY (SELECT * $columns) TO '$dir/events.parquet' (COMPRESSION zstd);"
parquet "JSON, ClickHouse, Parquet" clickhouse "--wide --json" "$dir/events.json" \
	"$("$report" --schema=clickhouse "$dir/events.json" | sed -n '/^CREATE/,/;$/p;/^INSERT/p')
SELECT * FROM events INTO OUTFILE '$dir/events.parquet' FORMAT Parquet
$settings;"
parquet "Arrow, ClickHouse, Parquet" clickhouse --arrow "$dir/events.arrows" \
	"SELECT * FROM file('$dir/events.arrows', ArrowStream) INTO OUTFILE '$dir/events.parquet' FORMAT Parquet
$settings;"
